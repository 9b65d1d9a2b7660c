// ensemble.cpp: advances many small swarms, eight at a time.
#include "ensemble/ensemble.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include "core/elementary.h"
#include "core/forces.h"
#include "core/parallel.h"
#include "ensemble/block.h"
#include "flow/runge_kutta.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur::ensemble {

namespace {

// Bound on the truncation error of a sum over j of w_ij = e^{beta (<x_i, x_j> - 1)}, or of w_ij
// x_j. In SA that sum is at least w_ii = 1, so the error of a velocity is at most twice as large.
constexpr double kTail = 1e-13;

// Number of orders that costs as much as one more particle in the pair sums; measured with AVX-512.
constexpr double kOrdersPerPartner = 1.2;

// Returns the least p with small enough tails, or 0 if there is none below s.a.size() - 1. The
// series are
//   w: 2 a_k,   w cos t: a_{k-1} + a_{k+1},   w sin t: a_{k-1} - a_{k+1}
// and n (a_p + 2 (a_{p+1} + a_{p+2} + ...)) bounds n particles' tails of all three.
int enough_orders(const BesselSeries& s, int n) {
  for (int p = 1; p + 1 < static_cast<int>(s.a.size()); ++p)
    if (n * (s.a[p] + 2 * s.beyond[p]) <= kTail) return p;
  return 0;
}

}  // namespace

// With Z = sum_j w_ij, R + i T = sum_j w_ij e^{i (theta_j - theta_i)}, and u = clock / n:
//   layers:    SA (Z + dt R) x + dt T x',   USA (1 + dt u R) x + dt u T x'
//   velocity:  SA T / Z x',                 USA u T x'
Waves::Waves(const ReplicasSetting& setting, Shape stored) {
  const double beta = setting.beta;
  const int n = stored.n, most = static_cast<int>(kOrdersPerPartner * (n - 1));
  if (stored.d != 2 || !(beta >= 0) || beta > static_cast<double>(most) * most) return;
  const BesselSeries s = bessel_series(beta, most + 2);
  const int orders = enough_orders(s, n);
  if (orders == 0) return;
  const bool softmax = setting.weighting == Attention::softmax;
  const bool layers = setting.method == Method::layers;
  const double term =
      (layers ? setting.dt : 1) * (softmax ? 1 : clock_scale(setting.clock, beta) / n);
  along_.resize(orders + 1);
  across_.resize(orders + 1);
  for (int k = 0; k <= orders; ++k) {
    const double below = s.a[std::abs(k - 1)], above = s.a[k + 1];
    along_[k] = (softmax ? 2 * s.a[k] : 0) + (layers ? term * (below + above) : 0);
    across_[k] = term * (below - above);
  }
  along_[0] *= 0.5 * n;  // C_0 = n
  if (!softmax) along_[0] += 1;
  terms_ = zeros(static_cast<std::size_t>(orders + 1) * 4 * kSwarms);
  sums_ = {.shape = stored,
           .orders = orders,
           .divided = softmax,
           .along = along_.data(),
           .across = across_.data(),
           .terms = terms_.get()};
}

namespace {

// Why a simulation ended, and in which of the eight swarms (-1: in all of them).
struct StepFailure {
  Ending ending;
  int swarm;
};

// Eight swarms as states of the Runge-Kutta driver.
class LaneSystem {
 public:
  using State = AlignedArray;

  LaneSystem(const ReplicasSetting& setting, Shape shape);

  AlignedArray scratch() const { return zeros(block_size(shape_)); }
  void velocity(double t, const AlignedArray& x, AlignedArray& v) const;
  // y = normalise(x + sum of terms)
  void combine(const AlignedArray& x, StepPoint to, std::span<const StageTerm<AlignedArray>> terms,
               AlignedArray& y);
  double error(const StepEstimate<AlignedArray>& estimate);
  bool finite(const AlignedArray& v) const { return !lost(v); }

  void layer(double dt, AlignedArray& x);  // x <- normalise(x + dt A)
  // The largest of the eight; infinite where one is not finite.
  double error_norm(const AlignedArray& a, const AlignedArray& b, Tolerance tolerance) const;
  // The first swarm with a number that is not finite
  std::optional<int> lost(const AlignedArray& a) const;
  const AlignedArray& embedded() const { return embedded_; }  // end of the last estimate
  double length(int swarm) const { return lengths_[swarm]; }

