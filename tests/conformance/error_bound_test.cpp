// error_bound_test.cpp: no error of the moments engine is above the bound that comes with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "engine/moments/moments.h"
#include "murmur/random.h"

namespace murmur::testing {
namespace {

// Random cases against sums in long double. 500 here; MURMUR_BOUND_CASES=10000 is the long run:
//   MURMUR_BOUND_CASES=10000 build/release/tests/tests_conformance --gtest_filter='ErrorBound.*'
constexpr int kCases = 500;
constexpr int kLooked = 12;  // targets of a case that are summed in long double

// The numbers of one case, each from its own draw.
class Dice {
 public:
  explicit Dice(int number) : number_(static_cast<std::uint32_t>(number)) {}
  double uniform() { return draw().uniform(0); }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  int below(int count) { return std::min(count - 1, static_cast<int>(uniform() * count)); }
  double normal() {
    const Draw d = draw();
    return std::sqrt(-2 * std::log(d.uniform(0))) * std::cos(2 * M_PI * d.uniform(1));
  }

 private:
  Draw draw() { return {.seed = 77, .particle = number_, .step = step_++}; }
  std::uint32_t number_, step_ = 0;
};

struct Case {
  Dynamics dynamics;
  Attention head;
  HostSwarm x;
  MomentsChoice choice;
  std::string name;
};

void to_sphere(HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  for (int k = 0; k < x.d(); ++k) x.at(i, k) /= std::sqrt(square);
}

// Uniform, clustered, antipodal, duplicate or collinear points, on the sphere or in space.
HostSwarm points(Dice& dice, Shape shape, bool sphere, std::ostream& name) {
  static const char* const kinds[] = {"uniform", "clustered", "antipodal", "duplicate",
                                      "collinear"};
  const int kind = dice.below(5);
  name << kinds[kind];
  HostSwarm x(shape);
  const int centres = kind == 1 ? 1 + dice.below(5) : kind == 3 ? 1 + dice.below(20) : 1;
  std::vector<double> centre(static_cast<std::size_t>(centres) * shape.d), way(shape.d);
  for (double& c : centre) c = dice.normal();
  for (double& w : way) w = dice.normal();
  const double spread = std::pow(10, dice.between(-8, 0));
  if (kind == 1) name << " " << spread;
  for (int i = 0; i < shape.n; ++i) {
    const double* at = &centre[static_cast<std::size_t>(dice.below(centres)) * shape.d];
    const double along = dice.normal();
    for (int k = 0; k < shape.d; ++k)
      x.at(i, k) = kind == 0   ? dice.normal()
                   : kind == 1 ? at[k] + spread * dice.normal()
                   : kind == 2 ? (i % 2 == 0 ? at[k] : -at[k]) + 1e-9 * dice.normal()
                   : kind == 3 ? at[k]
                               : at[k] + along * way[k];
    if (sphere) to_sphere(x, i);
  }
  return x;
}

Matrix random_matrix(Dice& dice, int rows, int cols) {
  Matrix m = zeros(rows, cols);
  for (double& entry : m.data) entry = dice.normal() / std::sqrt(cols);
  return m;
}

Vector random_vector(Dice& dice, int size) {
  Vector v(size);
  for (double& entry : v) entry = 0.5 * dice.normal();
  return v;
}

Case random_case(int number) {
  Dice dice(number);
  std::ostringstream name;
  Case c;
  const int place = dice.below(5);
  const bool sphere = place < 4;
  const Shape shape{1 + static_cast<int>(std::pow(4000, std::sqrt(dice.uniform()))),
                    sphere ? 2 + place : 3};
  name << "case " << number << ": " << (sphere ? "S" : "R") << shape.d - (sphere ? 1 : 0)
       << ", n = " << shape.n << ", ";
  c.x = points(dice, {std::min(shape.n, 4000), shape.d}, sphere, name);
  c.dynamics.manifold = sphere ? Manifold::sphere : Manifold::space;
  const double most = shape.d == 5 ? 1 : shape.d == 4 ? 2 : 3;  // of log10 beta
  c.head.beta = std::pow(10, dice.between(-1, dice.uniform() < 0.2 ? 3 : most));
  if (dice.uniform() < 0.3) c.head.beta = -c.head.beta;
  name << ", beta " << c.head.beta;
  const int kind = dice.below(3);
  if (kind > 0) {
    const int rows = kind == 1 ? shape.d : 1 + dice.below(4);
    c.head.query = random_matrix(dice, rows, shape.d);
    c.head.key = random_matrix(dice, rows, shape.d);
    if (dice.uniform() < 0.5) {
      c.head.query_bias = random_vector(dice, rows);
      c.head.key_bias = random_vector(dice, rows);
    }
    name << ", query and key" << (c.head.query_bias.empty() ? "" : " with biases");
  }
  if (dice.uniform() < 0.3) {
    c.head.value = random_matrix(dice, shape.d, shape.d);
    c.head.value_bias = random_vector(dice, shape.d);
  }
  if (dice.uniform() < 0.25 && std::fabs(c.head.beta) < (sphere ? 50 : 5))  // e^s must be finite
    c.head.weighting = Attention::unnormalised, name << ", USA";
  if (dice.uniform() < 0.4) {
    name << ", masses over six decades";
    for (double& m : c.x.mass) m = std::pow(10, dice.between(-6, 0));
    double sum = 0;
    for (const double m : c.x.mass) sum += m;
    for (double& m : c.x.mass) m /= sum;
  }
  c.choice.tolerance = dice.uniform() < 0.5 ? 1e-12 : std::pow(10, dice.between(-12, -4));
  c.choice.pairs_above = dice.uniform() < 0.5 ? 2 : 100 * c.choice.tolerance;
  c.choice.threads = 1 + number % 2;
  if (sphere && number % 3 == 0) c.choice.way = moments::Way::harmonics, name << ", by harmonics";
  if (sphere && number % 3 == 1) c.choice.way = moments::Way::transform, name << ", by transforms";
  name << ", tolerance " << c.choice.tolerance << " and " << c.choice.pairs_above;
  c.dynamics.sublayers = {{{c.head}}};
  c.name = name.str();
  return c;
}

using Long = long double;

// M x + b in long double; an empty matrix is the identity, an empty vector zero.
std::vector<Long> affine(const Matrix& m, const Vector& b, const std::vector<Long>& x) {
  std::vector<Long> y(m.empty() ? x : std::vector<Long>(m.rows));
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.cols; ++c) y[r] += m(r, c) * x[c];
  for (std::size_t r = 0; r < b.size(); ++r) y[r] += b[r];
  return y;
}

std::vector<Long> at(const HostSwarm& x, int i) {
  std::vector<Long> row(x.d());
  for (int k = 0; k < x.d(); ++k) row[k] = x.at(i, k);
  return row;
}

// A_i of one head in clock u1, pair by pair. Of scores that softmax divides out, those of x_0 are
// taken off before they are multiplied, so that clouds far from the origin keep their digits.
std::vector<Long> exact_head(const Attention& head, const HostSwarm& x, int i) {
  const int n = x.n(), d = x.d();
  const bool divided = head.weighting == Attention::softmax;
  const std::vector<Long> query = affine(head.query, head.query_bias, at(x, i));
  const Vector none;
  std::vector<Long> score(n);
  Long top = -INFINITY;
  for (int j = 0; j < n; ++j) {
    std::vector<Long> source = at(x, j);
    for (int k = 0; k < d && divided; ++k) source[k] -= x.at(0, k);
    const std::vector<Long> key = affine(head.key, divided ? none : head.key_bias, source);
    for (std::size_t r = 0; r < key.size(); ++r) score[j] += query[r] * key[r];
    score[j] *= head.beta;
    top = std::max(top, score[j]);
  }
  if (!divided) top = 0;
  Long weight = 0;
  std::vector<Long> sum(d);
  for (int j = 0; j < n; ++j) {
    const Long w = x.mass[j] * std::exp(score[j] - top);
    std::vector<Long> source = at(x, j);
    for (int k = 0; k < d && head.relative; ++k) source[k] -= x.at(i, k);
    const std::vector<Long> value = affine(head.value, head.value_bias, source);
    weight += w;
    for (int k = 0; k < d; ++k) sum[k] += w * value[k];
  }
  if (divided)
    for (Long& s : sum) s /= weight;
  return sum;
}

std::vector<Long> exact_perceptron(const Perceptron& p, const HostSwarm& x, int i) {
  const auto active = [&](Long z) {
    switch (p.activation) {
      case Perceptron::relu:
        return std::max(z, Long{0});
      case Perceptron::gelu:
        return z / 2 * std::erfc(-z / std::sqrt(Long{2}));
      case Perceptron::tanh:
        return std::tanh(z);
    }
    return z;
  };
  std::vector<Long> units = affine(p.in, p.in_bias, at(x, i));
  for (Long& z : units) z = active(z);
  return affine(p.out, p.out_bias, units);
}

// A_i of all forces.
std::vector<Long> exact_drift(const Dynamics& dynamics, const HostSwarm& x, int i) {
  std::vector<Long> sum(x.d());
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces) {
      const Attention* head = head_of(force);
      const std::vector<Long> one =
          head ? exact_head(*head, x, i) : exact_perceptron(std::get<Perceptron>(force), x, i);
      for (int k = 0; k < x.d(); ++k) sum[k] += one[k];
    }
  return sum;
}

