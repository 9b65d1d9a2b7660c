// llama2c.cpp: the files of llama2.c: a llama as seven numbers and all weights, and the tokens of
// its tokeniser.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "model/model_folder.h"
#include "murmur/error.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what, const fs::path& where) {
  throw Error(Fault::input, what, where.string(), "give a file in the first format of llama2.c");
}

// The header. A negative vocabulary means that the unembedding is a separate matrix.
struct Header {
  std::int32_t d, hidden, layers, heads, key_heads, vocabulary, context;
};

Description described(const Header& h) {
  Description of;
  of.family = "llama";
  of.d = of.embedding_width = h.d;
  of.hidden = h.hidden;
  of.layers = h.layers;
  of.heads = h.heads;
  of.key_heads = h.key_heads;
  of.head_width = h.d / h.heads;
  of.vocabulary = std::abs(h.vocabulary);
  of.context = h.context;
  of.causal = true;
  of.norm = {Norm::rms, 1e-5};
  of.gated = true;
  of.activation = FeedForwardActivation::silu;
  of.rotary = {.width = of.head_width, .neighbours = true};
  of.score_scale = 1 / std::sqrt(of.head_width);
  of.final_norm_in_last = true;
  of.blocks.resize(static_cast<std::size_t>(of.layers));
  return of;
}

bool is_out_of_range(const Header& h) {
  if (h.vocabulary < -kMostConfigured) return true;  // abs(h.vocabulary) follows
  for (const std::int32_t size :
       {h.d, h.hidden, h.layers, h.heads, h.key_heads, h.context, std::abs(h.vocabulary)})
    if (size <= 0 || size > kMostConfigured) return true;
  return h.layers > kMostConfiguredLayers || h.d % h.heads != 0 || h.heads % h.key_heads != 0 ||
         h.d / h.heads % 2 != 0;
}

// A position in the numbers of the file.
class Cursor {
 public:
  explicit Cursor(const float* at) : at_(at) {}
  const float* take(std::uint64_t count) {
    const float* const from = at_;
    at_ += count;
    return from;
  }

 private:
  const float* at_;
};

// A size of the header, which is not negative.
std::uint64_t size_of(std::int32_t size) { return static_cast<std::uint64_t>(size); }

// The number of numbers that follow the header. With sizes up to 2^24 and 2^12 layers it is below
// 2^63.
std::uint64_t numbers(const Header& h) {
  const std::uint64_t d = size_of(h.d), v = size_of(std::abs(h.vocabulary));
  const std::uint64_t width = d / size_of(h.heads), narrow = width * size_of(h.key_heads);
  const std::uint64_t block = 2 * d + 2 * d * d + 2 * narrow * d + 3 * size_of(h.hidden) * d;
  return v * d + size_of(h.layers) * block + d + size_of(h.context) * width +
         (h.vocabulary < 0 ? v * d : 0);
}

TransformerWeights weights_of(const Header& h, const float* all) {
  const int d = h.d, narrow = d / h.heads * h.key_heads;
  const std::uint64_t layers = size_of(h.layers), wide = size_of(d), few = size_of(narrow),
                      hidden = size_of(h.hidden), tokens = size_of(std::abs(h.vocabulary));
  Cursor file(all);
  TransformerWeights w;
  w.tokens = file.take(tokens * wide);
  const float* attention_norm = file.take(layers * wide);
  const float* q = file.take(layers * wide * wide);
  const float* k = file.take(layers * wide * few);
  const float* v = file.take(layers * wide * few);
  const float* o = file.take(layers * wide * wide);
  const float* feed_forward_norm = file.take(layers * wide);
  const float* gate = file.take(layers * wide * hidden);
  const float* down = file.take(layers * wide * hidden);
  const float* up = file.take(layers * wide * hidden);
  w.final_norm.gain = file.take(wide);
  // skips the tables of the rotations, which the pass computes
  file.take(size_of(h.context) * (wide / size_of(h.heads)));
  const float* own = h.vocabulary < 0 ? file.take(tokens * wide) : w.tokens;
  w.unembedding = {.w = own, .out = std::abs(h.vocabulary), .in = d, .pitch = d};
  const auto map = [](const float* from, std::ptrdiff_t layer, int out, int in) {
    return Linear{.w = from + layer * out * in, .out = out, .in = in, .pitch = in};
  };
  for (std::ptrdiff_t l = 0; l < h.layers; ++l)
    w.blocks.push_back({.attention_norm = {attention_norm + l * d},
                        .feed_forward_norm = {feed_forward_norm + l * d},
                        .query = map(q, l, d, d),
                        .key = map(k, l, narrow, d),
                        .value = map(v, l, narrow, d),
                        .out = map(o, l, d, d),
                        .up = map(up, l, h.hidden, d),
                        .gate = map(gate, l, h.hidden, d),
                        .down = map(down, l, d, h.hidden)});
  return w;
}

