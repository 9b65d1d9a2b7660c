// figure.h: a figure as data: panels of curves, of colours over two axes, or of measures on a
// sphere.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "murmur/matrix.h"

namespace murmur {

enum class FigureStyle {
  paper,   // white, small type: a column of a paper
  slides,  // white, large type and thick lines
  dark,    // for screens
};
// By the names above; paper for any other text.
FigureStyle style_of(const std::string& word);

struct FigureAxis {
  std::string label{};
  std::string name{};  // its column in the CSV file of the figure
  bool log = false;
  bool down = false;  // in the layout `maps`: grows downwards, as the rows of a matrix do
  // Its ends; NaN: those of the data, in the layout `grid` with a small margin.
  double from = std::numeric_limits<double>::quiet_NaN();
  double to = std::numeric_limits<double>::quiet_NaN();
  double mark_every = 0;  // in the layout `grid`; 0: chosen
  bool angle = false;  // in the layout `grid`: radians from -π to π, marked at multiples of π/2
};

struct Curve {
  static constexpr int kByPlace = -1, kInk = -2, kQuiet = -3;  // instead of a class of colours

  std::string name{};            // in the key; empty: not there
  std::vector<double> x{}, y{};  // where x is NaN the line breaks; empty: only in the key
  enum Mark {
    linespoints,
    line,
    dashes,
    points,     // filled; each class of colours has its own shape
    rings,      // hollow
    steps,      // holds each value until the next x
    dots,       // small and half transparent: many particles
    path,       // a thin line: where one particle went
    area,       // a closed polygon, lightly filled
    histogram,  // a level about each x, half way to its neighbours
    bars,       // from 0, side by side with those of other curves
    diamonds,   // larger than points, for the most important ones
  } mark = linespoints;
  std::vector<double> error{};  // (points) half-lengths of error bars; empty: none
  int colour = kByPlace;        // its class, its place in the panel, or the colour of text
};

// A thin grey line across the panel where something is expected.
struct Guide {
  std::string name{};                                   // in the key; empty: not there
  double x = std::numeric_limits<double>::quiet_NaN();  // one of the two is given
  double y = std::numeric_limits<double>::quiet_NaN();
};

// Numbers over a grid, shown as colours below the curves.
struct ColourMap {
  std::vector<double> x{}, y{};  // increasing; evenly spaced in the layout `grid`
  std::vector<double> value{};   // (y, x); NaN: left blank
  std::vector<double> error{};   // (y, x) standard errors, in the layout `maps`; empty: none drawn
  double low = 0, high = 1;      // of the colour bar
  std::string label{};
  std::string name{};           // its column in the CSV file of the figure
  std::vector<double> exact{};  // (y, x) a further column of the CSV that is not drawn; empty: none
  std::string exact_name{};
};

// One measure sum_i mass_i delta_{x_i} on S^{d-1}, d = 2 or 3. On the circle the function is drawn
// around it, atoms are spokes as long as their masses, and units arcs where they are active,
// a_m . x > 0. On S^2 two discs show both halves as colours, the heaviest atom in front, atoms as
// discs whose area is their mass, and units as great circles a_m . x = 0.
struct Portrait {
  Matrix atoms{};                                  // (count, d)
  Vector mass{};                                   // (count)
  std::function<Vector(const Matrix& x)> value{};  // (points) at the rows of x (points, d)
  Matrix units{};                                  // (h, d) a_m; empty: none
  Vector omega{};                                  // (h)
  std::vector<Vector> extrema{};                   // of the potential only
};

// Curves over a colour map over axes, any of them empty; or a portrait.
struct Panel {
  std::string title{}, subtitle{};
  FigureAxis x{}, y{};
  bool equal_axes = false;  // one unit is as long along both: points of a plane
  std::vector<Curve> curves{};
  ColourMap map{};
  Portrait portrait{};
  std::vector<Guide> guides{};  // in the layout `grid`
  bool side_by_side = false;    // points of several curves at one x are drawn side by side (grid)
};

struct Figure {
  enum Layout {
    grid,       // panels row by row, each with its own axes and key; by gnuplot. Titles, labels and
                // names may hold _{...} and ^{...}
    stack,      // panels below each other over one x axis, one curve each; titles and labels are
                // gnuplot's enhanced text, and the numbers are written as CSV; by gnuplot
    maps,       // colour maps with standard errors, whose axes and colours are those of the first
                // panel; curves of one name look the same; the numbers are written as CSV; by Cairo
    portraits,  // measures on the circle or S^2, all of one d, with one key below; by Cairo
  } layout = grid;
  FigureStyle style = FigureStyle::paper;
  std::vector<Panel> panels{};
  int columns = 0;  // of the layouts `grid` and `maps`; 0: by the number of panels
  // Of the layout `maps`:
  double panel_width = 0, panel_height = 0;  // points in the style `paper`; 0: the usual ones
  std::string note{};                        // a sentence below the panels
  std::string value_name{}, extrema_name{};  // in the key of portraits: the function, the ticks
};

// As SVG, PNG or PDF by the path's ending, whole or not at all. Error(tool) where gnuplot is needed
// and missing, Error(input) for another ending, and for panels whose parts do not fit each other.
void draw(const Figure& figure, const std::filesystem::path& path);

// FOLDER/STEM.svg and .png, the folder made where there is none; their paths.
std::vector<std::filesystem::path> draw_svg_and_png(const Figure& figure,
                                                    const std::filesystem::path& folder,
                                                    const std::string& stem);
// The same as SVG, PDF and PNG.
std::vector<std::filesystem::path> draw_svg_pdf_and_png(const Figure& figure,
                                                        const std::filesystem::path& folder,
                                                        const std::string& stem);

}  // namespace murmur
