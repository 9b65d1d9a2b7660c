// known_statements_test.cpp: every statement of `explain`, simulated inside and outside its
// hypotheses: the same question is answered with yes inside and with no outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <numbers>
#include <set>

#include "core/forces.h"
#include "murmur/known.h"
#include "murmur/theory.h"
#include "observe/energy.h"
#include "support.h"

namespace murmur::testing {
namespace {

using Words = std::vector<std::string>;
constexpr double kPi = std::numbers::pi;

struct Setting {
  Words words;
  std::optional<HostSwarm> swarm{};  // in place of the start of the words
};

Experiment made(const Setting& setting) {
  Experiment e = make_experiment(gather({.assignments = setting.words}));
  if (setting.swarm) e.swarm = *setting.swarm;
  return e;
}

// The setting with other words laid over it: the last one of a key counts.
Experiment changed(const Setting& setting, const Words& more) {
  Setting other = setting;
  for (const std::string& word : more) {
    const std::string key = word.substr(0, word.find('=') + 1);
    std::erase_if(other.words, [&](const std::string& w) { return w.starts_with(key); });
    other.words.push_back(word);
  }
  return made(other);
}

Simulated carried(const Experiment& e, double T, double every = 0) {
  return simulated_by(e.dynamics, e.swarm, {e.flow, e.random}, {.T = T, .every = every});
}

double cosine(const HostSwarm& x, int i, int j) {
  return dot(x, i, j) / std::sqrt(dot(x, i, i) * dot(x, j, j));
}
double least_cosine(const HostSwarm& x) {
  double least = 1;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < i; ++j) least = std::min(least, cosine(x, i, j));
  return least;
}
double largest_norm(const HostSwarm& x) {
  double most = 0;
  for (int i = 0; i < x.n(); ++i) most = std::max(most, std::sqrt(dot(x, i, i)));
  return most;
}

HostSwarm cloud(Shape shape, std::uint64_t seed, double size = 1) {
  HostSwarm x(shape);
  const Matrix m = random_matrix(shape.n, shape.d, seed, size);
  for (int i = 0; i < shape.n; ++i)
    for (int k = 0; k < shape.d; ++k) x.at(i, k) = m(i, k);
  return x;
}
HostSwarm near_one_point(Shape shape, double size) {
  HostSwarm x = cloud(shape, 4, size);
  for (int i = 0; i < shape.n; ++i) {
    x.at(i, 0) += 1;
    const double length = std::sqrt(dot(x, i, i));
    for (int k = 0; k < shape.d; ++k) x.at(i, k) /= length;
  }
  return x;
}

// The questions.

bool one_cluster(const Setting& s) { return least_cosine(carried(made(s), 400).last()) > 0.999; }

bool all_come_to_the_first(const Setting& s) {
  const Experiment e = made(s);
  const HostSwarm end = carried(e, 150).last();
  double far = 0;
  for (int i = 0; i < end.n(); ++i)
    for (int k = 0; k < end.d(); ++k)
      far = std::max(far, std::fabs(end.at(i, k) - e.swarm.at(0, k)));
  return far < 1e-3;
}

bool exponentially_fast(const Setting& s) {
  const Simulated run = carried(made(s), 30, 15);
  const double half = 1 - least_cosine(run.frames[1]), end = 1 - least_cosine(run.last());
  return end < 1e-6 && end < 1e-6 * half + 1e-12;
}

// Whether 1 - cos of two tokens falls near one cluster as is said of SA and of USA in its clock.
bool late_rate_is_right(const Setting& s) {
  const Experiment e = made(s);
  const Attention& a = *first_attention(e.dynamics);
  double rate = a.self ? 2 : 2 * e.swarm.n() / (e.swarm.n() - 1.0);
  if (a.weighting == Attention::unnormalised) rate = 2 * clock_scale(e.dynamics.clock, a.beta);
  const double T = 1 / rate;
  const Simulated run = carried(e, 2 * T, T);
  const double fall = std::log((1 - cosine(run.frames[1], 0, 1)) / (1 - cosine(run.last(), 0, 1)));
  return std::fabs(fall - 1) < 0.02;
}

bool normalised_rate_is_right(const Setting& s) {
  Experiment e = made(s);
  e.flow.tolerance = {1e-12, 1e-13};
  const double hurry = first_attention(e.dynamics)->self ? 1 : e.swarm.n() / (e.swarm.n() - 1.0);
  const auto fall = [&](double from, double to) {
    const Simulated run = carried(e, to, from);
    return std::log((1 - cosine(run.frames[1], 0, 1)) / (1 - cosine(run.last(), 0, 1)));
  };
  switch (e.dynamics.normalisation) {
    case LayerNorm::ngpt:
      return std::fabs(fall(2, 2.5) - hurry * e.dynamics.speed) < 0.05;
    case LayerNorm::sqrt:
      return std::fabs(fall(8, 15) - 4 * hurry) < 0.05;
    default:
      return std::fabs(fall(200, 400) / std::log(2) - 2 * hurry) < 0.1;
  }
}

// When the first and the last token are within 0.1, to 1 %; they approach along the circle.
double meeting_time(const Experiment& e) {
  double T = 1e-3;
  while (T < 1e5) {
    const Simulated run = carried(e, T, T / 100);
    for (std::size_t f = 0; f < run.frames.size(); ++f)
      if (cosine(run.frames[f], 0, e.swarm.n() - 1) > std::cos(0.1) && f > 10) return run.times[f];
    T *= 5;
  }
  return T;
}

HostSwarm two_clusters(int left, int right, double angle) {
  std::vector<double> angles(left, 0.0);
  angles.resize(left + right, angle);
  return circle(angles);
}

// e^{beta (1 - cos)} for a right angle: two more of beta, e^2 times as long, up to powers of beta.
bool waits_exponentially(const Setting& s) {
  const double more =
      std::log(meeting_time(changed(s, {"beta=6"})) / meeting_time(changed(s, {"beta=4"})));
  return more > 1.2 && more < 2.6;
}

bool meets_as_usa(const Setting& s) {
  for (const double angle : {kPi / 2, 2 * kPi / 3}) {
    Experiment e = made(s);
    e.swarm = two_clusters(2, 2, angle);
    const double beta = first_attention(e.dynamics)->beta;
    const double order =
        std::exp(-beta * std::cos(angle)) /
        (std::pow(beta, e.dynamics.clock == Clock::u3 ? 2 : 1) * std::pow(std::sin(angle), 2));
    const double times = meeting_time(e) / order;
    if (!(times > 0.7 && times < 1.6)) return false;
  }
  return true;
}

// Two and three tokens at an angle of 1.2: nine tenths of the way at nine tenths of the time.
bool meets_by_arc_length(const Setting& s) {
  const Experiment e = made(s);
  const double T = 1.2 * std::sqrt(2 * 3 / 5.0) / std::log(first_attention(e.dynamics)->beta);
  const HostSwarm end = carried(e, 0.9 * T).last();
  return std::fabs(std::acos(cosine(end, 0, e.swarm.n() - 1)) - 0.12) < 1e-3;
}

bool pair_meets_at_every_beta(const Setting& s) {
  const Experiment e = made(s);
  const HostSwarm end = carried(e, 1).last();
  const double before = std::acos(cosine(e.swarm, 0, 1)), after = std::acos(cosine(end, 0, 1));
  return std::fabs(std::tan(after / 2) / std::tan(before / 2) - std::exp(-2)) < 1e-5;
}

bool goes_straight(const Setting& s) {
  const Experiment e = made(s);
  const HostSwarm end = carried(e, 2).last();
  const bool steps = e.flow.method == Method::layers || e.flow.method == Method::euler;
  const double stays = steps ? std::pow(1 - e.flow.dt, 2 / e.flow.dt) : std::exp(-2);
  for (int i = 0; i < e.swarm.n(); ++i) {
    int v = 0;
    for (int j = 0; j < e.swarm.n(); ++j)
      if (dot(e.swarm, i, j) > dot(e.swarm, i, v)) v = j;
    for (int k = 0; k < e.swarm.d(); ++k)
      if (!(std::fabs(end.at(i, k) - stays * e.swarm.at(i, k) - (1 - stays) * e.swarm.at(v, k)) <
            1e-6))
        return false;
  }
  return true;
}

// z of a frame at t.
HostSwarm rescaled(const Experiment& e, HostSwarm x, double t) {
  if (first_attention(e.dynamics)->rescaled) return x;
  for (int i = 0; i < x.n(); ++i)  // V = +-I, or the test is of rescaled swarms
    for (int k = 0; k < x.d(); ++k) x.at(i, k) *= std::exp(-t);
  return x;
}

bool hull_ends_as_polytope(const Setting& s) {
  const Experiment e = made(s);
  const Simulated run = carried(e, 8, 0.25);
  for (int u = 0; u < 16; ++u) {
    double last = 1e300;
    for (std::size_t f = 0; f < run.frames.size(); ++f) {
      const HostSwarm z = rescaled(e, run.frames[f], run.times[f]);
      double support = -1e300;
      for (int i = 0; i < z.n(); ++i)
        support = std::max(support,
                           std::cos(u * kPi / 8) * z.at(i, 0) + std::sin(u * kPi / 8) * z.at(i, 1));
      if (support > last + 1e-6) return false;
      last = support;
    }
  }
  const HostSwarm z = rescaled(e, run.last(), run.times.back());
  const double size = largest_norm(z);
  for (int i = 0; i < z.n(); ++i) {
    double most = 0;
    for (int j = 0; j < z.n(); ++j) most = std::max(most, dot(z, i, j));
    const double own = dot(z, i, i);
    if (own > 0.01 * size * size && most > 1.05 * own) return false;
  }
  return true;
}

bool comes_to_zero(const Setting& s) {
  const Experiment e = made(s);
  const Simulated run = carried(e, 50);
  const double shrinks = first_attention(e.dynamics)->rescaled ? std::exp(-50.0) : 1;
  return run.outcome.ok() && largest_norm(run.last()) * shrinks < 0.5;
}

// At most three values of the leading left eigenvector of V over the particles.
bool ends_on_hyperplanes(const Setting& s) {
  const Experiment e = made(s);
  const Matrix& v = first_attention(e.dynamics)->value;
  std::vector<double> left(e.swarm.d(), 1.0);
  left[0] = 1.1;
  for (int round = 0; round < 500 && !v.empty(); ++round) {
    std::vector<double> next(left.size());
    double length = 0;
    for (std::size_t i = 0; i < left.size(); ++i)
      for (std::size_t j = 0; j < left.size(); ++j)
        next[j] += left[i] * v(static_cast<int>(i), static_cast<int>(j));
    for (const double entry : next) length += entry * entry;
    for (std::size_t k = 0; k < left.size(); ++k) left[k] = next[k] / std::sqrt(length);
  }
  const HostSwarm end = carried(e, 8).last();
  std::vector<double> values;
  for (int i = 0; i < end.n(); ++i) {
    double value = 0;
    for (int k = 0; k < end.d(); ++k) value += left[k] * end.at(i, k);
    values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  int groups = 1;
  for (std::size_t k = 1; k < values.size(); ++k) groups += values[k] - values[k - 1] > 0.05;
  return groups <= 3;
}

bool becomes_one_point(const Setting& s) {
  const HostSwarm end = carried(made(s), 60).last();
  double far = 0;
  for (int i = 0; i < end.n(); ++i)
    for (int k = 0; k < end.d(); ++k) far = std::max(far, std::fabs(end.at(i, k) - end.at(0, k)));
  return far < 1e-3;
}

// How long the corners of a square stay beyond half of their distance from 0, against beta.
bool vertices_wait(const Setting& s) {
  const auto waits = [&](const char* beta) {
    const Simulated run = carried(changed(s, {beta}), 2000, 0.05);
    std::size_t f = 0;
    while (f + 1 < run.frames.size() && largest_norm(run.frames[f]) > 0.5) ++f;
    return run.times[f];
  };
  return waits("beta=6") / waits("beta=4") > 4;
}

// m(t) = e^t m(0) where V = I acts on x_j, m(0) where it acts on differences.
bool mean_is_carried(const Setting& s) {
  const Experiment e = made(s);
  const HostSwarm end = carried(e, 0.5).last();
  const double factor = first_attention(e.dynamics)->relative ? 1 : std::exp(0.5);
  double off = 0;
  for (int k = 0; k < end.d(); ++k) {
    double mean = 0;
    for (int i = 0; i < end.n(); ++i) mean += (end.at(i, k) - factor * e.swarm.at(i, k)) / end.n();
    off = std::max(off, std::fabs(mean));
  }
  return off < 1e-6;
}

// Whether d v_ik / d x_jl is symmetric.
bool is_gradient(const Setting& s) {
  const Experiment e = made(s);
  const auto engine = make_reference_engine();
  constexpr double h = 1e-5;
  const int d = e.swarm.d(), size = e.swarm.n() * d;
  Matrix jacobian = zeros(size, size);
  for (int c = 0; c < size; ++c) {
    HostSwarm up = e.swarm, down = e.swarm;
    up.at(c / d, c % d) += h;
    down.at(c / d, c % d) -= h;
    const HostSwarm v = velocity(*engine, e.dynamics, up);
    const HostSwarm w = velocity(*engine, e.dynamics, down);
    for (int r = 0; r < size; ++r)
      jacobian(r, c) = (v.at(r / d, r % d) - w.at(r / d, r % d)) / (2 * h);
  }
  double most = 0;
  for (int r = 0; r < size; ++r)
    for (int c = 0; c < r; ++c) most = std::max(most, std::fabs(jacobian(r, c) - jacobian(c, r)));
  return most < 1e-6;
}

// Order below and above kappa_c of USA in the clock U1.
bool orders_beyond_threshold(const Setting& s) {
  const auto order = [&](double kappa) {
    Experiment e = made(s);
    e.dynamics.noise = 1 / kappa;
    const HostSwarm end = carried(e, 30).last();
    double square = 0;
    for (int k = 0; k < end.d(); ++k) {
      double mean = 0;
      for (int i = 0; i < end.n(); ++i) mean += end.at(i, k) / end.n();
      square += mean * mean;
    }
    return std::sqrt(square);
  };
  const double critical = theory::noise_threshold(2, 1);
  return order(0.5 * critical) < 0.3 && order(1.8 * critical) > 0.5;
}

double distance(const HostSwarm& a, const HostSwarm& b) {  // root mean square
  double sum = 0;
  for (int i = 0; i < a.n(); ++i)
    for (int k = 0; k < a.d(); ++k) sum += std::pow(a.at(i, k) - b.at(i, k), 2) / a.n();
  return std::sqrt(sum);
}

bool averages_to_identity(const Setting& s) {
  const Experiment e = made(s);
  const HostSwarm identity =
      simulated(dynamics_of(Attention{.beta = 1}), e.swarm, {}, {.T = 1}).last();
  return distance(carried(e, 1).last(), identity) < 0.4 * distance(e.swarm, identity);
}

// Moves as the root of `redraw` at a fixed time.
bool moves_by_diffusion(const Setting& s) {
  double moved[2] = {};
  for (const int fine : {0, 1})
    for (int seed = 0; seed < 12; ++seed) {
      const Experiment e = changed(
          s, {fine ? "redraw=0.0025" : "redraw=0.04", "seed=" + std::to_string(100 + seed)});
      moved[fine] += std::pow(distance(carried(e, 1).last(), e.swarm), 2);
    }
  const double times = std::sqrt(moved[0] / moved[1]);
  return times > 2.8 && times < 5.6;
}

bool redrawn_rate_is_right(const Setting& s) {
  constexpr int kSeeds = 16;
  double sum = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Experiment e = changed(s, {"seed=" + std::to_string(200 + seed)});
    e.swarm = near_one_point({2, 8}, 1e-3);
    const HostSwarm end = carried(e, 80).last();
    sum += std::log((1 - cosine(e.swarm, 0, 1)) / (1 - cosine(end, 0, 1))) / (0.05 * 80);
  }
  return std::fabs(sum / kSeeds - theory::redrawn_late_rate(8)) < 0.3;
}

bool cosines_are_logistic(const Setting& s) {
  const Experiment e = made(s);
  const HostSwarm end = carried(e, 8).last();
  double mean = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) mean += cosine(end, i, j) / 6;
  return std::fabs(mean - theory::redrawn_cosine({.n = 4, .beta = 0}, 0.2 * 8)) < 0.1;
}

