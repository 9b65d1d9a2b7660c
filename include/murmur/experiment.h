// experiment.h: from text to objects: parameters, presets, experiment files, and the simulation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/flow.h"
#include "murmur/observe.h"
#include "murmur/process.h"
#include "murmur/run.h"
#include "murmur/spec.h"

namespace murmur {

// One row per parameter: the same row parses, documents, completes and writes it.
struct Parameter {
  enum Kind { number, whole, word, flag } kind;
  const char* name;
  const char* initial;  // default, as text
  const char* values;   // what it takes, as text for help
  const char* meaning;  // one line
};
std::span<const Parameter> parameters();

// The known word nearest to a misspelt one; empty when none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

struct Preset {
  const char* name;
  const char* text;  // the .toml
};
std::span<const Preset> presets();
// simulate, and the commands for which the preset holds a table of their name.
std::vector<std::string> commands_of(const Preset& preset);

// defaults < preset or file < MURMUR_* environment < key=value.
struct Sources {
  std::string base{};                                // preset name, path of a .toml, or empty
  std::map<std::string, std::string> environment{};  // MURMUR_BETA -> 4
  std::vector<std::string> assignments{};            // beta=4
  // A command that reads the table of its name: of a preset that alone, of a file the top level
  // where it has no such table. Empty: the top level without those tables.
  std::string section{};
};
Settings gather(const Sources& sources, std::span<const Parameter> table = parameters());
Settings parse_experiment(const std::string& toml, const std::string& where,
                          const std::filesystem::path& folder,
                          std::span<const Parameter> table = parameters());  // what the text sets

struct Experiment {
  std::string name = "flock";
  std::uint64_t seed = 0;
  Dynamics dynamics{};
  HostSwarm swarm{};
  EngineChoice engine{};
  FlowSettings flow{};
  Schedule schedule{};
  ObserveSettings observe{};
  std::string config{};  // config.toml: every setting, file inputs as inputs/NAME.npy
  Record inputs{};       // points, and the masses and matrices that came from files
};

// Reads files, draws what is random and resolves what was left open. Error(input) where parts of a
// spec do not fit together.
Experiment make_experiment(const WordedSpec& worded);
Experiment make_experiment(const ExperimentSpec& spec);
Experiment make_experiment(const Settings& settings);

// Makes given points fit their manifold: Error(input) unless finite and, on the sphere, of norm 1
// within 1e-5, which then becomes 1. Points that fit already keep their bits.
void fit_to_manifold(HostSwarm& x, Manifold manifold, const std::string& where);

// Runs the experiment into `run` from its last checkpoint, or from t = 0.
Outcome simulate(const Experiment& experiment, Run& run, const ProcessControl& control);

struct VelocityBench {
  int repetitions = 9;
  bool beside_reference = false;  // also times the reference engine, turn by turn
};
struct VelocitySpeed {
  std::string engine{};          // its full name
  double seconds_best = 0;       // of one velocity of the whole swarm
  double gpairs_per_second = 0;  // n^2 ordered pairs over seconds_best
  double ratio = 0;              // the reference's seconds over ours; 0: not asked for
};

// How fast the experiment's engine computes velocities. One thread is timed by its own processor
// clock, several by the wall.
VelocitySpeed time_velocity(const Experiment& experiment, const VelocityBench& bench);

}  // namespace murmur
