// moments_engine.cpp: the engine and the field that sum attention by moments of the swarm, and the
// bounds that are known beforehand.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <variant>

#include "core/axes.h"
#include "core/forces.h"
#include "core/host_field.h"
#include "core/overloaded.h"
#include "core/parallel.h"
#include "core/sums.h"
#include "engine/moments/circle_sums.h"
#include "engine/moments/harmonic_sums.h"
#include "engine/moments/head_sums.h"
#include "engine/moments/moments.h"
#include "engine/moments/transform_sums.h"
#include "murmur/error.h"

namespace murmur {

namespace moments {

namespace {

constexpr double kSharpestCircle = 200;  // above it transforms cost less (bench/results/moments.md)

// Returns c if V = c I.
std::optional<double> scalar_of(const Matrix& value) {
  if (value.empty()) return 1.0;
  if (value == scaled_identity(2, value(0, 0))) return value(0, 0);
  return std::nullopt;
}

struct CircleHead {
  CircleSums sums;
  bool softmax;
  double scale;  // of a plain head: the sums are those of e^{s - beta}
  Matrix value;
  double value_size;
};

double length_of(const std::array<double, kMostCoordinates>& x, int d) {
  return std::sqrt(std::inner_product(x.begin(), x.begin() + d, x.begin(), 0.0));
}

// Returns the rounding of the scale of a head on the circle, of V in two coordinates and of the
// additions to other forces, for |V| = 1.
double products_error(double scale, int additions) { return (4 + additions) * 0x1p-53 * scale; }

// Returns whether forces are computed at unit vectors.
bool on_sphere(const Dynamics& dynamics) {
  return (dynamics.manifold == Manifold::sphere || moves_norms(dynamics)) &&
         dynamics.gain.empty() && dynamics.gain_end.empty();
}

int forces_acting(const Dynamics& dynamics, double t) {
  int count = 0;
  for (const Sublayer& sublayer : dynamics.sublayers)
    if (sublayer.active(t)) count += static_cast<int>(sublayer.forces.size());
  return count;
}

SumsSetup setup_for(const Dynamics& dynamics, Shape shape, const MomentsChoice& choice,
                    const Reduction* ranks = nullptr) {
  return {.shape = shape,
          .sphere = on_sphere(dynamics),
          .cut = choice.tolerance / 200,
          .tolerance = choice.pairs_above,
          .threads = choice.threads,
          .ranks = ranks,
          .way = choice.way};
}

// Returns whether the drift of a head on the circle is one Fourier series (circle_sums.h): query
// and key the identity, beta >= 0, no biases.
bool is_circle_head(const Attention& a, const Dynamics& dynamics, int d) {
  return d == 2 && on_sphere(dynamics) && is_identity(a.query) && is_identity(a.key) &&
         a.query_bias.empty() && a.key_bias.empty() && a.value_bias.empty() && a.beta >= 0 &&
         a.beta <= kSharpestCircle && !a.relative;
}

// Returns a bound on the error of an unnormalised head of |V| = 1 that is one Fourier series, times
// `scale`, including its addition to that many other forces.
double circle_bound(const CircleSums& sums, int n, double scale, int additions) {
  return sums.plain_error(n) * scale + products_error(scale, additions);
}

// Returns an upper bound of |V x| over unit vectors x.
double size_of(const Matrix& value) {
  if (value.empty()) return 1;
  const double square =
      std::inner_product(value.data.begin(), value.data.end(), value.data.begin(), 0.0);
  return std::sqrt(square);
}

// Returns the cost of one evaluation of a head in nanoseconds of one core.
double cost_of(const Attention& a, const Dynamics& dynamics, Shape shape) {
  constexpr double kParticle = 10, kOrder = 0.55;  // nanoseconds (bench/results/moments.md)
  if (is_circle_head(a, dynamics, shape.d))
    return shape.n * (kParticle + kOrder * orders_for(a.beta, MomentsChoice{}.tolerance / 1000));
  const SumsSetup setup = setup_for(dynamics, shape, {.pairs_above = kMomentsPromise});
  return ways_of(with_head(fold_head(a, dynamics.clock, shape.d), setup)).front().nanoseconds;
}

// The ranks of the current share; without a share this rank has all particles.
class ShareReduction final : public Reduction {
 public:
  void sum(std::span<Fixed> parts) const override {
    if (share == nullptr) return;
    static_assert(sizeof(Fixed) == 2 * sizeof(std::uint64_t));
    std::vector<std::uint64_t> halves;
    halves.reserve(2 * parts.size());
    for (const Fixed part : parts) {
      halves.push_back(static_cast<std::uint64_t>(part));
      halves.push_back(static_cast<std::uint64_t>(part >> 64));
    }
    share->ranks().add(halves);
    for (std::size_t e = 0; e < parts.size(); ++e)
      parts[e] = static_cast<Fixed>(static_cast<Wide>(halves[2 * e + 1]) << 64 | halves[2 * e]);
  }
  double largest(double of_this_rank) const override {
    if (share != nullptr) share->ranks().largest({&of_this_rank, 1});
    return of_this_rank;
  }
  const HostSwarm& everybody(const HostSwarm& own, bool needed) const override {
    return share != nullptr && largest(needed ? 1 : 0) > 0 ? share->everybody(own) : own;
  }
  std::vector<double> gathered(std::span<const double> own, std::size_t& first) const override {
    first = 0;
    if (share == nullptr) return {own.begin(), own.end()};
    Ranks& ranks = share->ranks();
    const std::vector<std::int64_t> sizes = ranks.gather(static_cast<std::int64_t>(own.size()));
    const std::vector<int> counts(sizes.begin(), sizes.end());
    for (int r = 0; r < ranks.rank(); ++r) first += static_cast<std::size_t>(counts[r]);
    std::vector<double> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    ranks.gather(own, counts, all);
    return all;
  }

