// fuzz_npy.cpp: any bytes either are an npy array or are refused by an Error.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "murmur/error.h"
#include "peak_allocation.h"
#include "run/formats.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::AllocationLimit limit(size);
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const Array array = parse_npy(bytes, "input");
    const std::size_t held = std::visit([](const auto& v) { return v.size(); }, array.values);
    if (held != array.size()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
