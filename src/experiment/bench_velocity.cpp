// bench_velocity.cpp: times the velocity of an experiment's swarm, alone or beside the reference.
#include <time.h>

#include <algorithm>
#include <limits>

#include "murmur/experiment.h"

namespace murmur {

namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A field with a swarm to ask it about.
class Candidate {
 public:
  Candidate(const Experiment& e, std::unique_ptr<Engine> engine)
      : engine_(std::move(engine)),
        field_(prepare_field(e, *engine_)),
        x_(engine_->place(e.swarm)),
        v_(engine_->place(e.swarm)) {}

  std::string name() const { return engine_->name(); }

  double time(clockid_t clock) {
    const double start = seconds(clock);
    field_->velocity(0, *x_, *v_);
    return seconds(clock) - start;
  }

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Field> field_;
  std::unique_ptr<Swarm> x_, v_;
};

}  // namespace

VelocitySpeed time_velocity(const Experiment& e, const VelocityBench& bench) {
  Candidate candidate(e, make_engine(e.engine));
  std::unique_ptr<Candidate> reference;
  if (bench.beside_reference) reference = std::make_unique<Candidate>(e, make_reference_engine());

  const clockid_t clock = e.engine.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double best = kNever, reference_best = kNever;
  for (int r = 0; r < std::max(bench.repetitions, 1); ++r) {
    best = std::min(best, candidate.time(clock));
    if (reference)
      reference_best = std::min(reference_best, reference->time(CLOCK_THREAD_CPUTIME_ID));
  }

  VelocitySpeed speed{.engine = candidate.name(), .seconds_best = best};
  speed.gpairs_per_second = 1e-9 * e.swarm.n() * static_cast<double>(e.swarm.n()) / best;
  if (reference) speed.ratio = reference_best / best;
  return speed;
}

}  // namespace murmur
