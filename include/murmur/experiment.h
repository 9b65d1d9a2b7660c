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

#include "murmur/describe.h"
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

// The parameter `dynamics`: which attention moves the particles.
enum class Interaction { SA, USA, causal, hardmax, sinkhorn, euclidean, rescaled, none };

// The parameter `habitat`; automatic: as dynamics, normalisation and gains need it.
enum class ManifoldChoice { automatic, sphere, space, ellipsoid };

// Whether V acts on x_j - x_i; automatic: for hardmax in R^d and for rescaled.
enum class Relative { automatic, yes, no };

// Whether the forces of the heads are added, averaged, or averaged over infinitely many heads.
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
    query_key,        // Q^T K; only for the value
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
  std::filesystem::path folder{};  // of `from_file`: the folder of `file`
  std::string file{};              // FILE.safetensors, or NAME_*.npy
  bool operator==(const PerceptronChoice&) const = default;
};

struct NormalisationChoice {
  LayerNorm kind = LayerNorm::post;
  std::optional<double> argument{};  // tau of mix, speed of ngpt
  bool operator==(const NormalisationChoice&) const = default;
};

// The forces, before matrices are drawn and read.
struct DynamicsSpec {
  Interaction interaction = Interaction::SA;
  double beta = 4;
  ManifoldChoice manifold = ManifoldChoice::automatic;
  MatrixChoice query{}, key{}, value{};
  WeightsInTime weights_in_time = WeightsInTime::constant;
  std::optional<double> weights_until{};  // the last layer's end or knot; empty: the final time
  double redraw = 0;           // random weights are drawn again after every such time; 0: never
  std::optional<int> heads{};  // empty: 1, or as a file of matrices has them
  HeadScale head_scale = HeadScale::sum;
  Attention::Mask mask = Attention::none;
  bool self = true;
  Relative relative = Relative::automatic;
  double alibi = 0;  // a slope of alibi / n per place
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
  bool train = false;    // true: the training set; false: the test set
  double index = 0;      // NaN, as for `finer`: not given
  double finer = 1;      // grid points per axis, as a multiple of those in training
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
    final,     // only T
  } kind = share;
  double first = 100, second = 0;
  bool operator==(const SaveChoice&) const = default;
};

inline constexpr std::int64_t kMostWhole = 9'000'000'000'000'000;  // exact as a double
inline constexpr int kDefaultParticles = 64, kDefaultCoordinates = 3;

