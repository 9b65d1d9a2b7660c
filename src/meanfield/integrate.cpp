// integrate.cpp: integrates a measure in time, by coefficients or by particles.
#include "meanfield/integrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/moments/moments.h"
#include "flow/runge_kutta.h"
#include "meanfield/continuum.h"
#include "meanfield/particles.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur::meanfield {

void CoefficientSystem::combine(const State& x, StepPoint to,
                                std::span<const StageTerm<State>> terms, State& y) const {
  y = x;
  if (!decay.empty())
    for (std::size_t e = 0; e < y.size(); ++e) y[e] *= std::exp(-decay[e] * to.node * to.h);
  for (const StageTerm<State>& term : terms) {
    const double since = (to.node - term.node) * to.h;
    for (std::size_t e = 0; e < y.size(); ++e)
      y[e] += term.scale * (*term.along)[e] *
              (decay.empty() || since == 0 ? 1 : std::exp(-decay[e] * since));
  }
}

double CoefficientSystem::error(const StepEstimate<State>& estimate) const {
  double worst = 0;
  for (std::size_t e = 0; e < estimate.y.size(); ++e) {
    double error = 0;
    for (const StageTerm<State>& term : estimate.difference) {
      const double part = term.scale * (*term.along)[e];
      error += decay.empty() ? part : part * std::exp(-decay[e] * (1 - term.node) * estimate.h);
    }
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    worst = std::fmax(worst, std::fabs(estimate.h * error) /
                                 (tolerance.atol + tolerance.rtol * std::fabs(estimate.y[e])));
  }
  return worst;
}

March::March(CoefficientSystem of)
    : system(std::move(of)), driver_(system, dormand_prince(), tried_) {}

// Returns a hundredth of the time in which y changes by its own size; independent of T.
double March::first_step() const {
  double size = 0, speed = 0;
  for (const double v : y) size = std::fmax(size, std::fabs(v));
  for (const double v : driver_.stage(0)) speed = std::fmax(speed, std::fabs(v));
  return speed > 0 ? std::fmin(1, 0.01 * (size > 0 ? size : 1) / speed) : 1;
}

bool March::find() {
  driver_.begin(at.t, y);
  tried_ = at.evaluations == 0 ? 1 : 0;  // the flow at the start; later the last stage provides it
  StepState from = at;
  if (from.h == 0) from.h = first_step();
  const StepController controller{
      .grow = 5, .beta = 0, .grow_after_refusal = 5, .order = driver_.tableau().order};
  constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
  if (driver_.find(from, y, controller, kNoLimit, found_) != StepEnd::found) return false;
  spent_ = tried_;
  end_ = driver_.end();
  end_flow_ = driver_.last_stage();
  return true;
}

std::vector<double> March::inside(double time) {
  if (time <= at.t) return y;
  if (time >= end_time()) return end_;
  driver_.attempt(at.t, y, time - at.t);
  return driver_.end();
}

void March::commit() {
  at.t = end_time();
  at.h = found_.next_h;
  at.evaluations += spent_;
  std::swap(y, end_);
  driver_.begin_with(end_flow_);
}

}  // namespace murmur::meanfield

