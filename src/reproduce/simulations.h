// simulations.h: what figures of swarms share: simulating in memory, under a null model too, and
// points of the plane.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "murmur/engine.h"
#include "murmur/experiment.h"
#include "murmur/meanfield.h"
#include "murmur/swarm.h"
#include "reproduce/rules.h"

namespace murmur {

// The settings of a preset.
ExperimentSpec preset_spec(const std::string& preset);

struct Simulated {
  Outcome outcome{};
  std::vector<double> times{};
  std::vector<HostSwarm> frames{};  // merged particles have the place of their group
  std::vector<Merge> merges{};
  const HostSwarm& last() const { return frames.back(); }
};

// Error(numerical) where the simulation does not reach its end. A null model replaces only the
// forces.
Simulated simulate_in_memory(const Experiment& experiment, NullModel null = NullModel::none);

double angle_of(const HostSwarm& x, int i);  // of its first two coordinates, in (-pi, pi]

// The engine of a choice; under `still` and `random` the reference engine, which keeps the manifold
// of every dynamics and replaces its forces, layer norm and clock. `constant` replaces answers and
// no forces.
std::unique_ptr<Engine> make_engine(const EngineChoice& resolved, NullModel null);

// The same for infinitely many tokens: under `random` each attends to all of them alike.
MeanField under_null(MeanField field, NullModel null);

struct PlanePoint {
  double x, y;
};

// Corners of the convex hull in their order around it, the first one again at the end.
std::vector<PlanePoint> hull_of(std::vector<PlanePoint> points);
std::vector<PlanePoint> points_of(const HostSwarm& z);  // the first two coordinates

}  // namespace murmur