 private:
  const ReplicasSetting& setting_;
  const Shape shape_;
  const Waves waves_;
  LanePairSums pairs_{};
  AlignedArray sums_, totals_, weights_, embedded_;
  alignas(64) Lanes lengths_{};
};

class Stepper {
 public:
  Stepper(const ReplicasSetting& setting, Block& block);

  // A step of dt by layers or a method of fixed steps. Failures in swarms that are not wanted are
  // ignored.
  std::optional<StepFailure> step_fixed();

  // An adaptive step is found first and committed after: x stays, and can be interpolated.
  std::optional<StepFailure> find_step();
  void commit();
  // Sets x inside the step found, until `commit` or `show_start`
  void show_interpolated(double theta);
  void show_start();
  double t() const { return state_.t; }
  double h() const { return found_.h; }  // of the step found

 private:
  const ReplicasSetting& setting_;
  Block& block_;
  LaneSystem system_;
  StepState state_{};
  FoundStep found_{};
  std::optional<RungeKutta<LaneSystem>> driver_{};  // none for layers
};

// Number of particles up to which the weights of all pairs are stored
constexpr int kWholeWeights = 128;

// With s = beta <x_i, x_j> and b = |beta|:
//   softmax:  w = e^{s - b}, with any shift
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

std::optional<StepFailure> Stepper::step_fixed() {
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
      return StepFailure{Ending::not_finite, swarm};
  return std::nullopt;
}

std::optional<StepFailure> Stepper::find_step() {
  const AlignedArray& x = block_.x;
  if (!driver_->knows_start()) {
    driver_->begin(0, x);
    if (const auto swarm = system_.lost(driver_->stage(0)))
      return StepFailure{Ending::not_finite, *swarm};
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
      return StepFailure{Ending::step_too_small, -1};
    case StepEnd::not_finite:
      break;
  }
  const auto swarm = system_.lost(system_.embedded());
  return StepFailure{swarm ? Ending::not_finite : Ending::step_too_small, swarm.value_or(-1)};
}

void Stepper::show_interpolated(double theta) {
  driver_->interpolate(state_, block_.x, found_.h, theta);
  show_start();
}

void Stepper::show_start() { std::swap(block_.x, driver_->between()); }

void Stepper::commit() {
  driver_->commit(block_.x);
  state_.t += found_.h;
  state_.h = found_.next_h;
  state_.last_error = found_.error;
  ++state_.step;
}

}  // namespace

}  // namespace murmur::ensemble

namespace murmur {

namespace {

using ensemble::Block;
using ensemble::kSwarms;
using ensemble::StepFailure;
using ensemble::Stepper;

constexpr double kLeastBeta = -339;  // for softmax: e^{2 beta} is then still a double

bool is_known(Method method) {
  switch (row_of(method).stepping) {
    case Stepping::layers:
    case Stepping::runge_kutta:
      return true;
    case Stepping::strang:
    case Stepping::cvode:
      return false;
  }
  return false;
}

void require(bool good, const char* what, const char* where, const char* remedy) {
  if (!good) throw Error(Fault::input, what, where, remedy);
}

void check_setting(const ReplicasSetting& s) {
  const bool softmax = s.weighting == Attention::softmax;
  require(s.shape.n > 0 && s.shape.d > 0, "an ensemble has no particles", "shape",
          "give n and d of at least 1");
  require(softmax || s.weighting == Attention::unnormalised, "an ensemble supports SA and USA",
          "dynamics", "simulate other swarms one by one");
  require(s.clock != Clock::u4 && (!softmax || s.clock == Clock::u1),
          "an ensemble supports SA in clock U1 and USA in U1 to U3", "clock",
          "simulate swarms in another clock one by one");
  require(std::isfinite(s.beta) && (!softmax || s.beta >= kLeastBeta),
          "beta is not a finite number, or far below 0", "beta", "give beta of at least -339");
  require(is_known(s.method), "an ensemble does not know this method", "method",
          "use layers, euler, rk4 or dopri5");
  require(!is_fixed(s.method) || (std::isfinite(s.dt) && s.dt > 0), "a step has no length", "dt",
          "give dt above 0");
  const auto [rtol, atol] = s.tolerance;
  require(is_fixed(s.method) || (rtol >= 0 && atol >= 0 && rtol + atol > 0),
          "dopri5 needs a tolerance above 0", "rtol, atol", "give rtol=1e-6, atol=1e-8");
  require(s.cluster_tol > 0, "clusters need a tolerance above 0", "cluster_tol",
          "give a small positive number, such as cluster_tol=1e-3");
}

void check_work(const ReplicasWork& work, const ReplicasSetting& setting) {
  require(work.first >= 0 && work.count >= 0, "replicas are counted from 0", "first, count",
          "give numbers of at least 0");
  require(static_cast<bool>(work.start), "no swarm to start from", "start", "give a function");
  double before = 0;
  for (const double t : work.times) {
    require(std::isfinite(t) && t >= before, "times do not increase from 0", "times", "sort them");
    before = t;
    if (!is_fixed(setting.method)) continue;
    const double steps = t / setting.dt;
    require(std::fabs(steps - std::round(steps)) <= 1e-6, "a time is no multiple of dt", "times",
            "give multiples of dt, or use method=dopri5");
  }
}

}  // namespace

void ensemble::check(const ReplicasSetting& setting, const ReplicasWork& work) {
  check_setting(setting);
  check_work(work, setting);
}

namespace {

// Advances one block to the last time.
class BlockFlow {
 public:
  BlockFlow(const ReplicasSetting& setting, const ReplicasWork& work, int number)
      : setting_(setting),
        work_(work),
        block_(setting, work, (work.first / kSwarms + number) * kSwarms),
        stepper_(setting, block_) {}

