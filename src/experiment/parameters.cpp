// parameters.cpp: the table of every parameter: one row parses, documents, completes and writes it.
#include <algorithm>

#include "murmur/experiment.h"

namespace murmur {

std::span<const Parameter> parameters() {
  using P = Parameter;
  static const std::string methods_text = method_names();
  static const Parameter table[] = {
      {P::word, "name", "flock", "a word", "first part of the run directory's name"},
      {P::whole, "n", "64", "1 or more", "number of particles (tokens)"},
      {P::whole, "d", "3", "2 or more", "coordinates of each particle"},
      {P::number, "beta", "4", "any number", "inverse temperature of attention"},
      {P::word, "dynamics", "SA", "SA, USA, causal, hardmax, sinkhorn, euclidean, rescaled, none",
       "softmax attention, unnormalised, softmax over the past, the nearest alone, doubly "
       "stochastic, softmax in R^d, the same rescaled by e^{-tV}, or no attention at all"},
      {P::word, "habitat", "sphere", "sphere, space, ellipsoid",
       "unit sphere, all of R^d, or the ellipsoid of gains; unless given, as the dynamics needs"},
      {P::word, "query", "identity",
       "identity, minus-identity, gaussian, goe, wigner, psd, matrix:a,b;c,d;..., FILE.npy",
       "query matrix Q, (k, d) or (heads, k, d); typed rows serve every head"},
      {P::word, "key", "identity", "as query", "key matrix K, (k, d) or (heads, k, d)"},
      {P::word, "value", "identity", "as query; query-key, minus-query-key",
       "value matrix V, (d, d) or (heads, d, d); query-key is Q^T K"},
      {P::number, "redraw", "0", "0 or above",
       "random weights are drawn anew after every such time; 0 never"},
      {P::whole, "heads", "1", "1 or more", "number of attention heads; their forces add"},
      {P::word, "reach", "all", "all, past", "whom a particle sees: all, or those before it"},
      {P::flag, "self", "true", "true, false", "whether a particle attends to itself"},
      {P::word, "relative", "auto", "auto, true, false",
       "V acts on x_j - x_i; auto: for hardmax in R^d and for rescaled"},
      {P::number, "alibi", "0", "0 or above",
       "those far back count less, by the slope alibi / n a place; needs the past alone"},
      {P::word, "clock", "U1", "U1, U2, U3, U4", "time unit of USA (docs/notation.md)"},
      {P::word, "normalisation", "post", "post, pre, peri, mix:TAU, ngpt, ngpt:SPEED, sqrt",
       "what layer norm does to speed and norm (docs/notation.md)"},
      {P::word, "gains", "none", "none, or g,g,...", "axes of the ellipsoid, one a coordinate"},
      {P::word, "gains_end", "none", "none, or g,g,...", "axes at gains_until, reached in a line"},
      {P::word, "gains_until", "T", "T, or above 0", "when gains_end is reached"},
      {P::word, "perceptron", "none", "none, gaussian:H, gradient:M, FILE.safetensors, NAME_*.npy",
       "feed-forward force, its own phase after attention"},
      {P::word, "activation", "relu", "relu, gelu, tanh", "activation of the perceptron"},
      {P::word, "direction", "ascent", "ascent, descent",
       "descent turns every force round: V and W_out change sign"},
      {P::word, "model", "none", "none, a training run, FILE.safetensors",
       "a trained swarm moves the particles"},
      {P::word, "init", "uniform",
       "uniform, hemisphere, cap:ANGLE, orthonormal, equiangular:RHO, clusters:K[:SPREAD], "
       "gaussian, box:A, points:x,y;x,y;..., FILE.npy; with a model also test:K, train:K, "
       "test:K:FINER, FILE.png",
       "where the particles start; points and pictures set n and d"},
      {P::word, "data", "auto", "auto, mnist, fashion-mnist, a folder",
       "where the pictures of init=test:K are; auto: where the model learned"},
      {P::word, "masses", "equal", "equal, FILE.npy", "masses, (n), scaled to sum 1"},
      {P::number, "T", "10", "above 0", "final time"},
      {P::number, "dt", "0.1", "above 0", "step of methods with fixed steps"},
      {P::word, "method", "dopri5", methods_text.c_str(),
       "how time advances; layers is x <- N(x + dt A)"},
      {P::number, "rtol", "1e-8", "above 0", "relative tolerance of adaptive methods"},
      {P::number, "atol", "1e-10", "above 0", "absolute tolerance of adaptive methods"},
      {P::number, "merge", "0", "0, or at least 10 max(rtol, atol)",
       "particles closer than this chord become one; 0 never"},
      {P::number, "noise", "0", "0 or above", "strength 1/kappa of Brownian motion on the habitat"},
      {P::word, "save", "every:T/100", "every:DT, log:COUNT, final", "when frames are kept"},
      {P::whole, "seed", "0", "0 or more", "seed of every random stream"},
      {P::whole, "replica", "0", "0 or more",
       "which member of the ensemble: its own start, random weights and noise"},
      {P::word, "engine", "auto", "auto, reference, simd, moments",
       "what computes velocities; moments: many particles on the circle"},
      {P::word, "precision", "f64", "f32, f64", "of pair sums and of stored trajectories"},
      {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"},
      {P::number, "cluster_tol", "0.001", "above 0",
       "linked when <x_i, x_j> > 1 - tol; in R^d when |x_i - x_j| < tol"},
      {P::number, "pair_threshold", "0.999", "-1 to 1", "close_pairs counts cosines above it"},
      {P::whole, "max_evaluations", "1000000000", "1 or more", "velocity evaluations allowed"},
  };
  return table;
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
