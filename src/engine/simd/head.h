// head.h: an Attention prepared for the kernels: query, key and biases folded into the targets.
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

// With 2 as the base of the exponential,
//   beta <Q x_i + b_Q, K x_j + b_K> log2(e) = <u_i, x_j> + c_i,
//   u_i = G x_i + g,   G = beta log2(e) K^T Q,     g = beta log2(e) K^T b_Q
//   c_i = <t, x_i> + t_0,   t = beta log2(e) Q^T b_K,   t_0 = beta log2(e) <b_Q, b_K>
// so that the sources are the particles themselves. In a narrow head Q and K have k rows, far fewer
// than d: its sources are keys, and where V = A B is of low rank its values have few coordinates,
//   u_i = beta log2(e) (Q x_i + b_Q) against K x_j + b_K,   and A sum_j a_ij B x_j
struct Head {
  bool softmax = true, relative = false, self = true, causal = false;
  bool isotropic = true;  // G = query_key_scale I and g = 0
  double query_key_scale = 0;
  Affine query_key{};          // G, g; unless isotropic or narrow
  int k = 0;                   // rows of Q and K of a narrow head; otherwise 0
  int r = 0;                   // rank of its V where values are B x; 0: values are particles
  Vector offset_slope{};       // (d) t; empty means zero
  double offset = 0;           // t_0 minus the exponent of the clock
  double rate = 1;             // of the clock
  bool value_is_scale = true;  // V = value_scale I
  double value_scale = 1;      // 1 if V is no such matrix
  Affine value{};              // V; unless it is value_scale I or the head is narrow
  Vector value_bias{};         // (d); empty means zero
  bool narrow() const { return k > 0; }
};

// The narrow heads of a sublayer. They share one map of the particles before the sums over pairs
// and one after them.
struct NarrowHeads {
  std::vector<Head> heads{};
  Affine projections{};  // (sum of 2k + r, d): of each head u, K x + b_K and B x, stacked
  Affine values{};       // (d, sum of r, or of d where r is 0): A of each head, next to each other
};

// Returns whether the head is narrow: it has so few coordinates that packing its keys pays off.
bool is_narrow(const Attention& a, int d);

// Returns the head with its matrices folded; fold_narrow does so for narrow heads.
Head fold(const Attention& a, Clock clock, int d);
NarrowHeads fold_narrow(const std::vector<Attention>& heads, Clock clock, int d);

// Returns the heads of a sublayer. Heads with the same weights a_ij become one, whose V and b_V are
// the sums of theirs.
std::vector<Attention> merge_equal_heads(const std::vector<Attention>& heads, int d);

// Returns why the vector kernels and those on a GPU do not compute the head, as a phrase after
// "attention", or null if they do.
const char* unsupported_attention(const Attention& a);

}  // namespace murmur::simd
