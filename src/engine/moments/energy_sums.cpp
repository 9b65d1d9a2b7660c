// energy_sums.cpp: weights at every particle, and their mean.
#include "engine/moments/energy_sums.h"

#include <algorithm>
#include <vector>

#include "core/elementary.h"
#include "engine/moments/head_sums.h"

namespace murmur::moments {

namespace {

// Neighbours first, so that rounding grows like the logarithm of the count.
double sum_of(const double* values, std::size_t count) {
  if (count <= 64) {
    double sum = 0;
    for (std::size_t e = 0; e < count; ++e) sum += values[e];
    return sum;
  }
  return sum_of(values, count / 2) + sum_of(values + count / 2, count - count / 2);
}

}  // namespace

double gibbs_sum(const HostSwarm& w, bool sphere, const PairRequest& request) {
  const Attention head{.beta = request.beta, .query = request.matrix};
  const FoldedHead folded = moments::folded(head, Clock::u1, w.d());
  const SumsSetup setup = setup_of(folded, {.shape = w.shape(),
                                            .sphere = sphere,
                                            .mean = false,
                                            .tolerance = 1e-10,
                                            .threads = request.threads});
  SharedMoments shared;
  std::vector<double> share(w.n());  // m_i sum_j m_j e^{beta (c_ij - anchor)}
  CertifiedSums(setup).evaluate(
      w, w.n(), shared,
      [&](std::span<const int> rows, double* u, std::size_t stride) {
        targets_of(folded, w, rows, u, stride);
      },
      [&](std::span<const int> rows, const SumsResult& r) {
        for (std::size_t e = 0; e < rows.size(); ++e)
          share[rows[e]] = w.mass[rows[e]] * r.weight[e] *
                           elementary::exp(r.shift[e] - request.beta * request.anchor);
      });
  return sum_of(share.data(), share.size());
}

}  // namespace murmur::moments
