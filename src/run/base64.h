// base64.h: bytes as letters, four for three of them, for pages and JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace murmur {

std::string base64(std::span<const std::byte> bytes);
// Nothing for a text with another letter than the 64; up to two `=` may end it.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace murmur
