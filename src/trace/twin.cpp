// twin.cpp: fits the ideal flow to every block of a transformer, and simulates it.
#include "trace/twin.h"

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/experiment.h"

namespace murmur {

namespace {

// The flow that corresponds to one block; it starts at `from`.
Experiment block_flow(const HostSwarm& from, double beta, double tau, const TwinRule& rule) {
  ExperimentSpec spec;
  spec.dynamics.interaction = rule.causal ? Interaction::causal : Interaction::SA;
  spec.dynamics.beta = std::abs(beta);
  if (beta < 0) spec.dynamics.query.kind = MatrixChoice::minus_identity;
  if (tau < 0) spec.dynamics.direction = Direction::descent;
  spec.T = std::abs(tau);
  spec.save = SaveChoice{SaveChoice::final};
  spec.tolerance = {1e-6, 1e-8};
  spec.engine.name = rule.engine;
  WordedSpec worded{spec, words_of(spec)};
  worded.spec.init = InitialPoints{Matrix{from.n(), from.d(), to_rows(from)}};
  return make_experiment(worded);
}

HostSwarm flown(const HostSwarm& from, double beta, double tau, const TwinRule& rule) {
  if (std::abs(tau) < 1e-9) return from;
  const Experiment e = block_flow(from, beta, tau, rule);
  const auto engine = make_engine(e.engine);
  const auto field = prepare_field(e, *engine);
  FlowState state = start(e.swarm);
  HostSwarm end = from;
  FlowWatch watch;
  watch.frame = [&](double, const Frame& frame) { end = frame.host; };
  const Outcome outcome = advance({*engine, *field, e.flow, e.random}, e.schedule, state, watch);
  if (!outcome.ok()) throw Error(Fault::numerical, outcome.what, "ideal flow", outcome.remedy);
  return end;
}

}  // namespace

TwinBlock move_fit(const HostSwarm& x, const HostSwarm& y, double beta, const TwinRule& rule) {
  const Experiment e = block_flow(x, beta, 1, rule);
  const auto engine = make_engine(e.engine);
  const auto field = prepare_field(e, *engine);
  const auto at = engine->place(x);
  const auto v = at->like();
  field->velocity(0, *at, *v);
  const HostSwarm velocity = engine->fetch(*v);
  double both = 0, flow = 0, move = 0;
  for (int i = 0; i < x.n(); ++i) {
    double along = 0;  // <x, y>: D = y - <x, y> x
    for (int k = 0; k < x.d(); ++k) along += x.at(i, k) * y.at(i, k);
    for (int k = 0; k < x.d(); ++k) {
      const double d = y.at(i, k) - along * x.at(i, k);
      both += d * velocity.at(i, k);
      flow += velocity.at(i, k) * velocity.at(i, k);
      move += d * d;
    }
  }
  if (!(flow > 0) || !(move > 0)) return {.beta = beta};
  return {beta, std::clamp(both / flow, -kLongestTwinTime, kLongestTwinTime),
          both / std::sqrt(flow * move)};
}

double distance_between(const HostSwarm& x, const HostSwarm& y) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) square += (x.at(i, k) - y.at(i, k)) * (x.at(i, k) - y.at(i, k));
  return std::sqrt(square / x.n());
}

double mean_cosine(const HostSwarm& x) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    double sum = 0;
    for (int i = 0; i < x.n(); ++i) sum += x.at(i, k);
    square += sum * sum;
  }
  const double n = x.n();
  return n > 1 ? (square - n) / (n * (n - 1)) : std::nan("");
}

TwinBlock Twin::advance(const HostSwarm& x, const HostSwarm& y, double beta) {
  const TwinBlock block = move_fit(x, y, beta, rule_);
  x_ = flown(x_, beta, block.tau, rule_);
  return block;
}

}  // namespace murmur
