// flights.cpp: flies experiments without a run directory and keeps their frames.
#include "reproduce/flights.h"

#include <fmt/format.h>

#include <cmath>

#include "murmur/error.h"

namespace murmur {

Experiment experiment_of(const std::string& preset, const std::vector<std::string>& assignments) {
  return make_experiment(gather({preset, {}, assignments}));
}

Flown fly_in_memory(const Experiment& e) {
  const auto engine = make_engine(e.engine, e.swarm.shape(), e.dynamics);
  const auto field = engine->prepare(e.dynamics, e.swarm.shape());
  Flown flown;
  FlowState state = start(e.swarm);
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& frame) {
    flown.times.push_back(t);
    flown.frames.push_back(frame);
  };
  watch.merged = [&](const Merge& merge) { flown.merges.push_back(merge); };
  flown.outcome = advance({*engine, *field, e.dynamics.habitat, e.flow}, e.schedule, state, watch);
  if (!flown.outcome.ok())
    throw Error(Fault::numerical, flown.outcome.what,
                fmt::format("{}, t = {:g}", e.name, flown.outcome.t), flown.outcome.remedy);
  return flown;
}

double angle_of(const HostSwarm& x, int i) { return std::atan2(x.at(i, 1), x.at(i, 0)); }

}  // namespace murmur
