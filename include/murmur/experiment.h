// experiment.h: an experiment as plain data, from text to objects, and the simulation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/flow.h"
#include "murmur/matrix.h"
#include "murmur/observe.h"
#include "murmur/random.h"
#include "murmur/run.h"

namespace murmur {

// Where a value came from, for error messages: "default", "file.toml:3:5", "MURMUR_BETA", "beta=x".
struct Setting {
  std::string text;
  std::string origin;
  std::filesystem::path folder{};  // relative paths in `text` start here
};
using Settings = std::map<std::string, Setting>;

// The parameter `dynamics`: which attention draws the particles.
enum class Interaction { SA, USA, causal, hardmax, sinkhorn, euclidean, rescaled, none };

// The parameter `habitat`; automatic: as dynamics, normalisation and gains need it.
enum class ManifoldChoice { automatic, sphere, space, ellipsoid };

// Whether V acts on x_j - x_i; automatic: for hardmax in R^d and for rescaled.
enum class Relative { automatic, yes, no };

// Whether the forces of the heads add, are averaged, or are those of infinitely many, averaged.
enum class HeadScale { sum, mean, limit };

// How matrices of several layers, from files, act in time: one for all times, layer after layer, or
// linear between layers.
enum class WeightsInTime { constant, piecewise, linear };

enum class Direction { ascent, descent };  // descent: V and W_out change sign

// A query, key or value matrix. The random ones are drawn for each head: entries of variance 1/d
// (gaussian), symmetric (goe, wigner), or G G^T / d (psd).
struct MatrixChoice {
  enum Kind {
    identity,
    minus_identity,
    gaussian,
    goe,
    wigner,
    psd,
    query_key,        // Q^T K; of the value alone
    minus_query_key,  // -Q^T K
    given,
    from_file,
  } kind = identity;
  Matrix entries{};  // of `given`, (k, d), for every head
  // Of `from_file`: npy, or safetensors with an array named query, key or value; (k, d) or (heads,
  // k, d), of layers (layers, k, d) or (layers, heads, k, d).
  std::filesystem::path file{};
  bool operator==(const MatrixChoice&) const = default;
};

struct PerceptronChoice {
  enum Kind { none, gaussian, gradient, from_file } kind = none;
  int units = 0;                   // of the random ones
  std::filesystem::path folder{};  // of `from_file`: where `file` is looked for
  std::string file{};              // FILE.safetensors, or NAME_*.npy
  bool operator==(const PerceptronChoice&) const = default;
};

struct NormalisationChoice {
  LayerNorm kind = LayerNorm::post;
  std::optional<double> argument{};  // tau of mix, speed of ngpt
  bool operator==(const NormalisationChoice&) const = default;
};

// What moves the particles, before matrices are drawn and read.
struct DynamicsSpec {
  Interaction interaction = Interaction::SA;
  double beta = 4;
  ManifoldChoice manifold = ManifoldChoice::automatic;
  MatrixChoice query{}, key{}, value{};
  WeightsInTime weights_in_time = WeightsInTime::constant;
  std::optional<double> weights_until{};  // the last layer's end or knot; empty: the final time
  double redraw = 0;           // random weights are drawn anew after every such time; 0: never
  std::optional<int> heads{};  // empty: 1, or as a file of matrices has them
  HeadScale head_scale = HeadScale::sum;
  Attention::Mask mask = Attention::none;
  bool self = true;
  Relative relative = Relative::automatic;
  double alibi = 0;  // a slope of alibi / n a place
  Clock clock = Clock::u1;
  NormalisationChoice normalisation{};
  Vector gains{}, gains_end{};          // (d); empty: none
  std::optional<double> gains_until{};  // empty: the final time
  PerceptronChoice perceptron{};
  Perceptron::Activation activation = Perceptron::relu;
  Direction direction = Direction::ascent;
  double noise = 0;
};

// cap: {angle}; equiangular: {rho}; clusters: {k} or {k, spread}; box: {a}; the others: {}.
struct InitialLaw {
  enum Kind { uniform, hemisphere, cap, orthonormal, equiangular, clusters, gaussian, box };
  Kind kind = uniform;
  std::vector<double> arguments{};
  bool operator==(const InitialLaw&) const = default;
};
struct InitialPoints {
  Matrix points{};  // (n, d)
  bool operator==(const InitialPoints&) const = default;
};
struct InitialFile {  // points in an npy, or a picture in a png for a trained swarm
  std::filesystem::path file{};
  bool operator==(const InitialFile&) const = default;
};
struct InitialPicture {  // of a data set, for a trained swarm
  bool train = false;    // else of the test set
  double index = 0;      // NaN, as `finer`: no number was given
  double finer = 1;      // grid points an axis, times those the model has learned with
  bool operator==(const InitialPicture&) const = default;
};
using Initial = std::variant<InitialLaw, InitialPoints, InitialFile, InitialPicture>;

// When frames are kept.
struct SaveChoice {
  enum Kind {
    every,     // first: the interval
    share,     // first: how many intervals make up T
    log,       // first: how many times from dt to T, in a constant ratio
    log_from,  // times first * second^k
    final,     // T alone
  } kind = share;
  double first = 100, second = 0;
  bool operator==(const SaveChoice&) const = default;
};

inline constexpr int kDefaultParticles = 64, kDefaultCoordinates = 3;

// An experiment as its words or its program say it. A field for each parameter.
struct ExperimentSpec {
  std::string name = "flock";
  std::optional<int> n{}, d{};  // empty: the defaults, or as points and models have them
  DynamicsSpec dynamics{};
  std::optional<std::filesystem::path> model{};  // a trained swarm that moves the particles
  Initial init{};
  std::string data = "auto";                      // where the pictures of `init` are
  std::optional<std::filesystem::path> masses{};  // npy, (n); empty: equal
  double T = 10;
  std::optional<SaveChoice> save{};  // empty: hundredths of T, in whole steps
  double dt = 0.1;
  Method method = Method::dopri5;
  Tolerance tolerance{};
  double merge = 0;
  std::int64_t max_evaluations = 1'000'000'000;
  RandomKey random{};
  EngineChoice engine{};
  double cluster_tol = 0.001, pair_threshold = 0.999;
};

// A spec beside the words that say the same: refusals quote them, config.toml repeats them.
struct WordedSpec {
  ExperimentSpec spec{};
  Settings words{};  // every parameter
};

// Out of words, each held to what its parameter takes; Error(input) for the first that is not.
ExperimentSpec spec_of(const Settings& words);
// Into words that read back as the same spec: what differs from the default counts as given.
Settings words_of(const ExperimentSpec& spec);

struct ParameterValue {  // one value of a parameter; behind ':' its arguments, as in cap:ANGLE
  const char *name, *meaning;
  const char* example = "";  // the assignments of an example, where NAME=VALUE is not enough
};

// One row per parameter: the same row parses, documents, completes and writes it.
struct Parameter {
  enum Kind { number, whole, word, flag } kind;
  const char* name;
  const char* initial;                        // default, as text
  const char* values;                         // what it takes, as text for help
  const char* meaning;                        // one line
  const char* equation = "";                  // the formula that it is part of
  const char* unit = "";                      // of numbers that have one
  std::span<const ParameterValue> choices{};  // those of `values` that need an explanation
};
std::span<const Parameter> parameters();
std::span<const ParameterValue> engine_values();  // those of `engine`, auto first

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

// What is counted as one cluster, and as a close pair.
struct ObserveChoice {
  double cluster_tol = 1e-3, pair_threshold = 0.999;
};

struct Experiment {
  std::string name = "flock";
  RandomKey random{};  // the one place of seed and replica: noise and samples take them from here
  Dynamics dynamics{};
  HostSwarm swarm{};
  EngineChoice engine{};  // resolved: never auto, and the engine knows the dynamics
  FlowSettings flow{};
  Schedule schedule{};
  ObserveChoice observe{};  // observe_settings makes the settings of it
  std::string config{};     // config.toml: every setting, file inputs as inputs/NAME.npy
  Record inputs{};          // points, and the masses and matrices that came from files
};

// Reads files, draws what is random and resolves what was left open. Error(input) where parts of a
// spec do not fit together.
Experiment make_experiment(const WordedSpec& worded);
Experiment make_experiment(const ExperimentSpec& spec);
Experiment make_experiment(const Settings& settings);

// How a frame is observed: by the choice, the seed and the threads of the experiment. The time t
// of the frame matters to attention that changes with it, and to nothing else.
ObserveSettings observe_settings(const Experiment& experiment, double t = 0);

// Makes given points fit their manifold: Error(input) unless finite and, on the sphere, of norm 1
// within 1e-5, which then becomes 1. Points that fit already keep their bits.
void fit_to_manifold(HostSwarm& x, Manifold manifold, const std::string& where);

// What a run of `experiment` begins with that parts from the last checkpoint of `parent`, a run of
// `before`. Error(input) where the state there is none of this experiment.
RunBranch branch_from(const std::filesystem::path& parent, const Experiment& before,
                      const Experiment& experiment);

// The field of an experiment on its engine. Nothing is asked: make_experiment has done so.
std::unique_ptr<Field> prepare_field(const Experiment& experiment, Engine& engine);

// Runs the experiment into `run` from its last checkpoint, or from t = 0, on the engine that
// make_engine(experiment.engine) gives.
Outcome simulate(const Experiment& experiment, Engine& engine, Run& run,
                 const ProcessControl& control);

struct VelocityBench {
  int repetitions = 9;
  bool beside_reference = false;  // also times the reference engine, turn by turn
};
struct VelocitySpeed {
  std::string engine{};          // its full name
  double seconds_best = 0;       // of one velocity of the whole swarm
  double seconds_least = 0;      // that this machine can need for it (0: not known)
  double gpairs_per_second = 0;  // n^2 ordered pairs over seconds_best
  double ratio = 0;              // the reference's seconds over ours; 0: not asked for
};

// How fast the experiment's engine computes velocities. One thread is timed by its own processor
// clock, several and GPUs by the wall. Error(runtime) for a time below `seconds_least`.
VelocitySpeed time_velocity(const Experiment& experiment, const VelocityBench& bench);

// What a machine does a second at most.
struct MachineRates {
  double powers = 0;         // powers of two
  double multiply_adds = 0;  // fused
};
// A sum over all pairs needs so long at least, however it is made: one power of two for an
// unordered pair, d multiply-adds for its score, d for each of its two values and one for a weight.
double least_pair_seconds(Shape shape, const MachineRates& rates);
// Error(runtime) for a time that is shorter, by more than the noise of a probe.
void require_possible(double seconds, double least, const std::string& engine);

// The equation in plain text, a term a line.
std::string equation_text(const Experiment& experiment, const Settings& settings);

// What the method does in one step, on this manifold and under this layer norm.
std::string method_text(const Experiment& experiment);

// When two particles are linked, of which clusters are the connected components.
std::string cluster_text(const Experiment& experiment);

// One sentence a result, arXiv numbers in brackets; empty where nothing is known.
std::vector<std::string> known_results(const Experiment& experiment);

}  // namespace murmur
