// support.h: what the tests share: swarms made by hand, simulations without files.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/flow.h"
#include "murmur/random.h"
#include "murmur/swarm.h"

namespace murmur::testing {

inline Dynamics dynamics_of(Force force, Manifold manifold = Manifold::sphere) {
  return {.manifold = manifold, .sublayers = {{{std::move(force)}}}};
}
inline Dynamics sa(double beta) { return dynamics_of(Attention{.beta = beta}); }
inline Dynamics usa(double beta) {
  return dynamics_of(Attention{.beta = beta, .weighting = Attention::unnormalised});
}

inline HostSwarm random_sphere(Shape shape, std::uint64_t seed) {
  HostSwarm x(shape);
  for (int i = 0; i < shape.n; ++i) {
    const Draw who{.seed = seed, .particle = static_cast<std::uint32_t>(i)};
    double square = 0;
    for (int k = 0; k < shape.d; ++k) {
      x.at(i, k) = who.normal(static_cast<std::uint16_t>(k));
      square += x.at(i, k) * x.at(i, k);
    }
    for (int k = 0; k < shape.d; ++k) x.at(i, k) /= std::sqrt(square);
  }
  return x;
}

inline Matrix random_matrix(int rows, int cols, std::uint64_t seed, double deviation = 1) {
  Matrix m = zeros(rows, cols);
  for (std::size_t e = 0; e < m.data.size(); ++e)
    m.data[e] =
        deviation *
        Draw{.seed = seed, .stream = Stream::value, .particle = static_cast<std::uint32_t>(e)}
            .normal(0);
  return m;
}

inline HostSwarm circle(const std::vector<double>& angles, std::vector<double> mass = {}) {
  HostSwarm x({static_cast<int>(angles.size()), 2});
  for (int i = 0; i < x.n(); ++i) {
    x.at(i, 0) = std::cos(angles[i]);
    x.at(i, 1) = std::sin(angles[i]);
  }
  if (!mass.empty()) x.mass = std::move(mass);
  return x;
}

inline HostSwarm orthonormal(int n) {
  HostSwarm x({n, n});
  for (int i = 0; i < n; ++i) x.at(i, i) = 1;
  return x;
}

inline double dot(const HostSwarm& x, int i, int j) {
  double sum = 0;
  for (int k = 0; k < x.d(); ++k) sum += x.at(i, k) * x.at(j, k);
  return sum;
}

inline HostSwarm velocity(Engine& engine, const Dynamics& dynamics, const HostSwarm& x) {
  const auto field = engine.prepare(dynamics, x.shape());
  const auto at = engine.place(x);
  const auto v = engine.place(x);
  field->velocity(0, *at, *v);
  return engine.fetch(*v);
}

struct Simulated {
  Outcome outcome;
  FlowState state;
  std::vector<double> times;
  std::vector<HostSwarm> frames;
  std::vector<Merge> merges;
  const HostSwarm& last() const { return frames.back(); }
};

// How a swarm is carried; of a dynamics with noise by which draws.
struct Carried {
  FlowSettings settings{};
  RandomKey random{};
};

inline Simulated simulated_by(const Dynamics& dynamics, const HostSwarm& x, const Carried& carried,
                              const Schedule& schedule) {
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(dynamics, x.shape());
  Simulated result;
  result.state = start(x);
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& frame) {
    result.times.push_back(t);
    result.frames.push_back(frame);
  };
  watch.merged = [&](const Merge& merge) { result.merges.push_back(merge); };
  result.outcome =
      advance({*engine, *field, carried.settings, carried.random}, schedule, result.state, watch);
  return result;
}
inline Simulated simulated(const Dynamics& dynamics, const HostSwarm& x,
                           const FlowSettings& settings, const Schedule& schedule) {
  return simulated_by(dynamics, x, {settings, {}}, schedule);
}

inline double largest_difference(const HostSwarm& a, const HostSwarm& b) {
  double most = 0;
  for (int i = 0; i < a.n(); ++i)
    for (int k = 0; k < a.d(); ++k) most = std::max(most, std::fabs(a.at(i, k) - b.at(i, k)));
  return most;
}

}  // namespace murmur::testing
