// simulations.cpp: simulates experiments without a run directory and keeps their frames.
#include "reproduce/simulations.h"

#include <fmt/format.h>

#include <cmath>

#include "murmur/error.h"
#include "reproduce/null_engine.h"

namespace murmur {

ExperimentSpec preset_spec(const std::string& preset) { return spec_of(gather({preset, {}, {}})); }

Simulated simulate_in_memory(const Experiment& e, NullModel null) {
  const auto engine = make_engine(e.engine, null);
  const auto field = prepare_field(e, *engine);
  Simulated simulated;
  FlowState state = start(e.swarm);
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& frame) {
    simulated.times.push_back(t);
    simulated.frames.push_back(frame);
  };
  watch.merged = [&](const Merge& merge) { simulated.merges.push_back(merge); };
  simulated.outcome = advance({*engine, *field, e.flow, e.random}, e.schedule, state, watch);
  if (!simulated.outcome.ok())
    throw Error(Fault::numerical, simulated.outcome.what,
                fmt::format("{}, t = {:g}", e.name, simulated.outcome.t), simulated.outcome.remedy);
  return simulated;
}

double angle_of(const HostSwarm& x, int i) { return std::atan2(x.at(i, 1), x.at(i, 0)); }

}  // namespace murmur
