// verify.cpp: repeats a simulation by dopri5 with merging, and compares frame by frame.
#include "experiment/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiment/flow_record.h"

namespace murmur {

namespace {

constexpr double kFarApart = 1e-3;     // chord between the two final positions of a particle
constexpr double kEnergyApart = 1e-4;  // relative
constexpr double kLeastMerge = 1e-6;

double largest_chord(const HostSwarm& a, const HostSwarm& b) {
  double most = 0;
  for (int i = 0; i < a.n(); ++i) {
    double square = 0;
    for (int k = 0; k < a.d(); ++k) square += std::pow(a.at(i, k) - b.at(i, k), 2);
    most = std::max(most, square);
  }
  return std::sqrt(most);
}

// |a - b| / |a| of energy_scaled; infinite if the dynamics has no energy.
double energy_gap(const Experiment& e, const HostSwarm& first, const HostSwarm& second) {
  const std::size_t column = observable_column(e.dynamics, "energy_scaled");
  if (column == observable_names(e.dynamics).size()) return std::numeric_limits<double>::infinity();
  const ObserveSettings settings = observe_settings(e, e.schedule.T);
  const double a = observe(first, e.dynamics, settings)[column];
  const double b = observe(second, e.dynamics, settings)[column];
  return std::fabs(a - b) / std::fabs(a);
}

Outcome parted(double t, const std::string& how) {
  return {Ending::methods_disagree, t, -1, "bdf and dopri5 with merging differ: " + how,
          "use smaller rtol and atol, or method=dopri5 with merge"};
}

// The second simulation, compared with the frames of the first.
class Second {
 public:
  Second(const Experiment& e, const Run& run)
      : e_(e), first_(run.directory()), counts_(first_.column("clusters")) {
    flow_ = e.flow;
    flow_.method = Method::dopri5;
    const double min = 10 * std::max(flow_.tolerance.rtol, flow_.tolerance.atol);
    if (!why_not_merge(e.dynamics)) flow_.merge = std::max(kLeastMerge, min);
  }

  bool is_needed() const {
    return std::any_of(counts_.begin(), counts_.end(),
                       [&](double count) { return count != counts_.front(); });
  }

  Outcome simulate(Engine& engine, const ProcessControl& control) {
    const auto field = prepare_field(e_, engine);
    state_ = start(e_.swarm);
    FlowWatch watch;
    watch.frame = [&](double t, const HostSwarm& x) { compare(t, x); };
    watch.pause = [&](const FlowState& now, const auto&) {
      report(control, now);
      return !departure_.empty() || control.stopped();
    };
    const Outcome outcome = advance({engine, *field, flow_, e_.random}, e_.schedule, state_, watch);
    if (!departure_.empty()) return parted(departure_t_, departure_);
    if (outcome.ok()) return end();
    if (outcome.ending == Ending::interrupted) return outcome;
    return parted(outcome.t, outcome.what);
  }

  std::string event() const {
    return fmt::format(
        R"({{"event":"verified","by":"{}","frames":{},"clusters":{},"chord":{},"evaluations":{}}})",
        flow_.merge > 0 ? "dopri5 with merging" : "dopri5", compared_, count_, chord_,
        state_.evaluations);
  }

 private:
  void compare(double t, const HostSwarm& x) {
    if (!departure_.empty()) return;
    while (next_ < first_.frames() && first_.times()[next_] < t)
      ++next_;  // skips frames of an earlier end
    last_ = x;
    count_ = clusters(x, e_.dynamics, e_.observe.cluster_tol).count;
    ++compared_;
    if (next_ < first_.frames() && counts_[next_] == count_) return;
    departure_t_ = t;
    departure_ = next_ < first_.frames()
                     ? fmt::format("{:g} clusters instead of {}", counts_[next_], count_)
                     : "a frame is missing";
  }

  Outcome end() {
    const HostSwarm first = first_.frame(next_);
    chord_ = largest_chord(first, last_);
    if (chord_ <= kFarApart || energy_gap(e_, first, last_) <= kEnergyApart)
      return {Ending::finished, e_.schedule.T, -1, {}, {}};
    return parted(e_.schedule.T, fmt::format("a particle ends {:.2g} away", chord_));
  }

  void report(const ProcessControl& control, const FlowState& now) {
    if (!control.report || pace_.seconds() - reported_ < 0.1) return;
    reported_ = pace_.seconds();
    control.report(
        progress_of({now.t, e_.schedule.T, now.evaluations, now.evaluations, count_}, pace_));
  }

  const Experiment& e_;
  const RunReader first_;
  const std::vector<double> counts_;  // clusters at the frames of the first simulation
  FlowSettings flow_{};
  FlowState state_{};
  HostSwarm last_{};
  std::int64_t next_ = 0, compared_ = 0;  // next frame of the first simulation; frames compared
  int count_ = -1;
  double chord_ = 0, departure_t_ = 0;
  std::string departure_{};
  Pace pace_{};
  double reported_ = 0;  // time of the last report in seconds
};

}  // namespace

Outcome verify(const Experiment& e, Engine& engine, Run& run, const ProcessControl& control) {
  Second second(e, run);
  if (!second.is_needed()) return {Ending::finished, e.schedule.T, -1, {}, {}};
  const Outcome outcome = second.simulate(engine, control);
  if (outcome.ok()) run.event(second.event());
  return outcome;
}

}  // namespace murmur
