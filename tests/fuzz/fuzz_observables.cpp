// fuzz_observables.cpp: of any text the rows of observables that are whole, and none else, are
// kept.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "run/formats.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ObservableRows read = parse_observables(text, 100);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (read.rows.size() > 100 || (lines > 0 && read.rows.size() > lines - 1)) std::abort();
  for (const auto& row : read.rows)
    if (row.size() != read.columns.size()) std::abort();
  // A file that is still being written never shows more than it will in the end.
  const ObservableRows earlier = parse_observables(text.substr(0, size / 2), 100);
  if (earlier.rows.size() > read.rows.size()) std::abort();
  return 0;
}
