// sphere_sums.cpp: times one velocity on spheres by the ways of the moments engine, and by pairs.
//
// usage: bench_sphere_sums [PARTICLES [REPETITIONS]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/timed.h"
#include "engine/moments/moments.h"
#include "kernels/drawn.h"
#include "peers/processor_time.h"

namespace murmur::bench {
namespace {

using moments::Way;

struct Timed {
  double seconds = HUGE_VAL, worst = 0;
  int orders = 0;
  long elsewhere = 0;
};

Timed timed(Engine& engine, const Attention& head, const HostSwarm& x, int repetitions) {
  const Dynamics dynamics{.sublayers = {{{head}}}};
  const auto field = engine.prepare(dynamics, x.shape());
  const auto at = engine.place(x), v = engine.place(x);
  Timed t;
  for (int r = 0; r < repetitions; ++r) {
    t.seconds = std::min(
        t.seconds, timed_seconds(*field, processor_seconds, [&] { field->velocity(0, *at, *v); }));
  }
  if (const ErrorBound* c = field->error_bound())
    t.worst = c->worst, t.orders = c->orders, t.elsewhere = static_cast<long>(c->direct);
  return t;
}

const char* name_of(const std::optional<Way>& way) {
  if (!way) return "cheapest";
  switch (*way) {
    case Way::harmonics:
      return "harmonics";
    case Way::transform:
      return "transforms";
    case Way::cells:
      return "cells";
    case Way::pairs:
      return "pairs";
  }
  return "";
}

void large(int n, int repetitions) {
  const HostSwarm x = on_sphere({n, 3}, 3);
  std::printf("| head | beta | tolerance | way | degree | seconds | worst bound | elsewhere |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  const auto row = [&](const char* name, const Attention& head, double tolerance,
                       std::optional<Way> way) {
    const auto engine = make_moments_engine(
        {.tolerance = tolerance, .pairs_above = tolerance, .threads = 1, .way = way});
    const Timed t = timed(*engine, head, x, repetitions);
    std::printf("| %s | %g | %.0e | %s | %d | %.3f | %.1e | %ld |\n", name, head.beta, tolerance,
                name_of(way), t.orders, t.seconds, t.worst, t.elsewhere);
    std::fflush(stdout);
  };
  for (const double beta : {1.0, 4.0, 9.0}) row("Q = K = I", {.beta = beta}, 1e-12, Way::harmonics);
  for (const double beta : {9.0, 25.0, 100.0})
    for (const Way way : {Way::harmonics, Way::transform})
      row("Q = K = I", {.beta = beta}, 1e-10, way);
  row("Q = K = I", {.beta = 1000}, 1e-10, Way::transform);
  Attention random{.beta = 9};
  random.query = drawn(3, 3, 1, 1 / std::sqrt(3.0));
  random.key = drawn(3, 3, 2, 1 / std::sqrt(3.0));
  row("random Q, K", random, 1e-12, std::nullopt);
  row("random Q, K", random, 1e-10, std::nullopt);
}

void small(int repetitions) {
  std::printf("\n| d | beta | n | simd, us | moments, us |\n|---|---|---|---|---|\n");
  const auto simd = make_simd_engine(Precision::f64, 1);
  for (const int d : {3, 4, 5})
    for (const double beta : {1.0, 4.0, 9.0})
      for (const int n : {500, 1000, 2000, 4000, 8000, 16'000}) {
        if (d == 5 && beta > 4) continue;
        const HostSwarm x = on_sphere({n, d}, 3);
        const auto engine = make_moments_engine(
            {.pairs_above = kMomentsPromise, .threads = 1, .way = Way::harmonics});
        const Attention head{.beta = beta};
        const Timed by_pairs = timed(*simd, head, x, repetitions);
        const Timed by_moments = timed(*engine, head, x, repetitions);
        std::printf("| %d | %g | %d | %.0f | %.0f |\n", d, beta, n, 1e6 * by_pairs.seconds,
                    1e6 * by_moments.seconds);
        std::fflush(stdout);
      }
}

}  // namespace
}  // namespace murmur::bench

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  std::printf("S^2, %d uniform particles, one thread, least of %d\n\n", n, repetitions);
  murmur::bench::large(n, repetitions);
  murmur::bench::small(repetitions);
}
