// moments_engine.cpp: what the moments engine knows, and the bounds that it knows beforehand.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include "core/attention.h"
#include "core/host_field.h"
#include "core/overloaded.h"
#include "engine/moments/circle_kernels.h"
#include "engine/moments/circle_sums.h"
#include "engine/moments/folded_head.h"
#include "engine/moments/harmonics.h"
#include "engine/moments/moments.h"
#include "engine/moments/moments_field.h"
#include "murmur/error.h"

namespace murmur {

namespace {

using moments::CircleSums;

// What keeps a head from being a sum of exponentials over everybody, as words after "attention";
// nothing where it is one.
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
  if (!a.self) return "without j = i";
  if (a.alibi != 0) return "with alibi";
  if (a.rescaled) return "rescaled by e^{tV}";
  return nullptr;
}

std::string fmt(const char* format, double a, double b = 0) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), format, a, b);
  return text.data();
}

class MomentsEngine final : public HostEngine {
 public:
  explicit MomentsEngine(const MomentsChoice& choice) : choice_(choice) {}
  std::string name() const override { return "moments " + moments::target_name(); }

  std::optional<Unknown> knows(const Dynamics& dynamics, Shape shape) const override {
    if (shape.d > moments::kMostCoordinates)
      return unknown("swarms with more than five coordinates");
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
    return too_sharp(dynamics, shape);
  }

 private:
  // Scores are known to a few units in their last place, and so is what they weigh.
  std::optional<Unknown> too_sharp(const Dynamics& dynamics, Shape shape) const {
    constexpr double kUnit = 0x1p-53;
    for (const Attention* head : by_kind(dynamics).heads) {
      const double reach = moments::folded(*head, dynamics.clock, shape.d).reach;
      const double least = 2 * kUnit * (300 + (shape.d + 8) * reach);
      if (least > choice_.pairs_above)
        return Unknown{
            fmt("sums in double over scores of up to %.3g are exact to %.1g at best", reach, least),
            fmt("use engine=moments:%.0e, or a smaller beta", 2 * least)};
    }
    return std::nullopt;
  }

  static Unknown unknown(const std::string& what) {
    return {
        "the moments engine has no series for " + what,
        "use engine=auto: moments are of SA and USA with up to five coordinates (d=2 to d=5) and "
        "everybody seen"};
  }

  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return moments::make_moments_field(dynamics, shape, choice_);
  }

  MomentsChoice choice_;
};

}  // namespace

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice& choice) {
  const bool kept = choice.pairs_above >= 1e-13;
  if (!(kept && choice.tolerance >= 1e-15))
    throw Error(Fault::input, "sums in double are not so exact",
                fmt("tolerance = %g", kept ? choice.tolerance : choice.pairs_above),
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

// The largest sum over the sublayers that act at one time.
template <class Amount>
double most_at_once(const Dynamics& dynamics, const Amount& amount_of) {
  std::vector<std::pair<double, double>> changes;  // when, and by how much, the sum changes
  for (const Sublayer& sublayer : dynamics.sublayers) {
    const double amount = amount_of(sublayer);
    changes.insert(changes.end(), {{sublayer.from, amount}, {sublayer.until, -amount}});
  }
  std::sort(changes.begin(), changes.end());  // who leaves comes before who arrives
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
    const auto [at, fresh] = by_beta.try_emplace(beta);
    if (fresh)
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
