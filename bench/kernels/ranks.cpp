// ranks.cpp: seconds of one velocity, and of one Allreduce, on the ranks that mpirun has started.
//
// bench_ranks n=1000000 d=2 beta=4 engine=moments: least of several, each as long as the slowest
// rank takes, threads=1. One line of JSON.
#include "murmur/ranks.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/timed.h"
#include "engine/mpi/shared_engine.h"
#include "murmur/error.h"
#include "murmur/experiment.h"

namespace {

using namespace murmur;

Ranks* load_ranks() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return nullptr;
  const char* path = std::getenv("MURMUR_MPI_LIBRARY");
  void* library = dlopen(path != nullptr ? path : "libmurmur_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<Ranks* (*)()>(dlsym(library, "murmur_ranks_over_mpi"))();
}

// Least of `repetitions`, of the slowest rank.
double best(const Field& field, Ranks* ranks, int repetitions, const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int r = 0; r < repetitions; ++r) {
    if (ranks != nullptr) ranks->gather(0);  // begin together
    double took = timed_seconds(
        field, [] { return seconds_of(CLOCK_MONOTONIC); }, work);
    if (ranks != nullptr) ranks->largest(std::span(&took, 1));
    least = std::min(least, took);
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) try {
  Ranks* ranks = load_ranks();
  Experiment e = make_experiment(
      gather({.assignments = std::vector<std::string>(argv + 1, argv + argc)}, parameters()));
  e.engine.threads = 1;
  auto engine = make_engine(e.engine);
  if (ranks != nullptr) engine = share_engine(std::move(engine), *ranks);
  const auto field = prepare_field(e, *engine);
  const auto x = engine->place(e.swarm);
  const auto v = x->like();
  const double velocity = best(*field, ranks, 7, [&] { field->velocity(0, *x, *v); });
  const Term step[] = {{1e-3, v.get()}};
  const auto y = x->like();
  const double retract = best(*field, ranks, 7, [&] { field->retract(*x, step, *y); });
  const double norm = best(*field, ranks, 7, [&] { field->error_norm(*x, *y, {}); });
  double reduce[2] = {0, 0};  // of 1 kB and 1 MB
  for (int e2 = 0; e2 < 2 && ranks != nullptr; ++e2) {
    std::vector<std::uint64_t> halves(e2 == 0 ? 128 : 131072);
    reduce[e2] = best(*field, ranks, 50, [&] { ranks->add(halves); });
  }
  if (ranks == nullptr || ranks->first())
    std::printf(
        "{\"ranks\":%d,\"n\":%d,\"d\":%d,\"engine\":\"%s\",\"velocity\":%.6g,\"retract\":%.6g,"
        "\"norm\":%.6g,\"reduce_kB\":%.6g,\"reduce_MB\":%.6g}\n",
        ranks != nullptr ? ranks->size() : 1, e.swarm.n(), e.swarm.d(), engine->name().c_str(),
        velocity, retract, norm, reduce[0], reduce[1]);
  if (ranks != nullptr) ranks->all_leave(60);
  return 0;
} catch (const murmur::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
