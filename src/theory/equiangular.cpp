// equiangular.cpp: swarms with one common cosine, with constant weights or with weights drawn
// again.
#include <algorithm>
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
  if (growth.noise != 0) refuse_dynamics("cosines stay equal only without noise", "use noise=0");
  if (growth.descent) refuse_dynamics("orthogonal tokens attract here", "use value=identity");
  if (growth.clock != Clock::u1) refuse_dynamics("times are those of the clock U1", "use clock=U1");
  return {.n = n, .beta = growth.beta, .law = growth.law};
}

double cosine(const Equiangular& swarm, double t) {
  check_start(swarm.n, swarm.beta, swarm.start);
  demand(t >= 0 && std::isfinite(t), "the time is out of range", "t",
         "give a finite t of at least 0");
  const auto slope = [&](double, const State& y) { return State{u_velocity(swarm, y[0]), 0}; };
  const double start = u_of(swarm.start);
  double u = carry(slope, {start, 0}, 0, t)[0];
  // While rho grows slowly, integrating in t amplifies early errors; t as an integral over u does
  // not, so this solves that by Newton's method.
  for (int k = 0; k < 2; ++k) u -= (time_between(swarm, start, u) - t) * u_velocity(swarm, u);
  return rho_of(u);
}

double late_rate(Law law, double beta) { return law == Law::sa ? 2 : 2 * std::exp(beta); }

double clustering_time(const Equiangular& swarm, double delta) {
  check_start(swarm.n, swarm.beta, swarm.start);
  demand(delta > 0 && delta <= 1 - swarm.start, "the cosine is already there", "delta",
         "give delta in (0, 1 - start]");
  return time_between(swarm, u_of(swarm.start), -std::log(delta));
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
  // The right-hand side of `mix` jumps at mix_until, so the integration restarts there.
  const double jump = swarm.scheme == LayerNorm::mix ? std::fmin(swarm.mix_until, t) : 0;
  Normalised before = swarm;
  before.scheme = LayerNorm::post;
  y = carry(under(before), y, 0, jump);
  y = carry(under(swarm), y, jump, t);
  return {rho_of(y[0]), y[1]};
}

namespace {

void check_pair(const RedrawnPair& pair) {
  demand(pair.d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  demand(pair.beta >= 0, "beta is negative", "beta", "give beta of at least 0");
  demand(pair.steps >= 0, "the number of steps is out of range", "steps", "give 0 for the flow");
  demand(std::fabs(pair.start) < 1, "no pair moves from this cosine", "start",
         "give one strictly between -1 and 1");
}

// The generator in y = artanh(rho), in which the noise has bounded size:
//   y' = drift / (1 - rho^2) + rho variance / (1 - rho^2)^2,   variance / (1 - rho^2)^2.
struct Rates {
  double drift, variance;
};
Rates rates_along(const RedrawnPair& pair, double rho) {
  const double d = pair.d, p = 1 / (1 + std::exp(-pair.beta * (1 - rho))), q = 1 - p;
  const double squares = p * p + q * q, c = pair.steps == 0 ? 1 : 1 - 1.0 / pair.steps;
  const double moved = q * (p - q * rho) - pair.beta * p * q * (p - q) * (1 - rho * rho);
  const double variance = 2 * squares / d;
  return {(2 * p * q * (d - 2) - rho * squares + c * moved) / d + rho * variance, variance};
}

// (I - h L^T) p = right for the tridiagonal L of the generator, by Thomas' algorithm; or,
// explicitly, p + h L^T p. `up` and `down` are the rates of hops to the next nodes.
struct Chain {
  std::vector<double> up, down;  // (nodes)
  std::vector<double> pivot, carried;

  void explicit_step(double h, std::vector<double>& p) {
    const std::size_t nodes = p.size();
    carried.assign(nodes, 0);
    for (std::size_t i = 0; i < nodes; ++i) {
      carried[i] += p[i] * (1 - h * (up[i] + down[i]));
      if (i + 1 < nodes) carried[i + 1] += h * up[i] * p[i];
      if (i > 0) carried[i - 1] += h * down[i] * p[i];
    }
    std::swap(p, carried);
  }
  void implicit_step(double h, std::vector<double>& p) {
    const std::size_t nodes = p.size();
    pivot.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      pivot[i] = 1 + h * (up[i] + down[i]);
      if (i == 0) continue;
      const double share = h * up[i - 1] / pivot[i - 1];  // row i holds -h up[i-1], -h down[i+1]
      pivot[i] -= share * h * down[i];
      p[i] += share * p[i - 1];
    }
    for (std::size_t i = nodes; i-- > 0;) {
      const double above = i + 1 < nodes ? h * down[i + 1] * p[i + 1] : 0;
      p[i] = (p[i] + above) / pivot[i];
    }
  }
};

// Attention in a swarm of one cosine: the weights of a token for itself and for another, <A_i,
// A_j>, |A_i|^2.
struct Messages {
  double self, other, product, square;
};
Messages messages_of(const Equiangular& swarm, double rho) {
  const double others = swarm.n - 1, sum = others * rho + 1;
  const double a = std::exp(swarm.beta * (1 - rho));  // weights over e^{beta rho}
  const double unit =
      swarm.law == Law::sa ? 1 / (a + others) : std::exp(swarm.beta * rho) / swarm.n;
  const double p = a * unit, q = unit;
  const double mixed = (2 * (p - q) + q * swarm.n) * q * sum;
  return {p, q, (p - q) * (p - q) * rho + mixed, (p - q) * (p - q) + mixed};
}

void check_swarm(const Equiangular& swarm) {
  demand(swarm.n >= 2, "one particle has no cosine", "n", "give n of at least 2");
  demand(swarm.beta >= 0, "beta is negative", "beta", "give beta of at least 0");
  demand(swarm.start < 1 && (swarm.n - 1) * swarm.start > -1, "no swarm moves from this cosine",
         "start", "give one strictly between -1/(n-1) and 1");
}

}  // namespace

