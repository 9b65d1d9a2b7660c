// head_sums.h: the force of one attention head on every particle, by sums with bounds: the cheapest
// way first, repeated where its bound is too large; and the sums of energies and of their modes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/moments/harmonic_sums.h"
#include "engine/moments/sums.h"
#include "engine/moments/transform_sums.h"
#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/swarm.h"

namespace murmur::moments {

struct SumsSetup {
  Shape shape{};                   // of the swarm; n may shrink
  bool sphere = true;              // whether the particles are unit vectors
  double reach = 0;                // at least |u_i| of every target
  std::optional<double> length{};  // |u_i| if all are equal up to rounding
  bool mean = true;                // false: weights only
  double cut = 5e-15;              // of a series: the remainder over the largest value
  double tolerance = 1e-10;        // of the bounds (sums.h); sums with larger ones are repeated
  int threads = 0;
  const Reduction* ranks = nullptr;
  std::optional<Way> way{};  // the first to try, if the setup has it; nothing: the cheapest
};

// The expected cost of a way in nanoseconds of one core, from the rates in
// bench/results/moments.md.
struct WayCost {
  Way way;
  double nanoseconds;
  int degree;  // of its series; 0: no series
};
// Returns all ways that a setup has, the cheapest first. A series of too high a degree is left out.
std::vector<WayCost> ways_of(const SumsSetup& setup);

// Series and moments of one swarm, which are computed once for several heads.
class SharedMoments {
 public:
  const HarmonicSums& sums(int d, int degree);
  const HarmonicMoments& moments(const HostSwarm& x, int degree, const SumsSetup& setup);
  const TransformSums& transform(double rho, double cut);
  const CircleTransform& circle(double rho, double cut);
  void clear_moments() { moments_.clear(); }  // after the swarm has moved

 private:
  std::map<std::pair<int, int>, HarmonicSums> sums_{};
  std::map<std::pair<double, double>, TransformSums> transforms_{};
  std::map<std::pair<double, double>, CircleTransform> circles_{};
  std::map<int, HarmonicMoments> moments_{};  // by degree
};

// Counts of one evaluation.
struct SumsCounts {
  int degree = 0;           // the highest of the series
  std::int64_t cells = 0;   // targets summed by cells
  std::int64_t direct = 0;  // targets summed pair by pair: their bounds are certified
};

class BoundedSums {
 public:
  explicit BoundedSums(const SumsSetup& setup);

  const std::vector<WayCost>& ways() const { return ways_; }

  // Writes u_i of the targets `rows` to u (d, stride).
  using Fill = std::function<void(std::span<const int> rows, double* u, std::size_t stride)>;
  // Receives the sums of the targets `rows`, each target once. Called from several threads.
  using Done = std::function<void(std::span<const int> rows, const SumsResult& result)>;
  // Sums at the targets 0 .. n - 1.
  SumsCounts evaluate(const HostSwarm& x, int n, SharedMoments& shared, const Fill& fill,
                      const Done& done) const;

 private:
  struct Work;
  // Sums at up to `block` targets at once.
  struct Evaluation {
    int block;
    std::function<void(const Targets& u, const SumsResult& out)> at;
  };
  Evaluation prepare_series(Work& work, const WayCost& way) const;
  std::vector<int> sum_by_series(Work& work, const Evaluation& series, int n,
                                 std::span<const int> given) const;
  void sum_listed(Work& work, std::span<const int> rows) const;
  void sum_by_shared_cells(Work& work, std::span<const int> rows) const;
  double count_on_all_ranks(std::span<const int> rows) const;

  SumsSetup setup_;
  std::vector<WayCost> ways_;
};

// An Attention prepared for sums, with query, key and biases folded into the targets:
//   s_ij = beta <Q x_i + b_Q, K x_j + b_K> = <u_i, x_j> + c_i
//   u_i = G x_i + g,   G = beta K^T Q,   g = beta K^T b_Q
//   c_i = <t, x_i> + t_0,   t = beta Q^T b_K,   t_0 = beta <b_Q, b_K>
// in long double. If products of K and Q cancel, the error of an entry is more than its last digit:
// *_off bounds the length of the error.
struct FoldedHead {
  bool softmax = true;      // false: unnormalised
  bool relative = false;    // V acts on x_j - x_i
  Matrix query_key{};       // G (d, d)
  Vector query_key_bias{};  // (d) g
  Vector offset_slope{};    // (d) t
  double offset = 0;        // t_0 minus the exponent of the clock
  double rate = 1;          // of the clock
  Matrix value{};           // (d, d); empty: the identity
  Vector value_bias{};      // (d); empty: zero
  // Frobenius norms of matrices, and lengths of vectors.
  double query_key_size = 0, query_key_bias_size = 0, offset_slope_size = 0, value_size = 1,
         value_bias_size = 0;
  double query_key_off = 0, query_key_bias_off = 0, offset_slope_off = 0, offset_off = 0;
  double reach = 0;                // a tight upper bound of |u| over unit vectors
  std::optional<double> length{};  // |u| of every unit vector, if all are equal
};
FoldedHead fold_head(const Attention& head, Clock clock, int d);

// Returns the setup with the fields that depend on the head.
SumsSetup with_head(const FoldedHead& head, SumsSetup setup);

// Writes u_i of the particles `rows` to u (d, stride).
void compute_targets(const FoldedHead& head, const HostSwarm& x, std::span<const int> rows,
                     double* u, std::size_t stride);

class HeadSums {
 public:
  // `setup` as for with_head.
  HeadSums(const FoldedHead& head, SumsSetup setup);

