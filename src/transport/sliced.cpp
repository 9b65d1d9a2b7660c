// sliced.cpp: distances on random lines and great circles, averaged, with their standard error.
#include <cmath>
#include <string>

#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/random.h"
#include "murmur/transport.h"
#include "transport/measures.h"

namespace murmur {

namespace {

// Direction `which` of a slice: iid normals, to be made orthonormal. (d)
std::vector<double> random_direction(const SlicedSettings& settings, int slice, int which, int d) {
  const Draw who{.seed = settings.seed,
                 .stream = Stream::slices,
                 .particle = static_cast<std::uint32_t>(slice),
                 .step = static_cast<std::uint32_t>(which)};
  std::vector<double> u(static_cast<std::size_t>(d));
  for (int k = 0; k < d; ++k) u[k] = who.normal(static_cast<std::uint16_t>(k));
  return u;
}

double dot(const std::vector<double>& u, const std::vector<double>& v) {
  double sum = 0;
  for (std::size_t k = 0; k < u.size(); ++k) sum += u[k] * v[k];
  return sum;
}

void make_unit(std::vector<double>& u) {
  const double length = std::sqrt(dot(u, u));
  for (double& e : u) e /= length;
}

std::vector<double> along(const HostSwarm& x, const std::vector<double>& u) {
  std::vector<double> place(static_cast<std::size_t>(x.n()), 0);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) place[i] += u[k] * x.axis(k)[i];
  return place;
}

// Returns no masses if all are equal, so that circle_distance uses whole shifts.
std::span<const double> masses_of(const HostSwarm& x) {
  for (const double mass : x.mass)
    if (mass != x.mass[0]) return x.mass;
  return {};
}

double line_square(const HostSwarm& x, const HostSwarm& y, const std::vector<double>& u) {
  const double w = line_distance({along(x, u), masses_of(x)}, {along(y, u), masses_of(y)});
  return w * w;
}

double circle_square(const HostSwarm& x, const HostSwarm& y, const std::vector<double>& u,
                     const std::vector<double>& v) {
  const auto measure = [&](const HostSwarm& swarm) {
    const std::vector<double> c = along(swarm, u), s = along(swarm, v);
    std::vector<double> angle(c.size());
    for (std::size_t i = 0; i < c.size(); ++i) angle[i] = std::atan2(s[i], c[i]);
    return circle_atoms(angle, masses_of(swarm));
  };
  const double w = circle_w2(measure(x), measure(y));
  return w * w;
}

}  // namespace

double line_distance(const LineMeasure& a, const LineMeasure& b, int p) {
  transport::check_power(p);
  for (const LineMeasure* side : {&a, &b})
    if (side->place.empty() || (!side->mass.empty() && side->mass.size() != side->place.size()))
      throw Error(Fault::input, "a measure on the line needs places, and a mass for each or none",
                  std::to_string(side->place.size()) + " places, " +
                      std::to_string(side->mass.size()) + " masses",
                  "give as many of one as of the other");
  const double cost = transport::cost_at(transport::sorted_atoms(a.place, a.mass),
                                         transport::sorted_atoms(b.place, b.mass), {}, p)
                          .cost;
  return p == 2 ? std::sqrt(cost) : cost;
}

SlicedDistance sliced_distance(const HostSwarm& x, const HostSwarm& y,
                               const SlicedSettings& settings) {
  transport::check_pair(x, y, settings.ground);
  if (settings.slices < 2)
    throw Error(Fault::input, "a standard error takes at least two slices",
                "slices = " + std::to_string(settings.slices), "give 2 or more");
  if (x.d() > 65'535)
    throw Error(Fault::input, "so many coordinates are too many for a slice",
                "d = " + std::to_string(x.d()), "use up to 65535");
  if (settings.ground == Ground::arc && x.d() < 2)
    throw Error(Fault::input, "a line has no great circles", "d = 1", "measure chords instead");
  std::vector<double> square(static_cast<std::size_t>(settings.slices));
  for_blocks(settings.slices, settings.threads, [&](int slice) {
    std::vector<double> u = random_direction(settings, slice, 0, x.d());
    make_unit(u);
    if (settings.ground == Ground::chord) {
      square[slice] = line_square(x, y, u);
      return;
    }
    std::vector<double> v = random_direction(settings, slice, 1, x.d());
    const double share = dot(u, v);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] -= share * u[k];
    make_unit(v);
    square[slice] = circle_square(x, y, u, v);
  });
  double mean = 0, spread = 0;
  for (const double s : square) mean += s / settings.slices;
  for (const double s : square) spread += (s - mean) * (s - mean);
  const double error = std::sqrt(spread / (settings.slices - 1.0) / settings.slices);
  const double distance = std::sqrt(mean);
  return {distance, distance > 0 ? error / (2 * distance) : 0};
}

}  // namespace murmur