  Outcome forward(ReplicasResult& result) {
    const Outcome outcome =
        is_fixed(setting_.method) ? advance_fixed(result) : advance_adaptive(result);
    if (!outcome.ok() || !work_.keep_last) return outcome;
    for (int swarm = 0; swarm < kSwarms; ++swarm)
      if (block_.asked(swarm))
        result.last[static_cast<std::size_t>(block_.replica(swarm) - work_.first)] =
            block_.fetch(swarm);
    return outcome;
  }

 private:
  bool stopped() const {
    if (work_.signal != nullptr && work_.signal->load() != 0) return true;
    stop_point();
    return false;
  }
  Outcome interrupted(double t) const { return {Ending::interrupted, t, -1, {}, {}}; }

  Outcome advance_fixed(ReplicasResult& result) {
    std::int64_t step = 0;
    for (std::size_t time = 0; time < work_.times.size(); ++time) {
      const std::int64_t end = std::llround(work_.times[time] / setting_.dt);
      for (; step < end; ++step) {
        const double t = static_cast<double>(step) * setting_.dt;
        if (stopped()) return interrupted(t);
        if (const auto failure = stepper_.step_fixed()) return ended(*failure, t, setting_.dt);
      }
      block_.read(time, result);
    }
    return finished();
  }

  // The last step is interpolated, never shortened: the requested times do not change the steps.
  Outcome advance_adaptive(ReplicasResult& result) {
    std::size_t time = 0;
    for (; time < work_.times.size() && work_.times[time] == 0; ++time) block_.read(time, result);
    while (time < work_.times.size()) {
      if (stopped()) return interrupted(stepper_.t());
      if (const auto failure = stepper_.find_step())
        return ended(*failure, stepper_.t(), stepper_.h());
      const double reached = stepper_.t() + stepper_.h();
      for (; time < work_.times.size() && work_.times[time] <= reached; ++time) {
        stepper_.show_interpolated((work_.times[time] - stepper_.t()) / stepper_.h());
        block_.read(time, result);
        if (time + 1 == work_.times.size()) return finished();
        stepper_.show_start();
      }
      stepper_.commit();
    }
    return finished();
  }

  Outcome finished() const {
    return {Ending::finished, work_.times.empty() ? 0.0 : work_.times.back(), -1, {}, {}};
  }

  Outcome ended(const StepFailure& failure, double t, double h) const {
    const std::string when = " at t = " + std::to_string(t);
    if (failure.ending == Ending::not_finite)
      return {
          Ending::not_finite, t, -1,
          "a velocity or position of replica " + std::to_string(block_.replica(failure.swarm)) +
              " stopped being a finite number" + when + ", in a step of " + std::to_string(h),
          "try a smaller dt or beta, clock=U2 (USA overflows beyond beta 709), or method=dopri5"};
    return {failure.ending, t, -1,
            "no step is small enough for the wanted tolerance in replicas " +
                std::to_string(block_.replica(0)) + " to " +
                std::to_string(block_.replica(kSwarms - 1)) + when,
            "raise rtol and atol, or use a smaller beta"};
  }