  const FoldedHead& head() const { return head_; }
  const BoundedSums& sums() const { return sums_; }

  // a_i += A_i, and bound_i += a bound on its error: of the sums, of u_i, of the products after
  // them, and of `additions` to a_i.
  SumsCounts add(const HostSwarm& x, int additions, SharedMoments& shared, HostSwarm& a,
                 std::vector<double>& bound) const;

 private:
  // The origin c of the sources x'_j = x_j - c. In space it is the middle of a cloud that is
  // further from 0 than it is wide, so that rounding is relative to its width. This subtracts <u_i,
  // c> from the scores, which does not change a softmax.
  struct Origin {
    double farthest = 1;      // max |x'_j|
    std::vector<double> c{};  // (d); empty: 0, and the sources are the swarm
    double length = 0;        // |c|
    HostSwarm sources{};      // x'_j
    bool moved() const { return !c.empty(); }
  };
  Origin origin_of(const HostSwarm& x) const;

  struct Row {
    int i;               // of the swarm
    const double* mean;  // from the origin; coordinate k at mean[k * stride]
    std::size_t stride;
    double weight, shift, weight_bound, mean_bound;
  };
  double add_row(const HostSwarm& x, const Origin& origin, const Row& row, int additions,
                 HostSwarm& a) const;

  FoldedHead head_;
  SumsSetup setup_;
  BoundedSums sums_;
};

//   k(x, y) = e^{beta (<x, D y> - anchor)}, D symmetric; empty: the identity
struct PairKernel {
  double beta = 1;
  Matrix matrix{};
  double anchor = 0;
};

// The sums at place x_i over sources y_j of masses m_j.
struct KernelSum {
  int i;
  double value;        // sum_j m_j k(x_i, y_j)
  double value_bound;  // on its relative error
  // (d) sum_j m_j k(x_i, y_j) y_j / value, coordinate k at mean[k * stride]; null: not requested
  const double* mean;
  std::size_t stride;
  double mean_bound;  // on the length of its error
};

class KernelSums {
 public:
  // `setup` has the fields that do not depend on the kernel: shape, sphere (of places too), mean,
  // tolerance, threads.
  KernelSums(const PairKernel& kernel, const SumsSetup& setup);

  // Calls `done` once per place, from several threads.
  void evaluate(const HostSwarm& y, const HostSwarm& places,
                const std::function<void(const KernelSum&)>& done);

 private:
  PairKernel kernel_;
  FoldedHead head_;
  SumsSetup setup_;
  BoundedSums sums_;
  SharedMoments shared_{};
};

// Returns sum_ij m_i m_j e^{beta (c_ij - anchor)} of a request, c_ij = <w_i, D w_j>, to 1e-10 of
// itself, and the same for any number of threads. `sphere`: the w are unit vectors. At most
// kMostCoordinates.
double gibbs_sum(const HostSwarm& w, bool sphere, const PairRequest& request);

//   a_k = sum_ij m_i m_j C_k(x_i . x_j) / C_k(1) = sum over S of degree k of |sum_j m_j S(x_j)|^2
//         / (square of S), over the dimension of that degree            (harmonics.h)
// for the directions of a swarm, k = 0 .. modes. No series is cut. The bound is for rounding, that
// of the directions included, in units of the square of the total mass.
struct ModeSums {
  std::vector<double> power{};  // (modes + 1) a_k
  std::vector<double> bound{};  // (modes + 1) on |computed a_k - a_k|
};
// Returns nothing if d, or the degree at that d, is too high.
std::optional<ModeSums> mode_sums(const HostSwarm& directions, int modes, int threads);

// Returns the cost in nanoseconds of one core (bench/results/moments.md); infinite if there are no
// such sums.
double mode_sums_cost(Shape shape, int modes);

}  // namespace murmur::moments
