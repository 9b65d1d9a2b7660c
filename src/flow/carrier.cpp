// carrier.cpp: single steps of every method, written once for every engine.
#include "flow/carrier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "flow/endings.h"
#include "flow/merging.h"
#include "flow/noise.h"
#include "flow/step_control.h"

namespace murmur {

namespace {

int stages_of(Method method) {
  switch (method) {
    case Method::dopri5:
      return kDopri5.stages;
    case Method::rk4:
      return kRk4.stages;
    case Method::strang:
      return kMidpoint.stages;
    default:
      return 1;
  }
}

}  // namespace

Carrier::Carrier(const Flow& flow, FlowState& flow_state, const FlowWatch& watch)
    : settings(flow.settings),
      state(flow_state),
      engine_(flow.engine),
      field_(flow.field),
      manifold_(flow.manifold),
      watch_(watch) {
  resize_scratch();
}

void Carrier::resize_scratch() {
  x_ = engine_.place(state.x);
  y_ = x_->like();
  between_ = x_->like();
  for (int i = 0; i < stages_of(settings.method); ++i) k_[i] = x_->like();
  HostSwarm zero(x_->shape());
  origin_ = engine_.place(zero);
  have_first_stage_ = false;
}

void Carrier::keep(double t, const Swarm& groups) {
  if (watch_.frame) watch_.frame(t, unfold(state, engine_.fetch(groups)));
}

void Carrier::merge() {
  if (settings.merge <= 0) return;
  state.x = engine_.fetch(*x_);
  const std::vector<Merge> merges = merge_close(state, settings.merge, manifold_);
  if (merges.empty()) return;
  for (const Merge& merge : merges)
    if (watch_.merged) watch_.merged(merge);
  resize_scratch();
}

bool Carrier::pause() {
  if (!watch_.pause) return false;
  return watch_.pause(state, [this]() -> FlowState& {
    state.x = engine_.fetch(*x_);
    return state;
  });
}

void Carrier::evaluate(double t, const Swarm& at, Swarm& v) {
  field_.velocity(t, at, v);
  ++state.evaluations;
}

// retract(x + h sum_i w_i k_i), leaving out zero weights
void Carrier::shift(const std::array<double, 7>& weights, int stages, double h, Swarm& to) {
  std::size_t count = 0;
  for (int i = 0; i < stages; ++i)
    if (weights[i] != 0) terms_[count++] = {h * weights[i], k_[i].get()};
  field_.retract(*x_, {terms_.data(), count}, to);
}

void Carrier::stages(const Tableau& tableau, double h) {
  if (!have_first_stage_) evaluate(state.t, *x_, *k_[0]);
  have_first_stage_ = true;
  for (int i = 1; i < tableau.stages; ++i) {
    shift(tableau.a[i], i, h, *y_);
    evaluate(state.t + tableau.c[i] * h, *y_, *k_[i]);
  }
}

void Carrier::step_fixed() {
  switch (settings.method) {
    case Method::layers:
      return step_layers();
    case Method::strang:
      return step_strang();
    case Method::rk4:
      return step_tableau(kRk4);
    default:
      return step_tableau(kEuler);
  }
}

// x <- retract(x + dt A) for each active phase in turn; the noise is part of the last.
void Carrier::step_layers() {
  const double dt = settings.dt;
  int last = field_.sublayers() - 1;
  while (last > 0 && !field_.active(state.t, last)) --last;
  last = std::max(last, 0);
  const Swarm* from = x_.get();
  for (int sublayer = 0; sublayer <= last; ++sublayer) {
    if (sublayer < last && !field_.active(state.t, sublayer)) continue;
    std::size_t count = 0;
    if (sublayer < field_.sublayers()) {
      field_.drift(state.t, sublayer, *from, *k_[0]);
      terms_[count++] = {dt, k_[0].get()};
    }
    if (settings.noise > 0 && sublayer == last) {
      noise_ = engine_.place(noise_increment(noise_step(0, dt), engine_.fetch(*from)));
      terms_[count++] = {1, noise_.get()};
    }
    field_.retract(*from, {terms_.data(), count}, *y_);
    from = y_.get();
  }
  ++state.evaluations;
}

// x <- retract(x + dt sum_i b_i k_i); with noise this is Euler-Maruyama, of the tableau kEuler.
void Carrier::step_tableau(const Tableau& tableau) {
  stages(tableau, settings.dt);
  std::size_t count = 0;
  for (int i = 0; i < tableau.stages; ++i)
    if (tableau.b[i] != 0) terms_[count++] = {settings.dt * tableau.b[i], k_[i].get()};
  if (settings.noise > 0) {
    noise_ = engine_.place(noise_increment(noise_step(0, settings.dt), engine_.fetch(*x_)));
    terms_[count++] = {1, noise_.get()};
  }
  field_.retract(*x_, {terms_.data(), count}, *y_);
}

// Half a step of noise, a whole one of drift, half a step of noise (Strang 1968): weakly of second
// order, since both parts are. The committed x stays as it is until the step is.
void Carrier::step_strang() {
  const double dt = settings.dt;
  if (settings.noise == 0) return step_tableau(kMidpoint);
  const auto diffused = [&](const Swarm& from, int half) {
    HostSwarm x = engine_.fetch(from);
    brownian_step(noise_step(half, dt / 2), x);
    return engine_.place(x);
  };
  between_ = diffused(*x_, 0);
  std::swap(x_, between_);
  stages(kMidpoint, dt);
  shift(kMidpoint.b, kMidpoint.stages, dt, *y_);
  std::swap(x_, between_);
  y_ = diffused(*y_, 1);
}

NoiseStep Carrier::noise_step(int half, double h) const {
  return {.manifold = manifold_,
          .noise = settings.noise,
          .h = h,
          .seed = settings.seed,
          .replica = settings.replica,
          .moment = 2 * state.step + half};
}

// A number that is not finite has no distance to itself.
bool Carrier::finite(const Swarm& swarm) {
  return std::isfinite(field_.error_norm(swarm, swarm, {0, 1}));
}

// A vector whose length overflows is retracted to the origin: finite, and lost all the same.
bool Carrier::on_manifold(const Swarm& swarm) {
  if (manifold_ == Manifold::space) return finite(swarm);
  constexpr double kLeast = 1 - 1e-10;  // one particle lost among a thousand million shows
  return field_.error_norm(swarm, *origin_, {0, 1}) > kLeast;
}

Outcome Carrier::lost(const Swarm& swarm, Manifold manifold, double h) {
  return not_finite(state, manifold, engine_.fetch(swarm), h);
}

std::optional<Outcome> Carrier::trouble(double h) {
  if (!on_manifold(*y_)) return lost(*y_, manifold_, h);
  if (state.evaluations >= settings.max_evaluations) return out_of_evaluations(state.t);
  return std::nullopt;
}

double Carrier::first_step() {
  const Tolerance tolerance = settings.tolerance;
  const Tolerance absolute{0, tolerance.atol + tolerance.rtol};
  const Term nudge{kNudge, k_[0].get()};
  field_.retract(*x_, {&nudge, 1}, *y_);
  const double d1 = field_.error_norm(*x_, *y_, tolerance) / kNudge;
  if (stands_still(d1)) return kStillStep;
  const double h0 = euler_step(d1, tolerance);
  const Term euler{h0, k_[0].get()};
  field_.retract(*x_, {&euler, 1}, *y_);
  evaluate(state.t + h0, *y_, *k_[1]);
  const double d2 = field_.error_norm(*k_[0], *k_[1], absolute) / h0;
  return first_step_of(d1, d2, h0);
}

std::optional<Outcome> Carrier::step_adaptive() {
  if (!have_first_stage_) evaluate(state.t, *x_, *k_[0]);
  have_first_stage_ = true;
  if (!finite(*k_[0])) return lost(*k_[0], Manifold::space, state.h);
  if (state.h == 0) state.h = first_step();
  h_ = state.h;
  double grow = kGrow;
  for (;;) {
    if (state.evaluations >= settings.max_evaluations) return out_of_evaluations(state.t);
    stages(kDopri5, h_);  // the last stage stands at the new point, in y
    shift(kDopri5Embedded, 7, h_, *between_);
    error_ = field_.error_norm(*y_, *between_, settings.tolerance);
    if (!finite(*k_[6])) error_ = std::numeric_limits<double>::infinity();
    if (error_ <= 1) break;
    ++state.rejected;
    grow = 1;
    const double h = h_;
    h_ *= shrink_factor(error_);
    if (h_ <= 4 * std::numeric_limits<double>::epsilon() * std::fabs(state.t) ||
        h_ < std::numeric_limits<double>::min()) {
      if (!std::isfinite(error_)) return lost(finite(*y_) ? *k_[6] : *y_, Manifold::space, h);
      return step_too_small(state.t);
    }
  }
  next_h_ = h_ * next_factor(error_, state.last_error, grow);
  return std::nullopt;
}

const Swarm& Carrier::interpolate(double theta) {
  shift(dopri5_weights_at(theta), 7, h_, *between_);
  return *between_;
}

void Carrier::commit_fixed() {
  std::swap(x_, y_);
  have_first_stage_ = false;
  ++state.step;
  state.t = static_cast<double>(state.step) * settings.dt;
}

void Carrier::commit_adaptive() {
  std::swap(x_, y_);
  std::swap(k_[0], k_[6]);  // the last stage is the next step's first
  state.t += h_;
  state.h = next_h_;
  state.last_error = error_;
  ++state.step;
}

void Carrier::fetch_state() { state.x = engine_.fetch(*x_); }

}  // namespace murmur
