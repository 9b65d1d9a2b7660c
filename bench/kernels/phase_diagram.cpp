// phase_diagram.cpp: times the ensemble kernel on a few columns of the published phase diagram of
// clustering (arXiv 2312.10794: 32 particles, T = 30, dt = 0.1) and tells what all would take.
//
// usage: bench_phase_diagram [D...]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "ensemble/ensemble.h"
#include "kernels/drawn.h"
#include "peers/processor_time.h"

namespace murmur::bench {
namespace {

constexpr int kColumns = 90, kReplicas = 1024, kSteps = 300, kTimes = 200;

double time_column(int d, double beta) {
  ReplicasSetting setting;
  setting.shape = {32, d};
  setting.beta = beta;
  ReplicasWork work;
  work.count = kReplicas;
  work.threads = 1;
  work.keep_last = false;
  work.start = [&](std::int64_t replica) { return on_sphere(setting.shape, 0, replica); };
  for (int m = 1; m <= kTimes; ++m) work.times.push_back(setting.dt * (kSteps * m / kTimes));
  const double start = processor_seconds();
  const ReplicasResult result = advance_replicas(setting, work);
  const double seconds = processor_seconds() - start;
  double close = 0;
  for (int r = 0; r < kReplicas; ++r)
    close += result.readings[static_cast<std::size_t>(r + 1) * kTimes - 1].close_pairs / kReplicas;
  std::printf("d=%-4d beta=%-4g %6.3f s   close pairs at T: %.4f\n", d, beta, seconds, close);
  return seconds;
}

void time_diagram(int d) {
  double seconds = 0;
  const double betas[] = {0.1, 3, 9};
  for (const double beta : betas) seconds += time_column(d, beta) / std::size(betas);
  std::printf(
      "d=%-4d %d columns of %d swarms, %d steps, %d times: %.0f s of one core, %.0f s of two\n", d,
      kColumns, kReplicas, kSteps, kTimes, kColumns * seconds, kColumns * seconds / 2);
}

}  // namespace
}  // namespace murmur::bench

int main(int argc, char** argv) {
  std::vector<int> dimensions{2, 8, 32, 128, 512};
  if (argc > 1) dimensions.clear();
  for (int a = 1; a < argc; ++a) dimensions.push_back(std::atoi(argv[a]));
  for (const int d : dimensions) murmur::bench::time_diagram(d);
}