  const ReplicasSetting& setting_;
  const ReplicasWork& work_;
  Block block_;
  Stepper stepper_;
};

ReplicasResult nothing_yet(const ReplicasWork& work) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<std::size_t>(work.count);
  ReplicasResult result;
  result.readings.assign(count * work.times.size(), {none, none, none, 0});
  result.last.resize(work.keep_last ? count : 0);
  return result;
}

}  // namespace

bool replicas_know(const Dynamics& dynamics, Method method) {
  if (!is_known(method)) return false;
  if (dynamics.manifold != Manifold::sphere || dynamics.normalisation != LayerNorm::post ||
      !dynamics.gain.empty() || !dynamics.gain_end.empty() || dynamics.noise != 0)
    return false;
  if (dynamics.sublayers.size() != 1 || dynamics.sublayers[0].forces.size() != 1) return false;
  const Sublayer& sublayer = dynamics.sublayers[0];
  if (!std::isinf(sublayer.from) || !std::isinf(sublayer.until)) return false;
  const Attention* a = head_of(sublayer.forces[0]);
  if (a == nullptr || !is_identity(a->query) || !is_identity(a->key) || !is_identity(a->value) ||
      !a->query_bias.empty() || !a->key_bias.empty() || !a->value_bias.empty())
    return false;
  if (a->relative || !a->self || a->mask != Attention::none || a->alibi != 0 || a->rescaled)
    return false;
  if (a->weighting == Attention::softmax)
    return dynamics.clock == Clock::u1 && a->beta >= kLeastBeta;
  return a->weighting == Attention::unnormalised && dynamics.clock != Clock::u4;
}

ReplicasResult advance_replicas(const ReplicasSetting& setting, const ReplicasWork& work) {
  ensemble::check(setting, work);
  ReplicasResult result = nothing_yet(work);
  if (work.count == 0) return result;
  const std::int64_t begin = work.first / kSwarms, last = (work.first + work.count - 1) / kSwarms;
  const int blocks = static_cast<int>(last - begin + 1);
  std::vector<Outcome> outcomes(static_cast<std::size_t>(blocks));
  std::atomic<int> ended{blocks};  // the first block that ended early: later blocks need not run
  for_blocks(blocks, work.threads, [&](int number) {
    if (ended.load() < number) return;
    outcomes[number] = BlockFlow(setting, work, number).forward(result);
    if (outcomes[number].ok()) return;
    for (int seen = ended.load(); number < seen && !ended.compare_exchange_weak(seen, number);) {
    }
  });
  result.outcome = outcomes[std::min(ended.load(), blocks - 1)];
  return result;
}

ReplicasSetting replicas_of(const Dynamics& dynamics, const FlowSettings& flow, Shape shape) {
  if (!replicas_know(dynamics, flow.method))
    throw Error(Fault::input, "many swarms at a time cannot have these forces", "the dynamics",
                "use SA or USA with Q = K = V = I on the sphere, without noise, by layers, euler, "
                "rk4 or dopri5");
  const auto& attention = std::get<Attention>(dynamics.sublayers.front().forces.front());
  return {.shape = shape,
          .beta = attention.beta,
          .weighting = attention.weighting,
          .clock = dynamics.clock,
          .method = flow.method,
          .dt = flow.dt,
          .tolerance = flow.tolerance};
}

}  // namespace murmur

namespace murmur::ensemble {

namespace {

bool reduces(Shape s) { return std::max(s.n, 2) < s.d; }

Shape stored_shape(Shape s) { return {s.n, stored_dimension(reduces(s) ? s.n : s.d)}; }

}  // namespace

void check_start(const HostSwarm& x, Shape wanted, std::int64_t replica) {
  const auto refuse = [&](const char* what, const char* remedy) {
    throw Error(Fault::input, what, "start of replica " + std::to_string(replica), remedy);
  };
  if (x.shape() != wanted) refuse("a swarm has another shape than the ensemble", "give (n, d)");
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    if (!(std::fabs(square - 1) < 1e-9))
      refuse("a particle does not start on the sphere", "divide it by its length");
    if (!(std::fabs(x.mass[i] * x.n() - 1) < 1e-9))
      refuse("an ensemble has equal masses", "simulate swarms with other masses one by one");
  }
}

AlignedArray zeros(std::size_t count) {
  AlignedArray array = simd::allocate<double>(count);
  std::fill_n(array.get(), count, 0.0);
  return array;
}

