// cells_tree.h: a binary tree of cells over points, each cell with a ball around its points.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/buffer.h"

namespace murmur::moments {

// Points as they come: coordinate k of point i is x[k * stride + i].
struct Points {
  const double* x = nullptr;
  std::size_t stride = 0;
  int n = 0, d = 0;
};

// Cells of the tree are numbered in depth-first order, cell 0 holds all points, and the points of a
// cell stand next to each other in the tree's own order.
class CellTree {
 public:
  struct Cell {
    int first = 0, count = 0;   // points first .. first + count - 1 of the tree's order
    int left = -1, right = -1;  // cells; -1: none
    int parent = -1;
    double radius = 0;  // of a ball around `centre` that holds the points
  };

  // Cells of more than `leaf` points or a radius above `widest` are split, unless all their points
  // are one.
  CellTree(const Points& points, int leaf, double widest);

  int n() const { return n_; }
  int d() const { return d_; }
  const std::vector<Cell>& cells() const { return cells_; }
  const Cell& cell(int c) const { return cells_[c]; }
  const double* centre(int c) const { return centres_.data() + static_cast<std::size_t>(c) * d_; }
  int depth() const { return depth_; }
  std::array<int, 2> halves(int c) const { return {cells_[c].left, cells_[c].right}; }

  // Coordinate k of point p of the tree's order; room beyond the last for a vector.
  const double* axis(int k) const { return x_ + static_cast<std::size_t>(k) * stride_; }
  std::size_t stride() const { return stride_; }
  int original(int p) const { return original_[p]; }

 private:
  struct Build;
  int n_, d_;
  int depth_ = 0;
  std::size_t stride_;
  std::vector<Cell> cells_{};
  std::vector<double> centres_{};  // (cells, d)
  std::vector<int> original_{};    // (n)
  simd::Buffer<double> memory_{};
  double* x_ = nullptr;  // (d, stride)
};

}  // namespace murmur::moments
