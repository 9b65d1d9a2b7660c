// head_sums.cpp: targets of a head, and what its values make of the sums at them.
#include "engine/moments/head_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.h"

namespace murmur::moments {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double length_at(const HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  return std::sqrt(square);
}

}  // namespace

SumsSetup setup_of(const FoldedHead& head, SumsSetup setup) {
  setup.reach = head.reach;
  setup.length = head.length;
  return setup;
}

HeadSums::HeadSums(const FoldedHead& head, SumsSetup setup)
    : head_(head), setup_(setup_of(head, setup)), sums_(setup_) {}

void targets_of(const FoldedHead& head, const HostSwarm& x, std::span<const int> rows, double* u,
                std::size_t stride) {
  const int d = x.d(), count = static_cast<int>(rows.size());
  for (int r = 0; r < d; ++r) {
    double* to = u + r * stride;
    std::fill_n(to, count, head.gaze_bias[r]);
    for (int c = 0; c < d; ++c) {
      const double g = head.gaze(r, c);
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
  double point[16], said[16], size = 0, own = 0;
  for (int k = 0; k < d; ++k) {
    const double c = origin.moved() ? origin.c[k] : 0, from_c = x.at(i, k) - c;
    point[k] = row.mean[k * row.stride] + (head_.relative ? -from_c : c);
    own += from_c * from_c;
  }
  own = head_.relative ? std::sqrt(own) : origin.length;
  for (int k = 0; k < d; ++k) {
    said[k] = head_.value_bias.empty() ? 0 : head_.value_bias[k];
    if (head_.value.empty())
      said[k] += point[k];
    else
      for (int c = 0; c < d; ++c) said[k] += head_.value(k, c) * point[c];
    size += said[k] * said[k];
  }
  size = std::sqrt(size);
  const double here = length_at(x, i), most = origin.farthest;
  // u_i is off by so much at most, and scores by that times |x'_j|, and by u_i times what x'_j is
  // off by.
  const double u_off = (d + 6) * kUnit * (head_.gaze_size * here + head_.gaze_bias_size) +
                       head_.gaze_off * here + head_.gaze_bias_off;
  const double off = u_off * most;
  double error = head_.value_size * (row.mean_bound + 2 * off * most) +
                 (d + 6) * kUnit * (head_.value_size * (most + own) + head_.value_bias_size);
  double scale = 1;
  if (!head_.divided) {
    double level = head_.level, at_c = 0;  // at_c: <u_i, c>
    for (int k = 0; k < d; ++k) level += head_.tilt[k] * x.at(i, k);
    for (int r = 0; r < d && origin.moved(); ++r) {
      double u = head_.gaze_bias[r];
      for (int c = 0; c < d; ++c) u += head_.gaze(r, c) * x.at(i, c);
      at_c += u * origin.c[r];
    }
    const double reach = (head_.gaze_size * here + head_.gaze_bias_size) * origin.length;
    const double sizes = std::fabs(row.shift) +
                         (d + 4) * (head_.tilt_size * here + std::fabs(head_.level) + reach) + 8;
    const double lost =
        off + u_off * origin.length + head_.tilt_off * here + head_.level_off + 2 * kUnit * sizes;
    scale = head_.rate * row.weight * elementary::exp(row.shift + (level + at_c));
    error = std::fabs(scale) * (error * (1 + row.weight_bound) * std::exp(lost) +
                                (row.weight_bound + std::expm1(lost)) * size);
  }
  for (int k = 0; k < d; ++k) a.at(i, k) += scale * said[k];
  error += additions * kUnit * std::fabs(scale) * size;
  return std::isnan(error) ? kInfinity : error;
}

SumsAccount HeadSums::add(const HostSwarm& x, int additions, SharedMoments& shared, HostSwarm& a,
                          std::vector<double>& bound) const {
  const Origin origin = origin_of(x);
  return sums_.evaluate(
      origin.moved() ? origin.sources : x, x.n(), shared,
      [&](std::span<const int> rows, double* u, std::size_t stride) {
        targets_of(head_, x, rows, u, stride);
      },
      [&](std::span<const int> rows, const SumsResult& r) {
        for (std::size_t e = 0; e < rows.size(); ++e)
          bound[rows[e]] += add_row(x, origin,
                                    {rows[e], r.mean + e, r.stride, r.weight[e], r.shift[e],
                                     r.weight_bound[e], r.mean_bound[e]},
                                    additions, a);
      });
}

}  // namespace murmur::moments
