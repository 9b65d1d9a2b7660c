// initial.cpp: initial laws on the sphere and in space, and points given by the user.
#include "experiment/initial.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/elementary.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/formats.h"
#include "murmur/random.h"

namespace murmur {

namespace {

using Row = std::vector<double>;  // (d)
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void normalise(Row& x) {
  double square = 0;
  for (const double v : x) square += v * v;
  for (double& v : x) v /= std::sqrt(square);
}

Row gaussian_row(const Draw& who, int d, int first = 0) {
  Row x(d);
  for (int k = first; k < d; ++k) x[k] = who.normal(static_cast<std::uint16_t>(k));
  return x;
}

// The law of the angle to the axis has density sin^{d-2}; by rejection under its maximum.
Row cap_row(const Draw& who, int d, double angle) {
  const double top = angle < std::numbers::pi / 2 ? elementary::sin(angle) : 1.0;
  double theta = 0;
  for (std::uint16_t draw = 30'000; draw < 60'000; draw += 2) {
    theta = angle * who.uniform(draw);
    const double accept = elementary::pow(elementary::sin(theta) / top, d - 2);
    if (who.uniform(draw + 1) <= accept) break;
  }
  Row x = gaussian_row(who, d, 1);
  if (d == 2) x[1] = x[1] > 0 ? 1 : -1;
  normalise(x);
  for (double& v : x) v *= elementary::sin(theta);
  x[0] = elementary::cos(theta);
  return x;
}

//   x_i = a e_i + b sum_j e_j,   a = sqrt(1 - rho),   n b^2 + 2 a b = rho
Row equiangular_row(int i, Shape shape, double rho) {
  const double a = std::sqrt(1 - rho);
  const double b = (-a + std::sqrt(std::max(0.0, a * a + shape.n * rho))) / shape.n;
  Row x(shape.d);
  for (int k = 0; k < shape.n; ++k) x[k] = b + (k == i ? a : 0);
  return x;
}

struct Law {
  const Settings& settings;
  Shape shape;
  Habitat habitat;
  std::uint64_t seed;

