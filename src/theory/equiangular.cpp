// equiangular.cpp: swarms with one common cosine, reduced to that cosine and a radius.
#include <cmath>

#include "core/plain_forces.h"
#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

void check_start(int n, double beta, double start) {
  demand(n >= 2, "one particle has no cosine", "n", "give n of at least 2");
  demand(beta >= 0, "beta is negative", "beta", "give beta of at least 0");
  demand(start < 1 && (n - 1) * start > -1, "no swarm moves from this cosine", "start",
         "give one strictly between -1/(n-1) and 1");
}

// u = -ln(1 - rho) keeps all digits near the cluster; u' = rho' / (1 - rho).
double rho_of(double u) { return -std::expm1(-u); }
double u_of(double rho) { return -std::log1p(-rho); }

double u_velocity(const Equiangular& swarm, double u) {
  const double rho = rho_of(u), others = swarm.n - 1;
  if (swarm.law == Law::usa) return 2.0 / swarm.n * std::exp(swarm.beta * rho) * (others * rho + 1);
  return 2 * (others * rho + 1) / (std::exp(swarm.beta * std::exp(-u)) + others);
}

double time_between(const Equiangular& swarm, double from, double to) {
  return quadrature([&](double u) { return 1 / u_velocity(swarm, u); }, from, to);
}

// <theta_i, A_i> and |A_i| of A = (a theta_i + sum_{j != i} theta_j)/(a + n - 1),
// a = e^{beta(1 - rho)}.
struct Drift {
  double along, norm;
};
Drift drift(const Normalised& swarm, double u) {
  const double rho = rho_of(u), a = std::exp(swarm.beta * std::exp(-u)), others = swarm.n - 1;
  const double square = a * a + others + 2 * a * others * rho + others * (others - 1) * rho;
  return {(a + others * rho) / (a + others), std::sqrt(square) / (a + others)};
}

// (u', r') at (u, r)
State u_and_r(const Normalised& swarm, const State& at, double t) {
  const double plain = u_velocity({.n = swarm.n, .beta = swarm.beta}, at[0]);
  const Drift a = drift(swarm, at[0]);
  switch (swarm.scheme) {
    case LayerNorm::post:
      return {plain, 0};
    case LayerNorm::mix:
      if (t < swarm.mix_until) return {plain, 0};
      [[fallthrough]];
    case LayerNorm::pre:
      return {plain / at[1], a.along};
    case LayerNorm::peri:
      return {plain / (at[1] * a.norm), a.along / a.norm};
    case LayerNorm::ngpt:
      return {plain * swarm.speed / a.norm, 0};
    case LayerNorm::sqrt:
      return {plain / std::sqrt(t + 1), 0};
  }
  return {0, 0};
}

}  // namespace

Equiangular equiangular_of(const Dynamics& dynamics, int n) {
  const Growth growth = growth_of(dynamics, n);  // n tokens move in n dimensions
  if (growth.noise != 0) refuse_dynamics("cosines stay equal without noise alone", "use noise=0");
  if (growth.descent) refuse_dynamics("orthogonal tokens attract here", "use value=identity");
  if (growth.clock != Clock::u1) refuse_dynamics("times are those of the clock U1", "use clock=U1");
  return {.n = n, .beta = growth.beta, .law = growth.law};
}

double cosine_velocity(const Equiangular& swarm, double rho) {
  return u_velocity(swarm, u_of(rho)) * (1 - rho);
}

double cosine(const Equiangular& swarm, double t) {
  check_start(swarm.n, swarm.beta, swarm.start);
  demand(t >= 0 && std::isfinite(t), "time runs forwards", "t", "give a finite t of at least 0");
  const auto slope = [&](double, const State& y) { return State{u_velocity(swarm, y[0]), 0}; };
  const double start = u_of(swarm.start);
  double u = carry(slope, {start, 0}, 0, t)[0];
  // While rho grows slowly, integrating in t amplifies early errors; t as an integral over u does
  // not: Newton's method on it.
  for (int k = 0; k < 2; ++k) u -= (time_between(swarm, start, u) - t) * u_velocity(swarm, u);
  return rho_of(u);
}

double late_rate(Law law, double beta) { return law == Law::sa ? 2 : 2 * std::exp(beta); }

double clustering_time(const Equiangular& swarm, double delta) {
  check_start(swarm.n, swarm.beta, swarm.start);
  demand(delta > 0 && delta <= 1 - swarm.start, "the cosine is there already", "delta",
         "give delta in (0, 1 - start]");
  return time_between(swarm, u_of(swarm.start), -std::log(delta));
}

double clustering_beta(const Equiangular& swarm, double delta, double t) {
  const auto excess = [&](double beta) {
    Equiangular at = swarm;
    at.beta = beta;
    return clustering_time(at, delta) - t;
  };
  double high = 1;
  while (high < 700 && (excess(high) < 0) == (excess(0) < 0)) high = std::fmin(2 * high, 700);
  demand((excess(high) < 0) != (excess(0) < 0), "no beta clusters at this time", "t",
         "give a time between those of beta = 0 and beta = 700");
  return root(excess, 0, high);
}

Shells normalised_velocity(const Normalised& swarm, const Shells& at, double t) {
  const State slope = u_and_r(swarm, {u_of(at.rho), at.r}, t);
  return {slope[0] * (1 - at.rho), slope[1]};
}

Shells normalised(const Normalised& swarm, double t) {
  check_start(swarm.n, swarm.beta, swarm.start);
  demand(swarm.radius > 0, "a radius is positive", "radius", "give a radius above 0");
  const auto under = [](const Normalised& law) {
    return [law](double t, const State& y) { return u_and_r(law, y, t); };
  };
  State y{u_of(swarm.start), swarm.radius};
  // The right-hand side of `mix` jumps at mix_until: integrate up to it and restart there.
  const double jump = swarm.scheme == LayerNorm::mix ? std::fmin(swarm.mix_until, t) : 0;
  Normalised before = swarm;
  before.scheme = LayerNorm::post;
  y = carry(under(before), y, 0, jump);
  y = carry(under(swarm), y, jump, t);
  return {rho_of(y[0]), y[1]};
}

}  // namespace murmur::theory
