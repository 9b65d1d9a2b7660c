// fuzz_axis.cpp: any text of a sweep's parameter either is one value, a list of distinct values, or
// is refused.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "murmur/error.h"
#include "sweep/sweep.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = parameters();
  if (size == 0 || table.empty()) return 0;
  const Parameter& parameter = table[data[0] % table.size()];
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  // A million values are valid, and slow: ranges of fewer than a thousand.
  const std::size_t count =
      text.rfind(':') == std::string::npos ? text.size() : text.rfind(':') + 1;
  if (text.size() - count > 3 || text.find_first_of("eE", count) != std::string::npos) return 0;
  try {
    const auto axis = read_axis(parameter, {text, "input", {}});
    if (!axis) return 0;
    if (axis->values.empty() || (axis->numeric && axis->numbers.size() != axis->values.size()))
      std::abort();
    if (std::set<std::string>(axis->values.begin(), axis->values.end()).size() !=
        axis->values.size())
      std::abort();
  } catch (const Error&) {
  }
  return 0;
}
