// parameters.cpp: the table of every parameter: one row parses, documents, completes and writes a
// parameter.
#include <fmt/ranges.h>

#include <algorithm>

#include "experiment/initial.h"
#include "experiment/rows.h"
#include "murmur/flow.h"

namespace murmur {

namespace {

// Lists values that are rows of another table.
template <class Rows>
std::vector<ParameterValue> values_of(const Rows& rows) {
  std::vector<ParameterValue> values;
  for (const auto& row : rows) values.push_back({row.name, row.meaning});
  return values;
}

std::string joined_names(std::span<const ParameterValue> values) {
  std::string text;
  for (const ParameterValue& value : values)
    text += (text.empty() ? "" : ", ") + std::string(value.name);
  return text;
}

constexpr const char* kScore =
    "s_ij = beta <Q x_i, K x_j>, a_ij = m_j e^(s_ij) / sum_k m_k e^(s_ik)";
constexpr ParameterValue kHabitats[] = {
    {"sphere", "the unit sphere of R^d"},
    {"space", "all of R^d"},
    {"ellipsoid", "the ellipsoid of gains", "habitat=ellipsoid gains=1,2,0.5"}};
constexpr ParameterValue kLayersInTime[] = {
    {"constant", "one matrix for all times"},
    {"piecewise", "the layers of a file of matrices act one after another",
     "weights_in_time=piecewise query=layers.npy"},
    {"linear", "the layers of a file of matrices are interpolated linearly in time",
     "weights_in_time=linear query=layers.npy"}};
constexpr ParameterValue kHeadScales[] = {
    {"sum", "the forces of the heads add"},
    {"mean", "the forces of the heads are averaged: V is divided by their number"},
    {"limit", "the mean of infinitely many heads of USA with random scores",
     "dynamics=USA d=8 query=gaussian key=gaussian head_scale=limit"}};
constexpr ParameterValue kClocks[] = {
    {"U1", "weights e^(s_ij)"},
    {"U2", "weights e^(s_ij - beta): t_U2 = e^beta t_U1", "dynamics=USA clock=U2"},
    {"U3", "weights beta e^(s_ij): t_U3 = t_U1 / beta", "dynamics=USA clock=U3"},
    {"U4", "time is the arc length of the whole configuration, divided by ln beta",
     "dynamics=USA clock=U4"}};
constexpr const char* kTime = "time t of the flow; one layer is dt";

}  // namespace

std::span<const Row<ExperimentSpec>> experiment_rows() {
  using namespace codec;
  using P = Parameter;
  using S = ExperimentSpec;
  using D = DynamicsSpec;
  constexpr auto kForces = &S::dynamics;
  static const std::vector<ParameterValue> all_methods = values_of(methods());
  static const std::string dynamics_text = joined_names(interactions());
  static const std::string methods_text = joined_names(all_methods);
  static const std::string engines_text = joined_names(engine_values());
  static const std::string init_text =
      joined_names(initial_laws()) +
      ", points:x,y;x,y;..., FILE.npy; with a model also test:K, train:K, test:K:FINER, FILE.png";
  static const Row<S> table[] = {
      row<S, RunName, &S::name>(
          {P::word, "name", "flock", "a word", "first part of the name of the run directory"}),
      row<S, Given<Whole<1, kMostParticles>>, &S::n>(
          {P::whole, "n", "64", "1 or more", "number of particles (tokens)"}),
      row<S, Given<Whole<2, kMostCoordinates>>, &S::d>(
          {P::whole, "d", "3", "2 or more", "coordinates of each particle"}),
      row<S, Real, kForces, &D::beta>(
          {P::number, "beta", "4", "any number", "inverse temperature of attention", kScore}),
      row<S, Named, kForces, &D::interaction>({P::word, "dynamics", "SA", dynamics_text.c_str(),
                                               "which attention moves the particles", "", "",
                                               interactions()}),
      row<S, GivenManifold, kForces, &D::manifold>(
          {P::word, "habitat", "sphere", "sphere, space, ellipsoid",
           "the space of the particles; by default the one that the dynamics needs", "", "",
           kHabitats}),
      row<S, NamedMatrix, kForces, &D::query>(
          {P::word, "query", "identity",
           "identity, minus-identity, gaussian, goe, wigner, psd, matrix:a,b;c,d;..., FILE.npy, "
           "FILE.safetensors",
           "query matrix Q, (k, d) or (heads, k, d); typed rows serve every head", kScore}),
      row<S, NamedMatrix, kForces, &D::key>({P::word, "key", "identity", "as query",
                                             "key matrix K, (k, d) or (heads, k, d)", kScore}),
      row<S, NamedMatrix, kForces, &D::value>(
          {P::word, "value", "identity", "as query; query-key, minus-query-key",
           "value matrix V, (d, d) or (heads, d, d); query-key is Q^T K",
           "A_i = sum_j a_ij V x_j"}),
      row<S, Named, kForces, &D::weights_in_time>({P::word, "weights_in_time", "constant",
                                                   "constant, piecewise, linear",
                                                   "how matrices change with time, by files with "
                                                   "an axis of layers in front: (layers, k, d) "
                                                   "or (layers, heads, k, d)",
                                                   "", "", kLayersInTime}),
      row<S, Until, kForces, &D::weights_until>({P::word, "weights_until", "T", "T, or above 0",
                                                 "time at which the last layer ends (piecewise) or "
                                                 "is reached (linear); it acts from then on"}),
      row<S, Real, kForces, &D::redraw>(
          {P::number, "redraw", "0", "0 or above",
           "random weights are drawn again after every such time; 0: never", "", kTime}),
      row<S, Given<Whole<1, 65'536>>, kForces, &D::heads>(
          {P::whole, "heads", "1", "1 or more", "number of attention heads; their forces add"}),
      row<S, Named, kForces, &D::head_scale>({P::word, "head_scale", "sum", "sum, mean, limit",
                                              "how the forces of the heads are combined", "", "",
                                              kHeadScales}),
      row<S, Named, kForces, &D::mask>(
          {P::word, "reach", "all", "all, past",
           "the particles that a particle attends to: all, or only those before it"}),
      row<S, Flag, kForces, &D::self>(
          {P::flag, "self", "true", "true, false", "whether a particle attends to itself"}),
      row<S, Named, kForces, &D::relative>(
          {P::word, "relative", "auto", "auto, true, false",
           "V acts on x_j - x_i; auto: for hardmax in R^d and for rescaled"}),
      row<S, Real, kForces, &D::alibi>(
          {P::number, "alibi", "0", "0 or above",
           "lowers the score of earlier particles by alibi / n per position; needs reach=past",
           "s_ij = beta <Q x_i, K x_j> - (alibi / n) (i - j)"}),
      row<S, Named, kForces, &D::clock>({P::word, "clock", "U1", "U1, U2, U3, U4",
                                         "time unit of USA (docs/notation.md)", "", "", kClocks}),
      row<S, Normalisation, kForces, &D::normalisation>(
          {P::word, "normalisation", "post", "post, pre, peri, mix:TAU, ngpt, ngpt:SPEED, sqrt",
           "effect of layer norm on speed and norm (docs/notation.md)"}),
      row<S, Gains, kForces, &D::gains>({P::word, "gains", "none", "none, or g,g,...",
                                         "axes of the ellipsoid, one per coordinate"}),
      row<S, Gains, kForces, &D::gains_end>({P::word, "gains_end", "none", "none, or g,g,...",
                                             "axes at gains_until, reached linearly"}),
      row<S, Until, kForces, &D::gains_until>(
          {P::word, "gains_until", "T", "T, or above 0", "time at which gains_end is reached"}),
      row<S, NamedPerceptron, kForces, &D::perceptron>(
          {P::word, "perceptron", "none",
           "none, gaussian:H, gradient:M, FILE.safetensors, NAME_*.npy",
           "feed-forward force, a separate sublayer after attention",
           "W_out s(W_in x_i + b_in) + b_out"}),
      row<S, Named, kForces, &D::activation>(
          {P::word, "activation", "relu", "relu, gelu, tanh", "activation of the perceptron"}),
      row<S, Named, kForces, &D::direction>(
          {P::word, "direction", "ascent", "ascent, descent",
           "descent reverses every force: V, W_out and b_out change sign"}),
      row<S, NoneOrFile, &S::model>({P::word, "model", "none",
                                     "none, a training run, FILE.safetensors",
                                     "a trained swarm moves the particles"}),
      row<S, InitialWord, &S::init>({P::word, "init", "uniform", init_text.c_str(),
                                     "where the particles start; points and pictures set n and d",
                                     "", "", initial_laws()}),
      row<S, Text, &S::data>(
          {P::word, "data", "auto", "auto, mnist, fashion-mnist, a folder",
           "folder of the pictures of init=test:K; auto: the data of the training"}),
      row<S, EqualOrFile, &S::masses>({P::word, "masses", "equal", "equal, FILE.npy",
                                       "masses, (n), scaled to sum 1",
                                       "a_ij = m_j e^(s_ij) / sum_k m_k e^(s_ik)"}),
      row<S, Positive, &S::T>({P::number, "T", "10", "above 0", "final time", "", kTime}),
      row<S, Positive, &S::dt>({P::number, "dt", "0.1", "above 0",
                                "step of methods with fixed steps", "layers: x <- N(x + dt A)",
                                kTime}),
      row<S, MethodName, &S::method>({P::word, "method", "dopri5", methods_text.c_str(),
                                      "how time advances; layers is x <- N(x + dt A)", "", "",
                                      all_methods}),
      row<S, Positive, &S::tolerance, &Tolerance::rtol>(
          {P::number, "rtol", "1e-8", "above 0", "relative tolerance of adaptive methods"}),
      row<S, Positive, &S::tolerance, &Tolerance::atol>(
          {P::number, "atol", "1e-10", "above 0", "absolute tolerance of adaptive methods"}),
      row<S, Real, &S::merge>({P::number, "merge", "0", "0, or at least 10 max(rtol, atol)",
                               "particles closer than this chord become one; 0: never",
                               "|x_i - x_j| < merge", "distance in R^d"}),
      row<S, Real, kForces, &D::noise>({P::number, "noise", "0", "0 or above",
                                        "strength 1/kappa of Brownian motion on the habitat",
                                        "dX = v dt + sqrt(2 noise) dB"}),
      row<S, Given<Save>, &S::save>({P::word, "save", "every:T/100", "every:DT, log:COUNT, final",
                                     "times at which frames are stored"}),
      row<S, Whole<0, kMostWhole>, &S::random, &RandomKey::seed>(
          {P::whole, "seed", "0", "0 or more", "seed of every random stream"}),
      row<S, Whole<0, 4'294'967'295>, &S::random, &RandomKey::replica>(
          {P::whole, "replica", "0", "0 or more",
           "member of the ensemble: each has its own start, random weights and noise"}),
      row<S, EngineName, &S::engine, &EngineChoice::name>(
          {P::word, "engine", "auto", engines_text.c_str(), "engine that computes velocities", "",
           "", engine_values()}),
      row<S, Named, &S::engine, &EngineChoice::precision>(
          {P::word, "precision", "f64", "f32, f64", "of pair sums and of stored trajectories"}),
      row<S, Threads, &S::engine, &EngineChoice::threads>(
          {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"}),
      row<S, Positive, &S::cluster_tol>(
          {P::number, "cluster_tol", "0.001", "above 0",
           "particles are linked if <x_i, x_j> > 1 - tol (of directions if only x / |x| matters), "
           "or in R^d if |x_i - x_j| < tol"}),
      row<S, Real, &S::pair_threshold>({P::number, "pair_threshold", "0.999", "-1 to 1",
                                        "close_pairs counts cosines above it", "", "cosine"}),
      row<S, Whole<1, kMostWhole>, &S::max_evaluations>(
          {P::whole, "max_evaluations", "1000000000", "1 or more", "velocity evaluations allowed"}),
  };
  return table;
}

std::span<const Parameter> parameters() {
  static const std::vector<Parameter> table = parameters_of(experiment_rows());
  return table;
}

const Row<ExperimentSpec>& experiment_row(const std::string& name) {
  return row_named(experiment_rows(), name);
}

ExperimentSpec spec_of(const Settings& words) {
  ExperimentSpec spec;
  for (const Row<ExperimentSpec>& row : experiment_rows())
    row.read(words, row.parameter.name, spec);
  return spec;
}

DynamicsSpec dynamics_spec_of(const Settings& words) {
  ExperimentSpec spec;
  for (const Row<ExperimentSpec>& row : experiment_rows())
    if (row.of_dynamics && words.count(row.parameter.name) != 0)
      row.read(words, row.parameter.name, spec);
  return spec.dynamics;
}

Settings words_of(const ExperimentSpec& spec) {
  return words_by(experiment_rows(), spec, "the experiment");
}

namespace {

// Levenshtein distance: insertions, deletions and changes from a to b.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  for (const std::string& candidate : known)
    if (word.size() >= 3 && candidate.rfind(word, 0) == 0) return candidate;
  std::string best;
  std::size_t min = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known)
    if (const std::size_t steps = distance(word, candidate); steps < min) {
      min = steps;
      best = candidate;
    }
  return best;
}

}  // namespace murmur
