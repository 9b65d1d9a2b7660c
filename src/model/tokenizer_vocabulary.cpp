// tokenizer_vocabulary.cpp: the two tables of a vocabulary, checked while they are made.
#include "model/tokenizer_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"

namespace murmur::tokenizer {

std::string_view TokenList::text(std::size_t k) const {
  const std::size_t begin = k == 0 ? 0 : ends[k - 1];
  return std::string_view(texts).substr(begin, ends[k] - begin);
}

void TokenList::add(std::string_view text) {
  texts += text;
  ends.push_back(texts.size());
}

Vocabulary::Vocabulary(TokenList tokens, const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Fault::input, what, where + ": model.vocab", "download the tokenizer.json again");
  };
  const std::size_t count = tokens.size();
  const bool listed = tokens.ids.empty();  // a token's place is its id
  std::uint64_t highest = count == 0 ? 0 : count - 1;
  for (const std::uint64_t id : tokens.ids) highest = std::max(highest, id);
  if (highest >= 2 * count + 65'536)
    refuse(fmt::format("the id {} is out of range: there are {} tokens", highest, count));
  of_id_.resize(count == 0 ? 0 : highest + 1);
  by_text_.reserve(count);
  std::vector<std::size_t> ends = std::move(tokens.ends);
  texts_ = std::move(tokens.texts);
  std::size_t begin = 0;
  for (std::size_t k = 0; k < count; ++k) {
    // An empty token is one too: data() tells it from an id that is unused.
    const std::string_view text = std::string_view(texts_).substr(begin, ends[k] - begin);
    const auto id = static_cast<TokenId>(listed ? k : tokens.ids[k]);
    if (of_id_[id].data() != nullptr) refuse(fmt::format("the id {} stands for two tokens", id));
    of_id_[id] = text;
    if (!by_text_.insert_or_assign(text, id).second && !listed)
      refuse(fmt::format("the token {} has two ids", text));
    begin = ends[k];
  }
  bytes_.resize(256);
  for (std::size_t b = 0; b < 256; ++b) bytes_[b] = id(fmt::format("<0x{:02X}>", b));
}

std::optional<TokenId> Vocabulary::id(std::string_view token) const {
  const auto found = by_text_.find(token);
  return found == by_text_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string_view> Vocabulary::token(TokenId id) const {
  if (id >= of_id_.size() || of_id_[id].data() == nullptr) return std::nullopt;
  return of_id_[id];
}

std::optional<TokenId> Vocabulary::byte_id(unsigned char byte) const { return bytes_[byte]; }

}  // namespace murmur::tokenizer
