// fields.h: draws vector fields as quiver plots: the values of the maps of a block at each place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "picture/figure.h"

namespace murmur {

// One field on a regular grid of the plane or of space.
struct VectorField {
  std::string name{};           // query, key, value, feed-forward
  std::vector<double> at{};     // (points, 2) or (points, 3)
  std::vector<double> arrow{};  // likewise
  std::vector<double> out{};    // (points) of the plane: the part towards the reader; empty: none
};
inline constexpr const char* kFieldNames[] = {"query", "key", "value", "feed-forward"};

// Fields in rows, all of one grid, with a title and one caption. Names of rows are empty for a
// single row, which is then drawn in as many rows as fill the page best.
struct FieldSheet {
  std::string title{};
  std::string caption{};                         // what is shown; how to read it is added
  int dimensions = 2;                            // of the places: 2 or 3
  std::vector<std::vector<VectorField>> rows{};  // (rows, columns)
  std::vector<std::string> row_names{};          // (rows)
  bool colour_by_row = false;                    // else one colour for each field
};

struct FieldStyle {
  FigureStyle style = FigureStyle::paper;
  int width = 0, height = 0;  // pixels of a .png; 0: chosen; an .svg or .pdf has this shape
};

// The length that an arrow of value `value` gets: the longest, of value `longest`, gets `reach`,
// the others by the square root of their value; 0 for arrows shorter than `least`, which are not
// drawn.
double arrow_length(double value, double longest, double reach, double least);

// query blue, key green, value red, feed-forward black (white on dark); each panel has axes with
// ticks and two reference arrows. As SVG, PNG or PDF by the path's ending. Error(input) where the
// parts do not fit each other.
void draw_fields(const FieldSheet& sheet, const FieldStyle& style,
                 const std::filesystem::path& path);
// FOLDER/STEM.svg and .png; their paths.
std::vector<std::filesystem::path> draw_fields_svg_and_png(const FieldSheet& sheet,
                                                           const FieldStyle& style,
                                                           const std::filesystem::path& folder,
                                                           const std::string& stem);

}  // namespace murmur
