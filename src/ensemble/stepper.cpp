// stepper.cpp: the steps of the flow, taken by eight swarms at once.
#include "ensemble/stepper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/elementary.h"
#include "flow/methods.h"

namespace murmur::ensemble {

namespace {

constexpr int kWholeWeights = 128;  // particles up to which the weights of all pairs are kept

// With s = beta <x_i, x_j> and b = |beta|:
//   softmax:  w = e^{s - b}, whatever the shift
//   plain:    factor w = m_j e^{s}, m_j e^{s - beta}, m_j beta e^{s} in the clocks u1, u2, u3
LanePairSums pair_sums(const ReplicasSetting& setting, Shape shape) {
  const double beta = setting.beta, size = std::fabs(beta);
  LanePairSums p{.shape = shape,
                 .slope = beta * std::numbers::log2e,
                 .offset = size * std::numbers::log2e,
                 .deep = 2 * size * std::numbers::log2e > 980,
                 .self = elementary::exp(beta - size),
                 .softmax = setting.weighting == Attention::softmax};
  const ClockKernel kernel = kernel_of(setting.clock);
  const double clock = kernel.over_max     ? elementary::exp(size - beta)
                       : kernel.times_beta ? beta * elementary::exp(size)
                                           : elementary::exp(size);
  p.factor = clock / shape.n;
  return p;
}

}  // namespace

LaneSystem::LaneSystem(const ReplicasSetting& setting, Shape shape)
    : setting_(setting),
      shape_(shape),
      waves_(setting, shape),
      pairs_(pair_sums(setting, shape)),
      embedded_(zeros(block_size(shape))) {
  const std::size_t rows = whole_tiles(shape_.n);
  sums_ = zeros(block_size(shape_));
  totals_ = zeros(rows * kSwarms);
  pairs_.sums = sums_.get();
  pairs_.totals = totals_.get();
  if (shape_.d > 4) {
    pairs_.strips = shape_.n > kWholeWeights;
    weights_ = zeros((pairs_.strips ? kTile : rows) * rows * kSwarms);
    pairs_.weights = weights_.get();
  }
}

void LaneSystem::velocity(double, const AlignedArray& x, AlignedArray& v) const {
  waves_ ? ensemble::velocity(waves_.sums(), x.get(), v.get())
         : ensemble::velocity(pairs_, x.get(), v.get());
}

void LaneSystem::combine(const AlignedArray& x, StepPoint,
                         std::span<const StageTerm<AlignedArray>> terms, AlignedArray& y) {
  std::array<LaneTerm, kMaxStages> list;
  std::size_t count = 0;
  for (const auto& term : terms) list[count++] = {term.scale, term.along->get()};
  retract({shape_, x.get(), {list.data(), count}, y.get(), lengths_.data()});
}

double LaneSystem::error(const StepEstimate<AlignedArray>& estimate) {
  combine(estimate.x, {1, estimate.h}, estimate.embedded, embedded_);
  return error_norm(estimate.y, embedded_, setting_.tolerance);
}

void LaneSystem::layer(double dt, AlignedArray& x) {
  waves_ ? ensemble::layer(waves_.sums(), x.get(), lengths_.data())
         : ensemble::layer(pairs_, dt, x.get(), lengths_.data());
}

double LaneSystem::error_norm(const AlignedArray& a, const AlignedArray& b,
                              Tolerance tolerance) const {
  alignas(64) Lanes each;
  ensemble::error_norm({shape_, a.get(), b.get(), tolerance, each.data()});
  double most = 0;
  for (const double error : each)
    most = std::isfinite(error) ? std::max(most, error) : std::numeric_limits<double>::infinity();
  return most;
}

std::optional<int> LaneSystem::lost(const AlignedArray& a) const {
  for (std::size_t e = 0; e < block_size(shape_); ++e)
    if (!std::isfinite(a[e])) return static_cast<int>(e % kSwarms);
  return std::nullopt;
}

Stepper::Stepper(const ReplicasSetting& setting, Block& block)
    : setting_(setting), block_(block), system_(setting, block.shape()) {
  if (const Tableau* tableau = tableau_of(setting.method))
    driver_.emplace(system_, *tableau, state_.evaluations);
}

std::optional<Trouble> Stepper::step_fixed() {
  AlignedArray& x = block_.x;
  if (driver_) {
    driver_->stages(0, x, setting_.dt);
    system_.combine(x, {1, setting_.dt}, driver_->terms(setting_.dt), x);
    driver_->forget();
  } else {
    system_.layer(setting_.dt, x);
  }
  for (int swarm = 0; swarm < kSwarms; ++swarm)
    if (block_.asked(swarm) && !std::isfinite(system_.length(swarm)))
      return Trouble{Ending::not_finite, swarm};
  return std::nullopt;
}

std::optional<Trouble> Stepper::find_step() {
  const AlignedArray& x = block_.x;
  if (!driver_->knows_start()) {
    driver_->begin(0, x);
    if (const auto swarm = system_.lost(driver_->stage(0)))
      return Trouble{Ending::not_finite, *swarm};
    state_.h = driver_->first_step(
        state_, x, setting_.tolerance,
        [this](const AlignedArray& a, const AlignedArray& b, Tolerance tolerance) {
          return system_.error_norm(a, b, tolerance);
        });
  }
  constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
  const StepController controller{.order = driver_->tableau().order};
  switch (driver_->find(state_, x, controller, kNoLimit, found_)) {
    case StepEnd::found:
    case StepEnd::out_of_evaluations:  // there is no limit
      return std::nullopt;
    case StepEnd::too_small:
      return Trouble{Ending::step_too_small, -1};
    case StepEnd::not_finite:
      break;
  }
  const auto swarm = system_.lost(system_.embedded());
  return Trouble{swarm ? Ending::not_finite : Ending::step_too_small, swarm.value_or(-1)};
}

void Stepper::show(double theta) {
  driver_->interpolate(state_, block_.x, found_.h, theta);
  hide();
}

void Stepper::hide() { std::swap(block_.x, driver_->between()); }

void Stepper::commit() {
  driver_->commit(block_.x);
  state_.t += found_.h;
  state_.h = found_.next_h;
  state_.last_error = found_.error;
  ++state_.step;
}

}  // namespace murmur::ensemble
