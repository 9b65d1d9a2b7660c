// initial.cpp: the swarm at the start: an initial law, or points and masses given by the user.
#include "experiment/initial.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "experiment/laws.h"
#include "experiment/require_room.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void check_given(const Settings& words, const std::string& key, std::optional<int> given,
                 std::size_t found) {
  if (given && static_cast<std::size_t>(*given) != found)
    refuse(words, key, fmt::format("but the points of init have {} = {}", key, found),
           fmt::format("leave {} out: the points set it", key));
}

HostSwarm swarm_of_points(const WordedSpec& worded, const Array& points, Manifold manifold) {
  const Settings& words = worded.words;
  if (points.shape.size() != 2 || points.shape[0] < 1 || points.shape[1] < 2)
    refuse(words, "init", "points must have shape (n, d) with n >= 1 and d >= 2",
           "save a two-dimensional array, one row a particle");
  if (points.shape[0] > 2'000'000'000 || points.shape[1] > 65'536)
    refuse(words, "init", "too many points or coordinates", "use fewer");
  check_given(words, "n", worded.spec.n, points.shape[0]);
  check_given(words, "d", worded.spec.d, points.shape[1]);
  const Shape shape{static_cast<int>(points.shape[0]), static_cast<int>(points.shape[1])};
  HostSwarm x = from_rows(shape, points.doubles().data());
  fit_to_manifold(x, manifold, setting(words, "init").origin);
  return x;
}

void set_masses(const WordedSpec& worded, HostSwarm& x) {
  if (!worded.spec.masses) return;
  const Settings& words = worded.words;
  const Array array = read_npy(*worded.spec.masses);
  if (array.shape != std::vector<std::size_t>{static_cast<std::size_t>(x.n())})
    refuse(words, "masses", fmt::format("must have shape ({},)", x.n()),
           "save one positive number a particle");
  x.mass = array.doubles();
  double total = 0;
  for (const double m : x.mass) {
    if (!(m > 0) || !std::isfinite(m))
      refuse(words, "masses", "a mass is not a positive number",
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

bool is_picture(const InitialFile& file) { return file.file.extension() == ".png"; }

std::optional<Array> given_points(const Initial& init) {
  if (const auto* typed = std::get_if<InitialPoints>(&init)) {
    Array array = array_of(typed->points.data);
    array.shape = {static_cast<std::size_t>(typed->points.rows),
                   static_cast<std::size_t>(typed->points.cols)};
    return array;
  }
  const auto* file = std::get_if<InitialFile>(&init);
  if (file == nullptr || is_picture(*file)) return std::nullopt;
  return read_npy(file->file);
}

HostSwarm initial_swarm(const WordedSpec& worded, Manifold manifold) {
  const ExperimentSpec& spec = worded.spec;
  HostSwarm x;
  if (const std::optional<Array> points = given_points(spec.init)) {
    x = swarm_of_points(worded, *points, manifold);
  } else if (const auto* law = std::get_if<InitialLaw>(&spec.init)) {
    const Shape shape{spec.n.value_or(kDefaultParticles), spec.d.value_or(kDefaultCoordinates)};
    const std::function<Place(int)> place =
        initial_law({*law, spec.random, shape, manifold, worded.words});
    require_room(spec.engine, shape);
    x = HostSwarm(shape);
    for (int i = 0; i < shape.n; ++i) {
      const Place row = place(i);
      for (int k = 0; k < shape.d; ++k) x.at(i, k) = row[k];
    }
  } else {
    refuse(worded.words, "init", "pictures are for a trained swarm",
           "add model=RUN, a run of murmur train");
  }
  set_masses(worded, x);
  return x;
}

}  // namespace murmur
