// toml_depth.h: how deep the tables and lists of a TOML text lie in each other, before it is
// parsed.
#pragma once

#include <string>
#include <string_view>

namespace murmur {

// toml++ calls itself for every level, also for every part of a dotted key, when it reads a text
// and when it forgets it; an experiment needs two levels.
constexpr int kDeepestToml = 64;

// Error(input) with line and column where a key, list or table lies deeper.
void require_shallow_toml(std::string_view text, const std::string& where);

}  // namespace murmur
