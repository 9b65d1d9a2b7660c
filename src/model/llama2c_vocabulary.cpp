// llama2c_vocabulary.cpp: reads the tokens of llama2.c's tokeniser, and merges the best neighbours.
#include "model/llama2c_vocabulary.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "murmur/error.h"

namespace murmur {

namespace {

constexpr std::int32_t kLongestToken = 1024;
constexpr std::int64_t kStart = 1, kFirstByte = 3;

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
  throw Error(Fault::input, what, where, "give the tokenizer.bin that belongs to the model");
}

template <class Number>
Number take(std::string_view& bytes, const std::string& where) {
  Number number{};
  if (bytes.size() < sizeof number) refuse("the tokeniser ends in the middle of a token", where);
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

// Bytes of the character that begins with this one.
std::size_t length_of(unsigned char first) {
  return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

}  // namespace

std::vector<ScoredToken> parse_llama2c_tokens(std::string_view bytes, const std::string& where) {
  const auto longest = take<std::int32_t>(bytes, where);
  if (longest < 1 || longest > kLongestToken)
    refuse("the tokeniser does not begin with the length of its longest token", where);
  std::vector<ScoredToken> tokens;
  while (!bytes.empty()) {
    ScoredToken token;
    token.score = take<float>(bytes, where);
    const auto length = take<std::int32_t>(bytes, where);
    if (length < 0 || length > kLongestToken || static_cast<std::size_t>(length) > bytes.size() ||
        !std::isfinite(token.score))
      refuse(fmt::format("token {} of the tokeniser is not one", tokens.size()), where);
    token.text = bytes.substr(0, static_cast<std::size_t>(length));
    bytes.remove_prefix(static_cast<std::size_t>(length));
    tokens.push_back(std::move(token));
  }
  if (tokens.size() < kLlama2cFixed)
    refuse("the tokeniser has fewer tokens than three special ones and all bytes", where);
  return tokens;
}

Llama2cVocabulary::Llama2cVocabulary(std::string_view bytes, const std::string& where)
    : tokens_(parse_llama2c_tokens(bytes, where)) {
  const char* const special[] = {"<unk>", "<s>", "</s>"};
  for (std::size_t id = 0; id < 3; ++id) tokens_[id].text = special[id];
  for (std::size_t id = 0; id < tokens_.size(); ++id)
    ids_.try_emplace(tokens_[id].text, static_cast<std::int64_t>(id));
}

std::vector<std::int64_t> Llama2cVocabulary::encode(std::string_view text) const {
  std::vector<std::int64_t> ids;
  std::string all;
  if (!text.empty()) all.append(1, ' ').append(text);
  for (std::size_t at = 0; at < all.size();) {
    const std::string character = all.substr(at, length_of(static_cast<unsigned char>(all[at])));
    at += character.size();
    if (const auto found = ids_.find(character); found != ids_.end())
      ids.push_back(found->second);
    else
      for (const char byte : character)
        ids.push_back(kFirstByte + static_cast<unsigned char>(byte));
  }
  for (;;) {
    float best = -std::numeric_limits<float>::infinity();
    std::size_t at = 0;
    std::int64_t together = -1;
    for (std::size_t k = 0; k + 1 < ids.size(); ++k) {
      const auto found = ids_.find(token(ids[k]) + token(ids[k + 1]));
      if (found == ids_.end() || found->second < static_cast<std::int64_t>(kLlama2cFixed)) continue;
      const float score = tokens_[static_cast<std::size_t>(found->second)].score;
      if (together < 0 || score > best) best = score, at = k, together = found->second;
    }
    if (together < 0) break;
    ids[at] = together;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  ids.insert(ids.begin(), kStart);
  return ids;
}

std::string Llama2cVocabulary::token(std::int64_t id) const {
  return tokens_[static_cast<std::size_t>(id)].text;
}

std::string Llama2cVocabulary::decode(std::span<const std::int64_t> ids) const {
  std::string text;
  for (const std::int64_t id : ids) {
    if (id < kFirstByte) continue;
    if (id < static_cast<std::int64_t>(kLlama2cFixed))
      text += static_cast<char>(id - kFirstByte);
    else
      text += token(id);
  }
  if (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

}  // namespace murmur
