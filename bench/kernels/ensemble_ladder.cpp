// ensemble_ladder.cpp: climbs the ladder of ensembles: every rung checked and timed, in one table.
//
// usage: bench_ensemble_ladder [BETA]    from 0 to about 16
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "kernels/ensemble_rungs.h"
#include "peers/processor_time.h"

namespace murmur::bench {
namespace {

constexpr int kSteps = 5;

Samples uniform(double beta) {
  Samples f{{.beta = beta}, 128, {}};
  const std::size_t size = f.blocks * ensemble::block_size(f.setting.shape);
  f.x = ensemble::zeros(size);
  std::mt19937 bits(1);
  std::normal_distribution<double> normal;
  constexpr int kLanes = ensemble::kSwarms;
  for (std::size_t e = 0; e < size; e += 2 * kLanes)
    for (int swarm = 0; swarm < kLanes; ++swarm) {
      double* x = f.x.get() + e + swarm;
      const double x0 = normal(bits), x1 = normal(bits), length = std::hypot(x0, x1);
      x[0] = x0 / length;
      x[kLanes] = x1 / length;
    }
  return f;
}

double difference(const Samples& a, const Samples& b) {
  double most = 0;
  for (std::size_t e = 0; e < a.blocks * ensemble::block_size(a.setting.shape); ++e)
    most = std::max(most, std::abs(a.x[e] - b.x[e]));
  return most;
}

int climb(double beta) {
  Samples wanted = uniform(beta);
  if (!ensemble::Waves(wanted.setting, wanted.setting.shape)) {
    std::fprintf(stderr, "beta is not one of Fourier sums: give one from 0 to about 16\n");
    return 2;
  }
  for (int s = 0; s < kSteps; ++s) ensemble_rungs()[0].step(wanted);
  const auto [n, d] = wanted.setting.shape;
  std::printf("%d swarms, n = %d, d = %d, beta = %g, one core\n", wanted.blocks * ensemble::kSwarms,
              n, d, beta);
  std::printf("%-40s %10s %10s\n", "", "us a step", "error");
  for (const EnsembleRung& rung : ensemble_rungs()) {
    double best = HUGE_VAL, error = 0;
    for (int r = 0; r < 9; ++r) {
      Samples f = uniform(beta);
      const double start = processor_seconds();
      for (int s = 0; s < kSteps; ++s) rung.step(f);
      best = std::min(best, (processor_seconds() - start) / kSteps);
      error = difference(f, wanted);
    }
    std::printf("%-40s %10.0f %10.1e\n", rung.name, 1e6 * best, error);
    if (!(error < 1e-12)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace murmur::bench

int main(int argc, char** argv) { return murmur::bench::climb(argc > 1 ? std::atof(argv[1]) : 4); }