// Of about `rows` particles: errors as shares of their bounds, and the largest of both.
struct Compared {
  double share = 0, error = 0, bound = 0;
  bool certified = false;
  int looked = 0, small = 0;  // particles, and those with a bound below 1e-9
};
Compared compare(const Dynamics& dynamics, const HostSwarm& x, const MomentsChoice& choice,
                 int rows = kLooked) {
  const auto engine = make_moments_engine(choice);
  EXPECT_FALSE(engine->unsupported_reason(dynamics, x.shape()));
  const auto field = engine->prepare(dynamics, x.shape());
  const auto place = engine->place(x), a = engine->place(x);
  HostSwarm& sum = static_cast<HostSwarm&>(*a);
  for (int k = 0; k < x.d(); ++k) std::fill_n(sum.axis(k), x.n(), 0.0);
  for (int sublayer = 0; sublayer < field->sublayers(); ++sublayer) {
    const auto part = engine->place(x);
    field->drift(0, sublayer, *place, *part);
    for (int k = 0; k < x.d(); ++k)
      for (int i = 0; i < x.n(); ++i) sum.at(i, k) += static_cast<const HostSwarm&>(*part).at(i, k);
  }
  const ErrorBound& known = *field->error_bound();
  Compared all{.certified = known.certified};
  rows = std::min(rows, x.n());
  for (int look = 0; look < rows; ++look) {
    const int i = static_cast<int>(static_cast<long>(look) * x.n() / rows);
    const std::vector<Long> wanted = exact_drift(dynamics, x, i);
    Long square = 0;
    for (int k = 0; k < x.d(); ++k)
      square += (sum.at(i, k) - wanted[k]) * (sum.at(i, k) - wanted[k]);
    const auto error = static_cast<double>(std::sqrt(square));
    EXPECT_TRUE(std::isfinite(error)) << "particle " << i;
    EXPECT_LE(error, known.bound[i]) << "particle " << i;
    ++all.looked;
    all.small += known.bound[i] < 1e-9;
    all.share = std::max(all.share, error / known.bound[i]);
    all.error = std::max(all.error, error);
    all.bound = std::max(all.bound, known.bound[i]);
  }
  return all;
}