  Share* share = nullptr;

 private:
  __extension__ using Wide = unsigned __int128;
};

class MomentsField final : public HostField {
 public:
  MomentsField(const Dynamics& dynamics, Shape shape, const MomentsChoice& choice)
      : HostField(dynamics, shape), choice_(choice) {
    for (const Sublayer& sublayer : dynamics_.sublayers) {
      auto& heads = heads_.emplace_back();
      for (const Force& force : sublayer.forces)
        std::visit(Overloaded{[&](const Attention& a) { heads.push_back(head_of(a, shape)); },
                              [](const Perceptron&) {},
                              [](const ManyHeads&) {}},  // refused by `unsupported_reason`
                   force);
      for (const Head& head : heads)
        std::visit(Overloaded{[&](const CircleHead& h) { record_orders(h.sums.orders()); },
                              [&](const HeadSums& h) { record_orders(h.sums().ways()[0].degree); }},
                   head);
    }
  }

  const ErrorBound* error_bound() const override { return &error_; }

  // Sampled pairs are summed as on every engine, but the energy over all pairs.
  PairSums pair_sums(const Swarm& x, const PairRequest& request) override {
    PairSums sums = HostField::pair_sums(x, request);
    if (request.beta == 0 || !is_sampled(host(x).n(), request.sample)) return sums;
    const bool directions = request.directions || moves_norms(dynamics_);
    const bool sphere = directions || dynamics_.manifold == Manifold::sphere;
    sums.gibbs = gibbs_sum(directions ? directions_of(host(x)) : host(x), sphere, request);
    return sums;
  }

  // Returns the size of the blocks whose sums become integers.
  int shared_block() const override {
    bool transforms = false;
    for (const auto& heads : heads_)
      for (const Head& head : heads)
        if (const auto* sums = std::get_if<HeadSums>(&head))
          transforms = transforms || sums->sums().ways()[0].way == Way::transform;
    return transforms ? kSpreadPoints : std::lcm(kBlock, kPoints);
  }

  // Every rank sums over its own particles, the sums are added, and every rank evaluates them at
  // its own particles.
  void add_shared_forces(const Ask& ask, Share& share, const HostSwarm& x, HostSwarm& a) override {
    ranks_.share = &share;
    add_forces(ask, x, a);
    ranks_.share = nullptr;
  }

 private:
  using Head = std::variant<CircleHead, HeadSums>;

  void record_orders(int orders) { error_.orders = std::max(error_.orders, orders); }

