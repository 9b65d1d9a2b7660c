// tokenizer_precompiled.h: the character map that SentencePiece compiles into its unigram models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer_budget.h"
#include "model/tokenizer_fields.h"

namespace murmur::tokenizer {

// A double array of byte strings, each with the place of the text that it becomes.
class CharacterMap {
 public:
  explicit CharacterMap(const Field& base64);  // Error(input) for one that is cut or leads outside

  // Each grapheme is looked up whole, where it is short, else character by character. Error(input)
  // where that is beyond the budget.
  std::string apply(std::string_view text, Budget& budget) const;

 private:
  std::optional<std::string_view> becomes(std::string_view text) const;

  std::vector<std::uint32_t> units_{};
  std::string texts_{};  // each ends with a zero byte
};

}  // namespace murmur::tokenizer
