// engine.h: the interface between a Dynamics and the machine that computes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/matrix.h"
#include "murmur/random.h"
#include "murmur/swarm.h"

namespace murmur {

struct Tolerance {
  double rtol = 1e-8, atol = 1e-10;
};

struct Term {  // one term scale * along of a step
  double scale;
  const Swarm* along;
};

// Brownian motion for one time step; every draw is a function of key, moment and particle (stream
// `noise` of random.h), and not of engine, thread or rank.
struct NoiseStep {
  double noise;  // D: dX = sqrt(2 D) dB
  double h;      // length of time
  RandomKey random;
  std::int64_t moment;  // 2 step, and 2 step + 1 for the second part of a step
};

// Two particles closer than a given chord; i < 0: there are none.
struct ClosePair {
  double square = 0;   // of the chord
  int i = -1, j = -1;  // rows, i < j
};

// Error bounds of the evaluations of a field. A bound is certified if each part of it is proved. It
// is estimated if a part of it was measured: tests compare the allowances for rounding in series
// and cells, and for the window of transforms, with sums in long double.
struct ErrorBound {
  // (n) on the error of each particle's sum of forces, before layer norm and clock; last evaluation
  std::vector<double> bound{};
  double worst = 0;         // the largest of these
  double worst_ever = 0;    // of all evaluations of the field
  bool certified = false;   // the bounds of the last evaluation; else they are estimated
  int orders = 0;           // terms of the longest series
  std::int64_t direct = 0;  // particles summed pair by pair instead
  const char* kind() const { return certified ? "certified" : "estimated"; }
};

// Sums over the particles of a swarm, with u_i = x_i, or x_i / |x_i| if the dynamics changes norms
// (moves_norms in dynamics.h).
struct ParticleSums {
  // Every |x_ik| < 1e150, so that squares are finite; else there are no sums
  bool measurable = false;
  Vector mean{};          // (d) sum_i m_i u_i
  double radius = 0;      // sum_i m_i |x_i|
  double norm_drift = 0;  // max_i | |x_i| - 1 |
  // The smaller Gram matrix of U (n, d), lower triangle: U U^T (n, n) for n <= d, else U^T U (d,
  // d).
  Matrix gram{};
};

// Large swarms are sampled: above max_exact particles, if there are more than `pairs` pairs,
// `pairs` draws with replacement (stream `pairs` of random.h), the same for every frame.
struct PairSample {
  std::uint64_t seed = 0;
  int max_exact = 20'000;
  std::int64_t pairs = 10'000'000;
};

// The wanted sums of the scores c_ij = <w_i, D w_j>, w = u or u / |u|.
struct PairRequest {
  bool directions = false;      // w = u / |u|; 0 at the origin
  Matrix matrix{};              // D (d, d), symmetric; empty means identity
  double beta = 0, anchor = 0;  // of the Gibbs sum; beta = 0: not wanted
  double threshold = 1;         // of the close pairs
  PairSample sample{};
  int threads = 0;  // for engines in host memory; 0: all cores. No result depends on it
};

struct PairSums {
  // Over the visited pairs i < j, each counted once; NaN if there is none.
  double pairs = 0;
  double mean = 0, min = 0, max = 0;
  double close = 0;  // fraction above the threshold
  // sum_ij m_i m_j e^{beta (c_ij - anchor)} over all i, j. If sampled, the pairs i != j are scaled
  // to their weight 1 - sum_i m_i^2; i = j is always exact.
  double gibbs = 0;
};

// A Dynamics prepared on one engine for one shape of swarm; owns all scratch memory. n may shrink
// after `prepare` (merging), but never grow. All that a flow needs between two frames, and the sums
// behind observables, are operations of the field, so that a swarm leaves its device only for
// frames and checkpoints.
class Field {
 public:
  virtual ~Field() = default;
  virtual const Dynamics& dynamics() const = 0;  // with manifold and noise
  virtual int sublayers() const = 0;
  virtual bool active(double, int) const { return true; }  // whether a sublayer acts at time t
  // Computes A(t, x) of one sublayer before projection, which the method `layers` adds; |x| A if
  // the layer norm only rotates x.
  virtual void drift(double t, int sublayer, const Swarm& x, Swarm& a) = 0;
  // Computes the sum of all sublayers, projected onto the tangent space at x.
  virtual void velocity(double t, const Swarm& x, Swarm& v) = 0;
  // y = retract(x + sum of terms); y may be x. Masses are copied.
  virtual void retract(const Swarm& x, std::span<const Term> terms, Swarm& y) = 0;
  // If the layer norm only rotates x at time t (`mix` while t <= mix_until), gives y the lengths of
  // x. Methods with fixed steps call this at the end of a step from x; t is the time of its last
  // velocity.
  virtual void keep_lengths(double t, const Swarm& x, Swarm& y) = 0;
  // sqrt( mean_i ( |a_i - b_i| / (atol + rtol max(|a_i|, |b_i|)) )^2 ): a step is accepted up to 1.
  virtual double error_norm(const Swarm& a, const Swarm& b, Tolerance tolerance) = 0;
  // out_i = sqrt(2 D h) xi_i, xi standard normal in the tangent space at x: Euler-Maruyama's term.
  virtual void noise_increment(const NoiseStep& step, const Swarm& x, Swarm& out) = 0;
  // Carries x along Brownian motion for h: exact in R^d and on the circle, weakly of second order
  // on other spheres.
  virtual void diffuse(const NoiseStep& step, const Swarm& x, Swarm& y) = 0;
  // The nearest two particles with a chord below delta; ties go to the lower rows.
  virtual ClosePair nearest_pair(const Swarm& x, double delta) = 0;
  // Sums of observables (observe.h), in double.
  virtual ParticleSums particle_sums(const Swarm& x, int threads) = 0;
  virtual PairSums pair_sums(const Swarm& x, const PairRequest& request) = 0;
  // Waits until all work is done: a device may still compute after `velocity` has returned. To be
  // called before a clock is read (timed_seconds in core/timed.h).
  virtual void wait() const {}
  // Whether a device does the work, so that processor time does not measure it.
  virtual bool on_device() const { return false; }
  // The error bounds of the engine; nullptr: it has none.
  virtual const ErrorBound* error_bound() const { return nullptr; }
};

// Why an engine cannot compute a dynamics, as the second and fourth part of an Error.
struct Unsupported {
  std::string what, remedy;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  // "reference", "simd f32 (AVX3)", ...
  // Returns nothing if the engine supports this dynamics, else the reason. Implementations name
  // every case of every force.
  virtual std::optional<Unsupported> unsupported_reason(const Dynamics& dynamics,
                                                        Shape shape) const = 0;
  // Throws Error(input) if `unsupported_reason` returns a reason.
  std::unique_ptr<Field> prepare(const Dynamics& dynamics, Shape shape);
  // The same for a dynamics that the caller has checked with `unsupported_reason`.
  std::unique_ptr<Field> prepare_known(const Dynamics& dynamics, Shape shape);
  virtual std::unique_ptr<Swarm> place(const HostSwarm& x) = 0;
  virtual HostSwarm fetch(const Swarm& x) = 0;