  Head head_of(const Attention& a, Shape shape) const {
    if (is_circle_head(a, dynamics_, shape.d) && choice_.way != Way::transform)
      return CircleHead{CircleSums(a.beta, choice_.tolerance / 1000, &ranks_),
                        a.weighting == Attention::softmax, clock_scale(dynamics_.clock, a.beta),
                        a.value, size_of(a.value)};
    return HeadSums(fold_head(a, dynamics_.clock, shape.d),
                    setup_for(dynamics_, shape, choice_, &ranks_));
  }

  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) override {
    if (ask.t != last_t_ || ask.sublayer <= last_sublayer_) {  // a new evaluation
      error_.bound.assign(x.n(), 0);
      error_.direct = 0;
      error_.certified = true;
      additions_ = forces_acting(dynamics_, ask.t);
    }
    last_t_ = ask.t;
    last_sublayer_ = ask.sublayer;
    shared_.clear_moments();
    particles_ = ranks_.share != nullptr ? ranks_.share->all() : x.n();
    if (ranks_.largest(first_unmeasurable(x) ? 1 : 0) > 0) return set_undefined(a);
    for (const Head& head : heads_[ask.sublayer])
      std::visit(Overloaded{[&](const CircleHead& h) { add_circle(h, ask.tangential, x, a); },
                            [&](const HeadSums& h) { add_head(h, x, a); }},
                 head);
    for (const Force& force : dynamics_.sublayers[ask.sublayer].forces)
      std::visit(Overloaded{[](const Attention&) {},  // a head, done above
                            [&](const Perceptron& p) { add_perceptron(p, x, a); },
                            [](const ManyHeads&) {}},
                 force);
    error_.worst = 0;
    for (const double bound : error_.bound) error_.worst = std::max(error_.worst, bound);
    error_.worst_ever = std::max(error_.worst_ever, error_.worst);
  }

  // If a coordinate of a swarm is NaN, so is every sum.
  void set_undefined(HostSwarm& a) {
    for (int k = 0; k < a.d(); ++k)
      std::fill_n(a.axis(k), a.n(), std::numeric_limits<double>::quiet_NaN());
    error_.bound.assign(a.n(), std::numeric_limits<double>::infinity());
    error_.worst = error_.worst_ever = std::numeric_limits<double>::infinity();
  }

  void add_head(const HeadSums& head, const HostSwarm& x, HostSwarm& a) {
    const SumsCounts counts = head.add(x, additions_, shared_, a, error_.bound);
    error_.direct += counts.direct + counts.cells;
    error_.certified = error_.certified && counts.direct == x.n();
  }

  void add_circle(const CircleHead& head, bool tangential, const HostSwarm& x, HostSwarm& a) {
    const bool across_only = tangential && scalar_of(head.value).has_value();
    const auto want = !across_only   ? CircleSums::everything
                      : head.softmax ? CircleSums::weight_and_across
                                     : CircleSums::only_across;
    std::mutex lock;
    std::vector<int> isolated;
    head.sums.evaluate(x, want, choice_.threads, [&](const BlockSums& block) {
      const std::vector<int> here = add_block(head, block, x, a);
      const std::lock_guard hold(lock);
      isolated.insert(isolated.end(), here.begin(), here.end());
    });
    add_pairs(head, want == CircleSums::everything, isolated, x, a);
    error_.direct += static_cast<std::int64_t>(isolated.size());
    error_.certified = false;
  }

  //   A_i = V (along x + across x') / weight,   x' = (-x_1, x_0);   plain: times the
  //   scale instead of 1 / weight.
  // With eps the bound on each sum, |N / Z - computed| <= 2 eps / (Z - eps), since |N| <= Z.
  // Returns the particles of a softmax head for which this is too large, to be summed pair by pair.
  std::vector<int> add_block(const CircleHead& head, const BlockSums& block, const HostSwarm& x,
                             HostSwarm& a) {
    const double eps = head.sums.error(particles_);
    const double products = products_error(head.softmax ? 1 : head.scale, additions_);
    const double plain = head.sums.plain_error(particles_) * head.scale;
    std::vector<int> isolated;
    for (int b = 0; b < block.count; ++b) {
      const int i = block.first + b;
      const double weight = block.weight != nullptr ? block.weight[b] : 1;
      const double along = block.along != nullptr ? block.along[b] : 0;
      const double error = head.softmax ? 2 * eps / (weight - eps) : plain;
      if (head.softmax && !(weight > eps && error <= choice_.pairs_above))
        isolated.push_back(i);
      else
        add_row(head, {i, weight, along, block.across[b], error + products}, x, a);
    }
    return isolated;
  }

