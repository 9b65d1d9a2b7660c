// initial.cpp: where a swarm starts: initial laws, points given by hand or by file.
#include "experiment/initial.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/elementary.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/random.h"
#include "run/formats.h"

namespace murmur {

// --- Initial laws.

namespace {

void normalise(Position& x) {
  double square = 0;
  for (const double v : x) square += v * v;
  for (double& v : x) v /= std::sqrt(square);
}

Position gaussian_row(const Draw& who, int d, int first = 0) {
  Position x(d);
  for (int k = first; k < d; ++k) x[k] = who.normal(static_cast<std::uint16_t>(k));
  return x;
}

// The angle to the axis has density sin^{d-2}; drawn by rejection under its maximum.
Position cap_row(const Draw& who, int d, double angle) {
  const double top = angle < std::numbers::pi / 2 ? elementary::sin(angle) : 1.0;
  double theta = 0;
  for (std::uint16_t draw = 30'000; draw < 60'000; draw += 2) {
    theta = angle * who.uniform(draw);
    const double accept = elementary::pow(elementary::sin(theta) / top, d - 2);
    if (who.uniform(draw + 1) <= accept) break;
  }
  Position x = gaussian_row(who, d, 1);
  if (d == 2) x[1] = x[1] > 0 ? 1 : -1;
  normalise(x);
  for (double& v : x) v *= elementary::sin(theta);
  x[0] = elementary::cos(theta);
  return x;
}

//   x_i = a e_i + b sum_j e_j,   a = sqrt(1 - rho),   n b^2 + 2 a b = rho
Position equiangular_row(int i, Shape shape, double rho) {
  const double a = std::sqrt(1 - rho);
  const double b = (-a + std::sqrt(std::max(0.0, a * a + shape.n * rho))) / shape.n;
  Position x(shape.d);
  for (int k = 0; k < shape.n; ++k) x[k] = b + (k == i ? a : 0);
  return x;
}

Position unit(Position x) {
  normalise(x);
  return x;
}

// The inputs of a law. Each function checks its arguments and returns the law.
struct Law {
  using Maker = std::function<Position(int)> (Law::*)(const std::vector<double>& arguments) const;
  const Settings& words;
  Shape shape;
  std::uint64_t seed;
  std::uint32_t replica;

  void need(bool good, const std::string& reason, const std::string& remedy) const {
    if (!good) refuse(words, "init", reason, remedy);
  }
  Position normals(int i, std::uint32_t step = 0) const {
    return gaussian_row({seed, Stream::position, static_cast<std::uint32_t>(i), step, replica},
                        shape.d);
  }

  std::function<Position(int)> uniform(const std::vector<double>&) const {
    return [*this](int i) { return unit(normals(i)); };
  }

  std::function<Position(int)> hemisphere(const std::vector<double>&) const {
    return [*this](int i) {
      Position x = unit(normals(i));
      x[0] = std::fabs(x[0]);
      return x;
    };
  }

  std::function<Position(int)> cap(const std::vector<double>& arguments) const {
    const double angle = arguments[0];
    need(angle > 0 && angle <= std::numbers::pi, "the cap's angle is out of range",
         "give an angle in radians, above 0 and at most pi");
    need(shape.d <= 1000, "is drawn by rejection, which is too slow in so many coordinates",
         "use d=1000 or less, or init=hemisphere");
    return [*this, angle](int i) {
      return cap_row({seed, Stream::position, static_cast<std::uint32_t>(i), 0, replica}, shape.d,
                     angle);
    };
  }

  std::function<Position(int)> orthonormal(const std::vector<double>&) const {
    return equiangular({0.0});
  }

  std::function<Position(int)> equiangular(const std::vector<double>& arguments) const {
    const double rho = arguments[0];
    need(shape.d >= shape.n, "needs at least as many coordinates as particles",
         fmt::format("use d={} or a smaller n", shape.n));
    need(rho <= 1 && rho * (shape.n - 1) >= -1, "no such equal angles exist",
         "give rho between -1/(n-1) and 1");
    return [*this, rho](int i) { return unit(equiangular_row(i, shape, rho)); };
  }

  std::function<Position(int)> clusters(const std::vector<double>& arguments) const {
    const double count = arguments[0], spread = arguments.size() > 1 ? arguments[1] : 0.1;
    need(count >= 1 && count == std::floor(count) && count <= shape.n && spread >= 0,
         "the number of clusters or their spread is out of range",
         "write clusters:K or clusters:K:SPREAD with 1 <= K <= n");
    return [*this, k = static_cast<int>(count), spread](int i) {
      Position x = unit(normals(i % k, 1));
      const Position noise = normals(i);
      for (int c = 0; c < shape.d; ++c) x[c] += spread * noise[c];
      return unit(x);
    };
  }

  std::function<Position(int)> gaussian(const std::vector<double>&) const {
    return [*this](int i) { return normals(i); };
  }

