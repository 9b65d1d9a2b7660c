// base64.h: bytes as letters, for pages and JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace murmur {

std::string base64(std::span<const std::byte> bytes);

}  // namespace murmur
