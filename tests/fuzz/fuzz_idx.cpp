// fuzz_idx.cpp: any bytes either are idx images or labels, plain or packed, or are refused.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "murmur/error.h"
#include "murmur/images.h"
#include "peak_allocation.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Packed bytes may unfold to a thousand times as many.
  const bool packed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
  const fuzz::AllocationLimit limit(packed ? 1032 * size : size);
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const Images images = parse_idx_images(bytes, "input");
    if (images.count() == 0 || images.height < 2 || images.width < 2) std::abort();
    if (images.pixels.size() % images.count() != 0) std::abort();
    if (images.picture(images.count() - 1).back() != images.pixels.back()) std::abort();
  } catch (const Error&) {
  }
  try {
    for (int label : parse_idx_labels(bytes, "input"))
      if (label < 0 || label > 255) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
