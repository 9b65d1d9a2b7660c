// recorded_flow.cpp: a flow of which some states are kept, its adjoint, step by step, and the
// numbers of a dynamics that have a gradient, by name and address.
#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/host_adjoint.h"
#include "core/host_field.h"
#include "core/noise.h"
#include "core/overloaded.h"
#include "core/particle_vectors.h"
#include "flow/flow_stepper.h"
#include "flow/runge_kutta.h"
#include "murmur/error.h"
#include "murmur/gradient.h"

namespace murmur {

struct RecordedStep {
  double t, h;
  std::int64_t number;  // which selects the draws of its noise
};

// The cotangent of a frame inside a step, at t + theta h.
struct InnerCotangent {
  double theta;
  const HostSwarm& w;
};

// Repeats the steps of FlowStepper with the same starts and lengths, and computes their adjoints
// stage by stage. Fields are those of host engines.
class StepAdjoint {
 public:
  StepAdjoint(const Flow& flow, Field& field, const HostSwarm& like);

  // x becomes the end of the step.
  void forward(const RecordedStep& step, HostSwarm& x);
  // Returns the swarm at t + theta h within the step from x.
  HostSwarm between(const RecordedStep& step, const HostSwarm& x, double theta);
  // `to.x`, the cotangent of the step's end, becomes that of its beginning x, plus contributions of
  // frames within the step.
  void backward(const RecordedStep& step, const HostSwarm& x,
                std::span<const InnerCotangent> within, Cotangents to);

 private:
  using State = SwarmSystem::State;
  // Adjoint of a point of the step (of a stage or the end), which is a retracted weighted sum.
  void combine_back(const StageWeights& weights, int count, double h, HostSwarm& w);
  void spread(const StageWeights& weights, int count, double h, const HostSwarm& w);
  void enter(const RecordedStep& step);
  void stages(const RecordedStep& step, const HostSwarm& x, bool all);
  void stages_back(const RecordedStep& step, int count, Cotangents to);
  double last_velocity(const RecordedStep& step) const;
  NoiseStep noise_step(const RecordedStep& step, int half, double h) const;
  // As FlowStepper::add_drift: what a step of fixed length adds to `from`, noise included.
  struct Drift {
    Terms terms;
    double last_t;  // of its last velocity
    bool noisy;     // whether noise, if there is any, comes with it
  };
  HostSwarm drifted(const RecordedStep& step, const HostSwarm& start, const HostSwarm& from,
                    Drift drift) const;
  // w, the cotangent of the result, becomes that of the sum from + terms; `start` gives lengths.
  struct DriftPush {
    HostSwarm &w, &d_from, &d_start;
    double& noise;
  };
  void drifted_back(const RecordedStep& step, const HostSwarm& start, const HostSwarm& from,
                    Drift drift, DriftPush to);
  // The states of FlowStepper::step_layers: the beginning of each active sublayer, and its drift.
  struct Sublayers {
    std::vector<int> acting;
    std::vector<HostSwarm> from, drift;  // and the end as the last of `from`
  };
  Sublayers through_sublayers(const RecordedStep& step, const HostSwarm& x, bool to_end);
  void layers_back(const RecordedStep& step, const HostSwarm& x, Cotangents to);
  std::vector<int> acting(double t) const;
  bool by_parts() const;  // noise, drift, noise
  Terms terms_of(const StageWeights& weights, int count, double h) const;