// The settings of an experiment, with one field for each parameter.
struct ExperimentSpec {
  std::string name = "flock";
  std::optional<int> n{}, d{};  // empty: the defaults, or those of points and models
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

// Describes every parameter of a simulation.
template <class Visitor>
void describe(Visitor& v, FieldsOf<ExperimentSpec>) {
  using S = ExperimentSpec;
  using D = DynamicsSpec;
  constexpr const char* kScore =
      "s_ij = beta <Q x_i, K x_j>, a_ij = m_j e^(s_ij) / sum_k m_k e^(s_ik)";
  constexpr const char* kTime = "time t of the flow; one layer is dt";
  v(&S::name, "name", "first part of the name of the run directory", {.form = Form::run_name});
  v(&S::n, "n", "number of particles (tokens)",
    {.initial = "64", .least = 1, .greatest = 2'000'000'000});
  v(&S::d, "d", "coordinates of each particle", {.initial = "3", .least = 2, .greatest = 65'536});
  v(&S::dynamics, &D::beta, "beta", "inverse temperature of attention", {.equation = kScore});
  v(&S::dynamics, &D::interaction, "dynamics", "which attention moves the particles");
  v(&S::dynamics, &D::manifold, "habitat",
    "the space of the particles; by default the one that the dynamics needs",
    {.initial = "sphere"});
  v(&S::dynamics, &D::query, "query",
    "query matrix Q, (k, d) or (heads, k, d); typed rows serve every head",
    {.values = "identity, minus-identity, gaussian, goe, wigner, psd, matrix:a,b;c,d;..., "
               "FILE.npy, FILE.safetensors",
     .equation = kScore,
     .greatest = MatrixChoice::psd});
  v(&S::dynamics, &D::key, "key", "key matrix K, (k, d) or (heads, k, d)",
    {.values = "as query", .equation = kScore, .greatest = MatrixChoice::psd});
  v(&S::dynamics, &D::value, "value", "value matrix V, (d, d) or (heads, d, d); query-key is Q^T K",
    {.values = "as query; query-key, minus-query-key", .equation = "A_i = sum_j a_ij V x_j"});
  v(&S::dynamics, &D::weights_in_time, "weights_in_time",
    "how matrices change with time, by files with an axis of layers in front: (layers, k, d) or "
    "(layers, heads, k, d)");
  v(&S::dynamics, &D::weights_until, "weights_until",
    "time at which the last layer ends (piecewise) or is reached (linear); it acts from then on",
    {.values = "T, or above 0", .empty = "T", .form = Form::time});
  v(&S::dynamics, &D::redraw, "redraw",
    "random weights are drawn again after every such time; 0: never",
    {.values = "0 or above", .unit = kTime});
  v(&S::dynamics, &D::heads, "heads", "number of attention heads; their forces add",
    {.initial = "1", .least = 1, .greatest = 65'536});
  v(&S::dynamics, &D::head_scale, "head_scale", "how the forces of the heads are combined");
  v(&S::dynamics, &D::mask, "reach",
    "the particles that a particle attends to: all, or only those before it");
  v(&S::dynamics, &D::self, "self", "whether a particle attends to itself");
  v(&S::dynamics, &D::relative, "relative",
    "V acts on x_j - x_i; auto: for hardmax in R^d and for rescaled");
  v(&S::dynamics, &D::alibi, "alibi",
    "lowers the score of earlier particles by alibi / n per position; needs reach=past",
    {.values = "0 or above", .equation = "s_ij = beta <Q x_i, K x_j> - (alibi / n) (i - j)"});
  v(&S::dynamics, &D::clock, "clock", "time unit of USA (docs/notation.md)");
  v(&S::dynamics, &D::normalisation, "normalisation",
    "effect of layer norm on speed and norm (docs/notation.md)",
    {.values = "post, pre, peri, mix:TAU, ngpt, ngpt:SPEED, sqrt"});
  v(&S::dynamics, &D::gains, "gains", "axes of the ellipsoid, one per coordinate",
    {.values = "none, or g,g,...", .empty = "none"});
  v(&S::dynamics, &D::gains_end, "gains_end", "axes at gains_until, reached linearly",
    {.values = "none, or g,g,...", .empty = "none"});
  v(&S::dynamics, &D::gains_until, "gains_until", "time at which gains_end is reached",
    {.values = "T, or above 0", .empty = "T", .form = Form::time});
  v(&S::dynamics, &D::perceptron, "perceptron",
    "feed-forward force, a separate sublayer after attention",
    {.values = "none, gaussian:H, gradient:M, FILE.safetensors, NAME_*.npy",
     .equation = "W_out s(W_in x_i + b_in) + b_out"});
  v(&S::dynamics, &D::activation, "activation", "activation of the perceptron");
  v(&S::dynamics, &D::direction, "direction",
    "descent reverses every force: V, W_out and b_out change sign");
  v(&S::model, "model", "a trained swarm moves the particles",
    {.values = "none, a training run, FILE.safetensors", .empty = "none"});
  v(&S::init, "init", "where the particles start; points and pictures set n and d");
  v(&S::data, "data", "folder of the pictures of init=test:K; auto: the data of the training",
    {.values = "auto, mnist, fashion-mnist, a folder"});
  v(&S::masses, "masses", "masses, (n), scaled to sum 1",
    {.values = "equal, FILE.npy",
     .equation = "a_ij = m_j e^(s_ij) / sum_k m_k e^(s_ik)",
     .empty = "equal"});
  v(&S::T, "T", "final time", {.unit = kTime, .least = 0, .above = true});
  v(&S::dt, "dt", "step of methods with fixed steps",
    {.equation = "layers: x <- N(x + dt A)", .unit = kTime, .least = 0, .above = true});
  v(&S::method, "method", "how time advances; layers is x <- N(x + dt A)");
  v(&S::tolerance, &Tolerance::rtol, "rtol", "relative tolerance of adaptive methods",
    {.least = 0, .above = true});
  v(&S::tolerance, &Tolerance::atol, "atol", "absolute tolerance of adaptive methods",
    {.least = 0, .above = true});
  v(&S::merge, "merge", "particles closer than this chord become one; 0: never",
    {.values = "0, or at least 10 max(rtol, atol)",
     .equation = "|x_i - x_j| < merge",
     .unit = "distance in R^d"});
  v(&S::dynamics, &D::noise, "noise", "strength 1/kappa of Brownian motion on the habitat",
    {.values = "0 or above", .equation = "dX = v dt + sqrt(2 noise) dB"});
  v(&S::save, "save", "times at which frames are stored",
    {.values = "every:DT, log:COUNT, final", .initial = "every:T/100"});
  v(&S::random, &RandomKey::seed, "seed", "seed of every random stream",
    {.least = 0, .greatest = kMostWhole});
  v(&S::random, &RandomKey::replica, "replica",
    "member of the ensemble: each has its own start, random weights and noise",
    {.least = 0, .greatest = 4'294'967'295});
  v(&S::engine, &EngineChoice::name, "engine", "engine that computes velocities",
    {.form = Form::engine});
  v(&S::engine, &EngineChoice::precision, "precision", "of pair sums and of stored trajectories");
  v(&S::engine, &EngineChoice::threads, "threads", "threads; results never depend on it",
    {.least = 1, .greatest = 4096, .zero = "all"});
  v(&S::cluster_tol, "cluster_tol",
    "particles are linked if <x_i, x_j> > 1 - tol (of directions if only x / |x| matters), or in "
    "R^d if |x_i - x_j| < tol",
    {.least = 0, .above = true});
  v(&S::pair_threshold, "pair_threshold", "close_pairs counts cosines above it",
    {.values = "-1 to 1", .unit = "cosine"});
  v(&S::max_evaluations, "max_evaluations", "velocity evaluations allowed",
    {.least = 1, .greatest = kMostWhole});
}

// A spec with the texts it was read from: errors quote them, and config.toml repeats them.
struct WordedSpec {
  ExperimentSpec spec{};
  Settings words{};  // every parameter
};

// Parses settings; throws Error(input) for the first value that its parameter does not take.
ExperimentSpec spec_of(const Settings& words);
// Writes settings that parse to the same spec; values that differ from the default count as given.
Settings words_of(const ExperimentSpec& spec);

struct ParameterValue {  // one value of a parameter; behind ':' its arguments, as in cap:ANGLE
  const char *name, *meaning;
  const char* example = "";  // the assignments of an example, where NAME=VALUE is not enough
};

// A parameter as help, completion and bindings show it; made from the description of its spec.
struct Parameter {
  enum Kind { number, whole, word, flag } kind;
  const char* name;
  const char* initial;                        // default, as text
  const char* values;                         // its values, as text for help
  const char* meaning;                        // one line
  const char* equation = "";                  // the formula it belongs to
  const char* unit = "";                      // for numbers with a range
  std::span<const ParameterValue> choices{};  // those of `values` that need an explanation
};
std::span<const Parameter> parameters();
std::span<const ParameterValue> engine_values();  // those of `engine`, auto first

// Returns the known name nearest to a misspelt one; empty if none is near.
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
  // The command whose table is read: for a preset only that table, for a file the top level if it
  // has no such table. Empty: the top level without those tables.
  std::string section{};
};
Settings gather(const Sources& sources, std::span<const Parameter> table = parameters());
Settings parse_experiment(
    const std::string& toml, const std::string& where, const std::filesystem::path& folder,
    std::span<const Parameter> table = parameters());  // the settings of the text

// Thresholds for clusters and for close pairs.
struct ObserveChoice {
  double cluster_tol = 1e-3, pair_threshold = 0.999;
};

struct Experiment {
  std::string name = "flock";
  RandomKey random{};  // seed and replica, also of noise and samples
  Dynamics dynamics{};
  HostSwarm swarm{};
  EngineChoice engine{};  // resolved: never auto, and the engine supports the dynamics
  FlowSettings flow{};
  Schedule schedule{};
  ObserveChoice observe{};  // observe_settings makes the settings of it
  std::string config{};     // config.toml: every setting, file inputs as inputs/NAME.npy
  Record inputs{};          // points, masses and matrices from files
};

// Reads files, draws random parts and resolves automatic settings. Throws Error(input) if parts of
// a spec do not fit together.
Experiment make_experiment(const WordedSpec& worded);
Experiment make_experiment(const ExperimentSpec& spec);
Experiment make_experiment(const Settings& settings);

// Returns the settings for observing a frame, with the choices, seed and threads of the experiment.
// The time t of the frame only matters for attention that changes with time.
ObserveSettings observe_settings(const Experiment& experiment, double t = 0);

// Normalises given points: throws Error(input) unless they are finite and, on the sphere, of norm 1
// within 1e-5. The norm then becomes 1; points that fit already keep their bits.
void fit_to_manifold(HostSwarm& x, Manifold manifold, const std::string& where);

// Returns the start of a run of `experiment` that branches from the last checkpoint of `parent`, a
// run of `before`. Throws Error(input) if that state does not fit this experiment.
RunBranch branch_from(const std::filesystem::path& parent, const Experiment& before,
                      const Experiment& experiment);

// Makes the field of an experiment on its engine, without checks: make_experiment has done them.
std::unique_ptr<Field> prepare_field(const Experiment& experiment, Engine& engine);

// Runs the experiment into `run` from its last checkpoint, or from t = 0, on the engine that
// make_engine(experiment.engine) gives.
Outcome simulate(const Experiment& experiment, Engine& engine, Run& run,
                 const ProcessControl& control);

struct VelocityBench {
  int repetitions = 9;
  bool beside_reference = false;  // also times the reference engine, alternately
};
struct VelocitySpeed {
  std::string engine{};          // its full name
  double seconds_best = 0;       // of one velocity of the whole swarm
  double seconds_least = 0;      // lower bound on this machine (0: not known)
  double gpairs_per_second = 0;  // n^2 ordered pairs over seconds_best
  double ratio = 0;              // the reference engine's seconds divided by these; 0: not wanted
};

// Measures how fast the experiment's engine computes velocities. One thread is timed by its
// processor clock, several threads and GPUs by a wall clock. Throws Error(runtime) for a time below
// `seconds_least`.
VelocitySpeed time_velocity(const Experiment& experiment, const VelocityBench& bench);

// The peak rates of a machine, per second.
struct MachineRates {
  double powers = 0;         // powers of two
  double multiply_adds = 0;  // fused
};
// Returns the least time of a sum over all pairs: one power of two for an unordered pair, d
// multiply-adds for its score, d for each of its two values and one for a weight.
double least_pair_seconds(Shape shape, const MachineRates& rates);
// Throws Error(runtime) for a time that is shorter by more than the noise of a probe.
void require_possible(double seconds, double least, const std::string& engine);

// Returns the equation in plain text, with one term per line.
std::string equation_text(const Experiment& experiment, const Settings& settings);

// Describes one step of the method on this manifold and with this layer norm.
std::string method_text(const Experiment& experiment);

// Describes when two particles are linked; clusters are the connected components.
std::string cluster_text(const Experiment& experiment);

// Returns one sentence per known result, with arXiv numbers in brackets; empty if nothing is known.
std::vector<std::string> known_results(const Experiment& experiment);

}  // namespace murmur
