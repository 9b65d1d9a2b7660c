// panels.h: matrices applied to whole swarms: y_i = M x_i + b, and the feed-forward block.
#pragma once

#include <cstddef>
#include <vector>

#include "murmur/dynamics.h"

namespace murmur::simd {

// M transposed, its rows padded with zeros to a whole number of four.
struct PanelMatrix {
  int rows = 0, cols = 0;
  std::size_t pitch = 0;
  std::vector<double> data{};  // (cols, pitch)
};
PanelMatrix panel_matrix(const Matrix& m);

struct Columns {  // (rows, stride): row k of particle i at data[k * stride + i]
  double* data = nullptr;
  std::size_t stride = 0;  // at least n
  int n = 0;
};

struct ConstColumns {  // the same, to be read
  const double* data = nullptr;
  std::size_t stride = 0;
};

//   y_i = M x_i + b
struct Affine {
  PanelMatrix matrix{};
  Vector bias{};  // (rows); empty means zero
};
// Computes y for one block of particles (kernels.h).
void affine_block(const Affine& f, ConstColumns x, Columns y, int block);

struct Layer {  // a Perceptron prepared for the kernels
  Affine in{}, out{};
  Perceptron::Activation activation = Perceptron::relu;
};
Layer prepare_layer(const Perceptron& p);

//   a_i += W_out s(W_in x_i + b_in) + b_out
void perceptron_block(const Layer& p, ConstColumns x, Columns a, int block);

}  // namespace murmur::simd