  const FlowSettings& settings_;
  const RandomKey random_;
  Field& field_;
  HostAdjoint adjoint_;
  const Tableau* tableau_;  // nullptr: layers
  SwarmSystem system_;
  std::int64_t evaluations_ = 0;  // counted by the driver; not used
  std::optional<RungeKutta<SwarmSystem>> driver_{};
  State x_;                         // the beginning of the current step
  std::vector<HostSwarm> d_stage_;  // cotangents of the stages' velocities
  std::vector<bool> pushed_;        // which of them are not zero
  HostSwarm d_start_;               // of x_
};

namespace {

// to += scale from
void add(const HostSwarm& from, HostSwarm& to, double scale = 1) {
  for (int k = 0; k < from.d(); ++k)
    for (int i = 0; i < from.n(); ++i) to.axis(k)[i] += scale * from.axis(k)[i];
}

HostSwarm zero_like(const HostSwarm& x) {
  HostSwarm zero = x;
  clear(zero);
  return zero;
}

// `gradient_unsupported_reason` has checked that the field has an adjoint.
HostAdjoint adjoint_of(Field& field) {
  auto& in_host = dynamic_cast<HostField&>(field);
  assert(in_host.pair_adjoint() != nullptr);
  return {in_host, *in_host.pair_adjoint()};
}

}  // namespace

StepAdjoint::StepAdjoint(const Flow& flow, Field& field, const HostSwarm& like)
    : settings_(flow.settings),
      random_(flow.random),
      field_(field),
      adjoint_(adjoint_of(field)),
      tableau_(tableau_of(flow.settings.method)),
      system_(field, flow.settings.tolerance, like),
      x_(std::make_unique<HostSwarm>(like)),
      d_start_(zero_like(like)) {
  if (tableau_ == nullptr) return;
  driver_.emplace(system_, *tableau_, evaluations_);
  const int count = std::max(tableau_->stages, tableau_->dense_stages);
  d_stage_.assign(count, d_start_);
  pushed_.assign(count, false);
}

// As FlowStepper::enter_piece.
void StepAdjoint::enter(const RecordedStep& step) {
  const double slack = is_fixed(settings_.method) ? settings_.dt / 4 : 0;
  system_.piece = piece_of(field_.dynamics().jump_times, step.t, slack);
}

double StepAdjoint::last_velocity(const RecordedStep& step) const {
  return step.t + tableau_->c[tableau_->stages - 1] * step.h;
}

Terms StepAdjoint::terms_of(const StageWeights& weights, int count, double h) const {
  Terms terms;
  for (int i = 0; i < count; ++i)
    if (weights[i] != 0) terms.add(h * weights[i], *driver_->stage(i));
  return terms;
}

// Computes the stages of a step from x; with `all`, also those of the interpolant.
void StepAdjoint::stages(const RecordedStep& step, const HostSwarm& x, bool all) {
  host(*x_) = x;
  driver_->forget();
  driver_->attempt(step.t, x_, step.h);
  StepState from;
  from.t = step.t;
  if (all && tableau_->dense != nullptr) driver_->interpolate(from, x_, step.h, 0.5);
}

NoiseStep StepAdjoint::noise_step(const RecordedStep& step, int half, double h) const {
  return {.noise = field_.dynamics().noise,
          .h = h,
          .random = random_,
          .moment = 2 * step.number + half};
}

bool StepAdjoint::by_parts() const {
  return row_of(settings_.method).stepping == Stepping::strang && field_.dynamics().noise > 0;
}

HostSwarm StepAdjoint::drifted(const RecordedStep& step, const HostSwarm& start,
                               const HostSwarm& from, Drift drift) const {
  const Dynamics& dynamics = field_.dynamics();
  const bool noisy = drift.noisy && dynamics.noise > 0;
  const bool sphere = dynamics.manifold == Manifold::sphere;
  HostSwarm to = from, noise;
  if (noisy) noise = noise_increment(noise_step(step, 0, step.h), dynamics.manifold, from);
  if (noisy && sphere) drift.terms.add(1, noise);
  field_.retract(from, drift.terms, to);
  field_.keep_lengths(drift.last_t, start, to);
  if (noisy && !sphere) add(noise, to);
  return to;
}

void StepAdjoint::drifted_back(const RecordedStep& step, const HostSwarm& start,
                               const HostSwarm& from, Drift drift, DriftPush to) {
  const Dynamics& dynamics = field_.dynamics();
  const bool noisy = drift.noisy && dynamics.noise > 0;
  const bool sphere = dynamics.manifold == Manifold::sphere;
  const NoiseStep noise = noise_step(step, 0, step.h);
  const auto through_noise = [&] {
    add_increment_adjoint(noise, dynamics.manifold, from, to.w, {to.d_from, to.noise});
  };
  if (noisy && !sphere) through_noise();
  HostSwarm term, end = from;
  if (noisy && sphere) {
    term = noise_increment(noise, dynamics.manifold, from);
    drift.terms.add(1, term);
  }
  field_.retract(from, drift.terms, end);
  adjoint_.keep_lengths(drift.last_t, start, end, {to.w, to.d_start});
  adjoint_.retract(from, drift.terms, to.w);
  if (noisy && sphere) through_noise();
}

void StepAdjoint::forward(const RecordedStep& step, HostSwarm& x) {
  enter(step);
  if (!driver_) {
    x = through_sublayers(step, x, true).from.back();
    return;
  }
  if (by_parts()) field_.diffuse(noise_step(step, 0, step.h / 2), x, x);
  stages(step, x, false);
  if (!is_fixed(settings_.method)) {
    x = host(*driver_->end());
    return;
  }
  const Terms terms = terms_of(tableau_->b, tableau_->stages, step.h);
  x = drifted(step, host(*x_), host(*x_), {terms, last_velocity(step), !by_parts()});
  if (by_parts()) field_.diffuse(noise_step(step, 1, step.h / 2), x, x);
}

HostSwarm StepAdjoint::between(const RecordedStep& step, const HostSwarm& x, double theta) {
  enter(step);
  stages(step, x, false);
  StepState from;
  from.t = step.t;
  driver_->interpolate(from, x_, step.h, theta);
  return host(*driver_->between());
}

// For y = retract(x + h sum_i weight_i k_i) with cotangent w of y: adds to the cotangents of x and
// the k_i.
void StepAdjoint::combine_back(const StageWeights& weights, int count, double h, HostSwarm& w) {
  adjoint_.retract(host(*x_), terms_of(weights, count, h), w);
  spread(weights, count, h, w);
}

// w is the cotangent of the sum only.
void StepAdjoint::spread(const StageWeights& weights, int count, double h, const HostSwarm& w) {
  add(w, d_start_);
  for (int i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    add(w, d_stage_[i], h * weights[i]);
    pushed_[i] = true;
  }
}

// Stage i is the velocity at y_i = retract(x + h sum_j a_ij k_j), whose cotangent adds to those of
// the stages before it.
void StepAdjoint::stages_back(const RecordedStep& step, int count, Cotangents to) {
  HostSwarm point = d_start_, d_point = d_start_;
  for (int i = count - 1; i >= 0; --i) {
    if (!pushed_[i]) continue;
    const double t = system_.piece.nearest(step.t + tableau_->c[i] * step.h);
    if (i == 0) {
      adjoint_.velocity(t, host(*x_), d_stage_[0], {d_start_, to.mass, to.dynamics});
      break;
    }
    field_.retract(*x_, terms_of(tableau_->a[i], i, step.h), point);
    clear(d_point);
    adjoint_.velocity(t, point, d_stage_[i], {d_point, to.mass, to.dynamics});
    combine_back(tableau_->a[i], i, step.h, d_point);
  }
}

void StepAdjoint::backward(const RecordedStep& step, const HostSwarm& x,
                           std::span<const InnerCotangent> within, Cotangents to) {
  enter(step);
  if (!driver_) return layers_back(step, x, to);
  const Manifold manifold = field_.dynamics().manifold;
  HostSwarm start = x;  // of the drift
  if (by_parts()) field_.diffuse(noise_step(step, 0, step.h / 2), x, start);
  const bool all = !within.empty();
  stages(step, start, all);
  clear(d_start_);
  for (HostSwarm& d : d_stage_) clear(d);
  pushed_.assign(pushed_.size(), false);
  for (const InnerCotangent& frame : within) {
    HostSwarm w = frame.w;
    combine_back(tableau_->dense(frame.theta), tableau_->dense_stages, step.h, w);
  }
  if (is_fixed(settings_.method)) {
    const Drift drift{terms_of(tableau_->b, tableau_->stages, step.h), last_velocity(step),
                      !by_parts()};
    if (by_parts())
      through_brownian_step(noise_step(step, 1, step.h / 2), manifold,
                            drifted(step, start, start, drift), {to.x, to.dynamics.noise});
    drifted_back(step, start, start, drift, {to.x, d_start_, d_start_, to.dynamics.noise});
    spread(tableau_->b, tableau_->stages, step.h, to.x);
  } else {
    combine_back(tableau_->b, tableau_->stages, step.h, to.x);
  }
  stages_back(step, all ? static_cast<int>(d_stage_.size()) : tableau_->stages, to);
  to.x = d_start_;
  if (by_parts())
    through_brownian_step(noise_step(step, 0, step.h / 2), manifold, x, {to.x, to.dynamics.noise});
}

// The active sublayers; if there is none, the last one, because it adds the noise.
std::vector<int> StepAdjoint::acting(double t) const {
  std::vector<int> found;
  for (int sublayer = 0; sublayer < field_.sublayers(); ++sublayer)
    if (field_.active(t, sublayer)) found.push_back(sublayer);
  if (found.empty()) found.push_back(0);
  return found;
}

// Noise is part of the last sublayer, whose end is computed only if `to_end`.
StepAdjoint::Sublayers StepAdjoint::through_sublayers(const RecordedStep& step, const HostSwarm& x,
                                                      bool to_end) {
  const double t = system_.piece.nearest(step.t);
  Sublayers all{acting(t), {x}, {}};
  for (std::size_t s = 0; s < all.acting.size(); ++s) {
    all.drift.push_back(x);
    field_.drift(t, all.acting[s], all.from[s], all.drift[s]);
    const bool last = s + 1 == all.acting.size();
    if (last && !to_end) break;
    Terms terms;
    terms.add(step.h, all.drift[s]);
    all.from.push_back(drifted(step, x, all.from[s], {terms, step.t, last}));
  }
  return all;
}

void StepAdjoint::layers_back(const RecordedStep& step, const HostSwarm& x, Cotangents to) {
  const double t = system_.piece.nearest(step.t);
  const Sublayers all = through_sublayers(step, x, false);
  HostSwarm d_drift = x, d_from = x, d_lengths = zero_like(x);
  for (std::size_t s = all.acting.size(); s-- > 0;) {
    Terms terms;
    terms.add(step.h, all.drift[s]);
    clear(d_from);
    drifted_back(step, x, all.from[s], {terms, step.t, s + 1 == all.acting.size()},
                 {to.x, d_from, d_lengths, to.dynamics.noise});
    clear(d_drift);
    add(to.x, d_drift, step.h);
    add(d_from, to.x);
    adjoint_.drift({t, all.acting[s]}, all.from[s], d_drift, to);
  }
  add(d_lengths, to.x);
}

namespace {

// The place of a frame: at the beginning of a step (or of the one after the last), or within a
// step.
struct FramePlace {
  std::int64_t step;
  double theta;
  bool inside;
};

}  // namespace

struct RecordedFlow::Parts {
  Flow flow;
  GradientSettings settings;
  Outcome outcome{};
  std::vector<double> times{};
  std::vector<HostSwarm> frames{};
  std::vector<FramePlace> places{};
  std::vector<RecordedStep> steps{};
  std::int64_t stride = 1;        // between two states that are kept
  std::vector<HostSwarm> kept{};  // at steps 0, stride, 2 stride, ...