  // The numbers after the law's name: cap:0.5 -> {0.5}.
  std::vector<double> arguments(std::size_t least, std::size_t most) const {
    const std::vector<std::string> parts = split(setting(settings, "init").text, ':');
    std::vector<double> values;
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (!parse_number(parts[i], values.emplace_back()))
        refuse(settings, "init", fmt::format("'{}' is not a number", parts[i]),
               "murmur explain --parameters shows what init takes");
    if (values.size() < least || values.size() > most)
      refuse(settings, "init", "has the wrong number of arguments",
             "murmur explain --parameters shows what init takes");
    return values;
  }
  void need(bool good, const std::string& reason, const std::string& remedy) const {
    if (!good) refuse(settings, "init", reason, remedy);
  }
  Draw who(int i) const { return {seed, Stream::position, static_cast<std::uint32_t>(i), 0, 0}; }
  std::function<Row(int)> make() const;
};

std::function<Row(int)> Law::make() const {
  const std::string name = split(setting(settings, "init").text, ':').front();
  const auto unit = [](Row x) {
    normalise(x);
    return x;
  };
  if (name == "uniform") {
    arguments(0, 0);
    return [=, *this](int i) { return unit(gaussian_row(who(i), shape.d)); };
  }
  if (name == "hemisphere") {
    arguments(0, 0);
    return [=, *this](int i) {
      Row x = unit(gaussian_row(who(i), shape.d));
      x[0] = std::fabs(x[0]);
      return x;
    };
  }
  if (name == "cap") {
    const double angle = arguments(1, 1)[0];
    need(angle > 0 && angle <= std::numbers::pi, "the cap's angle is out of range",
         "give an angle in radians, above 0 and at most pi");
    need(shape.d <= 1000, "is drawn by rejection, which is too slow in so many coordinates",
         "use d=1000 or less, or init=hemisphere");
    return [=, *this](int i) { return cap_row(who(i), shape.d, angle); };
  }
  if (name == "orthonormal" || name == "equiangular") {
    const bool frame = name == "orthonormal";
    const std::vector<double> given = frame ? arguments(0, 0) : arguments(1, 1);
    const double rho = frame ? 0 : given[0];
    need(shape.d >= shape.n, "needs at least as many coordinates as particles",
         fmt::format("use d={} or a smaller n", shape.n));
    need(rho <= 1 && rho * (shape.n - 1) >= -1, "no such equal angles exist",
         "give rho between -1/(n-1) and 1");
    return [=, *this](int i) { return unit(equiangular_row(i, shape, rho)); };
  }
  if (name == "clusters") {
    const std::vector<double> given = arguments(1, 2);
    const double spread = given.size() > 1 ? given[1] : 0.1;
    need(given[0] >= 1 && given[0] == std::floor(given[0]) && given[0] <= shape.n && spread >= 0,
         "the number of clusters or their spread is out of range",
         "write clusters:K or clusters:K:SPREAD with 1 <= K <= n");
    const int k = static_cast<int>(given[0]);
    return [=, *this](int i) {
      Row x = unit(
          gaussian_row({seed, Stream::position, static_cast<std::uint32_t>(i % k), 1, 0}, shape.d));
      const Row noise = gaussian_row(who(i), shape.d);
      for (int c = 0; c < shape.d; ++c) x[c] += spread * noise[c];
      return unit(x);
    };
  }
  if (name == "gaussian" || name == "box") {
    need(habitat == Habitat::space, "is a law of R^d, and the habitat is the sphere",
         "use init=uniform, or habitat=space");
    if (name == "gaussian") {
      arguments(0, 0);
      return [=, *this](int i) { return gaussian_row(who(i), shape.d); };
    }
    const double a = arguments(1, 1)[0];
    need(a > 0, "the box must have a size", "write box:5 for [-5, 5]^d");
    return [=, *this](int i) {
      Row x(shape.d);
      for (int k = 0; k < shape.d; ++k)
        x[k] = a * (2 * who(i).uniform(static_cast<std::uint16_t>(k)) - 1);
      return x;
    };
  }
  const std::string near =
      did_you_mean(name, {"uniform", "hemisphere", "cap", "orthonormal", "equiangular", "clusters",
                          "gaussian", "box", "points"});
  refuse(settings, "init", "there is no such initial law",
         near.empty() ? "murmur explain --parameters shows what init takes, a file ends in .npy"
                      : fmt::format("did you mean {}?", near));
}

// points:1,0;0,1 -> (2, 2)
Array points_of_text(const Settings& settings) {
  Array points;
  std::vector<double> values;
  const std::vector<std::string> rows = split(setting(settings, "init").text.substr(7), ';');
  std::size_t d = 0;
  for (const std::string& row : rows) {
    const std::vector<std::string> numbers = split(row, ',');
    d = d == 0 ? numbers.size() : d;
    if (numbers.size() != d)
      refuse(settings, "init", "points have different numbers of coordinates",
             "write points:x,y;x,y;... with as many numbers in each");
    for (const std::string& text : numbers)
      if (!parse_number(text, values.emplace_back()))
        refuse(settings, "init", fmt::format("'{}' is not a number", text),
               "write points:x,y;x,y;...");
  }
  points.shape = {rows.size(), d};
  points.values = std::move(values);
  return points;
}

void check_given(const Settings& settings, const std::string& key, std::size_t found) {
  if (is_given(settings, key) &&
      whole(settings, key, 1, 2'000'000'000) != static_cast<std::int64_t>(found))
    refuse(settings, key, fmt::format("but the points of init have {} = {}", key, found),
           fmt::format("leave {} out: the points set it", key));
}

HostSwarm swarm_of_points(const Settings& settings, const Array& points, Habitat habitat) {
  if (points.shape.size() != 2 || points.shape[0] < 1 || points.shape[1] < 2)
    refuse(settings, "init", "points must have shape (n, d) with n >= 1 and d >= 2",
           "save a two-dimensional array, one row a particle");
  if (points.shape[0] > 2'000'000'000 || points.shape[1] > 65'536)
    refuse(settings, "init", "too many points or coordinates", "use fewer");
  check_given(settings, "n", points.shape[0]);
  check_given(settings, "d", points.shape[1]);
  const Shape shape{static_cast<int>(points.shape[0]), static_cast<int>(points.shape[1])};
  HostSwarm x = from_rows(shape, points.doubles().data());
  settle(x, habitat, setting(settings, "init").origin);
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

void settle(HostSwarm& x, Habitat habitat, const std::string& where) {
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    const double length = std::sqrt(square);
    if (!std::isfinite(length))
      throw Error(Fault::input, fmt::format("particle {} is not a finite point", i), where,
                  "remove NaN and infinite coordinates");
    if (habitat == Habitat::space) continue;
    if (std::fabs(length - 1) > 1e-5)
      throw Error(Fault::input, fmt::format("particle {} has norm {:.6g}, not 1", i, length), where,
                  "normalise the points, or use habitat=space");
    if (std::fabs(length - 1) > 8 * kEpsilon * std::sqrt(x.d()))
      for (int k = 0; k < x.d(); ++k) x.at(i, k) /= length;
  }
}

HostSwarm initial_swarm(const Settings& settings, Habitat habitat) {
  const Setting& init = setting(settings, "init");
  HostSwarm x;
  if (init.text.rfind("points:", 0) == 0) {
    x = swarm_of_points(settings, points_of_text(settings), habitat);
  } else if (ends_with(init.text, ".npy")) {
    x = swarm_of_points(settings, read_npy(init.folder / init.text), habitat);
  } else {
    const Shape shape{static_cast<int>(whole(settings, "n", 1, kMostParticles)),
                      static_cast<int>(whole(settings, "d", 2, kMostCoordinates))};
    const auto seed = seed_of(settings);
    const std::function<Row(int)> law = Law{settings, shape, habitat, seed}.make();
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
