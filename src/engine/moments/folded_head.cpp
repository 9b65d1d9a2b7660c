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

// A sum of products in long double, and a bound on what it and its last rounding to double lose.
class LongSum {
 public:
  void add(double a, double b) {
    const long double product = static_cast<long double>(a) * b;
    sum_ += product;
    size_ += std::fabs(product);
    ++terms_;
  }
  double scaled(double scale) const { return static_cast<double>(scale * sum_); }
  double off(double scale) const {
    constexpr long double kLong = std::numeric_limits<long double>::epsilon();
    const double lost = static_cast<double>((terms_ + 2) * kLong * std::fabs(scale) * size_);
    return lost + 0.5 * std::numeric_limits<double>::epsilon() * std::fabs(scaled(scale));
  }

 private:
  long double sum_ = 0, size_ = 0;
  int terms_ = 0;
};

// A^T b; empty b is zero. `off` becomes a bound on the length of its error.
Vector transpose_times(const Matrix& a, const Vector& b, double scale, int d, double& off) {
  Vector out(d);
  off = 0;
  for (int c = 0; c < d; ++c) {
    LongSum sum;
    for (std::size_t r = 0; r < b.size(); ++r) sum.add(entry(a, static_cast<int>(r), c), b[r]);
    out[c] = sum.scaled(scale);
    off = std::hypot(off, sum.off(scale));
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
      LongSum sum;
      for (int r = 0; r < rows; ++r) sum.add(entry(a.key, r, i), entry(a.query, r, j));
      head.gaze(i, j) = sum.scaled(a.beta);
      head.gaze_off = std::hypot(head.gaze_off, sum.off(a.beta));
    }
  head.gaze_bias = transpose_times(a.key, a.query_bias, a.beta, d, head.gaze_bias_off);
  head.tilt = transpose_times(a.query, a.key_bias, a.beta, d, head.tilt_off);
  LongSum level;
  if (!a.query_bias.empty() && !a.key_bias.empty())
    for (int r = 0; r < rows; ++r) level.add(a.query_bias[r], a.key_bias[r]);
  if (kernel_of(clock).over_max) level.add(-1, 1);
  head.level = level.scaled(a.beta);
  head.level_off = level.off(a.beta);
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
