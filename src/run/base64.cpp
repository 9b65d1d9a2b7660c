// base64.cpp: three bytes are four letters (RFC 4648).
#include "run/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace murmur {

namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < left ? std::to_integer<std::uint32_t>(bytes[at + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= left ? kLetters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  std::array<int, 256> digit{};
  digit.fill(-1);
  for (std::size_t k = 0; k < kLetters.size(); ++k)
    digit[static_cast<unsigned char>(kLetters[k])] = static_cast<int>(k);
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
