// bench_velocity.cpp: measures the time of a velocity evaluation, and refuses times that this
// machine cannot reach.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "core/timed.h"
#include "engine/cuda/cuda.h"
#include "engine/simd/probes.h"
#include "murmur/error.h"
#include "murmur/experiment.h"

namespace murmur {

namespace {

// A field and a swarm.
class Candidate {
 public:
  Candidate(const Experiment& e, std::unique_ptr<Engine> engine)
      : engine_(std::move(engine)),
        field_(prepare_field(e, *engine_)),
        x_(engine_->place(e.swarm)),
        v_(engine_->place(e.swarm)) {}

  std::string name() const { return engine_->name(); }
  const Field& field() const { return *field_; }

  double time(clockid_t clock) {
    return timed_seconds(
        *field_, [&] { return seconds_of(clock); }, [&] { field_->velocity(0, *x_, *v_); });
  }

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Field> field_;
  std::unique_ptr<Swarm> x_, v_;
};

// Returns whether each velocity needs the exponentials of all pairs: if a head has them, and the
// engine has no faster sum.
bool sums_pairs(const Experiment& e) {
  if (error_tolerance(e.engine)) return false;  // moments
  for (const Sublayer& sublayer : e.dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* head = head_of(force);
          head != nullptr && sublayer.active(0) && head->beta != 0 &&
          (head->weighting == Attention::softmax || head->weighting == Attention::unnormalised))
        return true;
  return false;
}

// Returns the peak rate of the GPU or of the cores in use.
MachineRates rates_of(const Experiment& e, const Field& field) {
  const bool single = e.engine.precision == Precision::f32;
  if (field.on_device()) {
    const GpuLimits gpu = probe_gpu();
    // In double precision a power of two takes 13 multiply-adds; tensor cores have twice the rate.
    return single ? MachineRates{gpu.exp2_f32, gpu.half_products}
                  : MachineRates{gpu.fma_f64 / 13, 2 * gpu.fma_f64};
  }
  const simd::CoreLimits core = simd::probe_arithmetic();
  const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int threads = e.engine.threads > 0 ? e.engine.threads : all;
  return single ? MachineRates{threads * core.exp2_f32, threads * core.fma_f32}
                : MachineRates{threads * core.exp2_f64, threads * core.fma_f64};
}

}  // namespace

double least_pair_seconds(Shape shape, const MachineRates& rates) {
  const double pairs = 0.5 * shape.n * static_cast<double>(shape.n), d = shape.d;
  return std::max(pairs / rates.powers, pairs * (3 * d + 1) / rates.multiply_adds);
}

void require_possible(double seconds, double least, const std::string& engine) {
  constexpr double kNoise = 0.5;  // other processes may slow the core down during a probe
  if (seconds >= kNoise * least) return;
  throw Error(Fault::runtime, "the measured time is shorter than possible on this machine",
              fmt::format("{}: {:.3g} ms; by the measured rates at least {:.3g} ms", engine,
                          1e3 * seconds, 1e3 * least),
              "repeat it on an idle machine; if it happens again, report it as a bug");
}

VelocitySpeed time_velocity(const Experiment& e, const VelocityBench& bench) {
  Candidate candidate(e, make_engine(e.engine));
  std::unique_ptr<Candidate> reference;
  if (bench.beside_reference) reference = std::make_unique<Candidate>(e, make_reference_engine());

  const clockid_t clock = clock_of(candidate.field(), e.engine.threads == 1);
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double best = kNever, reference_best = kNever;
  for (int r = 0; r < std::max(bench.repetitions, 1); ++r) {
    best = std::min(best, candidate.time(clock));
    if (reference) reference_best = std::min(reference_best, reference->time(clock));
  }

  VelocitySpeed speed{.engine = candidate.name(), .seconds_best = best};
  if (sums_pairs(e)) {
    speed.seconds_least = least_pair_seconds(e.swarm.shape(), rates_of(e, candidate.field()));
    require_possible(best, speed.seconds_least, speed.engine);
  }
  speed.gpairs_per_second = 1e-9 * e.swarm.n() * static_cast<double>(e.swarm.n()) / best;
  if (reference) speed.ratio = reference_best / best;
  return speed;
}

}  // namespace murmur
