// dropout.cpp: masks of attention weights, sixteen random bits a weight.
#include "learn/dropout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "murmur/random.h"

namespace murmur {

// Pair p = i n + j reads half-word p mod 8 of the Philox block with counter
//   (p / 8, update, sample, stream * 2^16 + 256 block + head)
void dropout_mask(const DropoutDraw& draw, int n, double p, float* mask) {
  const auto pairs = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto dropped = static_cast<std::uint32_t>(std::lround(std::clamp(p, 0.0, 1.0) * 65536));
  const auto kept = static_cast<float>(dropped >= 65536 ? 0 : 1 / (1 - p));
  const auto name = static_cast<std::uint16_t>(256 * draw.block + draw.head);
  for (std::size_t first = 0; first < pairs; first += 8) {
    const std::array<std::uint32_t, 4> word =
        Draw{.seed = draw.seed,
             .stream = Stream::dropout,
             .particle = static_cast<std::uint32_t>(first / 8),
             .step = draw.update,
             .replica = draw.sample}
            .bits(name);
    const std::size_t count = std::min<std::size_t>(8, pairs - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t bits = word[k / 2] >> (16 * (k % 2)) & 0xFFFF;
      mask[first + k] = bits < dropped ? 0.0F : kept;
    }
  }
}

}  // namespace murmur
