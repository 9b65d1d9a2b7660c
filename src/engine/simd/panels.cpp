// panels.cpp: matrices applied to whole swarms, compiled for every target and chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/panels.cpp"
#include "engine/simd/panels.h"

#include <hwy/foreach_target.h>

#include <algorithm>

#include "core/buffer.h"
#include "engine/simd/activation-inl.h"
#include "engine/simd/kernels.h"
#include "engine/simd/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

using Panel = hwy::AlignedFreeUniquePtr<double[]>;  // (rows, kWidth<double>)

inline Panel MakePanel(std::size_t rows) { return allocate<double>(rows * kWidth<double>); }

// Particles i, i + 1, ... of n; zeros where there are no more.
inline void Read(ConstColumns x, int rows, int i, int n, double* panel) {
  constexpr int kAll = kWidth<double>;
  for (int k = 0; k < rows; ++k, panel += kAll) {
    const double* from = x.data + k * x.stride + i;
    if (i + kAll <= n) {
      std::copy_n(from, kAll, panel);
    } else {
      std::copy_n(from, n - i, panel);
      std::fill(panel + (n - i), panel + kAll, 0.0);
    }
  }
}

// y (rows rounded up to four, stride)
inline void Apply(const Affine& f, const double* x, double* y,
                  std::size_t stride = kWidth<double>) {
  const PanelMatrix& m = f.matrix;
  const bool biased = !f.bias.empty();
  for (std::size_t r = 0; biased && r < m.pitch; ++r)
    std::fill_n(y + r * stride, kWidth<double>, static_cast<int>(r) < m.rows ? f.bias[r] : 0.0);
  PanelProduct<double>({m.data.data(), m.pitch, m.rows, m.cols}, x, y, biased, stride);
}

void AffineBlock(const Affine& f, ConstColumns x, Columns y, int block) {
  const Panel in = MakePanel(f.matrix.cols), out = MakePanel(f.matrix.pitch);
  const int end = std::min(y.n, (block + 1) * kBlock);
  const bool whole = f.matrix.pitch == static_cast<std::size_t>(f.matrix.rows);  // no padding
  for (int i = block * kBlock; i < end; i += kWidth<double>) {
    Read(x, f.matrix.cols, i, y.n, in.get());
    if (whole && i + kWidth<double> <= y.n) {
      Apply(f, in.get(), y.data + i, y.stride);
      continue;
    }
    Apply(f, in.get(), out.get());
    for (int r = 0; r < f.matrix.rows; ++r)
      std::copy_n(&out[r * kWidth<double>], std::min(kWidth<double>, y.n - i),
                  y.data + r * y.stride + i);
  }
}

inline void Activate(Perceptron::Activation kind, double* z, std::size_t count) {
  const hn::ScalableTag<double> d;
  for (std::size_t c = 0; c < count; c += hn::Lanes(d)) {
    const auto v = hn::Load(d, z + c);
    hn::Store(kind == Perceptron::relu   ? Relu(d, v)
              : kind == Perceptron::gelu ? Gelu(d, v)
                                         : Tanh(d, v),
              d, z + c);
  }
}

void PerceptronBlock(const Layer& p, ConstColumns x, Columns a, int block) {
  const Panel in = MakePanel(p.in.matrix.cols), hidden = MakePanel(p.in.matrix.pitch),
              out = MakePanel(p.out.matrix.pitch);
  const int end = std::min(a.n, (block + 1) * kBlock);
  for (int i = block * kBlock; i < end; i += kWidth<double>) {
    Read(x, p.in.matrix.cols, i, a.n, in.get());
    Apply(p.in, in.get(), hidden.get());
    Activate(p.activation, hidden.get(), p.in.matrix.pitch * kWidth<double>);
    Apply(p.out, hidden.get(), out.get());
    for (int k = 0; k < p.out.matrix.rows; ++k) {
      double* to = a.data + k * a.stride + i;
      for (int l = 0; l < std::min(kWidth<double>, a.n - i); ++l)
        to[l] += out[k * kWidth<double> + l];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(AffineBlock);
HWY_EXPORT(PerceptronBlock);

PanelMatrix panel_matrix(const Matrix& m) {
  PanelMatrix p{m.rows, m.cols, (static_cast<std::size_t>(m.rows) + 3) / 4 * 4, {}};
  p.data.resize(p.pitch * m.cols);
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.cols; ++c) p.data[c * p.pitch + r] = m(r, c);
  return p;
}

Layer layer(const Perceptron& p) {
  return {{panel_matrix(p.in), p.in_bias}, {panel_matrix(p.out), p.out_bias}, p.activation};
}

void affine_block(const Affine& f, ConstColumns x, Columns y, int block) {
  HWY_DYNAMIC_DISPATCH(AffineBlock)(f, x, y, block);
}

void perceptron_block(const Layer& p, ConstColumns x, Columns a, int block) {
  HWY_DYNAMIC_DISPATCH(PerceptronBlock)(p, x, a, block);
}

}  // namespace murmur::simd
#endif