TEST(ErrorBound, IsNeverBelowTheError) {
  const char* asked = std::getenv("MURMUR_BOUND_CASES");
  const int cases = asked ? std::atoi(asked) : kCases;
  double worst = 0;
  long targets = 0, bounded = 0;
  for (int number = 0; number < cases; ++number) {
    const Case c = random_case(number);
    SCOPED_TRACE(c.name);
    const Compared found = compare(c.dynamics, c.x, c.choice);
    targets += found.looked;
    bounded += found.small;
    worst = std::max(worst, found.share);
    if (HasFailure()) return;
  }
  EXPECT_GT(worst, 0);
  EXPECT_GT(bounded, targets / 4);  // a bound that says nothing would pass too
  RecordProperty("worst_share", std::to_string(worst));
  if (asked)
    std::printf("%d cases, %ld targets, %ld bounds below 1e-9, largest error over bound %.3g\n",
                cases, targets, bounded, worst);
}

HostSwarm cloud(Dice& dice, Shape shape, bool sphere) {
  std::ostringstream name;
  return points(dice, shape, sphere, name);
}

Perceptron random_perceptron(Dice& dice, int d, double size) {
  Perceptron p{.activation = static_cast<Perceptron::Activation>(dice.below(3))};
  const int units = 1 + dice.below(40);
  p.in = random_matrix(dice, units, d);
  p.out = random_matrix(dice, d, units);
  for (double& w : p.in.data) w *= size;
  for (double& w : p.out.data) w *= size;
  if (dice.below(2) == 0) p.in_bias = random_vector(dice, units);
  if (dice.below(2) == 0) p.out_bias = random_vector(dice, d);
  return p;
}

