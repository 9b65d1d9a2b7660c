// bounded_sums.h: the sums of a head by the cheapest way, and again where its bound is too large.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/moments/circle_transform.h"
#include "engine/moments/fixed_point.h"
#include "engine/moments/harmonic_sums.h"
#include "engine/moments/sums.h"
#include "engine/moments/transform_sums.h"

namespace murmur::moments {

struct SumsSetup {
  Shape shape{};                   // of the swarm; n may shrink
  bool sphere = true;              // whether the particles are unit vectors
  double reach = 0;                // at least |u_i| of every target
  std::optional<double> length{};  // |u_i| where all are that long, but for rounding
  bool mean = true;                // false: weights alone are wanted
  double cut = 5e-15;              // wanted of what a series leaves out, over its largest value
  double tolerance = 1e-10;        // of the bounds (sums.h); larger ones are summed again
  int threads = 0;
  const Reduction* ranks = nullptr;
  std::optional<Way> way{};  // to begin with, where the setup has it; nothing: the cheapest
};

// What a way would cost, in nanoseconds of one core, from rates that bench/results/moments.md has.
struct WayCost {
  Way way;
  double nanoseconds;
  int degree;  // of its series; 0: it has none
};
// All ways that a setup has, the cheapest first. A series is not among them where its degree would
// be too high.
std::vector<WayCost> ways_of(const SumsSetup& setup);

// Series and moments of one swarm that several heads need, made once.
class SharedMoments {
 public:
  const HarmonicSums& sums(int d, int degree);
  const HarmonicMoments& moments(const HostSwarm& x, int degree, const SumsSetup& setup);
  const TransformSums& transform(double rho, double cut);
  const CircleTransform& circle(double rho, double cut);
  void forget() { moments_.clear(); }  // the swarm has moved

 private:
  std::map<std::pair<int, int>, HarmonicSums> sums_{};
  std::map<std::pair<double, double>, TransformSums> transforms_{};
  std::map<std::pair<double, double>, CircleTransform> circles_{};
  std::map<int, HarmonicMoments> moments_{};  // by degree
};

// Of one evaluation.
struct SumsAccount {
  int degree = 0;           // of the series, the highest
  std::int64_t cells = 0;   // targets that were summed again by cells, or by cells at once
  std::int64_t direct = 0;  // targets that were summed pair by pair: their bounds are certified
};

class BoundedSums {
 public:
  explicit BoundedSums(const SumsSetup& setup);

  const std::vector<WayCost>& ways() const { return ways_; }

  // Writes u_i of the targets `rows` to u (d, stride).
  using Fill = std::function<void(std::span<const int> rows, double* u, std::size_t stride)>;
  // Takes what was summed for the targets `rows`: each target once. Called from several threads.
  using Done = std::function<void(std::span<const int> rows, const SumsResult& result)>;
  // The sums at targets 0 .. n - 1.
  SumsAccount evaluate(const HostSwarm& x, int n, SharedMoments& shared, const Fill& fill,
                       const Done& done) const;

 private:
  struct Work;
  // Sums at up to `block` targets at once.
  struct Evaluation {
    int block;
    std::function<void(const Targets& u, const SumsResult& out)> at;
  };
  Evaluation ready(Work& work, const WayCost& way) const;
  std::vector<int> by_series(Work& work, const Evaluation& series, int n,
                             std::span<const int> given) const;
  void by_lists(Work& work, std::span<const int> rows) const;
  void by_shared_cells(Work& work, std::span<const int> rows) const;
  double on_all_ranks(std::span<const int> rows) const;

  SumsSetup setup_;
  std::vector<WayCost> ways_;
};

}  // namespace murmur::moments
