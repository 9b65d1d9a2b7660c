// step_adjoint.cpp: the discrete adjoint of the steps of every explicit method.
#include "gradient/step_adjoint.h"

#include <cassert>

#include "core/host_field.h"
#include "core/noise.h"
#include "core/noise_adjoint.h"
#include "core/particle_vectors.h"
#include "flow/methods.h"

namespace murmur {

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

// `gradient_unknown` has seen to it that the field has one.
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

// As Carrier::enter_piece.
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

// The stages of a step from x; with those of the interpolant where `all` are wanted.
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

// Of y = retract(x + h sum_i weight_i k_i), w of y: adds to the cotangents of x and the k_i.
void StepAdjoint::combine_back(const StageWeights& weights, int count, double h, HostSwarm& w) {
  adjoint_.retract(host(*x_), terms_of(weights, count, h), w);
  spread(weights, count, h, w);
}

// w of the sum alone.
void StepAdjoint::spread(const StageWeights& weights, int count, double h, const HostSwarm& w) {
  add(w, d_start_);
  for (int i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    add(w, d_stage_[i], h * weights[i]);
    pushed_[i] = true;
  }
}

// Stage i is the velocity at y_i = retract(x + h sum_j a_ij k_j), whose cotangent goes on to the
// stages before it.
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

// The sublayers that act, and the last one where none does: it has the noise.
std::vector<int> StepAdjoint::acting(double t) const {
  std::vector<int> found;
  for (int sublayer = 0; sublayer < field_.sublayers(); ++sublayer)
    if (field_.active(t, sublayer)) found.push_back(sublayer);
  if (found.empty()) found.push_back(0);
  return found;
}

// Noise is part of the last sublayer, whose end is left out where only the way there counts.
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

}  // namespace murmur