// Returns the header if the size of the file agrees with it.
Header header_of(std::span<const std::byte> bytes, const std::string& where) {
  Header h{};
  if (bytes.size() < sizeof h) refuse("the file is too short for a header of seven numbers", where);
  std::memcpy(&h, bytes.data(), sizeof h);
  if (is_out_of_range(h)) refuse("the header does not hold the sizes of a llama", where);
  const std::uint64_t held = bytes.size() - sizeof h;
  if (held % sizeof(float) != 0 || held / sizeof(float) != numbers(h))
    refuse(fmt::format("the header promises {} numbers, the file holds {}", numbers(h),
                       held / sizeof(float)),
           where);
  return h;
}

}  // namespace

Model parse_llama2c(std::span<const std::byte> bytes, const std::string& where) {
  const Header h = header_of(bytes, where);
  std::vector<std::vector<float>> made(1);
  made[0].resize((bytes.size() - sizeof h) / sizeof(float));
  std::memcpy(made[0].data(), bytes.data() + sizeof h, bytes.size() - sizeof h);
  TransformerWeights weights = weights_of(h, made[0].data());
  return {described(h), std::move(weights), {}, std::move(made)};
}

Model read_llama2c(const fs::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const Header h = header_of(file->bytes(), path.string());
  const auto* const numbers = reinterpret_cast<const float*>(file->bytes().data() + sizeof h);
  return {described(h), weights_of(h, numbers), {file}, {}};
}

namespace {

constexpr std::int32_t kLongestToken = 1024;
constexpr std::int64_t kStart = 1, kFirstByte = 3;

[[noreturn]] void refuse_tokens(const std::string& what, const std::string& where) {
  throw Error(Fault::input, what, where, "give the tokenizer.bin that belongs to the model");
}

template <class Number>
Number take(std::string_view& bytes, const std::string& where) {
  Number number{};
  if (bytes.size() < sizeof number)
    refuse_tokens("the tokeniser ends in the middle of a token", where);
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

// The number of bytes of the character that begins with this byte.
std::size_t length_of(unsigned char first) {
  return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

}  // namespace

std::vector<ScoredToken> parse_llama2c_tokens(std::string_view bytes, const std::string& where) {
  const auto longest = take<std::int32_t>(bytes, where);
  if (longest < 1 || longest > kLongestToken)
    refuse_tokens("the tokeniser does not begin with the length of its longest token", where);
  std::vector<ScoredToken> tokens;
  while (!bytes.empty()) {
    ScoredToken token;
    token.score = take<float>(bytes, where);
    const auto length = take<std::int32_t>(bytes, where);
    if (length < 0 || length > kLongestToken || static_cast<std::size_t>(length) > bytes.size() ||
        !std::isfinite(token.score))
      refuse_tokens(fmt::format("token {} of the tokeniser is not valid", tokens.size()), where);
    token.text = bytes.substr(0, static_cast<std::size_t>(length));
    bytes.remove_prefix(static_cast<std::size_t>(length));
    tokens.push_back(std::move(token));
  }
  if (tokens.size() < kLlama2cFixed)
    refuse_tokens("the tokeniser has fewer tokens than three special ones and all bytes", where);
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
