// base64.h: bytes that are written as text, four characters for three of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace murmur {

// Nothing for a text with another character than the 64; up to two `=` may end it.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace murmur
