// many_heads_test.cpp: the limit of many random heads, and what sums of heads can be at all.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "core/forces.h"
#include "murmur/experiment.h"
#include "reproduce/head_fields.h"
#include "support.h"

namespace murmur::testing {
namespace {

// k of unit vectors by integrals: E e^{beta <x, S y>} of a normal law of variance v is e^{beta^2 v
// / 2}, and of d products of correlated normal numbers the power d of one, by a sum over a grid.
double product_mean(double s, double c) {
  constexpr double h = 0.05;
  double sum = 0;
  for (double u = -12; u <= 12; u += h)
    for (double w = -12; w <= 12; w += h)
      sum += std::exp(-(u * u + w * w) / 2 + s * u * (c * u + std::sqrt(1 - c * c) * w));
  return sum * h * h / (2 * std::acos(-1.0));
}

TEST(ManyHeads, KernelsAreMeans) {
  for (const double c : {-0.8, 0.0, 0.3, 0.95}) {
    const double beta = 1.2;
    const int d = 4;
    const auto kernel = [&](ManyHeads::Law law) {
      return mean_kernel({.beta = beta, .law = law}, d, c);
    };
    EXPECT_NEAR(kernel(ManyHeads::gaussian), std::exp(beta * beta / 8), 1e-14);
    EXPECT_NEAR(kernel(ManyHeads::goe), std::exp(beta * beta * (1 + c * c) / 8), 1e-14);
    EXPECT_NEAR(kernel(ManyHeads::product), std::pow(product_mean(beta / d, 0), d), 1e-9);
    EXPECT_NEAR(kernel(ManyHeads::psd), std::pow(product_mean(beta / d, c), d), 1e-9);
  }
}

// grad_x k / beta along the sphere, by differences of k(<x, y>); across it by scaling x, where the
// score scales as beta does: <x, grad_x k> = beta dk/dbeta.
TEST(ManyHeads, GradientsAreThoseOfTheKernel) {
  constexpr double h = 1e-5;
  for (const ManyHeads::Law law :
       {ManyHeads::goe, ManyHeads::psd, ManyHeads::gaussian, ManyHeads::product})
    for (const double c : {-0.5, 0.2, 0.9}) {
      const ManyHeads heads{.beta = 1.1, .law = law, .gradient = true};
      const int d = 5;
      const Pull pull = pull_at(heads, d, c);
      const double across =
          (mean_kernel(heads, d, c + h) - mean_kernel(heads, d, c - h)) / (2 * h) / heads.beta;
      EXPECT_NEAR(pull.to_other, across, 1e-8) << law << " " << c;
      ManyHeads up = heads, down = heads;
      up.beta += h;
      down.beta -= h;
      const double along = (mean_kernel(up, d, c) - mean_kernel(down, d, c)) / (2 * h);
      EXPECT_NEAR(pull.to_other * c + pull.to_self, along, 1e-8) << law << " " << c;
    }
}

Experiment limit_of(std::vector<std::string> words) {
  for (const char* word : {"dynamics=USA", "head_scale=limit", "n=6", "d=4", "beta=0.8"})
    words.emplace_back(word);
  return make_experiment(gather({.assignments = words}));
}

TEST(ManyHeads, AreReachedByManyHeads) {
  for (const auto& [query, value] : {std::pair("goe", "identity"),
                                     {"psd", "identity"},
                                     {"goe", "query-key"},
                                     {"psd", "minus-query-key"}}) {
    std::vector<std::string> laws = {std::string("query=") + query, std::string("value=") + value};
    const Experiment limit = limit_of(laws);
    for (const char* word :
         {"dynamics=USA", "head_scale=mean", "heads=20000", "n=6", "d=4", "beta=0.8"})
      laws.emplace_back(word);
    const Experiment many = make_experiment(gather({.assignments = laws}));
    const auto engine = make_reference_engine();
    const HostSwarm a = velocity(*engine, limit.dynamics, limit.swarm);
    const HostSwarm b = velocity(*engine, many.dynamics, limit.swarm);
    double size = 0;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 4; ++k) size = std::max(size, std::fabs(a.at(i, k)));
    EXPECT_LT(largest_difference(a, b), 0.15 * size) << query << " " << value;
    EXPECT_GT(size, 1e-2);
  }
}

// Gaussian scores weigh all alike: the limit is attention at beta = 0, faster by k.
TEST(ManyHeads, OfGaussianScoresAttendToAllAlike) {
  const Experiment limit = limit_of({"query=gaussian", "key=gaussian"});
  const auto engine = make_reference_engine();
  const HostSwarm a = velocity(*engine, limit.dynamics, limit.swarm);
  const HostSwarm b = velocity(*engine, sa(0), limit.swarm);
  const double k = std::pow(1 - 0.04, -2);
  for (int i = 0; i < 6; ++i)
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(a.at(i, c), k * b.at(i, c), 1e-14);
}

HeadSum some_heads(int d, int count, bool softmax) {
  HeadSum heads{.softmax = softmax};
  for (int h = 0; h < count; ++h) {
    heads.scores.push_back(drawn_scores(d, 3, h));
    heads.values.push_back(drawn_scores(d, 4, h));
  }
  return heads;
}

TEST(HeadTraining, JacobianIsThatOfTheField) {
  for (const bool softmax : {true, false})
    for (const int d : {2, 3, 4}) {
      const HeadSum heads = some_heads(d, 2, softmax);
      const FieldOfMeasures field(HeadField::second_moments, d);
      const Eigen::MatrixXd x = sample_of(field, {7, 0, 1, 5, 0}).tokens[0];
      const Eigen::MatrixXd jacobian = jacobian_of(heads, x);
      constexpr double step = 1e-6;
      for (int p = 0; p < 4 * d * d; ++p) {
        const int h = p / (2 * d * d), e = p % (2 * d * d) % (d * d);
        const auto moved = [&](double by) {
          HeadSum other = heads;
          auto& m = p % (2 * d * d) < d * d ? other.scores[h] : other.values[h];
          m(e / d, e % d) += by;
          return in_frames(x, field_of(other, x));
        };
        const Eigen::VectorXd slope = (moved(step) - moved(-step)) / (2 * step);
        EXPECT_LT((slope - jacobian.col(p)).cwiseAbs().maxCoeff(), 1e-8) << softmax << d << p;
      }
    }
}

TEST(HeadTraining, NeverRaisesTheErrorAndFindsAHead) {
  const FieldOfMeasures field(HeadField::softmax_head, 2);
  const FieldSample sample = sample_of(field, {1, 0, 30, 6, kAllLaws});
  HeadSum heads{true, {drawn_scores(2, 0, 0)}, {Eigen::MatrixXd::Zero(2, 2)}};
  double last = 1;
  for (int k = 0; k < 25; ++k) {
    train_heads(sample, {.iterations = 1}, heads);
    const double now = error_of(heads, sample).mean;
    EXPECT_LE(now, last * (1 + 1e-12));
    last = now;
  }
  EXPECT_LT(last, 1e-9);
  EXPECT_LT((heads.scores[0] - 3 * Eigen::MatrixXd::Identity(2, 2)).norm(), 1e-6);
}

// What no number of heads can change: all are odd; softmax heads see a mass in one point y as P_x A
// y, A = sum V; unnormalised heads are linear in the measure.
TEST(HeadSums, CannotBeAnyField) {
  for (const int d : {2, 3}) {
    const FieldOfMeasures field(HeadField::rotation, d);
    const auto tokens = sample_of(field, {5, 0, 3, 8, 0}).tokens;
    const HeadSum softmax = some_heads(d, 5, true), plain = some_heads(d, 5, false);
    for (const HeadSum* heads : {&softmax, &plain})
      EXPECT_LT((field_of(*heads, -tokens[0]) + field_of(*heads, tokens[0])).norm(), 1e-12);
    const Eigen::MatrixXd at = tokens[2];
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(d, d);
    for (const Eigen::MatrixXd& v : softmax.values) sum += v;
    for (int j = 0; j < 8; ++j) {
      const Eigen::MatrixXd y = tokens[0].row(j);
      const Eigen::MatrixXd told =
          along_sphere(at, Eigen::VectorXd::Ones(8) * (y * sum.transpose()));
      EXPECT_LT((field_at(softmax, y, at) - told).norm(), 1e-12);
    }
    Eigen::MatrixXd both(16, d);
    both << tokens[0], tokens[1];
    const Eigen::MatrixXd mean =
        (field_at(plain, tokens[0], at) + field_at(plain, tokens[1], at)) / 2;
    EXPECT_LT((field_at(plain, both, at) - mean).norm(), 1e-12);
    EXPECT_GT((field_at(softmax, both, at) -
               (field_at(softmax, tokens[0], at) + field_at(softmax, tokens[1], at)) / 2)
                  .norm(),
              1e-3);
  }
}

// Two unnormalised heads of scores +-e x y come to second moments as e falls: the closure is
// reached.
TEST(HeadSums, OfTwoUnnormalisedHeadsComeToSecondMoments) {
  const FieldSample sample =
      sample_of(FieldOfMeasures(HeadField::second_moments, 3), {2, 0, 20, 10, kAllLaws});
  double last = 1;
  for (const double e : {1.0, 0.1, 0.01}) {
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(3, 3);
    const HeadSum heads{false, {e * one, -e * one}, {one / (2 * e), -one / (2 * e)}};
    const double now = error_of(heads, sample).mean;
    EXPECT_LT(now, last / 10);
    last = now;
  }
}

}  // namespace
}  // namespace murmur::testing