 private:
  virtual std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) = 0;
};

enum class Precision { f32, f64 };

struct EngineChoice {
  std::string name = "auto";             // auto, reference, simd, moments, cuda
  Precision precision = Precision::f64;  // of the pair sums; positions are double everywhere
  int threads = 0;                       // 0: all cores
};

std::unique_ptr<Engine> make_reference_engine();
std::unique_ptr<Engine> make_simd_engine(Precision precision, int threads);

// Returns the error bound of an engine by its name and precision; nothing if it has no bound.
std::optional<double> error_tolerance(const EngineChoice& choice);

// The names of engines, `auto` first, for parser, help and errors.
std::vector<std::string> engine_words();

// Chooses the engine. `auto` takes `reference` up to n^2 d = 32,768 in double precision, and for
// dynamics that simd does not support, else `simd`; `moments` (moments.h) in double precision if it
// costs less than pairs with an error bound of 1e-10: beta up to 100, from 4,096 particles on with
// Q = K = I, else from 20,000 on. Never `cuda`. Throws Error(input) if the requested engine does
// not support the dynamics, or not in this precision; Error(tool) if there is no GPU. A simulation
// calls `unsupported_reason` only here.
std::string resolve_engine(const EngineChoice& choice, Shape shape, const Dynamics& dynamics);
// Makes the engine of a choice that resolve_engine returned, without further checks.
std::unique_ptr<Engine> make_engine(const EngineChoice& resolved);
// Both steps, for a dynamics without an experiment.
std::unique_ptr<Engine> make_engine(const EngineChoice& choice, Shape shape,
                                    const Dynamics& dynamics);

}  // namespace murmur
