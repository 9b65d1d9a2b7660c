// panels.cpp: matrices and activation functions applied to whole swarms, compiled for every vector
// target and chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/panels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "core/buffer.h"
#include "core/exp2-inl.h"
#include "engine/simd/head.h"
#include "engine/simd/kernels.h"
#include "engine/simd/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

using Panel = hwy::AlignedFreeUniquePtr<double[]>;  // (rows, kWidth<double>)

inline Panel MakePanel(std::size_t rows) { return allocate<double>(rows * kWidth<double>); }

// Copies particles i, i + 1, ... of n to a panel, and zeros after the last.
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

inline constexpr double kLog2e = 1.44269504088896340736;

// e^{-r}, r >= 0
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpNeg(D d, V r) {
  return Exp2<D>()(hn::Max(hn::Set(d, Exp2<D>::kLowest), hn::Mul(r, hn::Set(d, -kLog2e))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Relu(D d, V z) {
  return hn::Max(hn::Zero(d), z);
}

// (1 + 2r) e^{r^2} erfc(r), r >= 0, is smooth in t = (r - 3) / (r + 3): its interpolant at the
// Chebyshev nodes of t in [-1, 1] has relative error 3.7e-16.
inline constexpr double kErfc[] = {
    1.2530080582697296529e+0,  -1.3562110612457571877e-1, -4.7562294353445755792e-2,
    1.2964515870228098611e-1,  -1.1927366341575334603e-1, 6.8308027356440508622e-2,
    -2.3770514907124862526e-2, 2.5293916666211624468e-3,  1.8886902217603342661e-3,
    -7.7983127644030302643e-4, -1.0515888874570799826e-4, 1.2509529969692863777e-4,
    4.9457917888787828208e-6,  -2.0089974601937562382e-5, -7.2189109139096934568e-7,
    3.4542640815449013810e-6,  3.4040811203344008370e-7,  -5.9637357570722126715e-7,
    -1.2329723655814050006e-7, 8.7647634299429146855e-8,  2.9000960334558067631e-8,
    -7.6398057066601846430e-9, -3.3911975149641992646e-9};

//   z Phi(z),   Phi(z) = 1 - q for z >= 0, else q,   q = erfc(|z| / sqrt 2) / 2
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gelu(D d, V z) {
  const V r = hn::Mul(hn::Abs(z), hn::Set(d, 0.70710678118654752440));
  const V three = hn::Set(d, 3.0);
  const V t = hn::Div(hn::Sub(r, three), hn::Add(r, three));
  constexpr int kTerms = sizeof(kErfc) / sizeof(double);
  V p = hn::Set(d, kErfc[kTerms - 1]);
  for (int k = kTerms - 2; k >= 0; --k) p = hn::MulAdd(p, t, hn::Set(d, kErfc[k]));
  const V one = hn::Set(d, 1.0);
  const V q = hn::Div(hn::Mul(hn::Mul(p, hn::Set(d, 0.5)), ExpNeg(d, hn::Mul(r, r))),
                      hn::MulAdd(r, hn::Set(d, 2.0), one));
  return hn::Mul(z, hn::IfThenElse(hn::Ge(z, hn::Zero(d)), hn::Sub(one, q), q));
}

// Near 0 the continued fraction z / (1 + z^2 / (3 + ... / 11)), error z^13 / 1.4e9; elsewhere
// sign(z) (1 - e) / (1 + e), e = e^{-2|z|}.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tanh(D d, V z) {
  const auto set = [&](double c) { return hn::Set(d, c); };
  const V w = hn::Mul(z, z);
  const V top = hn::MulAdd(hn::MulAdd(set(21), w, set(1260)), w, set(10395));
  const V bottom = hn::MulAdd(hn::MulAdd(hn::Add(w, set(210)), w, set(4725)), w, set(10395));
  const V near = hn::Div(hn::Mul(z, top), bottom);
  const V e = ExpNeg(d, hn::Mul(hn::Abs(z), set(2)));
  const V far = hn::CopySign(hn::Div(hn::Sub(set(1), e), hn::Add(set(1), e)), z);
  return hn::IfThenElse(hn::Lt(hn::Abs(z), set(0.3)), near, far);
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

Layer prepare_layer(const Perceptron& p) {
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
