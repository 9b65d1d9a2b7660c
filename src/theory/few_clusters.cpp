// few_clusters.cpp: two clusters, regular polygons of clusters, and the Kuramoto form.
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

void check_pair(const TwoClusters& pair) {
  demand(pair.mass > 0 && pair.mass < 1, "a mass is off", "mass", "give one between 0 and 1");
  demand(pair.beta >= 0, "beta is negative", "beta", "give beta of at least 0");
}

double one_minus_cos(double x) { return 2 * std::sin(x / 2) * std::sin(x / 2); }

}  // namespace

double angle_velocity(const TwoClusters& pair, double theta) {
  check_pair(pair);
  if (pair.law == Law::usa) return -std::sin(theta) * std::exp(pair.beta * std::cos(theta));
  const double m1 = pair.mass, m2 = 1 - m1, c = std::exp(-pair.beta * one_minus_cos(theta));
  return -std::sin(theta) * (m2 * c / (m1 + m2 * c) + m1 * c / (m2 + m1 * c));
}

double lifetime(const TwoClusters& pair, double from, double to) {
  check_pair(pair);
  demand(0 < to && to <= from && from < std::numbers::pi, "these angles are not met in turn",
         "from, to", "give 0 < to <= from < pi");
  // In v = ln tan(theta/2), dv = dtheta / sin theta: smooth at both ends of (0, pi).
  const auto slowness = [&](double v) {
    const double theta = 2 * std::atan(std::exp(v));
    return -std::sin(theta) / angle_velocity(pair, theta);
  };
  return quadrature(slowness, std::log(std::tan(to / 2)), std::log(std::tan(from / 2)));
}

double asymptotic_lifetime(const TwoClusters& pair, double from) {
  check_pair(pair);
  const double m1 = pair.mass, m2 = 1 - m1, width = pair.beta * std::pow(std::sin(from), 2);
  if (pair.law == Law::usa) return std::exp(-pair.beta * std::cos(from)) / width;
  return std::exp(pair.beta * one_minus_cos(from)) / ((m1 / m2 + m2 / m1) * width);
}

double escape_rate(const Polygon& polygon, int mode) {
  const auto [k, beta, law] = polygon;
  demand(k >= 2 && mode >= 1 && mode < k, "a polygon has no such mode", "k, mode",
         "give k >= 2 and 1 <= mode < k");
  double sum = 0, total = 0;
  for (int j = 0; j < k; ++j) {
    const double x = 2 * std::numbers::pi * j / k, sine = std::sin(x);
    const double kernel = std::exp(-beta * one_minus_cos(x));
    sum -= (std::cos(x) - beta * sine * sine) * kernel * one_minus_cos(mode * x);
    total += kernel;
  }
  return law == Law::sa ? sum / total : sum * std::exp(beta) / k;
}

Escape fastest_escape(const Polygon& polygon) {
  Escape best{escape_rate(polygon, 1), 1};
  for (int m = 2; 2 * m <= polygon.k; ++m)
    if (const double rate = escape_rate(polygon, m); rate > best.rate) best = {rate, m};
  return best;
}

std::vector<double> kuramoto_velocity(Law law, double beta, const Angles& angles) {
  const auto& [theta, mass] = angles;
  demand(mass.empty() || mass.size() == theta.size(), "angles and masses differ in number", "mass",
         "give one mass an angle, or none");
  std::vector<double> velocity;
  for (const double here : theta) {
    double sum = 0, total = 0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const double m = mass.empty() ? 1.0 / static_cast<double>(theta.size()) : mass[j];
      // Softmax is the same for e^{beta(cos - 1)}, which never overflows.
      const double kernel = m * std::exp(-beta * one_minus_cos(here - theta[j]));
      sum -= kernel * std::sin(here - theta[j]);
      total += kernel;
    }
    velocity.push_back(law == Law::sa ? sum / total : sum * std::exp(beta));
  }
  return velocity;
}

}  // namespace murmur::theory
