// checked.h: products of sizes that come from files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace murmur {

// Returns the product of sizes, or nothing if it is above `most` or overflows. A factor of 0 makes
// it 0.
template <class Sizes>
std::optional<std::uint64_t> product_of(const Sizes& sizes, std::uint64_t most = UINT64_MAX) {
  std::uint64_t product = 1;
  bool fits = true;
  for (const auto size : sizes) {
    if (size == 0) return 0;
    fits = fits && !__builtin_mul_overflow(product, static_cast<std::uint64_t>(size), &product) &&
           product <= most;
  }
  if (!fits) return std::nullopt;
  return product;
}

inline std::optional<std::uint64_t> product_of(std::initializer_list<std::uint64_t> sizes,
                                               std::uint64_t most = UINT64_MAX) {
  return product_of<std::initializer_list<std::uint64_t>>(sizes, most);
}

}  // namespace murmur
