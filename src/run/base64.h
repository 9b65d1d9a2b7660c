// base64.h: base 64, for pages and JSON: four letters for three bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace murmur {

std::string base64(std::span<const std::byte> bytes);
// Returns nothing if the text has a letter outside the 64; it may end with up to two `=`.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace murmur
