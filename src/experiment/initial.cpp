// initial.cpp: the swarm at the start: an initial law, or points and masses given by the user.
#include "experiment/initial.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "experiment/laws.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/formats.h"

namespace murmur {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void check_given(const Settings& settings, const std::string& key, std::size_t found) {
  if (is_given(settings, key) &&
      whole(settings, key, 1, 2'000'000'000) != static_cast<std::int64_t>(found))
    refuse(settings, key, fmt::format("but the points of init have {} = {}", key, found),
           fmt::format("leave {} out: the points set it", key));
}

HostSwarm swarm_of_points(const Settings& settings, const Array& points, Manifold manifold) {
  if (points.shape.size() != 2 || points.shape[0] < 1 || points.shape[1] < 2)
    refuse(settings, "init", "points must have shape (n, d) with n >= 1 and d >= 2",
           "save a two-dimensional array, one row a particle");
  if (points.shape[0] > 2'000'000'000 || points.shape[1] > 65'536)
    refuse(settings, "init", "too many points or coordinates", "use fewer");
  check_given(settings, "n", points.shape[0]);
  check_given(settings, "d", points.shape[1]);
  const Shape shape{static_cast<int>(points.shape[0]), static_cast<int>(points.shape[1])};
  HostSwarm x = from_rows(shape, points.doubles().data());
  fit_to_manifold(x, manifold, setting(settings, "init").origin);
  return x;
}

void set_masses(const Settings& settings, HostSwarm& x) {
  if (setting(settings, "masses").text == "equal") return;
  const Setting& s = setting(settings, "masses");
  const Array array = read_npy(s.folder / s.text);
  if (array.shape != std::vector<std::size_t>{static_cast<std::size_t>(x.n())})
    refuse(settings, "masses", fmt::format("must have shape ({},)", x.n()),
           "save one positive number a particle");
  x.mass = array.doubles();
  double total = 0;
  for (const double m : x.mass) {
    if (!(m > 0) || !std::isfinite(m))
      refuse(settings, "masses", "a mass is not a positive number",
             "save one positive number a particle");
    total += m;
  }
  if (std::fabs(total - 1) <= x.n() * kEpsilon) return;  // scaled once already: keep the bits
  for (double& m : x.mass) m /= total;
}

}  // namespace

void fit_to_manifold(HostSwarm& x, Manifold manifold, const std::string& where) {
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    const double length = std::sqrt(square);
    if (!std::isfinite(length))
      throw Error(Fault::input, fmt::format("particle {} is not a finite point", i), where,
                  "remove NaN and infinite coordinates");
    if (manifold == Manifold::space) continue;
    if (std::fabs(length - 1) > 1e-5)
      throw Error(Fault::input, fmt::format("particle {} has norm {:.6g}, not 1", i, length), where,
                  "normalise the points, or use habitat=space");
    if (std::fabs(length - 1) > 8 * kEpsilon * std::sqrt(x.d()))
      for (int k = 0; k < x.d(); ++k) x.at(i, k) /= length;
  }
}

Array given_points(const Settings& settings) {
  const Setting& init = setting(settings, "init");
  const bool typed = init.text.rfind("points:", 0) == 0;
  return typed ? typed_rows(settings, "init") : read_npy(init.folder / init.text);
}

HostSwarm initial_swarm(const Settings& settings, Manifold manifold) {
  const Setting& init = setting(settings, "init");
  HostSwarm x;
  if (init.text.rfind("points:", 0) == 0 || ends_with(init.text, ".npy")) {
    x = swarm_of_points(settings, given_points(settings), manifold);
  } else if (init.text.rfind("test:", 0) == 0 || init.text.rfind("train:", 0) == 0 ||
             ends_with(init.text, ".png")) {
    refuse(settings, "init", "pictures are for a trained swarm",
           "add model=RUN, a run of murmur train");
  } else {
    const Shape shape{static_cast<int>(whole(settings, "n", 1, kMostParticles)),
                      static_cast<int>(whole(settings, "d", 2, kMostCoordinates))};
    const std::function<Row(int)> law = initial_law(settings, shape, manifold);
    x = HostSwarm(shape);
    for (int i = 0; i < shape.n; ++i) {
      const Row row = law(i);
      for (int k = 0; k < shape.d; ++k) x.at(i, k) = row[k];
    }
  }
  set_masses(settings, x);
  return x;
}

}  // namespace murmur
