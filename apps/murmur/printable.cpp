// printable.cpp: finds the bytes that steer a terminal, in UTF-8 and outside it.
#include "printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace murmur::app {

namespace {

// Bytes of the UTF-8 character that begins here; 1 for a byte that begins none.
std::size_t width_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t width = lead < 0xc2   ? 1
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 1;
  if (width > text.size()) return 1;
  for (std::size_t k = 1; k < width; ++k)
    if ((static_cast<unsigned char>(text[k]) & 0xc0) != 0x80) return 1;
  return width;
}

void append_printable(std::string& out, std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.back());
  const bool lone = character.size() == 1;
  const bool c0 = lone && ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f);
  const bool c1 = byte >= 0x80 && byte < 0xa0 && (lone || character[0] == '\xc2');
  if (c0 || (c1 && character.size() <= 2))
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
  else
    out += character;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t width = width_at(text);
    append_printable(out, text.substr(0, width));
    text.remove_prefix(width);
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return printable(line);
}

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = column + 1 + word.size() <= kWidth;
    if (!out.empty()) out += fits ? " " : "\n" + std::string(indent, ' ');
    column = fits ? column + 1 + word.size() : indent + word.size();
    out += word;
  }
  return out;
}

}  // namespace murmur::app
