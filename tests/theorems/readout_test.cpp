// readout_test.cpp: next words against closed forms, and what one guest can do to a mean, a median
// and a class token.
#include "murmur/readout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/elementary.h"
#include "murmur/observe.h"
#include "murmur/random.h"
#include "support.h"

namespace murmur {
namespace {

using namespace testing;

double distance(const Vector& a, const Vector& b) {
  double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(square);
}

Vocabulary orthonormal_words(int count) { return {scaled_identity(count, 1), {}}; }

// kappa = 0: every word has 1 / V, and the entropy is ln V to the last bit.
TEST(NextWord, WithoutAScaleAllWordsAreAlike) {
  for (const int count : {1, 2, 7, 12, 1000})
    for (const int d : {1, 2, 3, 16}) {
      const Vocabulary words = draw_vocabulary(count, d, 5);
      const NextWord said = next_word(words, Vector(d, 0.3), {.kappa = 0});
      EXPECT_EQ(said.entropy, elementary::log(count));
      for (const double p : said.probability) EXPECT_EQ(p, 1.0 / count);
    }
}

// At word v of V orthogonal ones p_v = e^kappa / (e^kappa + V - 1) and the others share the rest.
TEST(NextWord, AtAWordItHasTheClosedForm) {
  for (const int count : {2, 5, 30})
    for (const double kappa : {0.5, 2.0, 16.0, 700.0}) {
      Vector x(count);
      x[1] = 3;  // its length does not count
      const NextWord said = next_word(orthonormal_words(count), x, {.kappa = kappa});
      const double rest = std::exp(-kappa), p = 1 / (1 + (count - 1) * rest), q = rest * p;
      EXPECT_NEAR(said.probability[1], p, 1e-14);
      EXPECT_NEAR(said.probability[0], q, 1e-14);
      EXPECT_NEAR(said.entropy, -p * std::log(p) - (count - 1) * q * std::log(q + 1e-320), 1e-12);
      EXPECT_NEAR(said.outcomes, std::exp(said.entropy), 1e-12 * count);
      EXPECT_EQ(said.best, 1);
      EXPECT_EQ(next_word(orthonormal_words(count), x, {kappa, 0.5 * p}).above,
                q > 0.5 * p ? count : 1);
    }
}

// Held to softmax written down plainly, in long double; at the origin all words are alike.
TEST(NextWord, IsSoftmaxOfScaledCosines) {
  for (const int d : {2, 3, 8}) {
    const Vocabulary words = draw_vocabulary(20, d, 1);
    const HostSwarm x = random_sphere({5, d}, 2);
    for (int i = 0; i < x.n(); ++i) {
      const Vector place = token_place(x, i);
      const NextWord said = next_word(words, place, {.kappa = 9});
      long double sum = 0, entropy = 0;
      std::vector<long double> e(20);
      for (int v = 0; v < 20; ++v) {
        long double cosine = 0;
        for (int k = 0; k < d; ++k)
          cosine += static_cast<long double>(place[k]) * words.points(v, k);
        sum += e[v] = std::exp(9 * cosine);
      }
      for (int v = 0; v < 20; ++v) {
        EXPECT_NEAR(said.probability[v], static_cast<double>(e[v] / sum), 1e-14);
        entropy -= e[v] / sum * std::log(e[v] / sum);
      }
      EXPECT_NEAR(said.entropy, static_cast<double>(entropy), 1e-13);
    }
    EXPECT_EQ(next_word(words, Vector(d)).entropy, elementary::log(20));
  }
}

// d entropy / d kappa = -kappa Var_p <u, w_v>: sharper never means more outcomes.
TEST(NextWord, EntropyFallsAtTheRateOfTheVariance) {
  const Vocabulary words = draw_vocabulary(15, 3, 8);
  const Vector x{0.6, -0.64, 0.48};
  for (const double kappa : {0.5, 3.0, 12.0}) {
    constexpr double kStep = 1e-4;
    const NextWord said = next_word(words, x, {.kappa = kappa});
    double mean = 0, square = 0;
    for (int v = 0; v < words.count(); ++v) {
      double cosine = 0;
      for (int k = 0; k < 3; ++k) cosine += x[k] * words.points(v, k);
      mean += said.probability[v] * cosine;
      square += said.probability[v] * cosine * cosine;
    }
    const double rate = (next_word(words, x, {.kappa = kappa + kStep}).entropy -
                         next_word(words, x, {.kappa = kappa - kStep}).entropy) /
                        (2 * kStep);
    EXPECT_NEAR(rate, -kappa * (square - mean * mean), 1e-7);
  }
}

// |ln p_v(x) - ln p_v(y)| <= 2 kappa |x - y| on the sphere: tokens that met say the same.
TEST(NextWord, NearPlacesSayNearlyTheSame) {
  const Vocabulary words = draw_vocabulary(12, 4, 3);
  const HostSwarm x = random_sphere({40, 4}, 9);
  for (int i = 0; i + 1 < x.n(); ++i) {
    const Vector a = token_place(x, i), b = token_place(x, i + 1);
    const NextWord one = next_word(words, a, {.kappa = 7}), two = next_word(words, b, {.kappa = 7});
    for (int v = 0; v < 12; ++v)
      EXPECT_LE(std::fabs(std::log(one.probability[v] / two.probability[v])),
                2 * 7 * distance(a, b) + 1e-12);
  }
}

// beta = 1 on S^2 ends in one cluster: in the end every token says what the mean says.
TEST(NextWord, AFlockThatMetSaysOneWord) {
  const HostSwarm x = random_sphere({16, 3}, 4);
  const Simulated run = simulated(sa(1), x, {}, {.T = 60, .every = 60});
  ASSERT_TRUE(run.outcome.ok());
  const Vocabulary words = draw_vocabulary(12, 3, 0);
  const NextWord mean = next_word(words, mean_place(run.last()));
  for (int i = 0; i < x.n(); ++i) {
    const NextWord own = next_word(words, token_place(run.last(), i));
    for (int v = 0; v < 12; ++v) EXPECT_NEAR(own.probability[v], mean.probability[v], 1e-6);
  }
}

// x with one more token at `place`; all masses equal.
HostSwarm with_guest(const HostSwarm& x, const Vector& place) {
  HostSwarm y(Shape{x.n() + 1, x.d()});
  for (int k = 0; k < x.d(); ++k) {
    for (int i = 0; i < x.n(); ++i) y.at(i, k) = x.at(i, k);
    y.at(x.n(), k) = place[k];
  }
  return y;
}

// One guest moves a mean of n by |guest - mean| / (n + 1), however the tokens lie.
TEST(Readout, OneGuestIsOneVoteOfTheMean) {
  for (const int n : {1, 2, 9, 200})
    for (const double far : {0.5, 1.0, 1e6}) {
      const HostSwarm x = random_sphere({n, 3}, 12);
      const Vector guest{0.1 * far, far, -0.3 * far}, before = mean_place(x);
      const double shift = distance(mean_place(with_guest(x, guest)), before);
      EXPECT_NEAR(shift, distance(guest, before) / (n + 1), 1e-13 * (1 + far));
    }
}

// Of the median the pulls of all tokens away from it balance, but for the mass that lies there.
TEST(Readout, PullsBalanceAtTheMedian) {
  for (const int n : {1, 2, 3, 4, 25, 100}) {
    const HostSwarm x = random_sphere({n, 3}, 31);
    const Vector y = geometric_median(x);
    Vector pull(3);
    double here = 0;
    for (int i = 0; i < n; ++i) {
      const double r = distance(token_place(x, i), y);
      if (r < 1e-7) here += x.mass[i];
      for (int k = 0; k < 3 && r >= 1e-7; ++k) pull[k] += x.mass[i] * (x.at(i, k) - y[k]) / r;
    }
    EXPECT_LE(distance(pull, Vector(3)), here + 1e-6) << n;
  }
}

// The median breaks down at one half: a share eps < 1/2 of guests, wherever they are, moves it by
// at most 2 (1 - eps) / (1 - 2 eps) times the greatest distance of a token from it (Lopuhaa and
// Rousseeuw, Annals of Statistics 19, 1991). The mean follows the guest without a bound.
TEST(Readout, AGuestMovesTheMedianByABoundedWay) {
  for (const int n : {3, 10, 60})
    for (const double far : {2.0, 1e3, 1e7}) {
      HostSwarm x = random_sphere({n, 3}, 17);
      const Vector before = geometric_median(x), guest{far, far / 2, 0};
      double widest = 0;
      for (int i = 0; i < n; ++i) widest = std::max(widest, distance(token_place(x, i), before));
      const double eps = 1.0 / (n + 1);
      const HostSwarm joined = with_guest(x, guest);
      EXPECT_LE(distance(geometric_median(joined), before), 2 * (1 - eps) / (1 - 2 * eps) * widest);
      EXPECT_GE(distance(mean_place(joined), mean_place(x)), (far - 1) / (n + 1));
    }
}

// Of n tokens in one place and a guest that leads by gamma = <c, g> - <c, x_j>, a class token c
// that does not attend to itself gives the guest 1 / (1 + n e^(-beta gamma)): one vote at beta = 0,
// all of its weight as beta grows. A token of the flock gives it one vote at most.
TEST(Readout, AClassTokenMayGiveAGuestAllItsWeight) {
  constexpr int n = 50;
  HostSwarm x(Shape{n + 2, 3});
  for (int i = 0; i < n; ++i) x.at(i, 0) = 1;  // the flock
  x.at(n, 1) = 1;                              // the guest
  x.at(n + 1, 1) = 0.6, x.at(n + 1, 2) = 0.8;  // the class token: <c, g> = 0.6, <c, x_j> = 0
  for (const double beta : {0.0, 1.0, 5.0, 30.0}) {
    Dynamics alone = sa(beta);
    std::get<Attention>(alone.sublayers[0].forces[0]).self = false;
    const Vector row = attention_row(x, alone, {.i = n + 1});
    EXPECT_NEAR(row[n], 1 / (1 + n * std::exp(-0.6 * beta)), 1e-12) << beta;
    const Vector heard = attention_row(x, sa(beta), {.i = n + 1});  // it attends to itself too
    EXPECT_NEAR(heard[n], 1 / (1 + std::exp(0.4 * beta) + n * std::exp(-0.6 * beta)), 1e-12);
    const Vector host = attention_row(x, sa(beta), {.i = 0});
    EXPECT_LE(host[n], 1.0 / n + 1e-15);  // the flock itself: never more than one vote
  }
}

// n tokens in one place move as one token of their mass: a flock without spread, a guest and a
// class token are three bodies.
TEST(Readout, AFlockWithoutSpreadIsOneBody) {
  constexpr int n = 20;
  HostSwarm many(Shape{n + 2, 3}), few(Shape{3, 3});
  const Vector places[] = {{0, 0, 1}, {0.8, 0, 0.6}, {0, 0.6, -0.8}};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < n; ++i) many.at(i, k) = places[0][k];
    for (int b = 0; b < 3; ++b) few.at(b, k) = places[b][k];
    many.at(n, k) = places[1][k], many.at(n + 1, k) = places[2][k];
  }
  few.mass = {n / (n + 2.0), 1 / (n + 2.0), 1 / (n + 2.0)};
  const FlowSettings fine{.tolerance = {1e-11, 1e-11}};
  const HostSwarm a = simulated(sa(4), many, fine, {.T = 2, .every = 2}).last();
  const HostSwarm b = simulated(sa(4), few, fine, {.T = 2, .every = 2}).last();
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(a.at(0, k), b.at(0, k), 1e-9);
    EXPECT_NEAR(a.at(n, k), b.at(1, k), 1e-9);
    EXPECT_NEAR(a.at(n + 1, k), b.at(2, k), 1e-9);
  }
}

}  // namespace
}  // namespace murmur