  void add_pairs(const CircleHead& head, bool everything, const std::vector<int>& rows,
                 const HostSwarm& x, HostSwarm& a) {
    const HostSwarm& all = ranks_.everybody(x, !rows.empty());
    constexpr int kPlaces = 16;
    const auto count = static_cast<int>(rows.size());
    for_blocks((count + kPlaces - 1) / kPlaces, choice_.threads, [&](int block) {
      for (int e = block * kPlaces; e < std::min(count, (block + 1) * kPlaces); ++e) {
        const std::array<double, 3> sums =
            head.sums.evaluate_pairs(all, {x.at(rows[e], 0), x.at(rows[e], 1)});
        const double error = 2 * head.sums.pairs_error(particles_) + products_error(1, additions_);
        add_row(head, {rows[e], sums[0], everything ? sums[1] : 0, sums[2], error}, x, a);
      }
    });
  }

  struct CircleRow {
    int i;
    double weight, along, across, error;
  };
  void add_row(const CircleHead& head, const CircleRow& row, const HostSwarm& x, HostSwarm& a) {
    const int i = row.i;
    error_.bound[i] += head.value_size * row.error;
    const double scale = head.softmax ? 1 / row.weight : head.scale;
    const double n0 = scale * (row.along * x.at(i, 0) - row.across * x.at(i, 1));
    const double n1 = scale * (row.along * x.at(i, 1) + row.across * x.at(i, 0));
    const Matrix& v = head.value;
    a.at(i, 0) += v.empty() ? n0 : v(0, 0) * n0 + v(0, 1) * n1;
    a.at(i, 1) += v.empty() ? n1 : v(1, 0) * n0 + v(1, 1) * n1;
  }

  // The bound is that of the rounding in its units and of the addition to the other forces.
  void add_perceptron(const Perceptron& p, const HostSwarm& x, HostSwarm& a) {
    constexpr int kPlaces = 1024;
    constexpr double kUnit = 0x1p-53;
    const PerceptronBound bound = perceptron_bound(p);
    const double fixed = bound.fixed + additions_ * kUnit * bound.size_fixed;
    const double slope = bound.slope + additions_ * kUnit * bound.size_slope;
    const bool sphere = on_sphere(dynamics_);
    const double of_unit_vectors = fixed + slope * (1 + 1e-12);
    for_blocks((x.n() + kPlaces - 1) / kPlaces, choice_.threads, [&](int block) {
      std::array<double, kMostCoordinates> at, drift;
      for (int i = block * kPlaces; i < std::min(x.n(), (block + 1) * kPlaces); ++i) {
        for (int k = 0; k < x.d(); ++k) at[k] = x.at(i, k);
        drift.fill(0);
        add_perceptron_at(p, at.data(), drift.data());
        for (int k = 0; k < x.d(); ++k) a.at(i, k) += drift[k];
        error_.bound[i] += sphere ? of_unit_vectors : fixed + slope * length_of(at, x.d());
      }
    });
  }

  MomentsChoice choice_;
  ShareReduction ranks_{};
  int particles_ = 0;                     // of all ranks
  std::vector<std::vector<Head>> heads_;  // by sublayer
  SharedMoments shared_{};
  int additions_ = 0;  // of forces to the sum of a particle
  double last_t_ = 0;
  int last_sublayer_ = std::numeric_limits<int>::max();
  ErrorBound error_{};
};

}  // namespace
}  // namespace moments

namespace {

using moments::CircleSums;

// Returns why a head is not a sum of exponentials over all particles, as a phrase after
// "attention"; null if it is.
const char* unsupported_attention(const Attention& a) {
  switch (a.weighting) {
    case Attention::softmax:
    case Attention::unnormalised:
      break;
    case Attention::hard:
      return "to the greatest score only (hardmax)";
    case Attention::sinkhorn:
      return "with doubly stochastic weights (sinkhorn)";
  }
  switch (a.mask) {
    case Attention::none:
      break;
    case Attention::causal:
      return "to the past only";
  }
  if (!a.self) return "without j = i";
  if (a.alibi != 0) return "with alibi";
  if (a.rescaled) return "rescaled by e^{tV}";
  return nullptr;
}

std::string format(const char* pattern, double a, double b = 0) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), pattern, a, b);
  return text.data();
}

class MomentsEngine final : public HostEngine {
 public:
  explicit MomentsEngine(const MomentsChoice& choice) : choice_(choice) {}
  std::string name() const override { return "moments " + moments::target_name(); }

