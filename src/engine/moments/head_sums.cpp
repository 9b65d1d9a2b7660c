// head_sums.cpp: targets of a head, and what its values make of the sums at them.
#include "engine/moments/head_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.h"

namespace murmur::moments {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();

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

//   softmax: V M_i + b_V;   unnormalised: e^{c_i} Z_i (V M_i + b_V);   V (M_i - x_i) if relative
double HeadSums::add_row(const HostSwarm& x, const Row& row, HostSwarm& a) const {
  const int d = x.d(), i = row.i;
  double point[16], said[16], size = 0;
  for (int k = 0; k < d; ++k)
    point[k] = row.mean[k * row.stride] - (head_.relative ? x.at(i, k) : 0);
  for (int k = 0; k < d; ++k) {
    said[k] = head_.value_bias.empty() ? 0 : head_.value_bias[k];
    if (head_.value.empty())
      said[k] += point[k];
    else
      for (int c = 0; c < d; ++c) said[k] += head_.value(k, c) * point[c];
    size += said[k] * said[k];
  }
  size = std::sqrt(size);
  const double here = length_at(x, i), most = row.farthest;
  // u_i is off by so much at most, and scores by that times |x_j|.
  const double off = (d + 4) * kUnit * (head_.gaze_size * here + head_.gaze_bias_size) * most;
  double error = head_.value_size * (row.mean_bound + 2 * off * most) +
                 (d + 4) * kUnit * (head_.value_size * (most + here) + head_.value_bias_size);
  double scale = 1;
  if (!head_.divided) {
    double level = head_.level;
    for (int k = 0; k < d; ++k) level += head_.tilt[k] * x.at(i, k);
    const double sizes =
        std::fabs(row.shift) + (d + 4) * (head_.tilt_size * here + std::fabs(head_.level)) + 8;
    scale = head_.rate * row.weight * elementary::exp(row.shift + level);
    error = scale *
            (error * (1 + row.weight_bound) + (row.weight_bound + off + 2 * kUnit * sizes) * size);
    error = std::fabs(error);
  }
  for (int k = 0; k < d; ++k) a.at(i, k) += scale * said[k];
  return error;
}

SumsAccount HeadSums::add(const HostSwarm& x, SharedMoments& shared, HostSwarm& a,
                          std::vector<double>& bound) const {
  double most = 1;
  if (!setup_.sphere) {
    most = 0;
    for (int j = 0; j < x.n(); ++j) most = std::fmax(most, length_at(x, j));
    if (setup_.ranks != nullptr) most = setup_.ranks->largest(most);
  }
  most *= 1 + 1e-13;
  return sums_.evaluate(
      x, x.n(), shared,
      [&](std::span<const int> rows, double* u, std::size_t stride) {
        targets_of(head_, x, rows, u, stride);
      },
      [&](std::span<const int> rows, const SumsResult& r) {
        for (std::size_t e = 0; e < rows.size(); ++e)
          bound[rows[e]] += add_row(x,
                                    {rows[e], most, r.mean + e, r.stride, r.weight[e], r.shift[e],
                                     r.weight_bound[e], r.mean_bound[e]},
                                    a);
      });
}

}  // namespace murmur::moments
