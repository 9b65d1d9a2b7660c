// stepper.cpp: the steps of the flow, taken by eight swarms at once.
#include "ensemble/stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/elementary.h"
#include "flow/step_control.h"

namespace murmur::ensemble {

namespace {

constexpr int kWholeWeights = 128;  // particles up to which the weights of all pairs are kept

// With s = beta <x_i, x_j> and b = |beta|:
//   softmax:  w = e^{s - b}, whatever the shift
//   plain:    factor w = m_j e^{s}, m_j e^{s - beta}, m_j beta e^{s} in the clocks u1, u2, u3
PairSums pair_sums(const ReplicasSetting& setting, Shape shape) {
  const double beta = setting.beta, size = std::fabs(beta);
  PairSums p{.shape = shape,
             .slope = beta * std::numbers::log2e,
             .offset = size * std::numbers::log2e,
             .deep = 2 * size * std::numbers::log2e > 980,
             .self = elementary::exp(beta - size),
             .softmax = setting.weighting == Attention::softmax};
  const double clock = setting.clock == Clock::u2   ? elementary::exp(size - beta)
                       : setting.clock == Clock::u3 ? beta * elementary::exp(size)
                                                    : elementary::exp(size);
  p.factor = clock / shape.n;
  return p;
}

}  // namespace

Stepper::Stepper(const ReplicasSetting& setting, Block& block)
    : setting_(setting),
      block_(block),
      shape_(block.shape()),
      waves_(setting, block.shape()),
      pairs_(pair_sums(setting, block.shape())) {
  const std::size_t size = block_size(shape_), rows = whole_tiles(shape_.n);
  sums_ = zeros(size);
  totals_ = zeros(rows * kSwarms);
  pairs_.sums = sums_.get();
  pairs_.totals = totals_.get();
  if (shape_.d > 4) {
    pairs_.strips = shape_.n > kWholeWeights;
    weights_ = zeros((pairs_.strips ? kTile : rows) * rows * kSwarms);
    pairs_.weights = weights_.get();
  }
  if (setting.method == Method::layers) return;
  const int stages = setting.method == Method::dopri5 ? 7 : setting.method == Method::rk4 ? 4 : 1;
  y_ = zeros(size);
  between_ = zeros(size);
  for (int i = 0; i < stages; ++i) k_[i] = zeros(size);
}

void Stepper::velocity(const double* x, double* v) const {
  waves_ ? ensemble::velocity(waves_.sums(), x, v) : ensemble::velocity(pairs_, x, v);
}

// normalise(x + h sum_i w_i k_i), leaving out zero weights
void Stepper::shift(const std::array<double, 7>& weights, int stages, double h, double* to) {
  std::array<LaneTerm, 7> terms;
  std::size_t count = 0;
  for (int i = 0; i < stages; ++i)
    if (weights[i] != 0) terms[count++] = {h * weights[i], k_[i].get()};
  retract({shape_, at_x(), {terms.data(), count}, to, lengths_.data()});
}

void Stepper::stages(const Tableau& tableau, double h) {
  if (!have_first_stage_) velocity(at_x(), k_[0].get());
  have_first_stage_ = true;
  for (int i = 1; i < tableau.stages; ++i) {
    shift(tableau.a[i], i, h, y_.get());
    velocity(y_.get(), k_[i].get());
  }
}

std::optional<Trouble> Stepper::step_fixed() {
  const double dt = setting_.dt;
  if (setting_.method == Method::layers) {
    double* x = block_.x.get();
    waves_ ? layer(waves_.sums(), x, lengths_.data()) : layer(pairs_, dt, x, lengths_.data());
  } else {
    const Tableau& tableau = setting_.method == Method::rk4 ? kRk4 : kEuler;
    have_first_stage_ = false;
    stages(tableau, dt);
    shift(tableau.b, tableau.stages, dt, block_.x.get());
  }
  for (int swarm = 0; swarm < kSwarms; ++swarm)
    if (block_.asked(swarm) && !std::isfinite(lengths_[swarm]))
      return Trouble{Ending::not_finite, swarm};
  return std::nullopt;
}

// The largest of the eight; infinite where one is not finite.
double Stepper::error_norm(const double* a, const double* b, Tolerance tolerance) const {
  alignas(64) Lanes each;
  ensemble::error_norm({shape_, a, b, tolerance, each.data()});
  double most = 0;
  for (const double g : each)
    most = std::isfinite(g) ? std::max(most, g) : std::numeric_limits<double>::infinity();
  return most;
}

std::optional<int> Stepper::lost(const double* a) const {
  for (std::size_t e = 0; e < block_size(shape_); ++e)
    if (!std::isfinite(a[e])) return static_cast<int>(e % kSwarms);
  return std::nullopt;
}

double Stepper::first_step() {
  const Tolerance tolerance = setting_.tolerance;
  const Tolerance absolute{0, tolerance.atol + tolerance.rtol};
  shift({1}, 1, kNudge, y_.get());
  const double d1 = error_norm(at_x(), y_.get(), tolerance) / kNudge;
  if (stands_still(d1)) return kStillStep;
  const double h0 = euler_step(d1, tolerance);
  shift({1}, 1, h0, y_.get());
  velocity(y_.get(), k_[1].get());
  const double d2 = error_norm(k_[0].get(), k_[1].get(), absolute) / h0;
  return first_step_of(d1, d2, h0);
}

std::optional<Trouble> Stepper::find_step() {
  if (!have_first_stage_) {
    velocity(at_x(), k_[0].get());
    have_first_stage_ = true;
    if (const auto swarm = lost(k_[0].get())) return Trouble{Ending::not_finite, *swarm};
    next_h_ = first_step();
  }
  h_ = next_h_;
  double grow = kGrow;
  for (;;) {
    stages(kDopri5, h_);  // the last stage stands at the new point, in y
    shift(kDopri5Embedded, 7, h_, between_.get());
    error_ = error_norm(y_.get(), between_.get(), setting_.tolerance);
    if (error_ <= 1) break;
    grow = 1;
    const auto swarm = std::isfinite(error_) ? std::nullopt : lost(between_.get());
    h_ *= shrink_factor(error_);
    if (h_ <= 4 * std::numeric_limits<double>::epsilon() * t_ ||
        h_ < std::numeric_limits<double>::min())
      return Trouble{swarm ? Ending::not_finite : Ending::step_too_small, swarm.value_or(-1)};
  }
  next_h_ = h_ * next_factor(error_, last_error_, grow);
  return std::nullopt;
}

void Stepper::show(double theta) {
  shift(dopri5_weights_at(theta), 7, h_, between_.get());
  std::swap(block_.x, between_);
}

void Stepper::hide() { std::swap(block_.x, between_); }

void Stepper::commit() {
  std::swap(block_.x, y_);
  std::swap(k_[0], k_[6]);  // the last stage is the next step's first
  t_ += h_;
  last_error_ = error_;
}

}  // namespace murmur::ensemble
