// sums_test.cpp: the sums of observables that fields give, on every engine.
#include <functional>
#include <memory>

#include "contenders.h"
#include "engine/moments/moments.h"
#include "murmur/observe.h"

namespace murmur::testing {
namespace {

// Calls `check` with every engine; those in host memory sum in the same loops as the reference.
void on_every_engine(const std::function<void(Engine&, const std::string&)>& check) {
  for (const Contender& contender : contenders()) {
    if (contender.on_gpu()) continue;  // sums to rounding (cuda_test.cpp)
    const OnTarget on(contender.target);
    check(*contender.engine(2), "simd " + contender.name());
  }
  check(*make_moments_engine(), "moments");
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> all;
  for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}

std::vector<std::uint64_t> bits(const ParticleSums& s) {
  std::vector<double> values = {s.measurable ? 1.0 : 0.0, s.radius, s.norm_drift};
  values.insert(values.end(), s.mean.begin(), s.mean.end());
  values.insert(values.end(), s.gram.data.begin(), s.gram.data.end());
  return bits(values);
}

std::vector<std::uint64_t> bits(const PairSums& s) {
  return bits(std::vector<double>{s.pairs, s.mean, s.min, s.max, s.close, s.gibbs});
}

struct Case {
  Dynamics dynamics;
  HostSwarm x;
};

// On the sphere, in space with lengths of all kinds, and with norms that move.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int n : {1, 7, 8, 9, 300})
    for (const int d : {2, 3, 4, 5}) {
      HostSwarm x = random_sphere({n, d}, 6);
      for (int i = 0; i < n; ++i) x.mass[i] = 2.0 * (i + 1) / (n * (n + 1.0));
      all.push_back({sa(4), x});
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k) x.at(i, k) *= 0.5 + 0.1 * (i % 11);
      all.push_back({dynamics_of(Attention{.beta = 2}, Manifold::space), x});
      Dynamics pre = all.back().dynamics;
      pre.normalisation = LayerNorm::pre;
      all.push_back({pre, x});
    }
  return all;
}

std::vector<PairRequest> requests(int d) {
  Matrix symmetric = random_matrix(d, d, 8);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < i; ++j) symmetric(i, j) = symmetric(j, i);
  return {{.beta = 4, .anchor = 1, .threshold = 0.9},
          {.directions = true, .threshold = 0.5},
          {.matrix = symmetric, .beta = 0.5},
          {.beta = 1, .sample = {.seed = 3, .max_exact = 100, .pairs = 20'000}}};
}

TEST(Sums, AreThoseOfTheReferenceToTheBit) {
  const auto reference = make_reference_engine();
  for (const Case& c : cases()) {
    const auto wanted = reference->prepare(c.dynamics, c.x.shape());
    on_every_engine([&](Engine& engine, const std::string& name) {
      if (engine.unsupported_reason(c.dynamics, c.x.shape())) return;
      SCOPED_TRACE(name + ", n = " + std::to_string(c.x.n()) + ", d = " + std::to_string(c.x.d()));
      const auto field = engine.prepare(c.dynamics, c.x.shape());
      const auto at = engine.place(c.x);
      EXPECT_EQ(bits(field->particle_sums(*at, 3)), bits(wanted->particle_sums(c.x, 1)));
      for (PairRequest request : requests(c.x.d())) {
        request.threads = 1;
        const PairSums sums = wanted->pair_sums(c.x, request);
        request.threads = 3;
        PairSums got = field->pair_sums(*at, request);
        // Energies of large swarms are sums over all pairs on the moments engine, not over a
        // sample.
        if (name == "moments" && request.sample.max_exact < c.x.n()) {
          PairRequest all = request;
          all.sample = {};
          EXPECT_NEAR(got.gibbs, wanted->pair_sums(c.x, all).gibbs, 1e-10 * got.gibbs);
          EXPECT_NE(got.gibbs, sums.gibbs);
          got.gibbs = sums.gibbs;
        }
        EXPECT_EQ(bits(got), bits(sums));
      }
    });
  }
}

// A row by the field is the row of the frame alone.
TEST(Sums, GiveTheRowOfTheFrame) {
  for (const Case& c : cases())
    on_every_engine([&](Engine& engine, const std::string& name) {
      if (engine.unsupported_reason(c.dynamics, c.x.shape())) return;
      const auto field = engine.prepare(c.dynamics, c.x.shape());
      const auto at = engine.place(c.x);
      EXPECT_EQ(bits(observe(*field, *at, c.x, {})), bits(observe(c.x, c.dynamics, {}))) << name;
    });
}

// The formulas, pair by pair.
TEST(Sums, OfTheReferenceAreWhatTheyAreSaidToBe) {
  const auto reference = make_reference_engine();
  for (const Case& c : cases()) {
    const auto field = reference->prepare(c.dynamics, c.x.shape());
    const int n = c.x.n(), d = c.x.d();
    HostSwarm u = c.x;
    if (moves_norms(c.dynamics))
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k) u.at(i, k) = c.x.at(i, k) / std::sqrt(dot(c.x, i, i));
    double radius = 0, drift = 0, gibbs = 0, sum = 0, close = 0;
    const PairRequest request{.beta = 0.7, .anchor = 0.2, .threshold = 0.1};
    for (int i = 0; i < n; ++i) {
      radius += c.x.mass[i] * std::sqrt(dot(c.x, i, i));
      drift = std::max(drift, std::abs(std::sqrt(dot(c.x, i, i)) - 1));
      for (int j = 0; j < n; ++j) {
        gibbs += u.mass[i] * u.mass[j] * std::exp(0.7 * (dot(u, i, j) - 0.2));
        if (i < j) sum += dot(u, i, j), close += dot(u, i, j) > 0.1 ? 1 : 0;
      }
    }
    const ParticleSums particles = field->particle_sums(c.x, 1);
    EXPECT_TRUE(particles.measurable);
    EXPECT_NEAR(particles.radius, radius, 1e-14);
    EXPECT_NEAR(particles.norm_drift, drift, 1e-15);
    for (int k = 0; k < d; ++k) {
      double mean = 0;
      for (int i = 0; i < n; ++i) mean += u.mass[i] * u.at(i, k);
      EXPECT_NEAR(particles.mean[k], mean, 1e-14);
    }
    ASSERT_EQ(particles.gram.rows, std::min(n, d));
    double trace = 0, squares = 0;
    for (int k = 0; k < particles.gram.rows; ++k) trace += particles.gram(k, k);
    for (int i = 0; i < n; ++i) squares += dot(u, i, i);
    EXPECT_NEAR(trace, squares, 1e-13 * squares);
    const PairSums pairs = field->pair_sums(c.x, request);
    EXPECT_EQ(pairs.pairs, n * (n - 1) / 2);
    EXPECT_NEAR(pairs.gibbs, gibbs, 1e-13 * gibbs);
    if (n == 1) continue;
    EXPECT_NEAR(pairs.mean, sum / pairs.pairs, 1e-14);
    EXPECT_NEAR(pairs.close, close / pairs.pairs, 1e-14);
  }
}

TEST(Sums, OfWhatIsNotFiniteAreNotMade) {
  HostSwarm x = random_sphere({9, 3}, 1);
  x.at(4, 1) = HUGE_VAL;
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(sa(1), x.shape());
  EXPECT_FALSE(field->particle_sums(x, 1).measurable);
  EXPECT_EQ(bits(observe(*field, x, x, {})), bits(observe(x, sa(1), {})));
}

}  // namespace
}  // namespace murmur::testing
