// base64.cpp: six bits a character, the first the highest.
#include "model/base64.h"

#include <array>
#include <cstdint>

namespace murmur {

std::optional<std::string> bytes_of_base64(std::string_view text) {
  std::array<int, 256> digit{};
  digit.fill(-1);
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t k = 0; k < digits.size(); ++k)
    digit[static_cast<unsigned char>(digits[k])] = static_cast<int>(k);
  std::size_t length = text.size();
  while (length > 0 && text.size() - length < 2 && text[length - 1] == '=') --length;
  std::string bytes;
  bytes.reserve(length / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t k = 0; k < length; ++k) {
    const int value = digit[static_cast<unsigned char>(text[k])];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  return bytes;
}

}  // namespace murmur
