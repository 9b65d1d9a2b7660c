// tokenizer_vocabulary.h: tokens by id and ids by token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "murmur/tokenizer.h"

namespace murmur::tokenizer {

// Tokens as they come from a file: texts one behind the other, so that many cost few allocations.
struct TokenList {
  std::string texts{};
  std::vector<std::size_t> ends{};   // of each text
  std::vector<std::uint64_t> ids{};  // of an object {token: id}
  std::vector<double> scores{};      // of a list [[token, score], ...]; their order is their id

  std::size_t size() const { return ends.size(); }
  std::string_view text(std::size_t k) const;
  void add(std::string_view text);
};

class Vocabulary {
 public:
  // Error(input) where an id is used twice or far beyond the number of tokens.
  Vocabulary(TokenList tokens, const std::string& where);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  std::size_t size() const { return of_id_.size(); }  // one more than the highest id
  std::size_t tokens() const { return by_text_.size(); }
  std::optional<TokenId> id(std::string_view token) const;
  std::optional<std::string_view> token(TokenId id) const;
  std::optional<TokenId> byte_id(unsigned char byte) const;  // of <0x0A>

 private:
  std::string texts_;
  std::unordered_map<std::string_view, TokenId> by_text_{};
  std::vector<std::string_view> of_id_{};  // no data where an id is unused
  std::vector<std::optional<TokenId>> bytes_{};
};

}  // namespace murmur::tokenizer