// The energy, frame after frame, times `sign`, never falls.
bool is_monotone(const Setting& s, double sign) {
  const Experiment e = made(s);
  const Attention& a = *first_attention(e.dynamics);
  const Matrix score = score_matrix(a.query, a.key);
  const auto energy = [&](const HostSwarm& x) {
    double sum = 0;
    for (int i = 0; i < x.n(); ++i)
      for (int j = 0; j < x.n(); ++j) {
        double product = 0;
        for (int k = 0; k < x.d(); ++k)
          for (int l = 0; l < x.d(); ++l)
            product += (score.empty() ? (k == l) : score(k, l)) * x.at(i, k) * x.at(j, l);
        sum += std::exp(a.beta * product) / (2 * a.beta * x.n() * x.n());
      }
    return sum;
  };
  const bool fixed = row_of(e.flow.method).embedded_order == 0;
  const Simulated run = carried(e, 10, fixed ? e.flow.dt : 0.1);
  double last = -1e300;
  for (const HostSwarm& frame : run.frames) {
    const double now = sign * energy(frame);
    if (now < last - 1e-7 * std::fabs(last)) return false;
    last = now;
  }
  return true;
}
bool rises(const Setting& s) { return is_monotone(s, 1); }
bool falls(const Setting& s) { return is_monotone(s, -1); }