namespace murmur {

namespace {

using namespace meanfield;

// Makes the representation of one law: a density, or particles in their own coordinates.
std::unique_ptr<Continuum> law_of(const MeanField& field, const MeanFieldMethod& method) {
  if (method.solver == MeanFieldMethod::quantiles) return make_cloud(field, method.particles);
  check_modes(field.d, method.modes);
  return field.d == 2   ? make_circle(field, method.modes)
         : field.d == 3 ? make_sphere(field, method.modes)
                        : make_zonal(field, method.modes);
}

std::unique_ptr<Continuum> continuum_of(const MeanField& field, const Measure& start,
                                        const MeanFieldMethod& method) {
  auto law = law_of(field, method);
  return field.causal ? make_causal(field, std::move(law), start, method) : std::move(law);
}

// Returns the largest amplitude of the start above the degrees of the spectral solver.
double beyond_modes(const MeanField& field, const Measure& start, const MeanFieldMethod& method) {
  if (method.solver == MeanFieldMethod::quantiles) return 0;
  double most = beyond(start, field.d, method.modes);
  for (const Measure::Earlier& earlier : start.before)
    most = std::fmax(most, beyond(earlier.law, field.d, method.modes));
  return most;
}

// Returns why the coefficients no longer resolve a reading; empty if they do.
std::string why_unresolved(const MeanFieldReading& r, const MeanFieldMethod& method) {
  if (!(r.tail <= method.most_tail))
    return fmt::format("the last modes have grown to {:.2g}: the density is too sharp for them",
                       r.tail);
  if (!(r.min >= -method.most_negative * std::fmax(1, r.max)))
    return fmt::format("the density has become negative, {:.2g} of the uniform one", r.min);
  return {};
}

// Particles have no noise. The kinks of the drift of a ReLU become jumps of the density, whose
// coefficients decay like 1/k, so no number of modes resolves them.
std::string remedy_of(const MeanField& field) {
  const bool kinks = field.perceptron && field.perceptron->activation == Perceptron::relu;
  if (field.noise > 0)
    return kinks ? "use more noise, or activation=gelu: a ReLU has kinks"
                 : "use more modes, or more noise";
  return kinks ? "use solver=quantiles, or activation=gelu, or noise: a ReLU has kinks, which no "
                 "modes resolve"
               : "use more modes, or solver=quantiles, or noise";
}

// Returns the steps of a trajectory to continue. Drops the reading at the old T, whose step was not
// committed, if more frames follow.
std::vector<MeanFieldReading> steps_before(const MeanFieldTrajectory& from,
                                           const Schedule& schedule) {
  std::vector<MeanFieldReading> steps = from.steps;
  const FlowState& state = from.state.flow;
  if (state.next_frame < schedule.frames())
    while (!steps.empty() && steps.back().t > state.t) steps.pop_back();
  if (steps.empty())
    throw Error(Fault::input, "the trajectory to continue has no steps", "steps",
                "give the steps that belong to its state");
  return steps;
}

// Attention and perceptron are the flow of the coefficients; noise is their decay.
CoefficientSystem system_of(const MeanField& field, const MeanFieldMethod& method,
                            Continuum& continuum) {
  CoefficientSystem system;
  system.flow = [&continuum](const State& y, State& f) {
    stop_point();
    continuum.flow(y, y, f);
  };
  system.tolerance = method.tolerance;
  if (field.noise > 0)
    for (const double eigenvalue : continuum.laplacian())
      system.decay.push_back(field.noise * eigenvalue);
  return system;
}

class ContinuumFlow {
 public:
  ContinuumFlow(const MeanField& field, const Measure& start, const MeanFieldMethod& method,
                const MeanFieldPlan& plan)
      : method_(method),
        plan_(plan),
        frames_(plan.schedule.frames()),
        beyond_(plan.from ? 0 : beyond_modes(field, start, method)),
        remedy_(remedy_of(field)),
        continuum_(continuum_of(field, start, method)),
        march_(system_of(field, method, *continuum_)) {
    march_.y = continuum_->start(start);
  }

  MeanFieldTrajectory run() {
    plan_.from ? resume(*plan_.from) : begin();
    while (trajectory_.outcome.ok() && next_ < frames_) step_or_stop();
    const HoldStop whole;  // the rest is short
    if (trajectory_.outcome.ok()) trajectory_.outcome.t = plan_.schedule.T;
    store_last_resolved();
    trajectory_.evaluations = march_.at.evaluations;
    trajectory_.grain = continuum_->grain(march_.y);
    trajectory_.state = state();
    return trajectory_;
  }

 private:
  void begin() {
    trajectory_.steps.push_back(read(0, march_.y).reading);
    std::string trouble = why_unresolved(trajectory_.steps.back(), method_);
    if (trouble.empty() && !(beyond_ <= method_.most_tail))
      trouble =
          fmt::format("the start has waves of {:.2g} above degree {}", beyond_, method_.modes);
    if (trouble.empty())
      keep(true);
    else
      end_unresolved(trouble);
  }

