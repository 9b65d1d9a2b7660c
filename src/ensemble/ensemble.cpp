// ensemble.cpp: simulates blocks of eight swarms on threads, and says which dynamics it computes.
#include "ensemble/ensemble.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "ensemble/block.h"
#include "ensemble/stepper.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

using ensemble::Block;
using ensemble::kSwarms;
using ensemble::Stepper;
using ensemble::Trouble;

constexpr double kLeastBeta = -339;  // of softmax: e^{2 beta} is then still a double

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
  require(softmax || s.weighting == Attention::unnormalised, "an ensemble flies SA or USA",
          "dynamics", "fly other swarms one by one");
  require(s.clock != Clock::u4 && (!softmax || s.clock == Clock::u1),
          "an ensemble flies SA in clock U1 and USA in U1 to U3", "clock",
          "fly swarms in another clock one by one");
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

// One block on its way to the last time.
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
        if (const auto trouble = stepper_.step_fixed()) return ended(*trouble, t, setting_.dt);
      }
      block_.read(time, result);
    }
    return finished();
  }

  // The last step is interpolated, never shortened: times asked for do not change the steps taken.
  Outcome advance_adaptive(ReplicasResult& result) {
    std::size_t time = 0;
    for (; time < work_.times.size() && work_.times[time] == 0; ++time) block_.read(time, result);
    while (time < work_.times.size()) {
      if (stopped()) return interrupted(stepper_.t());
      if (const auto trouble = stepper_.find_step())
        return ended(*trouble, stepper_.t(), stepper_.h());
      const double reached = stepper_.t() + stepper_.h();
      for (; time < work_.times.size() && work_.times[time] <= reached; ++time) {
        stepper_.show((work_.times[time] - stepper_.t()) / stepper_.h());
        block_.read(time, result);
        if (time + 1 == work_.times.size()) return finished();
        stepper_.hide();
      }
      stepper_.commit();
    }
    return finished();
  }

  Outcome finished() const {
    return {Ending::finished, work_.times.empty() ? 0.0 : work_.times.back(), -1, {}, {}};
  }

  Outcome ended(const Trouble& trouble, double t, double h) const {
    const std::string when = " at t = " + std::to_string(t);
    if (trouble.ending == Ending::not_finite)
      return {
          Ending::not_finite, t, -1,
          "a velocity or position of replica " + std::to_string(block_.replica(trouble.swarm)) +
              " stopped being a finite number" + when + ", in a step of " + std::to_string(h),
          "try a smaller dt or beta, clock=U2 (USA overflows beyond beta 709), or method=dopri5"};
    return {trouble.ending, t, -1,
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
  std::atomic<int> ended{
      blocks};  // the first block known to have ended early: those after it need not run
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

}  // namespace murmur
