// digit_pictures.h: draws the swarm that reads digits: its trajectory, its fields, its mistakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "murmur/swarm.h"
#include "picture/picture.h"

namespace murmur {

// One digit and its trajectory through a trained swarm.
struct DigitTrajectory {
  int height = 28, width = 28;
  std::vector<std::uint8_t> ink{};      // (height, width), 255 is ink
  std::vector<double> column{}, row{};  // (width), (height) places x and y of its pixels; empty:
                                        // evenly over [-10, 10]^2
  std::vector<HostSwarm> frames{};      // blocks + 1: x to the right, y up, R^d
  Matrix chances{};                     // (frames, classes) softmax of the scores: the verdict bar
  Matrix targets{};                     // (classes, d): the gates
  std::vector<std::string> classes{};   // "5", "6"
  int label = -1;                       // true class, -1: unknown
  bool cls = false;                     // the last token is the CLS token: it alone is read
  std::string title{};
};

struct DigitFilm {
  PictureStyle style{};
  int fps = 30;
  double seconds = 8;
  int threads = 0;
  std::function<bool()> stop{};
};
// Tokens with headings and trails, digit inset, step counter, verdict bar, gates; the verdict is
// held at the end. False when stopped. Error(input) where the parts of a trajectory do not fit each
// other or are not finite.
bool film_digit(const DigitTrajectory& trajectory, const DigitFilm& settings,
                const std::filesystem::path& mp4);
// The same at about six steps side by side, as one PNG.
void draw_digit_trajectory(const DigitTrajectory& trajectory, const PictureStyle& style,
                           const std::filesystem::path& png);
// Which tokens dissent: the ink coloured by the class whose target each token ends nearest to, and
// how far from the verdict's it ended.
void draw_dissent(const DigitTrajectory& trajectory, const PictureStyle& style,
                  const std::filesystem::path& png);

// The four fields of one block on a grid: what query, key, value and feed-forward make of a place.
struct VectorField {
  std::string name{};           // query, key, value, feed-forward
  std::vector<double> at{};     // (points, 3) or (points, 2)
  std::vector<double> arrow{};  // likewise
};
inline constexpr const char* kFieldNames[] = {"query", "key", "value", "feed-forward"};
// query blue, key green, value red, feed-forward black (white on dark); arrows scaled per field,
// the scale written beside. (points, 3) each, one 3D quiver a field, 2 x 2.
void draw_fields_in_space(const std::vector<VectorField>& fields, const PictureStyle& style,
                          const std::filesystem::path& png);
// (points, 2) each, on a regular grid of the plane x, y at z = `heights[s]`; one row a height.
void draw_fields_in_planes(const std::vector<std::vector<VectorField>>& planes,
                           const std::vector<double>& heights, const PictureStyle& style,
                           const std::filesystem::path& png);

// The same grid for every head of a block: a row and a colour a head, so that heads compare.
void draw_fields_of_heads(const std::vector<std::vector<VectorField>>& heads,
                          const PictureStyle& style, const std::filesystem::path& png);

// Counts (classes, classes): row the truth, column the verdict.
void draw_confusion(const Matrix& counts, const std::vector<std::string>& classes,
                    const PictureStyle& style, const std::filesystem::path& png);

struct Mistake {
  std::vector<std::uint8_t> ink{};  // (height, width)
  std::string truth{}, verdict{};
  double chance = 0;      // that the swarm gave to its wrong verdict
  std::size_t index = 0;  // in the test set
};
// As many as fit legibly, the most confident first; a sentence where there is none.
void draw_mistakes(const std::vector<Mistake>& mistakes, int height, int width,
                   const PictureStyle& style, const std::filesystem::path& png);

}  // namespace murmur