  void integrate(const Schedule& schedule, const HostSwarm& start);
  void keep(const HostSwarm& x);
  std::size_t most_states() const { return static_cast<std::size_t>(std::max(settings.states, 2)); }
};

namespace {

// The backward pass through one recorded flow.
class BackwardPass {
 public:
  BackwardPass(const Flow& flow, std::span<const RecordedStep> steps,
               std::span<const FramePlace> places, std::span<const HostSwarm> cotangents)
      : steps_(steps),
        places_(places),
        cotangents_(cotangents),
        adjoint_(flow, flow.field, cotangents[0]) {}

  // From the state x at step `first`: `to.x` is the cotangent of the state at step `last`, without
  // the frame there, and becomes that at `first`.
  void run(std::int64_t first, std::int64_t last, const HostSwarm& x, Cotangents to);
  void add_frame_at(std::int64_t step, HostSwarm& w) const;

  std::int64_t most_states = 2;  // states at each level
  std::function<bool()> stop{};  // after every step

 private:
  void step_back(std::int64_t step, const HostSwarm& x, Cotangents to);
  std::size_t first_place(std::int64_t step) const;  // index of the first frame at or within it

  std::span<const RecordedStep> steps_;
  std::span<const FramePlace> places_;
  std::span<const HostSwarm> cotangents_;
  StepAdjoint adjoint_;
};

std::size_t BackwardPass::first_place(std::int64_t step) const {
  const auto before = [](const FramePlace& place, std::int64_t at) { return place.step < at; };
  return std::lower_bound(places_.begin(), places_.end(), step, before) - places_.begin();
}

void BackwardPass::add_frame_at(std::int64_t step, HostSwarm& w) const {
  for (std::size_t f = first_place(step); f < places_.size() && places_[f].step == step; ++f)
    if (!places_[f].inside) add(cotangents_[f], w);
}

void BackwardPass::step_back(std::int64_t step, const HostSwarm& x, Cotangents to) {
  std::vector<InnerCotangent> within;
  for (std::size_t f = first_place(step); f < places_.size() && places_[f].step == step; ++f)
    if (places_[f].inside) within.push_back({places_[f].theta, cotangents_[f]});
  adjoint_.backward(steps_[step], x, within, to);
  add_frame_at(step, to.x);
  if (stop && stop())
    throw Error(Fault::runtime, "the backward pass was interrupted",
                "t = " + std::to_string(steps_[step].t), "let it run to its end");
}

// If there are more steps than `most_states`, they are split into parts, whose first states are
// kept.
void BackwardPass::run(std::int64_t first, std::int64_t last, const HostSwarm& x, Cotangents to) {
  const std::int64_t part =
      std::max<std::int64_t>(1, (last - first + most_states - 1) / most_states);
  std::vector<HostSwarm> begins{x};  // at first, first + part, ...
  HostSwarm at = x;
  for (std::int64_t step = first; step + 1 < last; ++step) {
    adjoint_.forward(steps_[step], at);
    if ((step + 1 - first) % part == 0) begins.push_back(at);
  }
  for (std::size_t b = begins.size(); b-- > 0;) {
    const std::int64_t from = first + static_cast<std::int64_t>(b) * part;
    if (from >= last) continue;
    if (part == 1)
      step_back(from, begins[b], to);
    else
      run(from, std::min(from + part, last), begins[b], to);
  }
}

// Fields in host memory that have an adjoint.
bool has_adjoint(Field& field) {
  auto* in_host = dynamic_cast<HostField*>(&field);
  return in_host != nullptr && in_host->pair_adjoint() != nullptr;
}

}  // namespace

std::optional<Unsupported> gradient_unsupported_reason(const Flow& flow) {
  const Dynamics& dynamics = flow.field.dynamics();
  if (velocity_jumps(dynamics))
    return Unsupported{"hard attention jumps from one token to another: it has no gradient",
                       "use dynamics=SA with a large beta"};
  if (flow.settings.merge > 0)
    return Unsupported{
        "particles that merge have no gradient: which of them merge changes in jumps",
        "use merge=0"};
  if (row_of(flow.settings.method).stepping == Stepping::cvode)
    return Unsupported{"gradients go through explicit steps, and bdf's are implicit",
                       "use method=dopri5, tsit5, dop853 or one of fixed steps"};
  if (!has_adjoint(flow.field))
    return Unsupported{"the engine " + flow.engine.name() + " computes no gradients",
                       "use engine=reference or engine=simd, and no external functions"};
  return std::nullopt;
}

// When `most_states` are stored, every second one is dropped.
void RecordedFlow::Parts::keep(const HostSwarm& x) {
  if (static_cast<std::int64_t>(steps.size()) % stride != 0) return;
  if (kept.size() == most_states()) {
    for (std::size_t s = 1; 2 * s < kept.size(); ++s) kept[s] = std::move(kept[2 * s]);
    kept.resize((kept.size() + 1) / 2);
    stride *= 2;
    if (static_cast<std::int64_t>(steps.size()) % stride != 0) return;
  }
  kept.push_back(x);
}

void RecordedFlow::Parts::integrate(const Schedule& schedule, const HostSwarm& start) {
  const bool fixed = is_fixed(flow.settings.method);
  FlowWatch watch;
  watch.frame = [&](double t, const Frame& frame) {
    const auto count = static_cast<std::int64_t>(steps.size());
    const bool inside = !fixed && count > 0;
    const double theta = inside ? (t - steps.back().t) / steps.back().h : 0;
    places.push_back({inside ? count - 1 : count, theta, inside});
    times.push_back(t);
    frames.push_back(frame.host);
  };
  if (settings.stop)
    watch.pause = [&](const FlowState&, const std::function<FlowState&()>&) {
      return settings.stop();
    };
  FlowState state = murmur::start(start);
  outcome =
      advance_watched(flow, schedule, state,
                      {watch, [&](const StepTaken& step) {
                         keep(host(step.x));
                         steps.push_back({step.t, step.h, static_cast<std::int64_t>(steps.size())});
                       }});
}

RecordedFlow::RecordedFlow(const Flow& flow, const Schedule& schedule, const HostSwarm& start,
                           const GradientSettings& settings) {
  if (const auto unknown = gradient_unsupported_reason(flow))
    throw Error(Fault::input, unknown->what, "gradient", unknown->remedy);
  parts_ = std::make_unique<Parts>(Parts{flow, settings});
  parts_->integrate(schedule, start);
}
RecordedFlow::~RecordedFlow() = default;
RecordedFlow::RecordedFlow(RecordedFlow&&) noexcept = default;
RecordedFlow& RecordedFlow::operator=(RecordedFlow&&) noexcept = default;

const Outcome& RecordedFlow::outcome() const { return parts_->outcome; }
std::span<const double> RecordedFlow::times() const { return parts_->times; }
std::span<const HostSwarm> RecordedFlow::frames() const { return parts_->frames; }
std::int64_t RecordedFlow::steps() const { return static_cast<std::int64_t>(parts_->steps.size()); }

FlowGradient RecordedFlow::backward(std::span<const HostSwarm> cotangents) const {
  const Parts& p = *parts_;
  if (!p.outcome.ok())
    throw Error(Fault::numerical,
                "the flow did not reach its end: " +
                    (p.outcome.what.empty() ? "it was interrupted" : p.outcome.what),
                "t = " + std::to_string(p.outcome.t),
                p.outcome.remedy.empty() ? "let it run to its end" : p.outcome.remedy);
  if (cotangents.size() != p.frames.size())
    throw Error(Fault::input,
                "there are " + std::to_string(cotangents.size()) + " cotangents for " +
                    std::to_string(p.frames.size()) + " frames",
                "gradient", "give one per frame");
  for (const HostSwarm& w : cotangents)
    if (w.shape() != p.frames[0].shape())
      throw Error(Fault::input, "a cotangent does not have the shape of its frame", "gradient",
                  "give (n, d) numbers per frame");
  const Dynamics& dynamics = p.flow.field.dynamics();
  FlowGradient found{p.frames[0], Vector(p.frames[0].n()),
                     zero_gradient(dynamics, p.frames[0].d())};
  clear(found.start);
  BackwardPass way(p.flow, p.steps, p.places, cotangents);
  way.most_states = static_cast<std::int64_t>(p.most_states());
  way.stop = p.settings.stop;
  const auto end = static_cast<std::int64_t>(p.steps.size());
  way.add_frame_at(end, found.start);
  for (std::size_t s = p.kept.size(); s-- > 0;) {
    const std::int64_t first = static_cast<std::int64_t>(s) * p.stride;
    way.run(first, std::min(first + p.stride, end), p.kept[s],
            {found.start, found.mass, found.dynamics});
  }
  const HostSwarm& start = p.kept.empty() ? p.frames[0] : p.kept[0];  // T = 0 takes no step
  if (dynamics.manifold == Manifold::sphere) project(start, found.start);
  return found;
}

std::vector<HostSwarm> RecordedFlow::frames_from(const HostSwarm& start, Field& field) const {
  const Parts& p = *parts_;
  StepAdjoint steps(p.flow, field, start);
  std::vector<HostSwarm> frames;
  HostSwarm x = start;
  std::size_t next = 0;
  const auto is_next = [&](std::size_t step, bool inside) {
    return next < p.places.size() && p.places[next].step == static_cast<std::int64_t>(step) &&
           p.places[next].inside == inside;
  };
  for (std::size_t step = 0; step <= p.steps.size(); ++step) {
    for (; is_next(step, false); ++next) frames.push_back(x);
    for (; is_next(step, true); ++next)
      frames.push_back(steps.between(p.steps[step], x, p.places[next].theta));
    if (step < p.steps.size()) steps.forward(p.steps[step], x);
  }
  return frames;
}

LossGradient gradient(const RecordedFlow& recorded, const FrameLoss& loss) {
  std::vector<HostSwarm> cotangents(recorded.frames().begin(), recorded.frames().end());
  for (HostSwarm& w : cotangents) clear(w);
  LossGradient found;
  found.loss = loss(recorded.frames(), cotangents);
  found.gradient = recorded.backward(cotangents);
  return found;
}

namespace {

struct Listing {
  std::vector<ParameterSpan>& all;
  int d;