  std::optional<Unsupported> unsupported_reason(const Dynamics& dynamics,
                                                Shape shape) const override {
    if (shape.d > moments::kMostCoordinates)
      return unsupported("swarms with more than five coordinates");
    if (by_kind(dynamics).others) return unsupported("the limit of many heads");
    for (const Sublayer& sublayer : dynamics.sublayers)
      if (!sublayer.forces_end.empty()) return unsupported("weights that change in a line");
    for (const Sublayer& sublayer : dynamics.sublayers)
      for (const Force& force : sublayer.forces)
        if (const auto why =
                std::visit(Overloaded{[](const Attention& a) { return unsupported_attention(a); },
                                      [](const Perceptron&) -> const char* { return nullptr; },
                                      [](const ManyHeads&) -> const char* { return nullptr; }},
                           force))
          return unsupported(std::string("attention ") + why);
    return too_sharp(dynamics, shape);
  }

 private:
  // Scores are right to a few units in their last place, which bounds the accuracy of weights.
  std::optional<Unsupported> too_sharp(const Dynamics& dynamics, Shape shape) const {
    constexpr double kUnit = 0x1p-53;
    for (const Attention* head : by_kind(dynamics).heads) {
      const double reach = moments::fold_head(*head, dynamics.clock, shape.d).reach;
      const double least = 2 * kUnit * (300 + (shape.d + 8) * reach);
      if (least > choice_.pairs_above)
        return Unsupported{
            format("sums in double over scores of up to %.3g have an error of at least %.1g", reach,
                   least),
            format("use engine=moments:%.0e, or a smaller beta", 2 * least)};
    }
    return std::nullopt;
  }

  static Unsupported unsupported(const std::string& what) {
    return {
        "the moments engine has no series for " + what,
        "use engine=auto: moments are for SA and USA with up to five coordinates (d=2 to d=5) and "
        "without a mask"};
  }

  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<moments::MomentsField>(dynamics, shape, choice_);
  }

  MomentsChoice choice_;
};

}  // namespace

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice& choice) {
  const bool kept = choice.pairs_above >= 1e-13;
  if (!(kept && choice.tolerance >= 1e-15))
    throw Error(Fault::input, "sums in double cannot be that accurate",
                format("tolerance = %g", kept ? choice.tolerance : choice.pairs_above),
                kept ? "give a tolerance of 1e-15 or more" : "give a tolerance of 1e-13 or more");
  return std::make_unique<MomentsEngine>(choice);
}

double moments_cost(const Dynamics& dynamics, Shape shape) {
  double sum = 0;
  for (const Attention* head : by_kind(dynamics).heads)
    sum += moments::cost_of(*head, dynamics, shape);
  return sum;
}

namespace {

// Returns the largest sum over the sublayers that are active at one time.
template <class Amount>
double most_at_once(const Dynamics& dynamics, const Amount& amount_of) {
  std::vector<std::pair<double, double>> changes;  // the time and amount of each change
  for (const Sublayer& sublayer : dynamics.sublayers) {
    const double amount = amount_of(sublayer);
    changes.insert(changes.end(), {{sublayer.from, amount}, {sublayer.until, -amount}});
  }
  std::sort(changes.begin(), changes.end());  // removals come before additions
  double now = 0, most = 0;
  for (const auto& [t, change] : changes) most = std::max(most, now += change);
  return most;
}

}  // namespace

double moments_bound(const Dynamics& dynamics, int n) {
  const auto additions = static_cast<int>(most_at_once(
      dynamics, [](const Sublayer& s) { return static_cast<double>(s.forces.size()); }));
  std::map<double, double> by_beta;  // the bound of a head with |V| = 1
  const auto bound_of = [&](double beta) {
    const auto [at, is_new] = by_beta.try_emplace(beta);
    if (is_new)
      at->second = moments::circle_bound(
          CircleSums(beta, MomentsChoice{}.tolerance / 1000, nullptr), n,
          std::max(clock_scale(dynamics.clock, beta), clock_scale(Clock::u1, beta)), additions);
    return at->second;
  };
  return most_at_once(dynamics, [&](const Sublayer& sublayer) {
    double bound = 0;
    for (const Force& force : sublayer.forces)
      if (const Attention* a = head_of(force);
          a && a->weighting == Attention::unnormalised && moments::is_circle_head(*a, dynamics, 2))
        bound += moments::size_of(a->value) * bound_of(a->beta);
    return bound;
  });
}

std::vector<std::complex<double>> circle_moments(const HostSwarm& x, int orders, int threads) {
  return moments::moments_of(x, orders, threads, nullptr);
}

}  // namespace murmur
