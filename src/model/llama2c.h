// llama2c.h: the tokens of llama2.c's tokeniser with their scores; encodes and decodes texts
// without a Unicode library, for the web page.
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

// Reads the length of the longest token, then a score, a length and the bytes of each token.
// Allocates no more than the file holds. Error(input).
std::vector<ScoredToken> parse_llama2c_tokens(std::string_view bytes, const std::string& where);

// Gives the same ids and the same texts as the Tokenizer of that file, for texts that are valid
// UTF-8.
class Llama2cVocabulary {
 public:
  Llama2cVocabulary(std::string_view bytes, const std::string& where);

  // <s>, then a space and the text as characters; characters that are no token become bytes. Then
  // the two neighbours whose joint token has the best score are merged, until no neighbours have
  // one.
  std::vector<std::int64_t> encode(std::string_view text) const;
  std::string decode(std::span<const std::int64_t> ids) const;  // without special tokens
  std::string token(std::int64_t id) const;                     // as the vocabulary spells it
  std::size_t size() const { return tokens_.size(); }

 private:
  std::vector<ScoredToken> tokens_;
  std::unordered_map<std::string, std::int64_t> ids_;
};

}  // namespace murmur
