// tokenizer_budget.cpp: counts room and work, and refuses what goes beyond them.
#include "model/tokenizer_budget.h"

#include <algorithm>

#include "murmur/error.h"

namespace murmur::tokenizer {
namespace {

constexpr std::size_t kMostRoom = std::size_t{1} << 30;  // ICU counts in 32 bits

[[noreturn]] void refuse(const char* what) {
  throw Error(Fault::input, what, "the parts of the tokeniser", "use another tokeniser");
}

}  // namespace

Budget::Budget(std::size_t given)
    : room_(std::min(66 * given + 65'536, kMostRoom)), left_(2'000 * given + 4'000'000) {}

void Budget::refuse_room() { refuse("the tokeniser makes texts longer without end"); }
void Budget::refuse_work() { refuse("the tokeniser takes too long for this text"); }

}  // namespace murmur::tokenizer
