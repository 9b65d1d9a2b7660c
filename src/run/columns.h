// columns.h: widths of the columns of text tables, and which columns fit a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace murmur {

using TextRows = std::vector<std::vector<std::string>>;  // the first row is the header

inline constexpr std::size_t kTerminal = 120;  // characters of the widest line of a table

// Returns the number of characters of a UTF-8 text.
std::size_t width_of(std::string_view text);

// Returns the width of the widest cell of each column (columns), at least `least`.
std::vector<std::size_t> column_widths(const TextRows& rows, std::size_t least = 0);

// Splits the table into parts whose columns, with `border` characters each, fit into `most`
// characters. Each part begins with the first column. Only a part of two columns may be wider.
std::vector<TextRows> split_columns(const TextRows& rows, const std::vector<std::size_t>& widths,
                                    std::size_t border, std::size_t most);

}  // namespace murmur
