// laws.cpp: initial laws on the sphere and in space, one row of a table each.
#include "experiment/laws.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/elementary.h"
#include "experiment/words.h"
#include "murmur/random.h"

namespace murmur {

namespace {

void normalise(Place& x) {
  double square = 0;
  for (const double v : x) square += v * v;
  for (double& v : x) v /= std::sqrt(square);
}

Place gaussian_row(const Draw& who, int d, int first = 0) {
  Place x(d);
  for (int k = first; k < d; ++k) x[k] = who.normal(static_cast<std::uint16_t>(k));
  return x;
}

// The law of the angle to the axis has density sin^{d-2}; by rejection under its maximum.
Place cap_row(const Draw& who, int d, double angle) {
  const double top = angle < std::numbers::pi / 2 ? elementary::sin(angle) : 1.0;
  double theta = 0;
  for (std::uint16_t draw = 30'000; draw < 60'000; draw += 2) {
    theta = angle * who.uniform(draw);
    const double accept = elementary::pow(elementary::sin(theta) / top, d - 2);
    if (who.uniform(draw + 1) <= accept) break;
  }
  Place x = gaussian_row(who, d, 1);
  if (d == 2) x[1] = x[1] > 0 ? 1 : -1;
  normalise(x);
  for (double& v : x) v *= elementary::sin(theta);
  x[0] = elementary::cos(theta);
  return x;
}

//   x_i = a e_i + b sum_j e_j,   a = sqrt(1 - rho),   n b^2 + 2 a b = rho
Place equiangular_row(int i, Shape shape, double rho) {
  const double a = std::sqrt(1 - rho);
  const double b = (-a + std::sqrt(std::max(0.0, a * a + shape.n * rho))) / shape.n;
  Place x(shape.d);
  for (int k = 0; k < shape.n; ++k) x[k] = b + (k == i ? a : 0);
  return x;
}

Place unit(Place x) {
  normalise(x);
  return x;
}

// What a law may use; each maker checks its arguments and returns the law.
struct Law {
  using Maker = std::function<Place(int)> (Law::*)(const std::vector<double>& arguments) const;
  const Settings& words;
  Shape shape;
  std::uint64_t seed;
  std::uint32_t replica;

  void need(bool good, const std::string& reason, const std::string& remedy) const {
    if (!good) refuse(words, "init", reason, remedy);
  }
  Place normals(int i, std::uint32_t step = 0) const {
    return gaussian_row({seed, Stream::position, static_cast<std::uint32_t>(i), step, replica},
                        shape.d);
  }

  std::function<Place(int)> uniform(const std::vector<double>&) const {
    return [*this](int i) { return unit(normals(i)); };
  }

  std::function<Place(int)> hemisphere(const std::vector<double>&) const {
    return [*this](int i) {
      Place x = unit(normals(i));
      x[0] = std::fabs(x[0]);
      return x;
    };
  }

  std::function<Place(int)> cap(const std::vector<double>& arguments) const {
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

  std::function<Place(int)> orthonormal(const std::vector<double>&) const {
    return equiangular({0.0});
  }

  std::function<Place(int)> equiangular(const std::vector<double>& arguments) const {
    const double rho = arguments[0];
    need(shape.d >= shape.n, "needs at least as many coordinates as particles",
         fmt::format("use d={} or a smaller n", shape.n));
    need(rho <= 1 && rho * (shape.n - 1) >= -1, "no such equal angles exist",
         "give rho between -1/(n-1) and 1");
    return [*this, rho](int i) { return unit(equiangular_row(i, shape, rho)); };
  }

  std::function<Place(int)> clusters(const std::vector<double>& arguments) const {
    const double count = arguments[0], spread = arguments.size() > 1 ? arguments[1] : 0.1;
    need(count >= 1 && count == std::floor(count) && count <= shape.n && spread >= 0,
         "the number of clusters or their spread is out of range",
         "write clusters:K or clusters:K:SPREAD with 1 <= K <= n");
    return [*this, k = static_cast<int>(count), spread](int i) {
      Place x = unit(normals(i % k, 1));
      const Place noise = normals(i);
      for (int c = 0; c < shape.d; ++c) x[c] += spread * noise[c];
      return unit(x);
    };
  }

  std::function<Place(int)> gaussian(const std::vector<double>&) const {
    return [*this](int i) { return normals(i); };
  }

  std::function<Place(int)> box(const std::vector<double>& arguments) const {
    const double a = arguments[0];
    need(a > 0, "the box must have a size", "write box:5 for [-5, 5]^d");
    return [*this, a](int i) {
      const Draw who{seed, Stream::position, static_cast<std::uint32_t>(i), 0, replica};
      Place x(shape.d);
      for (int k = 0; k < shape.d; ++k)
        x[k] = a * (2 * who.uniform(static_cast<std::uint16_t>(k)) - 1);
      return x;
    };
  }
};

struct NamedLaw {
  const char* name;
  ParameterValue value;   // as help shows it
  std::size_t min, most;  // arguments
  bool in_space;          // a law of R^d alone
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

constexpr const char* kHelp = "murmur explain --parameters shows what init takes";

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
         near.empty() ? "murmur explain --parameters shows what init takes, a file ends in .npy"
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

std::function<Place(int)> initial_law(const LawRequest& request) {
  const NamedLaw& named = kLaws[request.law.kind];
  if (!fits(request.law)) refuse(request.words, "init", "has the wrong number of arguments", kHelp);
  if (named.in_space && request.manifold == Manifold::sphere)
    refuse(request.words, "init", "is a law of R^d, and the habitat is the sphere",
           "use init=uniform, or habitat=space");
  const Law law{request.words, request.shape, request.random.seed, request.random.replica};
  return (law.*named.make)(request.law.arguments);
}

}  // namespace murmur