  void number(const std::string& name, double& value) { all.push_back({name, {}, {&value, 1}}); }
  // An empty matrix is the identity, an empty bias zero.
  void matrix(const std::string& name, Matrix& m, int rows, int cols) {
    if (m.empty()) m = scaled_identity(rows, 1);
    all.push_back({name, {static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)}, m.data});
  }
  void bias(const std::string& name, Vector& v, int size, double empty = 0) {
    if (v.empty()) v.assign(static_cast<std::size_t>(size), empty);
    all.push_back({name, {v.size()}, v});
  }

  void force(const std::string& at, Attention& a, bool numbers) {
    const int k = !a.query.empty() ? a.query.rows : !a.key.empty() ? a.key.rows : d;
    if (numbers) number(at + "beta", a.beta);
    matrix(at + "query", a.query, k, d);
    matrix(at + "key", a.key, k, d);
    matrix(at + "value", a.value, d, d);
    bias(at + "query_bias", a.query_bias, k);
    bias(at + "key_bias", a.key_bias, k);
    bias(at + "value_bias", a.value_bias, d);
    if (numbers && a.mask == Attention::causal) number(at + "alibi", a.alibi);
  }
  void force(const std::string& at, Perceptron& p, bool) {
    const int h = p.in.rows;
    matrix(at + "in", p.in, h, d);
    bias(at + "in_bias", p.in_bias, h);
    matrix(at + "out", p.out, d, h);
    bias(at + "out_bias", p.out_bias, d);
  }
  void force(const std::string& at, ManyHeads& heads, bool numbers) {
    if (!numbers) return;
    number(at + "beta", heads.beta);
    number(at + "value", heads.value);
  }
};

}  // namespace

std::vector<ParameterSpan> parameter_spans(Dynamics& dynamics, int d) {
  std::vector<ParameterSpan> all;
  Listing listing{all, d};
  for (std::size_t s = 0; s < dynamics.sublayers.size(); ++s)
    for (const bool end : {false, true}) {
      Sublayer& sublayer = dynamics.sublayers[s];
      std::vector<Force>& forces = end ? sublayer.forces_end : sublayer.forces;
      for (std::size_t f = 0; f < forces.size(); ++f) {
        const std::string at = "sublayers." + std::to_string(s) +
                               (end ? ".forces_end." : ".forces.") + std::to_string(f) + ".";
        std::visit([&](auto& force) { listing.force(at, force, !end); }, forces[f]);
      }
    }
  const bool gains = !dynamics.gain.empty() || !dynamics.gain_end.empty();
  if (gains) listing.bias("gain", dynamics.gain, d, 1);
  if (!dynamics.gain_end.empty()) listing.bias("gain_end", dynamics.gain_end, d);
  if (row_of(dynamics.normalisation).argument == LayerNormRow::speed)
    listing.number("speed", dynamics.speed);
  listing.number("noise", dynamics.noise);
  return all;
}

}  // namespace murmur
