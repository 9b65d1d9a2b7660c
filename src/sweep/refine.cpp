// refine.cpp: which cells a sweep adds where its observable changes steeply along an axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/words.h"
#include "sweep/cells.h"

namespace murmur {

namespace {

constexpr double kSteep = 0.25;

// On the same fibre: alike in every axis but `axis`.
bool same_fibre(const Cell& a, const Cell& b, std::size_t axis) {
  for (std::size_t k = 0; k < a.place.size(); ++k)
    if (k != axis && a.place[k] != b.place[k]) return false;
  return true;
}

bool differ_steeply(const CellCurve& a, const CellCurve& b) {
  for (std::size_t k = 0; k < std::min(a.mean.size(), b.mean.size()); ++k)
    if (std::fabs(a.mean[k] - b.mean[k]) > kSteep) return true;
  return false;
}

// The value half way, in twelve digits; nothing where there is none between.
std::optional<RoundNumber> middle(const Axis& axis, double from, double to) {
  double value = axis.log ? std::sqrt(from * to) : from + (to - from) / 2;
  if (axis.whole) value = std::round(value);
  RoundNumber half = twelve_digits(value);
  const bool between = half.value > std::min(from, to) && half.value < std::max(from, to);
  return between ? std::optional(std::move(half)) : std::nullopt;
}

}  // namespace

bool comes_before(const Cell& a, const Cell& b) { return a.place < b.place; }

std::vector<Cell> halved(const Sweep& sweep, std::vector<Cell> cells,
                         const std::filesystem::path& directory) {
  const std::size_t axis = *refined_axis(sweep);
  auto number = static_cast<std::int64_t>(cells.size());
  const auto along = [&](const Cell& a, const Cell& b) {  // fibre by fibre, then along it
    for (std::size_t k = 0; k < a.place.size(); ++k)
      if (k != axis && a.place[k] != b.place[k]) return a.place[k] < b.place[k];
    return a.place[axis] < b.place[axis];
  };
  std::sort(cells.begin(), cells.end(), along);
  std::vector<Cell> added;
  std::optional<CellCurve> before;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    std::optional<CellCurve> here = read_cell(sweep, cells[k], directory);
    if (k > 0 && here && before && same_fibre(cells[k - 1], cells[k], axis) &&
        differ_steeply(*before, *here))
      if (const auto value =
              middle(sweep.axes[axis], cells[k - 1].numbers[axis], cells[k].numbers[axis])) {
        Cell cell = cells[k];
        cell.number = number++;
        cell.values[axis] = value->text;
        cell.numbers[axis] = value->value;
        cell.place[axis] = (cells[k - 1].place[axis] + cells[k].place[axis]) / 2;
        added.push_back(std::move(cell));
      }
    before = std::move(here);
  }
  return added;
}

}  // namespace murmur
