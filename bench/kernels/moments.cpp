// moments.cpp: times one velocity of quantile particles on the circle by the moments engine.
//
// usage: bench_moments [PARTICLES [REPETITIONS]]
#include "engine/moments/moments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

#include "core/timed.h"
#include "peers/processor_time.h"

namespace murmur::bench {
namespace {

HostSwarm ring(int n) {
  HostSwarm x({n, 2});
  for (int i = 0; i < n; ++i) {
    const double s = 2 * std::numbers::pi * (i + 0.5) / n, theta = s - 0.3 * std::sin(3 * s);
    x.at(i, 0) = std::cos(theta);
    x.at(i, 1) = std::sin(theta);
  }
  return x;
}

void time_one(const HostSwarm& x, double beta, Attention::Weighting weighting, int repetitions) {
  const auto engine = make_moments_engine({.tolerance = 1e-12, .threads = 1});
  const Dynamics dynamics{.sublayers = {{{Attention{.beta = beta, .weighting = weighting}}}}};
  const auto field = engine->prepare(dynamics, x.shape());
  const auto at = engine->place(x), v = engine->place(x);
  double best = HUGE_VAL;
  for (int r = 0; r < repetitions; ++r) {
    best = std::min(best,
                    timed_seconds(*field, processor_seconds, [&] { field->velocity(0, *at, *v); }));
  }
  const ErrorBound& c = *field->error_bound();
  std::printf("| %s | %g | %d | %.1f | %.1e |\n", weighting == Attention::softmax ? "SA" : "USA",
              beta, c.orders, 1e3 * best, c.worst);
}

}  // namespace
}  // namespace murmur::bench

int main(int argc, char** argv) {
  using namespace murmur;
  const int n = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 9;
  const HostSwarm x = bench::ring(n);
  std::printf("%d particles, one thread, tolerance 1e-12, least of %d\n\n", n, repetitions);
  std::printf("| law | beta | orders | ms | worst bound |\n|---|---|---|---|---|\n");
  for (const double beta : {1.0, 5.0, 9.0, 25.0})
    for (const auto weighting : {Attention::softmax, Attention::unnormalised})
      bench::time_one(x, beta, weighting, repetitions);
}
