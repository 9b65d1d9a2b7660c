// heads_test.cpp: heads of few coordinates, and heads that attend alike, against the reference.
#include <utility>

#include "contenders.h"

namespace murmur::testing {
namespace {

// M V (d, d) of rank k, as the heads of a trained swarm have it.
Matrix of_rank(int k, int d, std::uint64_t seed) {
  const Matrix mix = random_matrix(d, k, seed, 0.5), value = random_matrix(k, d, seed + 1, 0.5);
  Matrix product = zeros(d, d);
  for (int r = 0; r < d; ++r)
    for (int m = 0; m < k; ++m)
      for (int c = 0; c < d; ++c) product(r, c) += mix(r, m) * value(m, c);
  return product;
}

Attention narrow(int k, int d, double beta, std::uint64_t seed) {
  return {.beta = beta,
          .query = random_matrix(k, d, seed, 0.4),
          .key = random_matrix(k, d, seed + 2, 0.4),
          .value = of_rank(k, d, seed + 4),
          .query_bias = random_matrix(1, k, seed + 6, 0.5).data,
          .key_bias = random_matrix(1, k, seed + 7, 0.5).data,
          .value_bias = random_matrix(1, d, seed + 8, 0.5).data};
}

Dynamics sum_of(const std::vector<Attention>& heads) {
  Dynamics dynamics;
  dynamics.sublayers.resize(1);
  for (const Attention& head : heads) dynamics.sublayers[0].forces.push_back(head);
  return dynamics;
}

TEST(Heads, OfFewCoordinates) {
  for (const int d : {5, 17, 48})
    for (const int k : {1, 2, 3, 4, 8, 12, d / 2})
      for (const int n : {1, 9, 130}) {
        if (2 * k > d) continue;
        SCOPED_TRACE(::testing::Message() << "n = " << n << ", d = " << d << ", k = " << k);
        const HostSwarm x = random_sphere({n, d}, 3);
        Attention head = narrow(k, d, 2, 20);
        expect_agreement(sum_of({head}), x);
        expect_agreement(sum_of({head, narrow(k, d, 1, 40), narrow(1, d, 5, 60)}), x);
        head.relative = true;
        head.mask = Attention::causal;
        expect_agreement(sum_of({head}), x);
        head.weighting = Attention::unnormalised;
        head.self = false;
        expect_agreement(sum_of({head}), x);
        head.value = {};
        expect_agreement(sum_of({head}), x);
        head.value = zeros(d, d);
        expect_agreement(sum_of({head}), x);
      }
}

// Scores too large to be summed as they are, and rows whose keys all lie far from their query.
TEST(Heads, OfFewCoordinatesMayBeSharp) {
  for (const double beta : {100.0, 1e3, 1e4})
    for (const auto& [k, away] : {std::pair{2, false}, {2, true}, {4, false}, {4, true}}) {
      SCOPED_TRACE(::testing::Message() << "beta = " << beta << ", k = " << k << ", away " << away);
      Attention head = narrow(k, 9, beta, 5);
      head.query_bias = head.key_bias = {};
      if (away) {
        head.key = head.query;
        for (double& entry : head.key.data) entry = -entry;
      }
      expect_agreement(sum_of({head}), random_sphere({80, 9}, 8));
    }
}

// Equal scores in many forms: with the identity, with matrices, unlike in one number alone.
TEST(Heads, ThatAttendAlikeAreOne) {
  for (const int d : {3, 9}) {
    const HostSwarm x = random_sphere({90, d}, 6);
    std::vector<Attention> heads;
    for (int h = 0; h < 3; ++h)
      heads.push_back({.beta = 2,
                       .value = h == 1 ? Matrix{} : random_matrix(d, d, 70 + h),
                       .value_bias = h == 0 ? Vector{} : random_matrix(1, d, 80 + h).data});
    expect_agreement(sum_of(heads), x);
    heads[1].beta = 3;
    expect_agreement(sum_of(heads), x);
    heads[2].query = heads[2].key = random_matrix(2, d, 90);
    heads.push_back(heads[2]);
    heads[2].mask = Attention::causal;
    expect_agreement(sum_of(heads), x);
  }
}

}  // namespace
}  // namespace murmur::testing
