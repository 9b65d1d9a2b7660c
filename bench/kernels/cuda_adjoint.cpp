// cuda_adjoint.cpp: times forward and backward pass of batches of digits on a GPU, copies included.
//
// usage: bench_cuda_adjoint DATA [REPETITIONS]      DATA: a folder with MNIST's idx files
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "murmur/error.h"
#include "murmur/images.h"
#include "murmur/learn.h"

namespace murmur::bench {
namespace {

using Clock = std::chrono::steady_clock;

// The median of `repetitions` batches in milliseconds, after three that are not counted.
double time_one(Adjoint& adjoint, const Architecture& a, const SampleSet& set, std::size_t batch,
                int repetitions) {
  const std::vector<float> parameters = initial_parameters(a, 0);
  std::vector<float> gradient(parameters.size()), shift(2 * batch, 0.25f);
  std::vector<std::size_t> chosen(batch);
  std::vector<double> seconds;
  for (int r = -3; r < repetitions; ++r) {
    for (std::size_t k = 0; k < batch; ++k)
      chosen[k] = ((r + 3) * batch + k) * 7919 % set.samples();
    const auto began = Clock::now();
    adjoint.backward(parameters, {set.x, set.y, set.first, set.label, chosen, shift}, {}, gradient);
    const double took = std::chrono::duration<double>(Clock::now() - began).count();
    if (r >= 0) seconds.push_back(took);
  }
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  return 1e3 * seconds[repetitions / 2];
}

void time_all(const char* name, Architecture a, const SampleSet& set, int repetitions) {
  a.targets = spread_targets(2, a.d);
  const auto adjoint = make_cuda_adjoint(a);
  for (const std::size_t batch : {256, 1024, 4096}) {
    const double ms = time_one(*adjoint, a, set, batch, repetitions);
    std::printf("| %s | %zu | %.3f | %.0f |\n", name, batch, ms, 1e3 * batch / ms);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace murmur::bench

int main(int argc, char** argv) try {
  using namespace murmur;
  if (argc < 2) return std::puts("usage: bench_cuda_adjoint DATA [REPETITIONS]"), 2;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 21;
  const SampleSet set = samples_of(read_data_set(argv[1]).train, {5, 6}, {});
  std::printf("%zu digits of %.1f tokens\n\n", set.samples(),
              static_cast<double>(set.x.size()) / static_cast<double>(set.samples()));
  std::printf("| swarm | batch | ms a batch | images/s |\n|---|---|---|---|\n");
  using A = Architecture;
  bench::time_all("10 shared, d = 3", {}, set, repetitions);
  bench::time_all("10 free, d = 3", {.shared = false}, set, repetitions);
  bench::time_all("10 shared, d = 2", {.d = 2}, set, repetitions);
  bench::time_all("10 shared, d = 4", {.d = 4}, set, repetitions);
  bench::time_all("10 shared, hidden 128", {.hidden = 128}, set, repetitions);
  bench::time_all("10 shared, hidden 2048", {.hidden = 2048}, set, repetitions);
  bench::time_all("10 shared, uniform", {.interaction = A::uniform}, set, repetitions);
  bench::time_all("10 shared, isolated", {.interaction = A::none}, set, repetitions);
} catch (const murmur::Error& error) {
  std::fprintf(stderr, "%s\n", error.summary.c_str());
  return 1;
}
