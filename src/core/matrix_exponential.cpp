// matrix_exponential.cpp: scaling, a Taylor polynomial, and squaring, in plain loops.
#include "core/matrix_exponential.h"

#include <algorithm>
#include <cmath>

namespace murmur {

namespace {

// max_i sum_j |m_ij|
double row_norm(const Matrix& m) {
  double most = 0;
  for (int i = 0; i < m.rows; ++i) {
    double sum = 0;
    for (int j = 0; j < m.cols; ++j) sum += std::fabs(m(i, j));
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c = zeros(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.cols; ++k)
      for (int j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

//   e^{tM} = ( e^{tM / 2^s} )^{2^s},   |tM| / 2^s <= 1/4
// With |A| <= 1/4 the terms A^k / k! beyond k = 13 are below 2^-60 together (the first left out is
// 4^-14 / 14!). Horner: 1 + A (1 + A/2 (1 + A/3 (...))).
Matrix matrix_exponential(const Matrix& m, double t) {
  constexpr int kTerms = 13;
  constexpr double kSmall = 0.25;
  Matrix a = m;
  for (double& entry : a.data) entry *= t;
  int squarings = 0;
  double norm = row_norm(a);
  if (!std::isfinite(norm)) return a;
  double scale = 1;
  for (; norm > kSmall; norm /= 2, scale /= 2) ++squarings;
  for (double& entry : a.data) entry *= scale;

  Matrix e = scaled_identity(m.rows, 1);
  for (int k = kTerms; k >= 1; --k) {
    e = product(a, e);
    for (double& entry : e.data) entry /= k;
    for (int i = 0; i < e.rows; ++i) e(i, i) += 1;
  }
  for (int s = 0; s < squarings; ++s) e = product(e, e);
  return e;
}

}  // namespace murmur