  void resume(const MeanFieldTrajectory& from) {
    const MeanFieldState& state = from.state;
    if (state.coefficients.size() != march_.y.size())
      throw Error(
          Fault::input, "the state has other modes or particles",
          fmt::format("{} coefficients instead of {}", state.coefficients.size(), march_.y.size()),
          "continue with the modes and solver of the start");
    trajectory_.steps = steps_before(from, plan_.schedule);
    march_.at.t = state.flow.t;
    march_.at.h = state.flow.h;
    march_.y = state.coefficients;
    march_.at.evaluations = state.flow.evaluations;
    next_ = state.flow.next_frame;
  }

  // After a stop the plan is asked as after a step; if the plan does not pause, the stop is thrown.
  void step_or_stop() {
    if (finishes([&] { step(); })) return;
    const HoldStop whole;
    if (!pause()) throw Stopped();
    end(Ending::interrupted, "stopped", "");
  }

  // Computes a step, keeps the frames inside it, and commits it unless they were the last.
  void step() {
    if (!march_.find())
      return end(Ending::step_too_small, "steps became too small", "lower beta or T");
    const double t = march_.end_time();
    const MeanFieldReading reading = read(t, march_.inside(t)).reading;
    const std::string trouble = why_unresolved(reading, method_);
    keep(trouble.empty());
    if (next_ == frames_ || !trajectory_.outcome.ok()) return;
    if (!trouble.empty()) return end_unresolved(trouble);
    march_.commit();
    trajectory_.steps.push_back(reading);
    trajectory_.evaluations = march_.at.evaluations;
    if (pause() || (plan_.stop && plan_.stop(reading)))
      return end(Ending::interrupted, "stopped", "");
    if (march_.at.evaluations > method_.max_evaluations)
      end(Ending::too_many_evaluations, "max_evaluations is reached",
          "raise max_evaluations, or lower T");
  }

  bool pause() {
    return plan_.pause && plan_.pause(trajectory_, [this] { return state(); });
  }

  // Stores the frames up to the end of the step found; unless `sure`, only while they are resolved.
  // The run can pause between them, since the step is not taken yet.
  void keep(bool sure) {
    while (next_ < frames_ && plan_.schedule.time(next_) <= march_.end_time()) {
      const double t = plan_.schedule.time(next_);
      const MeanFieldFrame frame = read(t, march_.inside(t));
      if (!sure && !why_unresolved(frame.reading, method_).empty()) return;
      if (plan_.frame) plan_.frame(frame);
      if (next_ == frames_ - 1 && t > trajectory_.steps.back().t)
        trajectory_.steps.push_back(frame.reading);
      ++next_;
      if (next_ < frames_ && pause()) return end(Ending::interrupted, "stopped", "");
    }
  }

  // If an integration ends early, stores its last resolved state, as `advance` does.
  void store_last_resolved() {
    const bool cut_short =
        !trajectory_.outcome.ok() && trajectory_.outcome.ending != Ending::interrupted;
    const bool nowhere = trajectory_.outcome.ending == Ending::unresolved && march_.at.t == 0;
    const bool kept = next_ > 0 && plan_.schedule.time(next_ - 1) >= march_.at.t;
    if (cut_short && !nowhere && !kept && plan_.frame) plan_.frame(read(march_.at.t, march_.y));
  }

  MeanFieldFrame read(double t, const State& y) {
    MeanFieldFrame frame = continuum_->read(y);
    frame.reading.t = t;
    return frame;
  }

  MeanFieldState state() const {
    MeanFieldState now{.coefficients = march_.y};
    now.flow.t = march_.at.t;
    now.flow.h = march_.at.h;
    now.flow.evaluations = march_.at.evaluations;
    now.flow.next_frame = next_;
    return now;
  }

  void end(Ending ending, std::string what, std::string remedy) {
    trajectory_.outcome = {ending, march_.at.t, -1, std::move(what), std::move(remedy)};
  }

  void end_unresolved(const std::string& what) { end(Ending::unresolved, what, remedy_); }

