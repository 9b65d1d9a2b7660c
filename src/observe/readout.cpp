// readout.cpp: mean and median of a swarm, and the words of a vocabulary near a point.
#include "murmur/readout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/elementary.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double norm_of(std::span<const double> x) {
  double square = 0;
  for (const double v : x) square += v * v;
  return std::sqrt(square);
}

// One step of Vardi and Zhang from y: T(y) = sum_i (m_i / r_i) x_i / sum_i (m_i / r_i) over the
// tokens away from y, damped by the mass eta at y itself:
//   y' = max(0, 1 - eta / R) T(y) + min(1, eta / R) y,    R = |sum_i m_i (x_i - y) / r_i|.
Vector median_step(const HostSwarm& x, const Vector& y) {
  const int d = x.d();
  Vector pull(d), to(d);
  double weight = 0, here = 0;
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < d; ++k) square += (x.at(i, k) - y[k]) * (x.at(i, k) - y[k]);
    const double r = std::sqrt(square);
    if (!(r > 0)) {
      here += x.mass[i];
      continue;
    }
    weight += x.mass[i] / r;
    for (int k = 0; k < d; ++k) {
      to[k] += x.mass[i] / r * x.at(i, k);
      pull[k] += x.mass[i] / r * (x.at(i, k) - y[k]);
    }
  }
  const double force = norm_of(pull);
  if (!(weight > 0) || force <= here) return y;
  const double stay = here / force;
  for (int k = 0; k < d; ++k) to[k] = (1 - stay) * to[k] / weight + stay * y[k];
  return to;
}

double spread_about(const HostSwarm& x, const Vector& y) {
  double most = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) most = std::max(most, std::fabs(x.at(i, k) - y[k]));
  return most;
}

}  // namespace

Vector mean_place(const HostSwarm& x) {
  Vector mean(x.d());
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) mean[k] += x.mass[i] * x.at(i, k);
  return mean;
}

Vector geometric_median(const HostSwarm& x) {
  constexpr int kMostSteps = 20'000;
  constexpr double kTolerance = 1e-13;
  Vector y = mean_place(x);
  const double spread = spread_about(x, y);
  for (int step = 0; step < kMostSteps; ++step) {
    const Vector next = median_step(x, y);
    double moved = 0;
    for (int k = 0; k < x.d(); ++k) moved = std::max(moved, std::fabs(next[k] - y[k]));
    y = next;
    if (moved <= kTolerance * spread) break;
  }
  return y;
}

Vector token_place(const HostSwarm& x, int token) {
  if (token < 0 || token >= x.n())
    throw Error(Fault::input, "there is no token " + std::to_string(token), "the swarm",
                "it has tokens 0 to " + std::to_string(x.n() - 1));
  Vector place(x.d());
  for (int k = 0; k < x.d(); ++k) place[k] = x.at(token, k);
  return place;
}

std::string Vocabulary::word(int v) const { return words.empty() ? std::to_string(v) : words[v]; }

Vocabulary draw_vocabulary(int count, int d, std::uint64_t seed) {
  if (count < 1 || count > kMostWords || d < 1)
    throw Error(Fault::input, "a vocabulary of " + std::to_string(count) + " words is not drawn",
                "parameter vocabulary", "give 1 to " + std::to_string(kMostWords) + " words");
  Vocabulary drawn{zeros(count, d), {}};
  for (int v = 0; v < count; ++v) {
    const Draw who{seed, Stream::readout, static_cast<std::uint32_t>(v)};
    const std::span<double> row(&drawn.points(v, 0), static_cast<std::size_t>(d));
    for (int k = 0; k < d; ++k) row[k] = who.normal(static_cast<std::uint16_t>(k));
    const double length = norm_of(row);
    for (double& c : row) c /= length;
  }
  return drawn;
}

Vocabulary vocabulary_of(Matrix points, std::vector<std::string> words, const std::string& where) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    throw Error(Fault::input, what, where, remedy);
  };
  if (points.rows < 1 || points.cols < 1 || points.rows > kMostWords)
    refuse("this is not a vocabulary",
           "give shape (V, d), a row a word, 1 to " + std::to_string(kMostWords) + " of them");
  if (!words.empty() && words.size() != static_cast<std::size_t>(points.rows))
    refuse("there are " + std::to_string(words.size()) + " words for " +
               std::to_string(points.rows) + " points",
           "give one word per point, or none");
  for (int v = 0; v < points.rows; ++v) {
    const std::span<double> row(&points(v, 0), static_cast<std::size_t>(points.cols));
    const double length = norm_of(row);
    if (!(std::fabs(length - 1) <= 1e-5))
      refuse("word " + std::to_string(v) + " has norm " + std::to_string(length) + ", not 1",
             "divide each row by its length: words are compared by cosines");
    if (std::fabs(length - 1) <= 8 * kEpsilon * std::sqrt(points.cols)) continue;  // keeps the bits
    for (double& c : row) c /= length;
  }
  return {std::move(points), std::move(words)};
}

// With s_v = kappa <u, w_v>, top = max_v s_v and Z = sum_v e^{s_v - top}:
//   p_v = e^{s_v - top} / Z,    -sum_v p_v ln p_v = ln Z - sum_v p_v (s_v - top)
NextWord next_word(const Vocabulary& vocabulary, std::span<const double> x,
                   const ReadoutRule& rule) {
  const Matrix& w = vocabulary.points;
  const double length = norm_of(x);
  if (static_cast<int>(x.size()) != w.cols)
    throw Error(
        Fault::input,
        "places have " + std::to_string(x.size()) + " coordinates, words " + std::to_string(w.cols),
        "the vocabulary", "give words of as many coordinates as the swarm has");
  if (!std::isfinite(length) || !std::isfinite(rule.kappa))
    throw Error(Fault::input, "the place or the scale of a readout is not finite",
                "kappa = " + std::to_string(rule.kappa), "give finite numbers");
  NextWord said;
  said.probability.resize(w.rows);
  for (int v = 0; v < w.rows; ++v) {
    double score = 0;
    for (int k = 0; k < w.cols && length > 0; ++k) score += x[k] / length * w(v, k);
    said.probability[v] = rule.kappa * score;
  }
  Vector& p = said.probability;
  said.best = static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin());
  const double top = p[said.best];
  double sum = 0, moment = 0;
  for (double& s : p) {
    const double below = s - top;
    s = elementary::exp(below);
    sum += s;
    moment += s * below;
  }
  for (double& weight : p) {
    weight /= sum;
    if (weight > rule.share) ++said.above;
  }
  said.entropy = elementary::log(sum) - moment / sum;
  said.outcomes = elementary::exp(said.entropy);
  return said;
}

}  // namespace murmur
