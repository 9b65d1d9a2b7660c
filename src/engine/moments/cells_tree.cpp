// cells_tree.cpp: cuts boxes across their longest side, in the middle or where half the points lie.
#include "engine/moments/cells_tree.h"

#include <algorithm>
#include <cmath>

#include "engine/moments/cells_kernels.h"

namespace murmur::moments {

// Points are records of d coordinates and their number, moved about as whole records.
struct CellTree::Build {
  CellTree& tree;
  int leaf;
  double widest;
  int d, size;                    // size of a record
  std::vector<double> records{};  // (n, d + 1)
  std::vector<double> keys{};

  double* record(int p) { return records.data() + static_cast<std::size_t>(p) * size; }

  struct Box {
    double low[kMaxCoordinates], high[kMaxCoordinates];
  };

  Box box_of(int first, int count) {
    Box box;
    for (int k = 0; k < d; ++k) box.low[k] = box.high[k] = record(first)[k];
    for (int p = first + 1; p < first + count; ++p) {
      const double* at = record(p);
      for (int k = 0; k < d; ++k) {
        box.low[k] = std::min(box.low[k], at[k]);
        box.high[k] = std::max(box.high[k], at[k]);
      }
    }
    return box;
  }

  // Those below `cut` before the others; how many they are.
  int partition(int first, int count, int axis, double cut) {
    int low = first, high = first + count - 1;
    while (true) {
      while (low <= high && record(low)[axis] < cut) ++low;
      while (low <= high && record(high)[axis] >= cut) --high;
      if (low >= high) return low - first;
      std::swap_ranges(record(low), record(low) + size, record(high));
      ++low;
      --high;
    }
  }

  // About the median, from at most 256 of the points.
  double median(int first, int count, int axis) {
    const int step = 1 + (count - 1) / 256;
    keys.clear();
    for (int p = first; p < first + count; p += step) keys.push_back(record(p)[axis]);
    const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
    std::nth_element(keys.begin(), middle, keys.end());
    return *middle;
  }

  // In the middle while cells are large and both sides get a fair share, so that cells are round;
  // by halves below that, so that leaves hold about as many.
  int split(int first, int count, int axis, const Box& box) {
    const double middle = box.low[axis] + (box.high[axis] - box.low[axis]) / 2;
    const auto fair = [&](int share) { return share >= count / 8 && count - share >= count / 8; };
    if (count > 8 * leaf) {
      const int share = partition(first, count, axis, middle);
      if (fair(share)) return share;
    }
    const int half = partition(first, count, axis, median(first, count, axis));
    if (half > 0 && half < count) return half;
    const int share =
        partition(first, count, axis, middle > box.low[axis] ? middle : box.high[axis]);
    return share;
  }

  int add(int first, int count, int parent, int depth) {
    const int index = static_cast<int>(tree.cells_.size());
    tree.depth_ = std::max(tree.depth_, depth);
    const Box box = box_of(first, count);
    int axis = 0;
    double centre[kMaxCoordinates], square = 0;
    for (int k = 0; k < d; ++k) {
      centre[k] = box.low[k] + (box.high[k] - box.low[k]) / 2;
      if (box.high[k] - box.low[k] > box.high[axis] - box.low[axis]) axis = k;
      tree.centres_.push_back(centre[k]);
    }
    for (int p = first; p < first + count; ++p) {
      double far = 0;
      for (int k = 0; k < d; ++k) far += (record(p)[k] - centre[k]) * (record(p)[k] - centre[k]);
      square = std::max(square, far);
    }
    // A little more than the root, so that rounding leaves no point outside.
    tree.cells_.push_back({first, count, -1, -1, parent, std::sqrt(square) * (1 + 1e-14)});
    const bool fits = count <= leaf && tree.cells_[index].radius <= widest;
    if (fits || !(box.high[axis] > box.low[axis])) return index;
    const int share = split(first, count, axis, box);
    const int left = add(first, share, index, depth + 1);
    const int right = add(first + share, count - share, index, depth + 1);
    tree.cells_[index].left = left;
    tree.cells_[index].right = right;
    return index;
  }
};

CellTree::CellTree(const Points& points, int leaf, double widest)
    : n_(points.n), d_(points.d), stride_((points.n + 2 * kPadded - 1) / kPadded * kPadded) {
  Build build{*this, leaf, widest, d_, d_ + 1};
  build.records.resize(static_cast<std::size_t>(n_) * (d_ + 1));
  for (int p = 0; p < n_; ++p) {
    for (int k = 0; k < d_; ++k)
      build.record(p)[k] = points.x[static_cast<std::size_t>(k) * points.stride + p];
    build.record(p)[d_] = p;
  }
  if (n_ > 0) build.add(0, n_, -1, 0);
  x_ = memory_.need(d_ * stride_);
  std::fill(x_, x_ + d_ * stride_, 0.0);
  original_.resize(n_);
  for (int p = 0; p < n_; ++p) {
    for (int k = 0; k < d_; ++k) x_[k * stride_ + p] = build.record(p)[k];
    original_[p] = static_cast<int>(build.record(p)[d_]);
  }
}

}  // namespace murmur::moments
