// random.cpp: Philox4x32-10 and the uniform and normal draws made from its words.
#include "murmur/random.h"

#include <cmath>
#include <numbers>

#include "core/elementary.h"

namespace murmur {
namespace {

// k 2^-53 with k the top 53 bits of the two words; k = 0 gives half a step, never 0.
double open_unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t k = (static_cast<std::uint64_t>(high) << 32 | low) >> 11;
  return k == 0 ? 0x1p-54 : static_cast<double>(k) * 0x1p-53;
}

}  // namespace

// A round is two 32 x 32 -> 64 bit products; the high halves, mixed with the other words and the
// key, are swapped with the low halves. Multipliers and key increments are those of the paper.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::array<std::uint32_t, 4> Draw::bits(std::uint16_t draw) const {
  const std::uint32_t purpose = static_cast<std::uint32_t>(stream) << 16 | draw;
  return philox({particle, step, replica, purpose},
                {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

double Draw::uniform(std::uint16_t draw) const {
  const auto word = bits(draw);
  return open_unit(word[0], word[1]);
}

// sqrt(-2 log u) cos(2 pi v), u from the first two words and v from the last two; |normal| < 8.66.
double Draw::normal(std::uint16_t draw) const {
  const auto word = bits(draw);
  const double u = open_unit(word[0], word[1]);
  const double v = open_unit(word[2], word[3]);
  return std::sqrt(-2.0 * elementary::log(u)) * elementary::cos(2.0 * std::numbers::pi * v);
}

}  // namespace murmur
