// moments_engine.cpp: the engine of moments: heads on the circle as series, with a certificate.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/attention.h"
#include "core/host_field.h"
#include "core/overloaded.h"
#include "core/parallel.h"
#include "core/perceptron_at.h"
#include "engine/moments/circle_kernels.h"
#include "engine/moments/circle_sums.h"
#include "engine/moments/moments.h"
#include "murmur/error.h"

namespace murmur {

namespace {

using moments::BlockSums;
using moments::CircleSums;

// c where V = c I.
std::optional<double> scalar_of(const Matrix& value) {
  if (value.empty()) return 1.0;
  if (value == scaled_identity(2, value(0, 0))) return value(0, 0);
  return std::nullopt;
}

// The largest that V can make of a unit vector, or a little more.
double size_of(const Matrix& value) {
  if (value.empty()) return 1;
  const double square =
      std::inner_product(value.data.begin(), value.data.end(), value.data.begin(), 0.0);
  return std::sqrt(square);
}

// Of sum_j m_j e^{s - beta} x_j, whose two parts are bounded each.
double plain_error(const CircleSums& sums, int n) { return 2 * sums.error(n); }

struct Head {
  CircleSums sums;
  bool divided;  // softmax
  double scale;  // of a plain head: the sums are those of e^{s - beta}
  Matrix value;
};

class MomentsField final : public HostField {
 public:
  MomentsField(const Dynamics& dynamics, Shape shape, const MomentsChoice& choice)
      : HostField(dynamics, shape), choice_(choice) {
    for (const Sublayer& sublayer : dynamics_.sublayers) {
      auto& heads = heads_.emplace_back();
      for (const Force& force : sublayer.forces)
        std::visit(
            Overloaded{[&](const Attention& a) { heads.push_back(head_of(a)); },
                       [](const Perceptron&) {}, [](const ManyHeads&) {}},  // `knows` refuses it
            force);
      for (const Head& head : heads)
        certificate_.orders = std::max(certificate_.orders, head.sums.orders());
    }
  }

  const FieldCertificate* certificate() const override { return &certificate_; }

 private:
  Head head_of(const Attention& a) const {
    return {CircleSums(a.beta, choice_.tolerance / 1000), a.weighting == Attention::softmax,
            clock_scale(dynamics_.clock, a.beta), a.value};
  }

  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) override {
    if (ask.t != last_t_ || ask.sublayer <= last_sublayer_) {  // a new evaluation
      certificate_.bound.assign(x.n(), 0);
      certificate_.direct = 0;
    }
    last_t_ = ask.t;
    last_sublayer_ = ask.sublayer;
    for (const Head& head : heads_[ask.sublayer]) add_head(head, ask.tangential, x, a);
    for (const Force& force : dynamics_.sublayers[ask.sublayer].forces)
      std::visit(Overloaded{[](const Attention&) {},  // a head, done above
                            [&](const Perceptron& p) { add_perceptron(p, x, a); },
                            [](const ManyHeads&) {}},
                 force);
    certificate_.worst = *std::max_element(certificate_.bound.begin(), certificate_.bound.end());
    certificate_.worst_ever = std::max(certificate_.worst_ever, certificate_.worst);
  }

  void add_head(const Head& head, bool tangential, const HostSwarm& x, HostSwarm& a) {
    const bool turns = tangential && scalar_of(head.value).has_value();
    const auto want = !turns         ? CircleSums::everything
                      : head.divided ? CircleSums::weight_and_across
                                     : CircleSums::only_across;
    std::mutex lock;
    std::int64_t direct = 0;
    head.sums.evaluate(x, want, choice_.threads, [&](const BlockSums& block) {
      const std::int64_t isolated = add_block(head, block, x, a);
      const std::lock_guard hold(lock);
      direct += isolated;
    });
    certificate_.direct += direct;
  }

  //   A_i = V (along x + across x') / weight,   x' = (-x_1, x_0);   plain: times the scale instead.
  // With eps the bound on each sum, |N / Z - computed| <= 2 eps / (Z - eps), since |N| <= Z.
  std::int64_t add_block(const Head& head, const BlockSums& block, const HostSwarm& x,
                         HostSwarm& a) {
    const double eps = head.sums.error(x.n()), size = size_of(head.value);
    std::int64_t isolated = 0;
    for (int b = 0; b < block.count; ++b) {
      const int i = block.first + b;
      double weight = block.weight != nullptr ? block.weight[b] : 1;
      double along = block.along != nullptr ? block.along[b] : 0, across = block.across[b];
      double error =
          head.divided ? 2 * eps / (weight - eps) : plain_error(head.sums, x.n()) * head.scale;
      if (head.divided && !(weight > eps && error <= choice_.pairs_above)) {
        const std::array<double, 3> sums = head.sums.evaluate_pairs(x, i);
        weight = sums[0];
        along = block.along != nullptr ? sums[1] : 0;
        across = sums[2];
        error = 2 * head.sums.pairs_error(x.n());
        ++isolated;
      }
      certificate_.bound[i] += size * error;
      const double scale = head.divided ? 1 / weight : head.scale;
      const double n0 = scale * (along * x.at(i, 0) - across * x.at(i, 1));
      const double n1 = scale * (along * x.at(i, 1) + across * x.at(i, 0));
      const Matrix& v = head.value;
      a.at(i, 0) += v.empty() ? n0 : v(0, 0) * n0 + v(0, 1) * n1;
      a.at(i, 1) += v.empty() ? n1 : v(1, 0) * n0 + v(1, 1) * n1;
    }
    return isolated;
  }

