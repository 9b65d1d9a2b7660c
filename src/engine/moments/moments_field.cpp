// moments_field.cpp: adds up heads and perceptrons, and what is known about their errors.
#include "engine/moments/moments_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <variant>

#include "core/attention.h"
#include "core/directions.h"
#include "core/host_field.h"
#include "core/overloaded.h"
#include "core/parallel.h"
#include "core/perceptron_at.h"
#include "core/sums.h"
#include "engine/moments/circle_kernels.h"
#include "engine/moments/circle_sums.h"
#include "engine/moments/energy_sums.h"
#include "engine/moments/harmonic_kernels.h"
#include "engine/moments/head_sums.h"
#include "engine/moments/transform_sums.h"

namespace murmur::moments {

namespace {

constexpr double kSharpestCircle = 200;  // above it transforms cost less (bench/results/moments.md)

// c where V = c I.
std::optional<double> scalar_of(const Matrix& value) {
  if (value.empty()) return 1.0;
  if (value == scaled_identity(2, value(0, 0))) return value(0, 0);
  return std::nullopt;
}

struct CircleHead {
  CircleSums sums;
  bool divided;  // softmax
  double scale;  // of a plain head: the sums are those of e^{s - beta}
  Matrix value;
  double value_size;
};

double length_of(const std::array<double, kMostCoordinates>& x, int d) {
  return std::sqrt(std::inner_product(x.begin(), x.begin() + d, x.begin(), 0.0));
}

// What the scale of a circle's head, V in two coordinates, and the additions to other forces round,
// for |V| = 1.
double products_error(double scale, int additions) { return (4 + additions) * 0x1p-53 * scale; }

// Whether forces are asked for at unit vectors.
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

// The ranks of whoever asks for the forces of a share; without a share this rank has everybody.
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
    const std::vector<std::int64_t> told = ranks.gather(static_cast<std::int64_t>(own.size()));
    const std::vector<int> counts(told.begin(), told.end());
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
        std::visit(
            Overloaded{[&](const Attention& a) { heads.push_back(head_of(a, shape)); },
                       [](const Perceptron&) {}, [](const ManyHeads&) {}},  // `knows` refuses it
            force);
      for (const Head& head : heads)
        std::visit(Overloaded{[&](const CircleHead& h) { reckon(h.sums.orders()); },
                              [&](const HeadSums& h) { reckon(h.sums().ways()[0].degree); }},
                   head);
    }
  }

  const ErrorBound* error_bound() const override { return &error_; }

  // Sums over sampled pairs as on every engine; that of the energy over all of them.
  PairSums pair_sums(const Swarm& x, const PairRequest& request) override {
    PairSums sums = HostField::pair_sums(x, request);
    if (request.beta == 0 || !is_sampled(host(x).n(), request.sample)) return sums;
    const bool turned = request.directions || moves_norms(dynamics_);
    const bool sphere = turned || dynamics_.manifold == Manifold::sphere;
    sums.gibbs = gibbs_sum(turned ? directions_of(host(x)) : host(x), sphere, request);
    return sums;
  }

  // Of what is summed before it becomes an integer.
  int shared_block() const override {
    bool transforms = false;
    for (const auto& heads : heads_)
      for (const Head& head : heads)
        if (const auto* sums = std::get_if<HeadSums>(&head))
          transforms = transforms || sums->sums().ways()[0].way == Way::transform;
    return transforms ? kSpreadPoints : std::lcm(kBlock, kPoints);
  }

  // Every rank sums its own particles, the sums are added, and every rank evaluates its own.
  void add_shared_forces(const Ask& ask, Share& share, const HostSwarm& x, HostSwarm& a) override {
    ranks_.share = &share;
    add_forces(ask, x, a);
    ranks_.share = nullptr;
  }

 private:
  using Head = std::variant<CircleHead, HeadSums>;

  void reckon(int orders) { error_.orders = std::max(error_.orders, orders); }

  Head head_of(const Attention& a, Shape shape) const {
    if (is_circle_head(a, dynamics_, shape.d) && choice_.way != Way::transform)
      return CircleHead{CircleSums(a.beta, choice_.tolerance / 1000, &ranks_),
                        a.weighting == Attention::softmax, clock_scale(dynamics_.clock, a.beta),
                        a.value, size_of(a.value)};
    return HeadSums(folded(a, dynamics_.clock, shape.d),
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
    shared_.forget();
    particles_ = ranks_.share != nullptr ? ranks_.share->all() : x.n();
    if (ranks_.largest(first_unmeasurable(x) ? 1 : 0) > 0) return give_up(a);
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

  // Of a swarm with a coordinate that is no number every sum is none.
  void give_up(HostSwarm& a) {
    for (int k = 0; k < a.d(); ++k)
      std::fill_n(a.axis(k), a.n(), std::numeric_limits<double>::quiet_NaN());
    error_.bound.assign(a.n(), std::numeric_limits<double>::infinity());
    error_.worst = error_.worst_ever = std::numeric_limits<double>::infinity();
  }

  void add_head(const HeadSums& head, const HostSwarm& x, HostSwarm& a) {
    const SumsAccount account = head.add(x, additions_, shared_, a, error_.bound);
    error_.direct += account.direct + account.cells;
    error_.certified = error_.certified && account.direct == x.n();
  }

  void add_circle(const CircleHead& head, bool tangential, const HostSwarm& x, HostSwarm& a) {
    const bool turns = tangential && scalar_of(head.value).has_value();
    const auto want = !turns         ? CircleSums::everything
                      : head.divided ? CircleSums::weight_and_across
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

  //   A_i = V (along x + across x') / weight,   x' = (-x_1, x_0);   plain: times the scale
  //   instead.
  // With eps the bound on each sum, |N / Z - computed| <= 2 eps / (Z - eps), since |N| <= Z.
  // Those of a softmax head for which this is too large are left for sums pair by pair.
  std::vector<int> add_block(const CircleHead& head, const BlockSums& block, const HostSwarm& x,
                             HostSwarm& a) {
    const double eps = head.sums.error(particles_);
    const double products = products_error(head.divided ? 1 : head.scale, additions_);
    const double plain = head.sums.plain_error(particles_) * head.scale;
    std::vector<int> isolated;
    for (int b = 0; b < block.count; ++b) {
      const int i = block.first + b;
      const double weight = block.weight != nullptr ? block.weight[b] : 1;
      const double along = block.along != nullptr ? block.along[b] : 0;
      const double error = head.divided ? 2 * eps / (weight - eps) : plain;
      if (head.divided && !(weight > eps && error <= choice_.pairs_above))
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
    const double scale = head.divided ? 1 / row.weight : head.scale;
    const double n0 = scale * (row.along * x.at(i, 0) - row.across * x.at(i, 1));
    const double n1 = scale * (row.along * x.at(i, 1) + row.across * x.at(i, 0));
    const Matrix& v = head.value;
    a.at(i, 0) += v.empty() ? n0 : v(0, 0) * n0 + v(0, 1) * n1;
    a.at(i, 1) += v.empty() ? n1 : v(1, 0) * n0 + v(1, 1) * n1;
  }

  // Its bound is that of rounding in its units, and of the addition to the other forces.
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
  int additions_ = 0;  // of forces, one after another, to the sum of a particle
  double last_t_ = 0;
  int last_sublayer_ = std::numeric_limits<int>::max();
  ErrorBound error_{};
};

}  // namespace

bool is_circle_head(const Attention& a, const Dynamics& dynamics, int d) {
  return d == 2 && on_sphere(dynamics) && is_identity(a.query) && is_identity(a.key) &&
         a.query_bias.empty() && a.key_bias.empty() && a.value_bias.empty() && a.beta >= 0 &&
         a.beta <= kSharpestCircle && !a.relative;
}

double circle_bound(const CircleSums& sums, int n, double scale, int additions) {
  return sums.plain_error(n) * scale + products_error(scale, additions);
}

double size_of(const Matrix& value) {
  if (value.empty()) return 1;
  const double square =
      std::inner_product(value.data.begin(), value.data.end(), value.data.begin(), 0.0);
  return std::sqrt(square);
}

double cost_of(const Attention& a, const Dynamics& dynamics, Shape shape) {
  constexpr double kParticle = 10, kOrder = 0.55;  // nanoseconds (bench/results/moments.md)
  if (is_circle_head(a, dynamics, shape.d))
    return shape.n * (kParticle + kOrder * orders_for(a.beta, MomentsChoice{}.tolerance / 1000));
  const SumsSetup setup = setup_for(dynamics, shape, {.pairs_above = kMomentsPromise});
  return ways_of(setup_of(folded(a, dynamics.clock, shape.d), setup)).front().nanoseconds;
}

std::unique_ptr<Field> make_moments_field(const Dynamics& dynamics, Shape shape,
                                          const MomentsChoice& choice) {
  return std::make_unique<MomentsField>(dynamics, shape, choice);
}

}  // namespace murmur::moments
