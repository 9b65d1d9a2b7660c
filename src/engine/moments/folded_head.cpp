// folded_head.cpp: the products of a head's matrices, once a head.
#include "engine/moments/folded_head.h"

#include <cmath>
#include <limits>
#include <vector>

namespace murmur::moments {

namespace {

using Long = std::vector<long double>;

double length_of(const std::vector<double>& v) {
  double square = 0;
  for (const double value : v) square += value * value;
  return std::sqrt(square);
}

double entry(const Matrix& m, int r, int c) { return m.empty() ? (r == c ? 1 : 0) : m(r, c); }

// A^T b in long double; empty b is zero.
Vector transpose_times(const Matrix& a, const Vector& b, double scale, int d) {
  Vector out(d);
  for (int c = 0; c < d; ++c) {
    long double sum = 0;
    for (std::size_t r = 0; r < b.size(); ++r)
      sum += static_cast<long double>(entry(a, static_cast<int>(r), c)) * b[r];
    out[c] = static_cast<double>(scale * sum);
  }
  return out;
}

// The largest singular value, or a little more: |(G^T G)^16| is at least its 32nd power, and at
// most d^{1/2} times that.
double largest_singular(const Matrix& g) {
  const int d = g.cols;
  Matrix square = zeros(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j)
      for (int r = 0; r < d; ++r) square(i, j) += g(r, i) * g(r, j);
  double log = 0;
  for (int power = 1; power <= 16; power *= 2) {
    const double size = length_of(square.data);
    if (!(size > 0)) return 0;
    for (double& value : square.data) value /= size;
    log += std::log(size) / power;
    if (power == 16) break;
    Matrix next = zeros(d, d);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j)
        for (int r = 0; r < d; ++r) next(i, j) += square(i, r) * square(r, j);
    square = next;
  }
  return std::exp(0.5 * log) * (1 + 1e-13);
}

// c where G^T G = c^2 I, but for rounding.
std::optional<double> turn_of(const Matrix& g) {
  const int d = g.cols;
  double first = 0;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j <= i; ++j) {
      long double dot = 0;
      for (int r = 0; r < d; ++r) dot += static_cast<long double>(g(r, i)) * g(r, j);
      const auto value = static_cast<double>(dot);
      if (i == 0) first = value;
      if (std::fabs(value - (i == j ? first : 0)) >
          8 * std::numeric_limits<double>::epsilon() * first)
        return std::nullopt;
    }
  return std::sqrt(first);
}

}  // namespace

FoldedHead folded(const Attention& a, Clock clock, int d) {
  FoldedHead head{.divided = a.weighting == Attention::softmax, .relative = a.relative};
  head.gaze = zeros(d, d);
  const int rows = !a.query.empty() ? a.query.rows : !a.key.empty() ? a.key.rows : d;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) {
      long double sum = 0;
      for (int r = 0; r < rows; ++r)
        sum += static_cast<long double>(entry(a.key, r, i)) * entry(a.query, r, j);
      head.gaze(i, j) = static_cast<double>(a.beta * sum);
    }
  head.gaze_bias = transpose_times(a.key, a.query_bias, a.beta, d);
  head.tilt = transpose_times(a.query, a.key_bias, a.beta, d);
  long double level = 0;
  if (!a.query_bias.empty() && !a.key_bias.empty())
    for (int r = 0; r < rows; ++r)
      level += static_cast<long double>(a.query_bias[r]) * a.key_bias[r];
  level *= a.beta;
  if (kernel_of(clock).over_max) level -= a.beta;
  head.level = static_cast<double>(level);
  if (kernel_of(clock).times_beta) head.rate = a.beta;
  head.value = a.value;
  head.value_bias = a.value_bias;
  head.gaze_size = length_of(head.gaze.data);
  head.gaze_bias_size = length_of(head.gaze_bias);
  head.tilt_size = length_of(head.tilt);
  if (!a.value.empty()) head.value_size = length_of(a.value.data);
  head.value_bias_size = length_of(a.value_bias);
  head.reach = largest_singular(head.gaze) + head.gaze_bias_size;
  if (head.gaze_bias_size == 0) head.length = turn_of(head.gaze);
  if (head.length) head.reach = *head.length;
  return head;
}

}  // namespace murmur::moments
