// centre.cpp: any drawing made to lie in its square as MNIST's digits lie in theirs.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "murmur/error.h"
#include "murmur/images.h"

namespace murmur {
namespace {

constexpr int square = 28, digit = 20;
// Index of the pixel where MNIST's centres of mass lie, give or take half a pixel.
constexpr int middle = 14;

struct Box {
  int top = 0, left = 0, height = 0, width = 0;
};

// The box of what is brighter than an eighth of the brightest: grain of the paper stays out.
Box ink_box(const Picture& picture, int brightest) {
  int top = picture.height, left = picture.width, bottom = -1, right = -1;
  for (int row = 0; row < picture.height; ++row)
    for (int col = 0; col < picture.width; ++col) {
      if (8 * picture.pixels[static_cast<std::size_t>(row) * picture.width + col] <= brightest)
        continue;
      top = std::min(top, row), bottom = std::max(bottom, row);
      left = std::min(left, col), right = std::max(right, col);
    }
  return {top, left, bottom - top + 1, right - left + 1};
}

// One axis of an area average: target cell i covers [i from/to, (i + 1) from/to) of the source.
// shares[i] are the overlaps with the source cells first[i], first[i] + 1, ..., summing to 1.
struct Shares {
  std::vector<int> first{};
  std::vector<std::vector<double>> shares{};
};

Shares area_shares(int from, int to) {
  Shares axis;
  const double cell = static_cast<double>(from) / to;
  for (int i = 0; i < to; ++i) {
    const double begin = i * cell, end = begin + cell;
    const int first = std::min(static_cast<int>(begin), from - 1);
    std::vector<double> overlap;
    for (int s = first; s < from && (s < end || s == first); ++s)
      overlap.push_back(std::max(0.0, std::min(end, s + 1.0) - std::max<double>(begin, s)) / cell);
    axis.first.push_back(first);
    axis.shares.push_back(std::move(overlap));
  }
  return axis;
}

struct Grey {
  int height = 0, width = 0;
  std::vector<double> values{};  // (height, width)
};

//   g_ij = sum_rc rows_i[r] cols_j[c] p_rc
Grey shrink(const Picture& picture, const Box& box, int height, int width) {
  const Shares rows = area_shares(box.height, height), cols = area_shares(box.width, width);
  Grey grey{height, width, std::vector<double>(static_cast<std::size_t>(height) * width)};
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < rows.shares[i].size(); ++r) {
        const std::size_t row = box.top + rows.first[i] + r;
        const auto* line = picture.pixels.data() + row * picture.width + box.left + cols.first[j];
        double along = 0;
        for (std::size_t c = 0; c < cols.shares[j].size(); ++c)
          along += cols.shares[j][c] * line[c];
        sum += rows.shares[i][r] * along;
      }
      grey.values[static_cast<std::size_t>(i) * width + j] = sum;
    }
  return grey;
}

// Where a stretch of `length` with its centre of mass at `centre` begins: whole pixels, all inside.
int start_of(double centre, int length) {
  return std::clamp(static_cast<int>(std::lround(middle - centre)), 0, square - length);
}

}  // namespace

Picture centre_like_mnist(const Picture& picture, const std::string& where) {
  assert(picture.pixels.size() == static_cast<std::size_t>(picture.height) * picture.width);
  const auto brightest = std::max_element(picture.pixels.begin(), picture.pixels.end());
  if (brightest == picture.pixels.end() || *brightest == 0)
    throw Error(Fault::input, "the picture has no ink: every pixel is the same", where,
                "draw something, dark on light or light on dark");
  const Box box = ink_box(picture, *brightest);
  const double scale = static_cast<double>(digit) / std::max(box.height, box.width);
  const auto scaled = [&](int side) {
    return std::max(1, static_cast<int>(std::lround(side * scale)));
  };
  const Grey grey = shrink(picture, box, scaled(box.height), scaled(box.width));

  double mass = 0, row_mean = 0, col_mean = 0, most = 0;
  for (int i = 0; i < grey.height; ++i)
    for (int j = 0; j < grey.width; ++j) {
      const double g = grey.values[static_cast<std::size_t>(i) * grey.width + j];
      mass += g, row_mean += i * g, col_mean += j * g;
      most = std::max(most, g);
    }
  const int top = start_of(row_mean / mass, grey.height);
  const int left = start_of(col_mean / mass, grey.width);
  Picture centred{square, square, std::vector<std::uint8_t>(square * square)};
  for (int i = 0; i < grey.height; ++i)
    for (int j = 0; j < grey.width; ++j) {
      const double g = grey.values[static_cast<std::size_t>(i) * grey.width + j];
      centred.pixels[static_cast<std::size_t>(top + i) * square + left + j] =
          static_cast<std::uint8_t>(std::lround(255 * g / most));
    }
  return centred;
}

}  // namespace murmur