  void add_perceptron(const Perceptron& p, const HostSwarm& x, HostSwarm& a) const {
    constexpr int kPlaces = 1024;
    for_blocks((x.n() + kPlaces - 1) / kPlaces, choice_.threads, [&](int block) {
      for (int i = block * kPlaces; i < std::min(x.n(), (block + 1) * kPlaces); ++i) {
        const double at[] = {x.at(i, 0), x.at(i, 1)};
        double drift[] = {0, 0};
        add_perceptron_at(p, at, drift);
        for (int k = 0; k < 2; ++k) a.at(i, k) += drift[k];
      }
    });
  }

  MomentsChoice choice_;
  std::vector<std::vector<Head>> heads_;  // by sublayer
  double last_t_ = 0;
  int last_sublayer_ = std::numeric_limits<int>::max();
  FieldCertificate certificate_{};
};

// What keeps a head from being a series in the moments, as words after "attention"; nothing where
// it is one: softmax or plain, Q = K = I, everybody seen.
const char* no_series(const Attention& a) {
  switch (a.weighting) {
    case Attention::softmax:
    case Attention::unnormalised:
      break;
    case Attention::hard:
      return "to the greatest score alone (hardmax)";
    case Attention::sinkhorn:
      return "with doubly stochastic weights (sinkhorn)";
  }
  switch (a.mask) {
    case Attention::none:
      break;
    case Attention::causal:
      return "to the past alone";
  }
  if (!is_identity(a.query) || !is_identity(a.key)) return "with a query or key matrix";
  if (!a.query_bias.empty() || !a.key_bias.empty() || !a.value_bias.empty()) return "with biases";
  if (!(a.beta >= 0)) return "with beta below 0";
  if (!a.self) return "without j = i";
  if (a.relative) return "whose value acts on x_j - x_i";
  if (a.alibi != 0) return "with alibi";
  if (a.rescaled) return "rescaled by e^{tV}";
  return nullptr;
}

// What keeps the place from being the circle; nothing where it is.
const char* no_circle(const Dynamics& dynamics, Shape shape) {
  if (dynamics.manifold != Manifold::sphere) return "swarms in R^d";
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty()) return "swarms on an ellipsoid";
  return shape.d == 2 ? nullptr : "swarms with more than two coordinates";
}

class MomentsEngine final : public HostEngine {
 public:
  explicit MomentsEngine(const MomentsChoice& choice) : choice_(choice) {}
  std::string name() const override { return "moments " + moments::target_name(); }

  std::optional<Unknown> knows(const Dynamics& dynamics, Shape shape) const override {
    if (const char* place = no_circle(dynamics, shape)) return unknown(place);
    if (by_kind(dynamics).others) return unknown("the limit of many heads");
    for (const Sublayer& sublayer : dynamics.sublayers)
      if (!sublayer.forces_end.empty()) return unknown("weights that change in a line");
    for (const Sublayer& sublayer : dynamics.sublayers)
      for (const Force& force : sublayer.forces)
        if (const auto why =
                std::visit(Overloaded{[](const Attention& a) { return no_series(a); },
                                      [](const Perceptron&) -> const char* { return nullptr; },
                                      [](const ManyHeads&) -> const char* { return nullptr; }},
                           force))
          return unknown(std::string("attention ") + why);
    return std::nullopt;
  }

 private:
  static Unknown unknown(const std::string& what) {
    return {"the moments engine has no series for " + what,
            "use engine=auto: moments are of SA and USA on the circle (d=2) with query and key the "
            "identity, beta >= 0 and everybody seen"};
  }

  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<MomentsField>(dynamics, shape, choice_);
  }

  MomentsChoice choice_;
};

}  // namespace

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice& choice) {
  if (!(choice.tolerance >= 1e-15))
    throw Error(Fault::input, "sums in double are not so exact", "tolerance",
                "give a tolerance of 1e-15 or more");
  return std::make_unique<MomentsEngine>(choice);
}

double moments_bound(const Dynamics& dynamics, int n) {
  std::map<double, double> by_beta;  // the bound of a head with |V| = 1
  const auto bound_of = [&](double beta) {
    const auto [at, fresh] = by_beta.try_emplace(beta);
    if (fresh)
      at->second = plain_error(CircleSums(beta, MomentsChoice{}.tolerance / 1000), n) *
                   std::max(clock_scale(dynamics.clock, beta), clock_scale(Clock::u1, beta));
    return at->second;
  };
  std::vector<std::pair<double, double>> changes;  // when, and by how much, the bound changes
  for (const Sublayer& sublayer : dynamics.sublayers) {
    double bound = 0;
    for (const Force& force : sublayer.forces)
      if (const Attention* a = head_of(force); a && a->weighting == Attention::unnormalised)
        bound += size_of(a->value) * bound_of(a->beta);
    changes.insert(changes.end(), {{sublayer.from, bound}, {sublayer.until, -bound}});
  }
  std::sort(changes.begin(), changes.end());  // who leaves comes before who arrives
  double now = 0, most = 0;
  for (const auto& [t, change] : changes) most = std::max(most, now += change);
  return most;
}

std::vector<std::complex<double>> circle_moments(const HostSwarm& x, int orders, int threads) {
  return moments::moments_of(x, orders, threads);
}

}  // namespace murmur