// What the last label keeps of a mark on the labels at 1/16, 8/16 and 16/16, all uniform before:
// of every mode, weighed as the paper's marks are.
constexpr int kLabels = 16, kEach = 24;
HostSwarm labelled(int marked) {
  std::vector<double> angles;
  for (int label = 0; label < kLabels; ++label)
    for (int m = 0; m < kEach; ++m) {
      const double at = 2 * kPi * m / kEach;
      double angle = at;
      for (int mode = 1; mode <= 8 && label == marked; ++mode)
        angle -= 1e-3 / mode * std::sin(mode * at);  // density 1 + 1e-3 cos(mode at)
      angles.push_back(angle);
    }
  return circle(angles);
}
bool middle_is_lost(const Setting& s) {
  const auto kept = [&](int marked) {  // at t = 1 and t = 6
    Experiment e = made(s);
    e.swarm = labelled(marked);
    const Simulated run = carried(e, 6, 1);
    std::vector<std::vector<std::complex<double>>> modes;
    for (const std::size_t f : {std::size_t{1}, std::size_t{6}}) {
      modes.emplace_back();
      for (int mode = 1; mode <= 8; ++mode) {
        std::complex<double> sum = 0;
        for (int i = e.swarm.n() - kEach; i < e.swarm.n(); ++i)
          sum += std::polar(1.0, mode * std::atan2(run.frames[f].at(i, 1), run.frames[f].at(i, 0)));
        modes.back().push_back(sum);
      }
    }
    return modes;
  };
  const auto without = kept(-1);
  const auto profile = [&](int marked) {
    const auto with = kept(marked);
    std::vector<double> sums;
    for (std::size_t f = 0; f < 2; ++f) {
      sums.push_back(0);
      for (int mode = 1; mode <= 8; ++mode)
        sums.back() += std::exp(-std::pow(kPi * mode / 8, 2) / 2) *
                       (with[f][mode - 1] - without[f][mode - 1]).real();
    }
    return sums;
  };
  // The last label keeps its own mark as it is: the end of the profile is the label before.
  const std::vector<double> first = profile(0), middle = profile(7), end = profile(kLabels - 2);
  return middle[0] < first[0] && middle[0] < end[0] && end[1] < middle[1];
}

