// energy_sums.cpp: slopes of the energy at the atoms of a cloud, and powers of a swarm in modes, by
// certified sums beside sums over pairs.
//
// usage: bench_energy_sums [MOST_PARTICLES [REPETITIONS]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "engine/moments/head_sums.h"
#include "kernels/drawn.h"
#include "landscape/cloud_sums.h"
#include "murmur/observe.h"
#include "peers/processor_time.h"

namespace murmur::bench {
namespace {

constexpr int kMostPairs = 8000;  // particles up to which all pairs are summed

double least(int repetitions, const std::function<void()>& work) {
  double best = HUGE_VAL;
  for (int r = 0; r < repetitions; ++r) {
    const double began = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - began);
  }
  return best;
}

void slopes(int most, int repetitions) {
  using landscape::Cloud;
  using landscape::CloudSums;
  std::printf("| d | beta | atoms | pairs, ms | certified, ms | largest bound |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const int d : {2, 3, 4, 5})
    for (const double beta : {1.0, 4.0, 25.0})
      for (int n = 2048; n <= most; n *= 8) {
        const HostSwarm x = on_sphere({n, d}, 3);
        Cloud mu{Eigen::MatrixXd(d, n), Eigen::VectorXd::Constant(n, 1.0 / n)};
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < d; ++k) mu.x(k, i) = x.at(i, k);
        const landscape::Terrain terrain({.d = d, .beta = beta, .kernel = Landscape::scaled});
        const double pairs =
            n > kMostPairs ? NAN : least(repetitions, [&] { terrain.slopes(mu, nullptr); });
        CloudSums sums(terrain, n, CloudSums::Wanted::slopes, 1);
        double bound = 0;
        const double certified = least(repetitions, [&] {
          const landscape::CloudReading r = sums.read(mu);
          bound = (r.slope_bounds.array() / r.values.array() / beta).maxCoeff();
        });
        std::printf("| %d | %g | %d | %.1f | %.1f | %.1e |\n", d, beta, n, 1e3 * pairs,
                    1e3 * certified, bound);
        std::fflush(stdout);
      }
}

void modes(int most, int repetitions) {
  std::printf("\n| d | modes | n | plain, ms | moments, ms | largest bound |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const int d : {3, 4, 5})
    for (const int count : {4, 8, 16})
      for (int n = 64; n <= most; n *= 8) {
        const HostSwarm x = on_sphere({n, d}, 3);
        // With more degrees than moments have, the plain forms serve; the cost is per degree.
        const int many = d == 3 ? 161 : d == 4 ? 49 : 27;
        const double scale = d == 3 ? static_cast<double>(count * count) / (many * many)
                                    : static_cast<double>(count) / many;
        const double plain =
            n > kMostPairs ? NAN : scale * least(1, [&] { mode_powers(x, many, {.threads = 1}); });
        double bound = 0;
        const double certified =
            least(repetitions, [&] { bound = moments::mode_sums(x, count, 1)->bound.back(); });
        std::printf("| %d | %d | %d | %.3f | %.3f | %.1e |\n", d, count, n, 1e3 * plain,
                    1e3 * certified, bound);
        std::fflush(stdout);
      }
}

}  // namespace
}  // namespace murmur::bench

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 1'048'576;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 3;
  std::printf("one thread, processor time, least of %d\n\n", repetitions);
  murmur::bench::slopes(most, repetitions);
  murmur::bench::modes(most, repetitions);
}
