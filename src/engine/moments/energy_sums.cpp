// energy_sums.cpp: weights and means of a kernel at places, and the sum of the weights.
#include "engine/moments/energy_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/elementary.h"

namespace murmur::moments {

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
