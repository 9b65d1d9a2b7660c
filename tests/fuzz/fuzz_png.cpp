// fuzz_png.cpp: any bytes either are a PNG that can be centred and classified, or are refused.
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "murmur/error.h"
#include "murmur/images.h"
#include "peak_allocation.h"

using namespace murmur;

namespace {

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         at[3];
}

// The same chunks with right CRCs: otherwise almost every mutation dies at the first of them.
std::vector<std::uint8_t> with_right_sums(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> repaired(data, data + size);
  for (std::size_t at = 8; at + 12 <= size;) {
    const std::size_t length = big_endian(repaired.data() + at);
    if (length > size - at - 12) break;
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, repaired.data() + at + 4, static_cast<uInt>(length + 4)));
    for (int k = 0; k < 4; ++k)
      repaired[at + 8 + length + k] = static_cast<std::uint8_t>(sum >> (24 - 8 * k));
    at += 12 + length;
  }
  return repaired;
}

void read_and_simulate(std::span<const std::uint8_t> data) {
  const fuzz::AllocationLimit limit(16 << 20);
  try {
    const Picture picture = parse_png(std::as_bytes(data), "input");
    const std::size_t area = static_cast<std::size_t>(picture.height) * picture.width;
    if (area == 0 || picture.pixels.size() != area) std::abort();
    const Picture centred = centre_like_mnist(picture, "input");
    if (centred.height != 28 || centred.width != 28 || centred.pixels.size() != 784) std::abort();
    SampleSet samples;
    add_sample({.pixels = centred.pixels, .where = "input"}, 0, 0, {}, samples);
    if (samples.size_of(0) < 1) std::abort();  // the brightest spot is full ink
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_and_simulate({data, size});
  if (size > 8) read_and_simulate(with_right_sums(data, size));
  return 0;
}
