// text.h: lists written as text. (fmt::join makes gcc 12 warn at -O3.)
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace murmur {

template <class List>
std::string joined(const List& items, std::string_view separator) {
  std::string text;
  for (const auto& item : items) {
    if (&item != &*items.begin()) text += separator;
    text += fmt::format("{}", item);
  }
  return text;
}

}  // namespace murmur
