// columns.cpp: splits text tables into parts that fit a line.
#include "run/columns.h"

#include <algorithm>

namespace murmur {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::size_t> column_widths(const TextRows& rows, std::size_t least) {
  std::vector<std::size_t> widths(rows.front().size(), least);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  return widths;
}

std::vector<TextRows> split_columns(const TextRows& rows, const std::vector<std::size_t>& widths,
                                    std::size_t border, std::size_t most) {
  std::vector<std::vector<std::size_t>> groups = {{0}};
  std::size_t taken = widths[0] + border;
  for (std::size_t c = 1; c < widths.size(); ++c) {
    if (taken + widths[c] + border > most && groups.back().size() > 1) {
      groups.push_back({0});
      taken = widths[0] + border;
    }
    groups.back().push_back(c);
    taken += widths[c] + border;
  }
  std::vector<TextRows> parts;
  for (const std::vector<std::size_t>& group : groups) {
    parts.emplace_back();
    for (const auto& row : rows) {
      parts.back().emplace_back();
      for (const std::size_t c : group) parts.back().back().push_back(row[c]);
    }
  }
  return parts;
}

}  // namespace murmur