Block::Block(const ReplicasSetting& setting, const ReplicasWork& work, std::int64_t first)
    : setting_(setting),
      work_(work),
      first_(first),
      reduced_(reduces(setting.shape)),
      shape_(stored_shape(setting.shape)) {
  const auto [n, d] = setting.shape;
  x = zeros(block_size(shape_));
  if (reduced_) basis_.resize(static_cast<std::size_t>(kSwarms) * n * d);
  const int words = link_words(n);
  link_ = simd::allocate<std::uint64_t>(static_cast<std::size_t>(n) * words * kSwarms);
  left_.resize(words);
  spread_.reserve(n);
  for (int swarm = 0; swarm < kSwarms; ++swarm) place(swarm);
}

void Block::place(int swarm) {
  const auto [n, d] = setting_.shape;
  const HostSwarm start = work_.start(replica(swarm));
  check_start(start, setting_.shape, replica(swarm));
  std::vector<double> rows = to_rows(start);  // (n, axes)
  if (reduced_) {
    std::vector<double> coordinates(static_cast<std::size_t>(n) * n);
    project_to_span({setting_.shape, rows.data(), &basis_[static_cast<std::size_t>(swarm) * n * d],
                     coordinates.data()});
    rows = std::move(coordinates);
  }
  const int axes = reduced_ ? n : d;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < axes; ++k)
      x[(static_cast<std::size_t>(i) * shape_.d + k) * kSwarms + swarm] =
          rows[static_cast<std::size_t>(i) * axes + k];
}

HostSwarm Block::fetch(int swarm) const {
  const auto [n, d] = setting_.shape;
  const int axes = reduced_ ? n : d;
  std::vector<double> rows(static_cast<std::size_t>(n) * axes);  // (n, axes)
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < axes; ++k)
      rows[static_cast<std::size_t>(i) * axes + k] =
          x[(static_cast<std::size_t>(i) * shape_.d + k) * kSwarms + swarm];
  if (!reduced_) return from_rows(setting_.shape, rows.data());
  std::vector<double> all(static_cast<std::size_t>(n) * d);  // (n, d)
  std::vector<double> basis(basis_.begin() + static_cast<std::ptrdiff_t>(swarm) * n * d,
                            basis_.begin() + static_cast<std::ptrdiff_t>(swarm + 1) * n * d);
  expand_from_span({setting_.shape, all.data(), basis.data(), rows.data()});
  return from_rows(setting_.shape, all.data());
}

void Block::read(std::size_t time, ReplicasResult& result) {
  alignas(64) Lanes cosines, closes, mean;
  constexpr double kEvery = -2;  // below every cosine
  summarise_pairs({.shape = shape_,
                   .x = x.get(),
                   .close = std::max(setting_.pair_threshold, kEvery),
                   .linked = std::max(1 - setting_.cluster_tol, kEvery),
                   .cosines = cosines.data(),
                   .closes = closes.data(),
                   .mean = mean.data(),
                   .link = link_.get()});
  const double pairs = 0.5 * shape_.n * (shape_.n - 1.0);
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (int swarm = 0; swarm < kSwarms; ++swarm) {
    if (!asked(swarm)) continue;
    const auto row = static_cast<std::size_t>(replica(swarm) - work_.first);
    result.readings[row * work_.times.size() + time] = {
        .close_pairs = pairs > 0 ? closes[swarm] / pairs : none,
        .mean_cos = pairs > 0 ? cosines[swarm] / pairs : none,
        .order = mean[swarm],
        .clusters = count_clusters(swarm)};
  }
}

int Block::count_clusters(int swarm) {
  const int n = shape_.n, words = link_words(n);
  int left = n, count = 0;
  const auto take = [&](int word, std::uint64_t bits) {
    left_[word] &= ~bits;
    for (; bits != 0; bits &= bits - 1, --left)
      spread_.push_back(word * 64 + std::countr_zero(bits));
  };
  std::fill(left_.begin(), left_.end(), ~std::uint64_t{0});
  if (n % 64 != 0) left_.back() = (std::uint64_t{1} << (n % 64)) - 1;
  for (int seed = 0; seed < words; ++seed)
    while (left_[seed] != 0) {
      ++count;
      spread_.clear();
      take(seed, left_[seed] & -left_[seed]);
      while (!spread_.empty() && left > 0) {
        const auto row = static_cast<std::size_t>(spread_.back()) * words;
        spread_.pop_back();
        for (int w = 0; w < words; ++w) take(w, link_[(row + w) * kSwarms + swarm] & left_[w]);
      }
    }
  return count;
}

}  // namespace murmur::ensemble