OverlapRates overlap_rates(const RedrawnPair& pair, double rho) {
  check_pair(pair);
  const Rates rates = rates_along(pair, rho);
  const double slope = 1 - rho * rho;
  return {(rates.drift - rho * rates.variance) * slope, rates.variance * slope * slope};
}

// Crank-Nicolson after four implicit half steps that smooth the point it starts from; hops between
// nodes of distance dy with the mean and variance of the generator, so that weights keep their sum.
OverlapLaw overlap_law(const RedrawnPair& pair, double s) {
  check_pair(pair);
  demand(s > 0 && s <= 100, "no such time", "s", "give s above 0 and up to 100");
  constexpr int kSteps = 400;
  const double y0 = std::atanh(pair.start), deviation = std::sqrt(s / pair.d);
  const double dy = std::fmin(0.02 / std::sqrt(pair.d), deviation / 20);
  const int side = static_cast<int>(std::ceil((0.7 * s + 12 * deviation) / dy));
  const auto nodes = static_cast<std::size_t>(2 * side + 1);
  OverlapLaw law{std::vector<double>(nodes), std::vector<double>(nodes)};
  Chain chain;
  chain.up.assign(nodes, 0);
  chain.down.assign(nodes, 0);
  for (std::size_t i = 0; i < nodes; ++i) {
    law.rho[i] = std::tanh(y0 + (static_cast<double>(i) - side) * dy);
    const Rates rates = rates_along(pair, law.rho[i]);
    const double even = rates.variance / (2 * dy * dy), odd = rates.drift / (2 * dy);
    if (i + 1 < nodes) chain.up[i] = even + odd;
    if (i > 0) chain.down[i] = even - odd;
  }
  law.weight[static_cast<std::size_t>(side)] = 1;
  const double h = s / kSteps;
  for (int half = 0; half < 4; ++half) chain.implicit_step(h / 2, law.weight);
  for (int step = 2; step < kSteps; ++step) {
    chain.explicit_step(h / 2, law.weight);
    chain.implicit_step(h / 2, law.weight);
  }
  return law;
}

double overlap_moment(const OverlapLaw& law, int power) {
  double sum = 0;
  for (std::size_t i = 0; i < law.rho.size(); ++i)
    sum += law.weight[i] * std::pow(law.rho[i], power);
  return sum;
}

// Half of a node's weight lies below it; linear in artanh(rho) between nodes.
double overlap_below(const OverlapLaw& law, double rho) {
  if (rho <= law.rho.front()) return 0;
  if (rho >= law.rho.back()) return 1;
  const auto next = std::upper_bound(law.rho.begin(), law.rho.end(), rho) - law.rho.begin();
  double sum = 0;
  for (std::ptrdiff_t i = 0; i + 1 < next; ++i) sum += law.weight[static_cast<std::size_t>(i)];
  const auto i = static_cast<std::size_t>(next - 1);
  const double from = std::atanh(law.rho[i]), to = std::atanh(law.rho[i + 1]);
  const double share = to > from ? (std::atanh(rho) - from) / (to - from) : 0.5;
  return sum + law.weight[i] / 2 + share * (law.weight[i] + law.weight[i + 1]) / 2;
}

double redrawn_late_rate(int d) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  return (d - 1.0) / d;
}

double redrawn_velocity(const Equiangular& swarm, double rho) {
  const Messages m = messages_of(swarm, rho);
  return (1 - rho) * ((swarm.n - 1) * rho + 1) * m.other * (2 * m.self + (swarm.n - 2) * m.other);
}

double redrawn_cosine(const Equiangular& swarm, double s) {
  check_swarm(swarm);
  demand(s >= 0 && std::isfinite(s), "the time is out of range", "s",
         "give a finite s of at least 0");
  // u = -ln(1 - rho) keeps the digits of 1 - rho.
  const auto slope = [&](double, const State& u) {
    const double rho = -std::expm1(-u[0]);
    return State{redrawn_velocity(swarm, rho) / (1 - rho), 0};
  };
  return -std::expm1(-carry(slope, {-std::log1p(-swarm.start), 0}, 0, s)[0]);
}

double redrawn_layer(const Equiangular& swarm, double dt, double rho) {
  const Messages m = messages_of(swarm, rho);
  return (rho + dt * dt * m.product) / (1 + dt * dt * m.square);
}

}  // namespace murmur::theory
