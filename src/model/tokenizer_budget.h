// tokenizer_budget.h: how much one call of a tokeniser may make and do, counted and never timed.
#pragma once

#include <cstddef>
#include <string_view>

namespace murmur::tokenizer {

// A small tokenizer.json can ask for texts beyond any memory and for work without end: parts that
// feed each other, long tokens that nearly match everywhere, templates of templates. Each call has
// a budget that grows with what it is given; the same call is refused on every machine.
//
//   room   bytes of all texts at a time, and ids: 66 for each byte given, and 65,536. No character
//          of Unicode becomes more than 33 bytes in any form, and bytes become at most two.
//   work   steps, each about a byte that is looked at: 2,000 for each byte given, and 4 million
class Budget {
 public:
  explicit Budget(std::size_t given);

  // Error(input) where bytes or ids are more than the room.
  void require_room(std::size_t bytes) const {
    if (bytes > room_) refuse_room();
  }
  // Error(input) where more steps are asked for than are left.
  void spend(std::size_t steps) {
    if (steps > left_) refuse_work();
    left_ -= steps;
  }
  // Work of a search for `wanted` in a text.
  void spend_on_search(std::string_view text, std::string_view wanted) {
    if (wanted.size() <= text.size()) spend(text.size() * (1 + wanted.size() / 64));
  }
  std::size_t left() const { return left_; }  // steps

 private:
  [[noreturn]] static void refuse_room();
  [[noreturn]] static void refuse_work();
  std::size_t room_, left_;
};

// How much a file may ask for while it is read, over all its parts.
struct FileBudget {
  std::size_t parts = 0;                  // normalisers, pre-tokenisers, decoders and the like
  std::size_t expression_characters = 0;  // of all regular expressions
};

inline constexpr std::size_t kMostParts = 1000;
inline constexpr std::size_t kMostExpressionCharacters = 20'000;

}  // namespace murmur::tokenizer