  std::function<Position(int)> box(const std::vector<double>& arguments) const {
    const double a = arguments[0];
    need(a > 0, "the box must have a size", "write box:5 for [-5, 5]^d");
    return [*this, a](int i) {
      const Draw who{seed, Stream::position, static_cast<std::uint32_t>(i), 0, replica};
      Position x(shape.d);
      for (int k = 0; k < shape.d; ++k)
        x[k] = a * (2 * who.uniform(static_cast<std::uint16_t>(k)) - 1);
      return x;
    };
  }
};

struct NamedLaw {
  const char* name;
  ParameterValue value;   // as the help prints it
  std::size_t min, most;  // arguments
  bool in_space;          // a law only of R^d
  Law::Maker make;
};

constexpr NamedLaw kLaws[] = {
    // in the order of InitialLaw::Kind
    {"uniform", {"uniform", "uniform on the sphere"}, 0, 0, false, &Law::uniform},
    {"hemisphere",
     {"hemisphere", "uniform on the half of the sphere where the first coordinate is positive"},
     0,
     0,
     false,
     &Law::hemisphere},
    {"cap",
     {"cap:ANGLE", "uniform on the points of the sphere within ANGLE radians of the first axis",
      "init=cap:0.5"},
     1,
     1,
     false,
     &Law::cap},
    {"orthonormal",
     {"orthonormal", "at right angles to each other; needs n of at most d",
      "init=orthonormal n=8 d=8"},
     0,
     0,
     false,
     &Law::orthonormal},
    {"equiangular",
     {"equiangular:RHO", "every two at the cosine RHO; needs n of at most d",
      "init=equiangular:0.3 n=8 d=8"},
     1,
     1,
     false,
     &Law::equiangular},
    {"clusters",
     {"clusters:K[:SPREAD]",
      "around K random centres, with normal noise of deviation SPREAD (0.1) in each coordinate",
      "init=clusters:3"},
     1,
     2,
     false,
     &Law::clusters},
    {"gaussian",
     {"gaussian", "standard normal in R^d", "init=gaussian habitat=space"},
     0,
     0,
     true,
     &Law::gaussian},
    {"box",
     {"box:A", "uniform in [-A, A]^d, in R^d", "init=box:5 habitat=space"},
     1,
     1,
     true,
     &Law::box},
};

constexpr const char* kHelp = "murmur explain --parameters lists the values of init";

bool fits(const InitialLaw& law) {
  const NamedLaw& named = kLaws[law.kind];
  return law.arguments.size() >= named.min && law.arguments.size() <= named.most;
}

[[noreturn]] void refuse_unknown(const Settings& words, const std::string& key,
                                 const std::string& name) {
  std::vector<std::string> known{"points"};
  for (const NamedLaw& law : kLaws) known.emplace_back(law.name);
  const std::string near = did_you_mean(name, known);
  refuse(words, key, "there is no such initial law",
         near.empty() ? "murmur explain --parameters lists the values of init, a file ends in .npy"
                      : fmt::format("did you mean {}?", near));
}

}  // namespace

std::span<const ParameterValue> initial_laws() {
  static const std::vector<ParameterValue> values = [] {
    std::vector<ParameterValue> all;
    for (const NamedLaw& law : kLaws) all.push_back(law.value);
    return all;
  }();
  return values;
}

InitialLaw read_law(const Settings& words, const std::string& key) {
  const std::vector<std::string> parts = split(setting(words, key).text, ':');
  for (std::size_t k = 0; k < std::size(kLaws); ++k) {
    if (parts[0] != kLaws[k].name) continue;
    InitialLaw law{static_cast<InitialLaw::Kind>(k), {}};
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (!parse_number(parts[i], law.arguments.emplace_back()))
        refuse(words, key, fmt::format("'{}' is not a number", parts[i]), kHelp);
    if (!fits(law)) refuse(words, key, "has the wrong number of arguments", kHelp);
    return law;
  }
  refuse_unknown(words, key, parts[0]);
}

std::string law_text(const InitialLaw& law) {
  std::string text = kLaws[law.kind].name;
  for (const double argument : law.arguments) text += fmt::format(":{}", argument);
  return text;
}

std::function<Position(int)> initial_law(const LawRequest& request) {
  const NamedLaw& named = kLaws[request.law.kind];
  if (!fits(request.law)) refuse(request.words, "init", "has the wrong number of arguments", kHelp);
  if (named.in_space && request.manifold == Manifold::sphere)
    refuse(request.words, "init", "is a law of R^d, and the habitat is the sphere",
           "use init=uniform, or habitat=space");
  const Law law{request.words, request.shape, request.random.seed, request.random.replica};
  return (law.*named.make)(request.law.arguments);
}

// --- The swarm.

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void check_given(const Settings& words, const std::string& key, std::optional<int> given,
                 std::size_t found) {
  if (given && static_cast<std::size_t>(*given) != found)
    refuse(words, key, fmt::format("but the points of init have {} = {}", key, found),
           fmt::format("remove {}: the points set it", key));
}

HostSwarm swarm_of_points(const WordedSpec& worded, const Array& points, Manifold manifold) {
  const Settings& words = worded.words;
  if (points.shape.size() != 2 || points.shape[0] < 1 || points.shape[1] < 2)
    refuse(words, "init", "points must have shape (n, d) with n >= 1 and d >= 2",
           "save a two-dimensional array, one row per particle");
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
           "save one positive number per particle");
  x.mass = array.doubles();
  double total = 0;
  for (const double m : x.mass) {
    if (!(m > 0) || !std::isfinite(m))
      refuse(words, "masses", "a mass is not a positive number",
             "save one positive number per particle");
    total += m;
  }
  if (std::fabs(total - 1) <= x.n() * kEpsilon) return;  // already scaled: keep the bits
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
    const std::function<Position(int)> place =
        initial_law({*law, spec.random, shape, manifold, worded.words});
    require_room(spec.engine, shape);
    x = HostSwarm(shape);
    for (int i = 0; i < shape.n; ++i) {
      const Position row = place(i);
      for (int k = 0; k < shape.d; ++k) x.at(i, k) = row[k];
    }
  } else {
    refuse(worded.words, "init", "pictures need a trained swarm",
           "add model=RUN, a run of murmur train");
  }
  set_masses(worded, x);
  return x;
}

}  // namespace murmur