// Two units that are nearly each other's opposite: what is left of them is mostly rounding.
TEST(ErrorBound, HasPerceptronsThatCancel) {
  for (const auto activation : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
    for (const double size : {1.0, 1e3, 1e6}) {
      Dice dice(static_cast<int>(size) + activation);
      const HostSwarm x = cloud(dice, {500, 3}, true);
      Perceptron p{.activation = activation};
      p.in = {2, 3, {0.3, -0.7, 0.2, 0.3, -0.7, 0.2}};
      p.out = {3, 2, {size, -size, 1.1 * size, -1.1 * size, 0.3 * size, -0.3 * size}};
      p.in(1, 0) += 1e-9;
      p.in_bias = {0.1, 0.1};
      const Compared alone = compare({.sublayers = {{{p}}}}, x, {}, 500);
      EXPECT_TRUE(alone.certified);
      EXPECT_GT(alone.share, 0.005) << size;  // the bound is not out of all proportion
      const Dynamics both{.sublayers = {{{Attention{.beta = 4}, p}}}};
      const Compared together = compare(both, x, {}, 50);
      EXPECT_FALSE(together.certified);
      EXPECT_GE(together.bound, alone.error);
    }
}

// Keys and queries of 10^6 whose product is about 1, and values of two heads that cancel.
TEST(ErrorBound, HasHeadsThatCancel) {
  Dice dice(5);
  const HostSwarm x = cloud(dice, {400, 3}, true);
  Attention head{.beta = 1};
  head.query = {2, 3, {1e6, 2e5, 3e5, -1e6, -2e5 + 0.7, 1 - 3e5}};
  head.key = {2, 3, {1e6, 1e5, -2e5, 1e6, 1e5, -2e5}};
  for (double& w : head.key.data) w *= 1 + 1e-9 * dice.normal();
  compare({.sublayers = {{{head}}}}, x, {}, 100);
  Attention one{.beta = 3}, other{.beta = 3.0000001};
  one.value = scaled_identity(3, 1e6);
  other.value = scaled_identity(3, -1e6);
  for (const int d : {2, 3}) {
    const HostSwarm y = cloud(dice, {400, d}, true);
    one.value = scaled_identity(d, 1e6), other.value = scaled_identity(d, -1e6);
    compare({.sublayers = {{{one, other}}}}, y, {}, 100);
    compare({.sublayers = {{{one}}, {{other}}}}, y, {}, 100);
  }
}

// Random sums of up to three heads and two perceptrons, with weights over nine decades.
TEST(ErrorBound, IsOfTheSumOfAllForces) {
  const char* asked = std::getenv("MURMUR_BOUND_CASES");
  const int cases = asked ? std::atoi(asked) : kCases;
  double worst = 0;
  for (int number = 0; number < cases; ++number) {
    Dice dice(10'000 + number);
    const bool sphere = dice.below(2) == 0;
    const Shape shape{2 + dice.below(300), 2 + dice.below(3)};
    const HostSwarm x = cloud(dice, shape, sphere);
    Dynamics dynamics{.manifold = sphere ? Manifold::sphere : Manifold::space};
    dynamics.sublayers.resize(1);
    auto& forces = dynamics.sublayers[0].forces;
    for (int h = dice.below(4); h > 0; --h) {
      Attention head{.beta = std::pow(10, dice.between(-1, 1.5))};
      head.query = random_matrix(dice, 2, shape.d), head.key = random_matrix(dice, 2, shape.d);
      const double size = std::pow(10, dice.between(-3, 6));
      if (dice.below(3) > 0) head.value = scaled_identity(shape.d, dice.below(2) ? size : -size);
      head.relative = dice.below(3) == 0;
      forces.emplace_back(head);
    }
    for (int p = dice.below(3); p > 0; --p)
      forces.emplace_back(random_perceptron(dice, shape.d, std::pow(10, dice.between(-3, 6))));
    if (forces.empty()) continue;
    SCOPED_TRACE(number);
    MomentsChoice choice{.pairs_above = 1e-10, .threads = 1};
    constexpr std::optional<moments::Way> kWays[] = {std::nullopt, moments::Way::pairs,
                                                     moments::Way::cells};
    choice.way = kWays[number % 3];
    worst = std::max(worst, compare(dynamics, x, choice).share);
    if (HasFailure()) return;
  }
  EXPECT_GT(worst, 0.01);
  if (asked) std::printf("%d sums of forces, largest error over bound %.3g\n", cases, worst);
}

// A cloud in space that is far from the origin keeps the digits of its own width: scores lose those
// of u_i, which is as long as the way to the cloud.
TEST(ErrorBound, HoldsFarFromTheOrigin) {
  for (const double shift : {1e3, 1e6, 1e9})
    for (const double beta : {1e-6, 1e-3, 1.0})
      for (const auto way : {moments::Way::pairs, moments::Way::cells})
        for (const bool relative : {false, true})
          for (const bool matrices : {false, true}) {
            Dice dice(11);
            HostSwarm x({300, 3});
            for (int i = 0; i < x.n(); ++i)
              for (int k = 0; k < 3; ++k)
                x.at(i, k) = dice.normal() + shift * (k == 0 ? 1 : k == 1 ? -0.7 : 0.2);
            Attention head{.beta = beta, .relative = relative};
            if (matrices) {
              head.query = random_matrix(dice, 3, 3), head.key = random_matrix(dice, 3, 3);
              head.query_bias = head.key_bias = random_vector(dice, 3);
            }
            const Dynamics dynamics{.manifold = Manifold::space, .sublayers = {{{head}}}};
            SCOPED_TRACE(::testing::Message()
                         << shift << " beta " << beta << " way " << static_cast<int>(way)
                         << (relative ? " r" : "") << (matrices ? " m" : ""));
            const Compared found =
                compare(dynamics, x, {.pairs_above = 1e-10, .threads = 1, .way = way}, 30);
            // As many units of u_i times the radius squared, and of the mean itself.
            const double radius = 6, longest = 1.3 * shift + radius;
            const double scores = beta * (matrices ? 10 : 1) * longest * radius * radius;
            EXPECT_LE(found.bound, 1e-10 * radius + 60 * 0x1p-53 * (scores + longest + 1));
          }
}

}  // namespace
}  // namespace murmur::testing
