// bounded_sums.h: the sums of a head by the cheapest way, repeated where the bound is too large.
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

}  // namespace murmur::moments
