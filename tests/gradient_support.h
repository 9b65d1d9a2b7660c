// gradient_support.h: a loss of frames, and gradients by central differences of frozen steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "murmur/gradient.h"
#include "support.h"

namespace murmur::testing {

// A flow, where it starts and when its frames are.
struct GradientCase {
  std::string name{};
  Dynamics dynamics{};
  HostSwarm x{};
  FlowSettings settings{};
  Schedule schedule{};
  double nudge = 1e-3;  // of the differences
};

// sum over frames, particles and axes of c x + e x^2 / 2 with drawn c and e.
inline double draw_at(std::size_t frame, int i, int k, int which) {
  return Draw{.seed = 77,
              .stream = Stream::value,
              .particle = static_cast<std::uint32_t>(i),
              .step = static_cast<std::uint32_t>(frame)}
      .normal(static_cast<std::uint16_t>(2 * k + which));
}
inline double drawn_loss(std::span<const HostSwarm> frames, std::span<HostSwarm> cotangents) {
  double loss = 0;
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (int i = 0; i < frames[f].n(); ++i)
      for (int k = 0; k < frames[f].d(); ++k) {
        const double c = draw_at(f, i, k, 0), e = draw_at(f, i, k, 1), x = frames[f].at(i, k);
        loss += c * x + e * x * x / 2;
        if (!cotangents.empty()) cotangents[f].at(i, k) = c + e * x;
      }
  return loss;
}

// Richardson's extrapolation of two central differences: error O(nudge^4).
inline double derivative(double nudge, const std::function<double(double)>& f) {
  const auto central = [&](double h) { return (f(h) - f(-h)) / (2 * h); };
  return (4 * central(nudge / 2) - central(nudge)) / 3;
}

struct Mismatch {
  double worst = 0;  // relative to the largest entry of the same array
  std::string where{};
  int numbers = 0;  // compared
};

// Compares arrays: each entry against the largest of its array, or a thousandth of the largest of
// all.
class Comparison {
 public:
  void add(const std::string& name, std::span<const double> found, std::vector<double> wanted) {
    arrays_.push_back({name, {found.begin(), found.end()}, std::move(wanted)});
  }
  Mismatch result() const {
    Mismatch m;
    double all = 0;
    for (const auto& a : arrays_) all = std::max(all, largest(a.wanted));
    for (const auto& a : arrays_)
      for (std::size_t e = 0; e < a.found.size(); ++e) {
        const double scale = std::max(largest(a.wanted), 1e-3 * all);
        const double off = std::fabs(a.found[e] - a.wanted[e]) / scale;
        ++m.numbers;
        if (!(off <= m.worst)) m.worst = off, m.where = a.name + "[" + std::to_string(e) + "]";
      }
    return m;
  }

 private:
  struct Named {
    std::string name;
    std::vector<double> found, wanted;
  };
  static double largest(const std::vector<double>& v) {
    double most = 0;
    for (const double value : v) most = std::max(most, std::fabs(value));
    return most;
  }
  std::vector<Named> arrays_{};
};

inline HostSwarm moved(const GradientCase& c, int i, int k, double by) {
  HostSwarm x = c.x;
  x.at(i, k) += by;
  if (c.dynamics.manifold == Manifold::space) return x;
  double square = 0;
  for (int e = 0; e < x.d(); ++e) square += x.at(i, e) * x.at(i, e);
  for (int e = 0; e < x.d(); ++e) x.at(i, e) /= std::sqrt(square);
  return x;
}

// Beta and alibi are the same at both ends of forces that change in time.
inline void match_ends(Dynamics& dynamics) {
  for (Sublayer& sublayer : dynamics.sublayers)
    for (std::size_t f = 0; f < sublayer.forces_end.size(); ++f)
      if (const Attention* a = head_of(sublayer.forces[f])) {
        std::get<Attention>(sublayer.forces_end[f]).beta = a->beta;
        std::get<Attention>(sublayer.forces_end[f]).alibi = a->alibi;
      }
}

// How far a gradient is from central differences in every number, start and mass of a case; the
// gradient of its own recorded flow, unless `perturb` makes it another one.
inline Mismatch against_differences(const GradientCase& c, Engine& engine,
                                    const std::function<void(FlowGradient&)>& perturb = {}) {
  const auto field = engine.prepare(c.dynamics, c.x.shape());
  const RecordedFlow recorded({engine, *field, c.settings}, c.schedule, c.x);
  LossGradient found = gradient(recorded, drawn_loss);
  if (perturb) perturb(found.gradient);
  const auto loss_of = [&](const HostSwarm& x, Field& with) {
    return drawn_loss(recorded.frames_from(x, with), {});
  };
  Comparison comparison;
  std::vector<double> of_start, of_mass;
  for (int i = 0; i < c.x.n(); ++i) {
    for (int k = 0; k < c.x.d(); ++k)
      of_start.push_back(
          derivative(c.nudge, [&](double h) { return loss_of(moved(c, i, k, h), *field); }));
    HostSwarm heavier = c.x;
    of_mass.push_back(derivative(c.nudge * std::max(c.x.mass[i], 0.01), [&](double h) {
      heavier.mass[i] = c.x.mass[i] + h;
      return loss_of(heavier, *field);
    }));
  }
  comparison.add("start", to_rows(found.gradient.start), of_start);
  if (*std::min_element(c.x.mass.begin(), c.x.mass.end()) > 0)
    comparison.add("mass", found.gradient.mass, of_mass);
  Dynamics dynamics = c.dynamics;
  const auto at = parameter_spans(dynamics, c.x.d());
  const auto by_adjoint = parameter_spans(found.gradient.dynamics, c.x.d());
  for (std::size_t p = 0; p < at.size(); ++p) {
    std::vector<double> of_parameter;
    const bool edge = at[p].name.ends_with("alibi") || at[p].name == "noise";
    if (edge && at[p].values[0] == 0) continue;  // of its range
    for (double& value : at[p].values) {
      const double here = value;
      of_parameter.push_back(derivative(c.nudge, [&](double h) {
        value = here + h;
        match_ends(dynamics);
        const auto other = engine.prepare(dynamics, c.x.shape());
        const double loss = loss_of(c.x, *other);
        value = here;
        return loss;
      }));
    }
    comparison.add(at[p].name, by_adjoint[p].values, of_parameter);
  }
  return comparison.result();
}

}  // namespace murmur::testing
