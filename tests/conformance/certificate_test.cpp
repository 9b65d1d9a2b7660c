// certificate_test.cpp: no error of the moments engine is above the bound that comes with it.
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

// Random cases against sums in long double. 500 here; MURMUR_CERTIFICATE=10000 is the long run:
//   MURMUR_CERTIFICATE=10000 build/release/tests/tests_conformance --gtest_filter='Certificate.*'
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

// A_i of one head in clock u1, pair by pair.
std::vector<Long> exact_drift(const Case& c, int i) {
  const Attention& head = c.head;
  const int n = c.x.n(), d = c.x.d();
  const std::vector<Long> query = affine(head.query, head.query_bias, at(c.x, i));
  std::vector<Long> score(n);
  Long top = -INFINITY;
  for (int j = 0; j < n; ++j) {
    const std::vector<Long> key = affine(head.key, head.key_bias, at(c.x, j));
    for (std::size_t r = 0; r < key.size(); ++r) score[j] += query[r] * key[r];
    score[j] *= head.beta;
    top = std::max(top, score[j]);
  }
  const bool divided = head.weighting == Attention::softmax;
  if (!divided) top = 0;
  Long weight = 0;
  std::vector<Long> sum(d);
  for (int j = 0; j < n; ++j) {
    const Long w = c.x.mass[j] * std::exp(score[j] - top);
    const std::vector<Long> value = affine(head.value, head.value_bias, at(c.x, j));
    weight += w;
    for (int k = 0; k < d; ++k) sum[k] += w * value[k];
  }
  if (divided)
    for (Long& s : sum) s /= weight;
  return sum;
}

TEST(Certificate, IsNeverBelowTheError) {
  const char* asked = std::getenv("MURMUR_CERTIFICATE");
  const int cases = asked ? std::atoi(asked) : kCases;
  double worst = 0;
  long targets = 0, bounded = 0;
  for (int number = 0; number < cases; ++number) {
    const Case c = random_case(number);
    const auto engine = make_moments_engine(c.choice);
    ASSERT_FALSE(engine->knows(c.dynamics, c.x.shape())) << c.name;
    const auto field = engine->prepare(c.dynamics, c.x.shape());
    const auto place = engine->place(c.x), a = engine->place(c.x);
    field->drift(0, 0, *place, *a);
    const HostSwarm got = engine->fetch(*a);
    const std::vector<double>& bound = field->certificate()->bound;
    for (int look = 0; look < std::min(kLooked, c.x.n()); ++look) {
      const int i =
          static_cast<int>(static_cast<long>(look) * c.x.n() / std::min(kLooked, c.x.n()));
      const std::vector<Long> wanted = exact_drift(c, i);
      Long square = 0;
      for (int k = 0; k < c.x.d(); ++k)
        square += (got.at(i, k) - wanted[k]) * (got.at(i, k) - wanted[k]);
      const auto error = static_cast<double>(std::sqrt(square));
      ++targets;
      EXPECT_TRUE(std::isfinite(error)) << c.name << ", particle " << i;
      EXPECT_LE(error, bound[i]) << c.name << ", particle " << i;
      if (bound[i] < 1e-9) ++bounded;
      worst = std::max(worst, error / bound[i]);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(worst, 0);
  EXPECT_GT(bounded, targets / 4);  // a bound that says nothing would pass too
  RecordProperty("worst_share", std::to_string(worst));
  if (asked)
    std::printf("%d cases, %ld targets, %ld bounds below 1e-9, largest error over bound %.3g\n",
                cases, targets, bounded, worst);
}

}  // namespace
}  // namespace murmur::testing
