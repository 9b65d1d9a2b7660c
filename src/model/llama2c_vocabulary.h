// llama2c_vocabulary.h: the tokens of llama2.c's tokeniser with their scores, and texts cut into
// them without a library of Unicode, for the web page.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace murmur {

struct ScoredToken {
  std::string text{};
  float score = 0;
};
inline constexpr std::size_t kLlama2cFixed = 3 + 256;  // <unk>, <s>, </s> and all bytes

// The longest token's length, then of each token a score, a length and its bytes. Nothing is
// allocated that the file does not hold. Error(input).
std::vector<ScoredToken> parse_llama2c_tokens(std::string_view bytes, const std::string& where);

// The same ids and the same text as the Tokenizer of that file, of texts that are valid UTF-8.
class Llama2cVocabulary {
 public:
  Llama2cVocabulary(std::string_view bytes, const std::string& where);

  // <s>, a space, then the text: its characters, those that are no token as bytes, of which the
  // neighbours whose token together has the best score are merged until there are none.
  std::vector<std::int64_t> encode(std::string_view text) const;
  std::string decode(std::span<const std::int64_t> ids) const;  // without special tokens
  std::string token(std::int64_t id) const;                     // as the vocabulary spells it
  std::size_t size() const { return tokens_.size(); }

 private:
  std::vector<ScoredToken> tokens_;
  std::unordered_map<std::string, std::int64_t> ids_;
};

}  // namespace murmur
