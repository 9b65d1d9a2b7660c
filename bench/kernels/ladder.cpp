// ladder.cpp: climbs the ladder: every rung checked against double loops and timed, in one table.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "engine/simd/probes.h"
#include "kernels/rungs.h"
#include "peers/processor_time.h"

namespace murmur::bench {
namespace {

Points uniform(int n, double beta) {
  Points p{n, beta, {}};
  std::mt19937 bits(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) {
    const double x[3] = {normal(bits), normal(bits), normal(bits)};
    const double size = std::hypot(x[0], x[1], x[2]);
    for (int k = 0; k < 3; ++k) p.x[k].push_back(static_cast<float>(x[k] / size));
  }
  return p;
}

Sums nothing(int n) {
  const std::vector<double> zero(n);
  return {zero, {zero, zero, zero}};
}

// Largest error of N_i / Z_i.
double error(const Sums& got, const Sums& wanted) {
  double most = 0;
  for (std::size_t i = 0; i < got.z.size(); ++i)
    for (int k = 0; k < 3; ++k)
      most = std::max(most, std::abs(got.n[k][i] / got.z[i] - wanted.n[k][i] / wanted.z[i]));
  return most;
}

int climb() {
  const Points p = uniform(8192, 4);
  Sums wanted = nothing(p.n);
  rungs()[0].sum(p, wanted);
  std::printf("d = 3, n = %d, beta = %g, one core, %s\n", p.n, p.beta, simd::target_name());
  std::printf("%-40s %10s %10s\n", "", "Gpairs/s", "error");
  for (const Rung& rung : rungs()) {
    double best = HUGE_VAL, worst = 0;
    for (int r = 0; r < 9; ++r) {
      Sums sums = nothing(p.n);
      const double start = processor_seconds();
      rung.sum(p, sums);
      best = std::min(best, processor_seconds() - start);
      worst = error(sums, wanted);
    }
    std::printf("%-40s %10.3f %10.1e\n", rung.name, 1e-9 * p.n * p.n / best, worst);
    if (!(worst < 1e-4)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace murmur::bench

int main() { return murmur::bench::climb(); }