  MeanFieldMethod method_;
  const MeanFieldPlan& plan_;
  const std::int64_t frames_;
  const double beyond_;  // largest amplitude of the start above the degrees kept
  const std::string remedy_;
  std::unique_ptr<Continuum> continuum_;
  March march_;
  std::int64_t next_ = 0;  // the first frame not yet kept
  MeanFieldTrajectory trajectory_{};
};

// Passes frames and readings of particles to the plan during the integration.
FlowWatch watch_of(const MeanFieldPlan& plan, const ParticleReader& reader,
                   MeanFieldTrajectory& trajectory) {
  const auto read = [&reader](double t, const HostSwarm& x) {
    MeanFieldFrame frame = reader.read(x);
    frame.reading.t = t;
    return frame;
  };
  const double last = plan.schedule.time(plan.schedule.frames() - 1);
  FlowWatch watch;
  watch.frame = [&plan, &trajectory, read, last](double t, const HostSwarm& x) {
    const MeanFieldFrame frame = read(t, x);
    if (plan.frame) plan.frame(frame);
    if (t >= last && t > trajectory.steps.back().t) trajectory.steps.push_back(frame.reading);
  };
  watch.pause = [&plan, &trajectory, read](const FlowState& now,
                                           const std::function<FlowState&()>& fetch) {
    const bool stepped = now.t > trajectory.steps.back().t;  // or stored a frame inside a step
    if (stepped) trajectory.steps.push_back(read(now.t, fetch().x).reading);
    trajectory.evaluations = now.evaluations;
    return (plan.pause &&
            plan.pause(trajectory, [&fetch] { return MeanFieldState{.flow = fetch()}; })) ||
           (stepped && plan.stop && plan.stop(trajectory.steps.back()));
  };
  return watch;
}

MeanFieldTrajectory advance_particles(const MeanField& field, const Measure& start,
                                      const MeanFieldMethod& method, const MeanFieldPlan& plan) {
  const HostSwarm x = particles_of(start, field.d, method.particles);
  const auto engine = make_moments_engine(
      {.pairs_above = field.d == 2 ? 2 : kMomentsPromise, .threads = method.threads});
  const auto prepared = engine->prepare(dynamics_of(field), x.shape());
  const ParticleReader reader = reader_of(field, method.threads);
  MeanFieldTrajectory trajectory;
  const Shares shares = shares_of(start);
  const auto spread = static_cast<double>(x.n()) - static_cast<double>(shares.atoms.size());
  if (spread > 0)
    trajectory.grain = (1 - std::reduce(shares.atoms.begin(), shares.atoms.end())) / spread;
  FlowState state = murmur::start(x);
  if (plan.from) {
    trajectory.steps = steps_before(*plan.from, plan.schedule);
    state = plan.from->state.flow;
    if (state.group.size() != static_cast<std::size_t>(x.n()))
      throw Error(Fault::input, "the state has other particles",
                  fmt::format("{} instead of {}", state.group.size(), x.n()),
                  "continue with the particles and solver of the start");
  } else {
    trajectory.steps.push_back(reader.read(x).reading);
  }
  const Flow particle_flow{*engine,
                           *prepared,
                           {.tolerance = method.tolerance,
                            .merge = method.merge,
                            .max_evaluations = method.max_evaluations}};
  trajectory.outcome =
      advance(particle_flow, plan.schedule, state, watch_of(plan, reader, trajectory));
  trajectory.evaluations = state.evaluations;
  trajectory.state.flow = std::move(state);
  return trajectory;
}

}  // namespace

bool moves_swarm(const MeanField& field, const MeanFieldMethod& method) {
  return method.solver == MeanFieldMethod::quantiles && field.d <= 3 && !field.causal;
}

std::vector<double> density_cells(const MeanField& field, const MeanFieldMethod& method) {
  if (moves_swarm(field, method)) return particle_cells(field.d);
  return law_of(field, method)->cells();
}

MeanFieldTrajectory carry(const MeanField& field, const Measure& start,
                          const MeanFieldMethod& method, const MeanFieldPlan& plan) {
  check(field, start, method, plan.schedule);
  if (moves_swarm(field, method)) return advance_particles(field, start, method, plan);
  return ContinuumFlow(field, start, method, plan).run();
}

}  // namespace murmur
