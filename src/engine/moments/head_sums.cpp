// head_sums.cpp: the products of a head's matrices, its targets, and the force that its values make
// of the sums at them; weights and means of the kernel of an energy at places.
#include "engine/moments/head_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/elementary.h"

namespace murmur::moments {

namespace {

using Long = std::vector<long double>;

double length_of(const std::vector<double>& v) {
  double square = 0;
  for (const double value : v) square += value * value;
  return std::sqrt(square);
}

double entry(const Matrix& m, int r, int c) { return m.empty() ? (r == c ? 1 : 0) : m(r, c); }

// A sum of products in long double, and a bound on its error, the last rounding to double included.
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
    const double sum_error = static_cast<double>((terms_ + 2) * kLong * std::fabs(scale) * size_);
    return sum_error + 0.5 * std::numeric_limits<double>::epsilon() * std::fabs(scaled(scale));
  }

 private:
  long double sum_ = 0, size_ = 0;
  int terms_ = 0;
};

// Returns scale A^T b; empty b is zero. `off` becomes a bound on the length of its error.
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

// Returns the largest singular value, or a little more: |(G^T G)^16| is at least its 32nd power,
// and at most d^{1/2} times that.
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

// Returns c if G^T G = c^2 I up to rounding.
std::optional<double> rotation_scale(const Matrix& g) {
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

FoldedHead fold_head(const Attention& a, Clock clock, int d) {
  FoldedHead head{.softmax = a.weighting == Attention::softmax, .relative = a.relative};
  head.query_key = zeros(d, d);
  const int rows = !a.query.empty() ? a.query.rows : !a.key.empty() ? a.key.rows : d;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) {
      LongSum sum;
      for (int r = 0; r < rows; ++r) sum.add(entry(a.key, r, i), entry(a.query, r, j));
      head.query_key(i, j) = sum.scaled(a.beta);
      head.query_key_off = std::hypot(head.query_key_off, sum.off(a.beta));
    }
  head.query_key_bias = transpose_times(a.key, a.query_bias, a.beta, d, head.query_key_bias_off);
  head.offset_slope = transpose_times(a.query, a.key_bias, a.beta, d, head.offset_slope_off);
  LongSum offset;
  if (!a.query_bias.empty() && !a.key_bias.empty())
    for (int r = 0; r < rows; ++r) offset.add(a.query_bias[r], a.key_bias[r]);
  if (kernel_of(clock).over_max) offset.add(-1, 1);
  head.offset = offset.scaled(a.beta);
  head.offset_off = offset.off(a.beta);
  if (kernel_of(clock).times_beta) head.rate = a.beta;
  head.value = a.value;
  head.value_bias = a.value_bias;
  head.query_key_size = length_of(head.query_key.data);
  head.query_key_bias_size = length_of(head.query_key_bias);
  head.offset_slope_size = length_of(head.offset_slope);
  if (!a.value.empty()) head.value_size = length_of(a.value.data);
  head.value_bias_size = length_of(a.value_bias);
  head.reach = largest_singular(head.query_key) + head.query_key_bias_size;
  if (head.query_key_bias_size == 0) head.length = rotation_scale(head.query_key);
  if (head.length) head.reach = *head.length;
  return head;
}

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double length_at(const HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  return std::sqrt(square);
}

}  // namespace

SumsSetup with_head(const FoldedHead& head, SumsSetup setup) {
  setup.reach = head.reach;
  setup.length = head.length;
  return setup;
}

HeadSums::HeadSums(const FoldedHead& head, SumsSetup setup)
    : head_(head), setup_(with_head(head, setup)), sums_(setup_) {}

void compute_targets(const FoldedHead& head, const HostSwarm& x, std::span<const int> rows,
                     double* u, std::size_t stride) {
  const int d = x.d(), count = static_cast<int>(rows.size());
  for (int r = 0; r < d; ++r) {
    double* to = u + r * stride;
    std::fill_n(to, count, head.query_key_bias[r]);
    for (int c = 0; c < d; ++c) {
      const double g = head.query_key(r, c);
      const double* from = x.axis(c);
      if (g == 0) continue;
      for (int e = 0; e < count; ++e) to[e] += g * from[rows[e]];
    }
  }
}