struct Case {
  const char* name;
  bool (*holds)(const Setting&);
  std::vector<Setting> inside, outside;
};

const std::vector<Case>& cases() {
  const HostSwarm triangle = circle({0.05, 2.0, 4.25});
  const HostSwarm close = near_one_point({5, 3}, 1e-3);
  const HostSwarm right = two_clusters(3, 3, kPi / 2), unlike = two_clusters(2, 3, 1.2);
  const HostSwarm pair = circle({0, 1.5});
  HostSwarm pentagon = circle({0, 1.2, 2.5, 3.8, 5.1, 0.4, 2.2, 4.0});
  for (int i = 5; i < 8; ++i)
    for (int k = 0; k < 2; ++k) pentagon.at(i, k) *= 0.5;
  HostSwarm chain({3, 2});  // (0, 1) attends to (3, 3), and that to (10, 0)
  chain.at(0, 1) = 1;
  chain.at(1, 0) = chain.at(1, 1) = 3;
  chain.at(2, 0) = 10;
  const HostSwarm points = cloud({12, 2}, 8), square = circle({0, kPi / 2, kPi, 3 * kPi / 2});
  const Words usa = {"dynamics=USA", "d=2", "n=6", "beta=9"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words good = {"dynamics=rescaled", "d=2", "n=12",
                      "value=matrix:0.64709742,0.81911926;0.61210449,0.63263484"};
  const Words middle = {"dynamics=USA", "reach=past", "beta=1", "d=2", "n=384", "clock=U3"};
  const Words drawn = {"beta=1", "n=6", "d=3", "T=1"};
  static const std::vector<Case> all = {
      {"causal-first",
       all_come_to_the_first,
       {{{"dynamics=causal", "n=8", "d=3", "beta=0.5", "query=gaussian", "key=gaussian"}}},
       {{{"n=8", "d=3", "beta=0.5"}}, {{"dynamics=causal", "n=8", "d=3", "value=goe"}}}},
      {"sphere-one-cluster",
       one_cluster,
       {{{"d=3", "beta=2", "n=12"}}, {{"d=3", "beta=1", "n=12", "dynamics=USA"}}},
       {{{"d=3", "beta=2", "n=12", "direction=descent"}}, {{"d=3", "n=12", "value=gaussian"}}}},
      {"circle-one-cluster",
       one_cluster,
       {{{"d=2", "n=3", "beta=-0.1"}, triangle}, {{"d=2", "n=3", "beta=1"}, triangle}},
       {{{"d=2", "n=3", "beta=-1"}, triangle}}},
      {"exponential",
       exponentially_fast,
       {{{"n=5", "d=6", "query=gaussian", "key=gaussian"}}, {{"n=5", "d=6", "dynamics=USA"}}},
       {{{"n=40", "d=2", "beta=9"}}, {{"n=5", "d=6", "value=gaussian"}}}},
      {"late-rate",
       late_rate_is_right,
       {{{"n=5", "d=3", "beta=2"}, close},
        {{"n=5", "d=3", "beta=2", "query=gaussian", "key=gaussian"}, close},
        {{"n=5", "d=3", "beta=2", "self=false"}, close},
        {{"n=5", "d=3", "beta=2", "dynamics=USA"}, close},
        {{"n=5", "d=3", "beta=2", "dynamics=USA", "clock=U2"}, close},
        {{"n=5", "d=3", "beta=2", "dynamics=USA", "clock=U3"}, close}},
       {{{"n=5", "d=3", "beta=2", "value=goe"}, close},
        {{"n=5", "d=3", "beta=2", "dynamics=USA", "query=gaussian"}, close},
        {{"n=5", "d=3", "beta=2", "normalisation=sqrt"}, close}}},
      {"normalised-late-rate",
       normalised_rate_is_right,
       {{{"n=5", "d=5", "beta=1", "normalisation=pre"}, orthonormal(5)},
        {{"n=5", "d=5", "beta=1", "normalisation=peri", "self=false"}, orthonormal(5)},
        {{"n=5", "d=5", "beta=1", "normalisation=ngpt:2"}, orthonormal(5)},
        {{"n=5", "d=5", "beta=1", "normalisation=sqrt"}, orthonormal(5)}},
       {{{"n=5", "d=5", "beta=1", "normalisation=pre", "relative=true"}, orthonormal(5)}}},
      {"metastable",
       waits_exponentially,
       {{{"d=2", "n=6", "beta=9"}, right}, {with(usa, {"clock=U2"}), right}},
       {{usa, right},
        {with(usa, {"clock=U3"}), right},
        {{"d=2", "n=2", "beta=9", "self=false"}, circle({0, kPi / 2})}}},
      {"pair-usa",
       meets_as_usa,
       {{usa}, {with(usa, {"clock=U3"})}},
       {{with(usa, {"clock=U2"})}, {{"d=2", "n=6", "beta=9"}}}},
      {"pair-arc",
       meets_by_arc_length,
       {{with(usa, {"clock=U4"}), unlike}},
       {{usa, unlike}, {{"d=2", "n=5", "beta=9"}, unlike}}},
      {"pair-without-self",
       pair_meets_at_every_beta,
       {{{"d=2", "n=2", "beta=0", "self=false"}, pair},
        {{"d=2", "n=2", "beta=9", "self=false"}, pair}},
       {{{"d=2", "n=2", "beta=9"}, pair},
        {{"d=2", "n=3", "beta=9", "self=false"}, circle({0, 1.5, 2.5})}}},
      {"straight",
       goes_straight,
       {{{"dynamics=hardmax", "d=2", "n=8"}, pentagon},
        {{"dynamics=hardmax", "d=2", "n=8", "method=layers", "dt=0.25"}, pentagon}},
       {{{"dynamics=hardmax", "d=2", "n=3"}, chain}}},
      {"polytope",
       hull_ends_as_polytope,
       {{{"dynamics=rescaled", "d=2", "n=12"}, points},
        {{"dynamics=euclidean", "d=2", "n=12"}, points}},
       {{{"dynamics=rescaled", "d=2", "n=12", "direction=descent"}, points}}},
      {"to-zero",
       comes_to_zero,
       {{{"dynamics=rescaled", "d=2", "n=12", "direction=descent"}, points},
        {{"dynamics=euclidean", "d=2", "n=12", "direction=descent"}, points}},
       {{{"dynamics=euclidean", "d=2", "n=12", "direction=descent", "key=minus-identity"}, points},
        {{"dynamics=euclidean", "d=2", "n=12"}, points}}},
      {"hyperplanes",
       ends_on_hyperplanes,
       {{good, cloud({12, 2}, 9, 3)}},
       {{{"dynamics=rescaled", "d=2", "n=12", "value=matrix:0.2,1;-1,0.2"}, cloud({12, 2}, 9, 3)},
        {with(good, {"direction=descent"}), cloud({12, 2}, 9, 3)}}},
      {"one-point",
       becomes_one_point,
       {{{"dynamics=euclidean", "relative=true", "d=2", "n=12", "query=gaussian"}, points}},
       {{{"dynamics=euclidean", "relative=true", "d=2", "n=12", "value=gaussian"}, points},
        {{"dynamics=hardmax", "d=2", "n=8"}, pentagon}}},
      {"vertices",
       vertices_wait,
       {{{"dynamics=euclidean", "relative=true", "d=2", "n=4", "beta=4"}, square}},
       {{{"dynamics=euclidean", "relative=true", "d=2", "n=4", "beta=4", "key=minus-identity"},
         square}}},
      {"sinkhorn-mean",
       mean_is_carried,
       {{{"dynamics=sinkhorn", "habitat=space", "d=2", "n=12"}, points},
        {{"dynamics=sinkhorn", "habitat=space", "relative=true", "d=2", "n=12"}, points}},
       {{{"dynamics=euclidean", "d=2", "n=12"}, points}}},
      {"sinkhorn-gradient",
       is_gradient,
       {{{"dynamics=sinkhorn", "habitat=space", "d=2", "n=5", "query=goe", "value=query-key"},
         cloud({5, 2}, 6)}},
       {{{"dynamics=sinkhorn", "habitat=space", "d=2", "n=5", "query=goe"}, cloud({5, 2}, 6)},
        {{"dynamics=euclidean", "d=2", "n=5", "query=goe", "value=query-key"}, cloud({5, 2}, 6)}}},
      {"noise-threshold",
       orders_beyond_threshold,
       {{{"dynamics=USA", "d=2", "n=300", "noise=1", "beta=1", "method=strang", "dt=0.05"}}},
       {{{"dynamics=USA", "d=2", "n=300", "noise=1", "beta=1", "method=strang", "dt=0.05",
          "clock=U2"}}}},
      {"redraw-mean",
       averages_to_identity,
       {{with(drawn, {"value=psd", "redraw=0.0025"})}},
       {{with(drawn, {"value=gaussian", "redraw=0.0025"})}}},
      {"redraw-diffusion",
       moves_by_diffusion,
       {{with(drawn, {"value=gaussian", "redraw=0.01"})}},
       {{with(drawn, {"value=psd", "redraw=0.01"})}}},
      {"redraw-late",
       redrawn_rate_is_right,
       {{{"n=2", "d=8", "beta=1", "T=80", "value=gaussian", "redraw=0.05", "method=layers",
          "dt=0.05"}}},
       {{{"n=2", "d=8", "beta=1", "T=80", "value=goe", "redraw=0.05", "method=layers",
          "dt=0.01"}}}},
      {"redraw-cosines",
       cosines_are_logistic,
       {{{"n=4", "d=256", "beta=0", "T=8", "value=gaussian", "redraw=0.2", "method=layers",
          "dt=0.2", "init=orthonormal"}}},
       {{{"n=4", "d=256", "beta=0", "T=8", "method=layers", "dt=0.2", "init=orthonormal"}}}},
      {"energy-rises",
       rises,
       {{{"d=3", "n=8", "beta=3", "query=goe", "value=query-key"}},
        {{"d=3", "n=8", "beta=3", "dynamics=USA"}}},
       {{{"d=3", "n=8", "beta=3", "dynamics=USA", "method=euler", "dt=0.5"}},
        {{"d=3", "n=8", "beta=3", "value=goe"}}}},
      {"energy-falls",
       falls,
       {{{"d=3", "n=8", "beta=3", "direction=descent"}},
        {{"d=3", "n=8", "beta=3", "dynamics=USA", "direction=descent"}}},
       {{{"d=3", "n=8", "beta=3", "direction=descent", "method=layers", "dt=2"}},
        {{"d=3", "n=8", "beta=3", "dynamics=USA", "direction=descent", "method=euler", "dt=2"}}}},
      {"lost-middle",
       middle_is_lost,
       {{with(middle, {"alibi=1"}), labelled(-1)}},
       {{with(middle, {"alibi=0"}), labelled(-1)}}},
  };
  return all;
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class KnownStatements : public ::testing::TestWithParam<Case> {};

const KnownStatement& statement_of(const Case& c) {
  const auto all = known_statements();
  return *std::find_if(all.begin(), all.end(),
                       [&](const KnownStatement& s) { return std::string(s.name) == c.name; });
}

TEST_P(KnownStatements, AreTrueWhereTheyApply) {
  ASSERT_FALSE(GetParam().inside.empty());
  for (const Setting& setting : GetParam().inside) {
    EXPECT_TRUE(statement_of(GetParam()).applies(made(setting)))
        << ::testing::PrintToString(setting.words);
    EXPECT_TRUE(GetParam().holds(setting)) << ::testing::PrintToString(setting.words);
  }
}

TEST_P(KnownStatements, DoNotApplyWhereTheyAreFalse) {
  ASSERT_FALSE(GetParam().outside.empty());
  for (const Setting& setting : GetParam().outside) {
    EXPECT_FALSE(statement_of(GetParam()).applies(made(setting)))
        << ::testing::PrintToString(setting.words);
    EXPECT_FALSE(GetParam().holds(setting)) << ::testing::PrintToString(setting.words);
  }
}

INSTANTIATE_TEST_SUITE_P(All, KnownStatements, ::testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(KnownStatementList, EveryStatementIsTested) {
  std::set<std::string> stated, tested;
  for (const KnownStatement& s : known_statements()) stated.insert(s.name);
  for (const Case& c : cases()) tested.insert(c.name);
  EXPECT_EQ(stated, tested);
  EXPECT_EQ(stated.size(), known_statements().size());
}

}  // namespace
}  // namespace murmur::testing