HeadSums::Origin HeadSums::origin_of(const HostSwarm& x) const {
  constexpr double kMore = 1 + 1e-13;  // for the rounding of lengths
  Origin origin;
  if (setup_.sphere) return {kMore};
  const Reduction* ranks = setup_.ranks;
  const auto largest = [&](double own) { return ranks != nullptr ? ranks->largest(own) : own; };
  const auto farthest = [&](const HostSwarm& of) {
    double most = 0;
    for (int j = 0; j < of.n(); ++j) most = std::fmax(most, length_at(of, j));
    return kMore * largest(most);
  };
  origin.c.resize(x.d());
  double radius = 0;  // of the box
  for (int k = 0; k < x.d(); ++k) {
    double high = -kInfinity, low = kInfinity;
    for (int j = 0; j < x.n(); ++j) {
      high = std::fmax(high, x.at(j, k));
      low = std::fmin(low, x.at(j, k));
    }
    high = largest(high), low = -largest(-low);
    origin.c[k] = low + 0.5 * (high - low);
    origin.length = std::hypot(origin.length, origin.c[k]);
    radius = std::hypot(radius, 0.5 * (high - low));
  }
  if (!(origin.length > radius)) return {farthest(x)};
  origin.sources = x;
  for (int k = 0; k < x.d(); ++k)
    for (int j = 0; j < x.n(); ++j) origin.sources.at(j, k) -= origin.c[k];
  origin.farthest = farthest(origin.sources);
  origin.length *= kMore;
  return origin;
}

//   softmax: V M_i + b_V;   unnormalised: e^{c_i} Z_i (V M_i + b_V);   V (M_i - x_i) if relative
double HeadSums::add_row(const HostSwarm& x, const Origin& origin, const Row& row, int additions,
                         HostSwarm& a) const {
  const int d = x.d(), i = row.i;
  double point[16], value[16], size = 0, own = 0;
  for (int k = 0; k < d; ++k) {
    const double c = origin.moved() ? origin.c[k] : 0, from_c = x.at(i, k) - c;
    point[k] = row.mean[k * row.stride] + (head_.relative ? -from_c : c);
    own += from_c * from_c;
  }
  own = head_.relative ? std::sqrt(own) : origin.length;
  for (int k = 0; k < d; ++k) {
    value[k] = head_.value_bias.empty() ? 0 : head_.value_bias[k];
    if (head_.value.empty())
      value[k] += point[k];
    else
      for (int c = 0; c < d; ++c) value[k] += head_.value(k, c) * point[c];
    size += value[k] * value[k];
  }
  size = std::sqrt(size);
  const double here = length_at(x, i), most = origin.farthest;
  // u_off bounds the error of u_i; `off` that of the scores, of which the error of x'_j is a part.
  const double u_off = (d + 6) * kUnit * (head_.query_key_size * here + head_.query_key_bias_size) +
                       head_.query_key_off * here + head_.query_key_bias_off;
  const double off = u_off * most;
  double error = head_.value_size * (row.mean_bound + 2 * off * most) +
                 (d + 6) * kUnit * (head_.value_size * (most + own) + head_.value_bias_size);
  double scale = 1;
  if (!head_.softmax) {
    double offset = head_.offset, at_c = 0;  // at_c: <u_i, c>
    for (int k = 0; k < d; ++k) offset += head_.offset_slope[k] * x.at(i, k);
    for (int r = 0; r < d && origin.moved(); ++r) {
      double u = head_.query_key_bias[r];
      for (int c = 0; c < d; ++c) u += head_.query_key(r, c) * x.at(i, c);
      at_c += u * origin.c[r];
    }
    const double reach = (head_.query_key_size * here + head_.query_key_bias_size) * origin.length;
    const double sizes =
        std::fabs(row.shift) +
        (d + 4) * (head_.offset_slope_size * here + std::fabs(head_.offset) + reach) + 8;
    const double exponent_error = off + u_off * origin.length + head_.offset_slope_off * here +
                                  head_.offset_off + 2 * kUnit * sizes;
    scale = head_.rate * row.weight * elementary::exp(row.shift + (offset + at_c));
    error = std::fabs(scale) * (error * (1 + row.weight_bound) * std::exp(exponent_error) +
                                (row.weight_bound + std::expm1(exponent_error)) * size);
  }
  for (int k = 0; k < d; ++k) a.at(i, k) += scale * value[k];
  error += additions * kUnit * std::fabs(scale) * size;
  return std::isnan(error) ? kInfinity : error;
}

SumsCounts HeadSums::add(const HostSwarm& x, int additions, SharedMoments& shared, HostSwarm& a,
                         std::vector<double>& bound) const {
  const Origin origin = origin_of(x);
  return sums_.evaluate(
      origin.moved() ? origin.sources : x, x.n(), shared,
      [&](std::span<const int> rows, double* u, std::size_t stride) {
        compute_targets(head_, x, rows, u, stride);
      },
      [&](std::span<const int> rows, const SumsResult& r) {
        for (std::size_t e = 0; e < rows.size(); ++e)
          bound[rows[e]] += add_row(x, origin,
                                    {rows[e], r.mean + e, r.stride, r.weight[e], r.shift[e],
                                     r.weight_bound[e], r.mean_bound[e]},
                                    additions, a);
      });
}

namespace {

// Sums in pairs, so that rounding grows like the logarithm of the count.
double sum_of(const double* values, std::size_t count) {
  if (count <= 64) {
    double sum = 0;
    for (std::size_t e = 0; e < count; ++e) sum += values[e];
    return sum;
  }
  return sum_of(values, count / 2) + sum_of(values + count / 2, count - count / 2);
}

}  // namespace

KernelSums::KernelSums(const PairKernel& kernel, const SumsSetup& setup)
    : kernel_(kernel),
      head_(fold_head({.beta = kernel.beta, .query = kernel.matrix}, Clock::u1, setup.shape.d)),
      setup_(with_head(head_, setup)),
      sums_(setup_) {}

// The error of the targets beta D x is at most (d + 4) units of their length, and affects means and
// weights.
void KernelSums::evaluate(const HostSwarm& y, const HostSwarm& places,
                          const std::function<void(const KernelSum&)>& done) {
  constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
  const double most = largest_norm(y) * (1 + 1e-13), here = largest_norm(places) * (1 + 1e-13);
  const double off = (y.d() + 4) * kUnit * head_.query_key_size * here * most;
  const double lift = kernel_.beta * kernel_.anchor;
  shared_.clear_moments();
  sums_.evaluate(
      y, places.n(), shared_,
      [&](std::span<const int> rows, double* u, std::size_t stride) {
        compute_targets(head_, places, rows, u, stride);
      },
      [&](std::span<const int> rows, const SumsResult& r) {
        for (std::size_t e = 0; e < rows.size(); ++e) {
          const double exponent = std::fabs(r.shift[e]) + std::fabs(lift) + 8;
          done({.i = rows[e],
                .value = r.weight[e] * elementary::exp(r.shift[e] - lift),
                .value_bound = r.weight_bound[e] + 2 * off + 2 * kUnit * exponent,
                .mean = setup_.mean ? r.mean + e : nullptr,
                .stride = r.stride,
                .mean_bound = setup_.mean ? r.mean_bound[e] + 2 * off * most : 0});
        }
      });
}

double gibbs_sum(const HostSwarm& w, bool sphere, const PairRequest& request) {
  KernelSums sums({request.beta, request.matrix, request.anchor}, {.shape = w.shape(),
                                                                   .sphere = sphere,
                                                                   .mean = false,
                                                                   .tolerance = 1e-10,
                                                                   .threads = request.threads});
  std::vector<double> share(w.n());  // m_i sum_j m_j e^{beta (c_ij - anchor)}
  sums.evaluate(w, w, [&](const KernelSum& at) { share[at.i] = w.mass[at.i] * at.value; });
  return sum_of(share.data(), share.size());
}

}  // namespace murmur::moments
