// token_move_test.cpp: the parts of a token's move add up to the move that the reference engine
// makes, head by head, and the sphere of query and keys keeps their angles.
#include "murmur/token_move.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "learn_samples.h"
#include "murmur/observe.h"
#include "refused.h"
#include "support.h"

namespace murmur::testing {
namespace {

constexpr double kRounding = 1e-12;

double size_of(const Vector& v) {
  double square = 0;
  for (const double c : v) square += c * c;
  return std::sqrt(square);
}

void expect_near(const Vector& a, const Vector& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  const double scale = 1 + size_of(b);
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_NEAR(a[k], b[k], kRounding * scale) << what << ", " << k;
}

Vector row(const HostSwarm& x, int i) {
  Vector out;
  for (int k = 0; k < x.d(); ++k) out.push_back(x.at(i, k));
  return out;
}

Perceptron perceptron(int d) {
  return {.in = random_matrix(7, d, 21),
          .in_bias = random_matrix(1, 7, 22).data,
          .out = random_matrix(d, 7, 23, 0.3),
          .out_bias = random_matrix(1, d, 24).data,
          .activation = Perceptron::gelu};
}

Attention head(int d, int k, std::uint64_t seed) {
  return {.beta = 1.3,
          .query = random_matrix(k, d, seed),
          .key = random_matrix(k, d, seed + 1),
          .value = random_matrix(d, d, seed + 2, 0.5),
          .query_bias = random_matrix(1, k, seed + 3).data,
          .key_bias = random_matrix(1, k, seed + 4).data,
          .value_bias = random_matrix(1, d, seed + 5).data};
}

// Every kind of head that a dynamics can hold, by name.
std::vector<std::pair<std::string, Attention>> kinds_of_head(int d) {
  std::vector<std::pair<std::string, Attention>> kinds;
  const auto add = [&](const char* name, auto&& change) {
    kinds.emplace_back(name, head(d, 2, 31));
    change(kinds.back().second);
  };
  add("softmax", [](Attention&) {});
  add("uniform", [](Attention& a) { a.beta = 0; });
  add("relative", [](Attention& a) { a.relative = true; });
  add("without itself", [](Attention& a) { a.self = false; });
  add("causal", [](Attention& a) { a.mask = Attention::causal; });
  add("causal without itself", [](Attention& a) { a.mask = Attention::causal, a.self = false; });
  add("slope", [](Attention& a) { a.mask = Attention::causal, a.alibi = 0.4; });
  add("unnormalised", [](Attention& a) { a.weighting = Attention::unnormalised, a.beta = 0.5; });
  add("unnormalised slope", [](Attention& a) {
    a.weighting = Attention::unnormalised, a.beta = 0.5, a.mask = Attention::causal, a.alibi = 0.4;
  });
  add("hard", [](Attention& a) { a.weighting = Attention::hard; });
  add("sinkhorn", [](Attention& a) { a.weighting = Attention::sinkhorn; });
  add("sinkhorn relative",
      [](Attention& a) { a.weighting = Attention::sinkhorn, a.relative = true; });
  return kinds;
}

// A(t, x) of one force alone, for token i, by the reference engine.
Vector drift_of(const Dynamics& like, const Force& force, const HostSwarm& x, double t, int i) {
  Dynamics alone = like;
  alone.sublayers = {{{force}}};
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(alone, x.shape());
  HostSwarm a = x;
  field->drift(t, 0, x, a);
  return row(a, i);
}

TEST(TokenMove, EveryMessageIsTheDriftOfItsHeadAlone) {
  const HostSwarm x = random_sphere({9, 4}, 5);
  const auto engine = make_reference_engine();
  for (const auto& [name, a] : kinds_of_head(4))
    for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3}) {
      const bool plain = a.weighting == Attention::unnormalised;
      if (clock != Clock::u1 && !plain) continue;
      Dynamics dynamics = dynamics_of(a);
      dynamics.clock = clock;
      for (const int i : {0, 3, 8}) {
        const TokenMove move = token_move(*engine, dynamics, x, {.token = i, .dt = 0.2});
        ASSERT_EQ(move.heads.size(), 1u);
        const HeadPart& part = move.heads[0];
        expect_near(part.message, drift_of(dynamics, a, x, 0, i), name);
        double sum = 0;
        for (const double w : part.weights) sum += w;
        const bool nobody = a.mask == Attention::causal && !a.self && i == 0;
        EXPECT_NEAR(sum, nobody ? 0 : 1, 1e-12) << name << " token " << i;
        EXPECT_TRUE(plain || part.total == 1) << name;
      }
    }
}

// softmax: a_ij is e^{s_ij} over its sum, s_ij beta times the dot product of query and key.
TEST(TokenMove, WeightsAreTheSoftmaxOfTheScores) {
  HostSwarm x = random_sphere({8, 3}, 6);
  x.mass = {0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0};
  const Attention a = head(3, 5, 40);
  const auto engine = make_reference_engine();
  const HeadPart part = token_move(*engine, dynamics_of(a), x, {.token = 2}).heads[0];
  ASSERT_EQ(part.query.size(), 5u);
  double sum = 0;
  for (int j = 0; j < 8; ++j) sum += x.mass[j] * std::exp(part.scores[j]);
  for (int j = 0; j < 8; ++j) {
    double dot = 0;
    for (int k = 0; k < 5; ++k) dot += part.query[k] * part.keys(j, k);
    EXPECT_NEAR(part.scores[j], a.beta * dot, kRounding);
    EXPECT_NEAR(part.weights[j], x.mass[j] * std::exp(part.scores[j]) / sum, kRounding);
  }
}

Dynamics many(Manifold manifold, int d) {
  Dynamics dynamics{.manifold = manifold};
  dynamics.sublayers.push_back({{head(d, 2, 50), head(d, 5, 60), head(d, 1, 70)}});
  dynamics.sublayers.push_back({{perceptron(d)}});
  dynamics.sublayers.push_back({{head(d, 3, 80)}});
  return dynamics;
}

// x after one step of a method of the flow.
HostSwarm stepped(const Dynamics& dynamics, const HostSwarm& x, Method method, double dt) {
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(dynamics, x.shape());
  FlowState state = start(x);
  const FlowSettings settings{.method = method, .dt = dt};
  const Outcome outcome = advance({*engine, *field, settings}, {.T = dt}, state, {});
  EXPECT_TRUE(outcome.ok()) << outcome.what;
  EXPECT_EQ(state.step, 1);
  return state.x;
}

void expect_step(const Dynamics& dynamics, const HostSwarm& x, bool layers,
                 const std::string& what) {
  constexpr double dt = 0.15;
  const auto engine = make_reference_engine();
  const HostSwarm end = stepped(dynamics, x, layers ? Method::layers : Method::euler, dt);
  const Vector lengths = lengths_of_moves(*engine, dynamics, x, {.dt = dt, .layers = layers});
  for (const int i : {0, 4}) {
    const TokenMove move =
        token_move(*engine, dynamics, x, {.token = i, .dt = dt, .layers = layers});
    expect_near(move.to, row(end, i), what);
    Vector sum = move.from;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      for (const HeadPart& part : move.heads) sum[k] += dt * part.message[k];
      for (const FeedForwardPart& part : move.feed_forwards) sum[k] += dt * part.push[k];
      sum[k] += move.correction[k];
    }
    expect_near(sum, row(end, i), what);
    EXPECT_NEAR(lengths[i], size_of(move.move()), kRounding) << what;
  }
}

TEST(TokenMove, PartsAddUpToTheStepOfTheFlow) {
  for (const Manifold manifold : {Manifold::sphere, Manifold::space})
    for (const bool layers : {true, false})
      expect_step(many(manifold, 4), random_sphere({7, 4}, 9), layers,
                  manifold == Manifold::sphere ? "sphere" : "space");
}

// In R^d without layer norm nothing is corrected; on the sphere a sublayer's end is the sum of
// its parts, normalised.
TEST(TokenMove, TheCorrectionIsTheProjectionAlone) {
  constexpr double dt = 0.15;
  const HostSwarm x = random_sphere({7, 4}, 9);
  const auto engine = make_reference_engine();
  const TokenMove free = token_move(*engine, many(Manifold::space, 4), x, {.token = 3, .dt = dt});
  EXPECT_LT(size_of(free.correction), kRounding);
  const TokenMove bound = token_move(*engine, many(Manifold::sphere, 4), x, {.token = 3, .dt = dt});
  ASSERT_EQ(bound.steps.size(), 3u);
  EXPECT_GT(size_of(bound.correction), 1e-3);
  for (int s = 0; s < 3; ++s) {
    Vector to = bound.steps[s].from;
    for (std::size_t k = 0; k < to.size(); ++k) {
      for (const HeadPart& part : bound.heads)
        if (part.sublayer == s) to[k] += dt * part.message[k];
      for (const FeedForwardPart& part : bound.feed_forwards)
        if (part.sublayer == s) to[k] += dt * part.push[k];
    }
    const double length = size_of(to);
    for (double& c : to) c /= length;
    expect_near(bound.steps[s].to, to, "sublayer " + std::to_string(s));
    EXPECT_TRUE(s == 0 || bound.steps[s].from == bound.steps[s - 1].to);
  }
}

// Layer norms, gains, clocks and windows of time: the step stays the flow's.
TEST(TokenMove, HoldsUnderEveryLayerNorm) {
  const HostSwarm x = random_sphere({7, 4}, 11);
  for (const LayerNormRow& row : layer_norms()) {
    Dynamics dynamics = many(row.moves_norms ? Manifold::space : Manifold::sphere, 4);
    dynamics.normalisation = row.norm;
    dynamics.mix_until = 1;
    dynamics.speed = 0.7;
    for (const bool layers : {true, false}) expect_step(dynamics, x, layers, row.name);
  }
  HostSwarm far = x;  // forces are taken at x / |x|, and add up as they are
  for (int i = 0; i < far.n(); ++i)
    for (int k = 0; k < 4; ++k) far.at(i, k) *= 2 + i;
  Dynamics pre = many(Manifold::space, 4);
  pre.normalisation = LayerNorm::pre;
  const auto engine = make_reference_engine();
  EXPECT_LT(size_of(token_move(*engine, pre, far, {.token = 5}).correction), 10 * kRounding);
  Dynamics gains = many(Manifold::sphere, 4);
  gains.gain = {1, 2, 0.5, 1.5};
  expect_step(gains, x, true, "gains");
  Dynamics arc = usa(3);
  arc.clock = Clock::u4;
  expect_step(arc, x, false, "arc length");
  Dynamics window = many(Manifold::sphere, 4);
  window.sublayers[0].until = -1;
  expect_step(window, x, true, "window");
}

TEST(TokenMove, FollowsATrainedSwarmBlockByBlock) {
  for (const int heads : {1, 3}) {
    const Architecture a{.d = 6,
                         .blocks = 3,
                         .shared = false,
                         .hidden = 5,
                         .heads = heads,
                         .targets = spread_targets(2, 6)};
    const std::vector<double> parameters = lively_parameters(a, 8);
    const Dynamics dynamics = murmur::dynamics_of(a, parameters);
    const auto engine = make_reference_engine();
    HostSwarm x = random_sphere({5, 6}, 12);
    for (int block = 0; block < a.blocks; ++block) {
      HostSwarm next = x;
      for (int i = 0; i < x.n(); ++i) {
        const TokenMove move = token_move(*engine, dynamics, x,
                                          {.token = i, .t = block * a.residual, .dt = a.residual});
        ASSERT_EQ(move.heads.size(), static_cast<std::size_t>(heads));
        EXPECT_EQ(move.heads[0].query.size(), static_cast<std::size_t>(6 / heads));
        EXPECT_LT(size_of(move.correction), kRounding);
        for (int k = 0; k < 6; ++k) next.at(i, k) = move.to[k];
      }
      x = next;
    }
    HostSwarm carried = random_sphere({5, 6}, 12);
    const auto field = engine->prepare(dynamics, carried.shape());
    FlowState state = start(carried);
    const FlowSettings settings{.method = Method::layers, .dt = a.residual};
    ASSERT_TRUE(advance({*engine, *field, settings}, {.T = a.blocks * a.residual}, state, {}).ok());
    for (int i = 0; i < 5; ++i) expect_near(row(x, i), row(state.x, i), "token");
  }
}

// Whatever k: the angle between query and key on the sphere is theirs in R^k.
TEST(Dome, KeepsTheAngleBetweenQueryAndKeys) {
  const HostSwarm x = random_sphere({11, 6}, 13);
  const auto engine = make_reference_engine();
  for (const int k : {1, 2, 3, 4, 9}) {
    const HeadPart part =
        token_move(*engine, dynamics_of(head(6, k, 90)), x, {.token = 4}).heads[0];
    const Dome dome = dome_of(part);
    EXPECT_EQ(dome.k, k);
    EXPECT_EQ(k <= 3, dome.share == 1) << k;
    EXPECT_GT(dome.share, 0.2);
    for (int j = 0; j < 11; ++j) {
      double dot = 0, key = 0, shown = 0, length = 0;
      for (int c = 0; c < k; ++c) {
        dot += part.query[c] * part.keys(j, c);
        key += part.keys(j, c) * part.keys(j, c);
      }
      for (int c = 0; c < 3; ++c) {
        shown += dome.query[c] * dome.keys(j, c);
        length += dome.keys(j, c) * dome.keys(j, c);
      }
      EXPECT_NEAR(length, 1, kRounding);
      EXPECT_NEAR(shown, dot / (size_of(part.query) * std::sqrt(key)), kRounding) << k;
    }
  }
}

// A query or a key without a direction has no place.
TEST(Dome, LeavesOutWhatHasNoDirection) {
  HeadPart part;
  for (const int k : {3, 5}) {
    part.query.assign(k, 0.0);
    part.keys = zeros(2, k);
    part.keys(1, 0) = 2;
    const Dome dome = dome_of(part);
    EXPECT_EQ(size_of(dome.query), 0);
    EXPECT_EQ(dome.keys(0, 0), 0);
    EXPECT_NEAR(std::hypot(dome.keys(1, 0), dome.keys(1, 1), dome.keys(1, 2)), 1, kRounding);
  }
}

// The factor e^{-c (1 - cos theta)} is that of the score of a key of the mean length.
TEST(Dome, TheFieldOfVisionIsThatOfTheScores) {
  const HeadPart part = token_move(*make_reference_engine(), dynamics_of(head(6, 3, 90)),
                                   random_sphere({11, 6}, 4), {})
                            .heads[0];
  const Dome dome = dome_of(part);
  ASSERT_EQ(dome.lengths.size(), 11u);
  double mean = 0;
  for (int j = 0; j < 11; ++j) {
    double square = 0;
    for (int c = 0; c < 3; ++c) square += part.keys(j, c) * part.keys(j, c);
    EXPECT_NEAR(dome.lengths[j], std::sqrt(square), kRounding);
    mean += dome.lengths[j] / 11;
  }
  EXPECT_NEAR(dome.mean_length, mean, kRounding);
  const double c = part.beta * size_of(part.query) * mean;  // the score of such a key at the query
  EXPECT_NEAR(dome.concentration, c, kRounding);
  for (const double factor : {0.9, 0.5}) {
    const double angle = attention_angle(c, factor);
    ASSERT_GT(2 * c, -std::log(factor));
    EXPECT_NEAR(std::exp(c * std::cos(angle) - c), factor, 1e-12);
  }
  EXPECT_NEAR(attention_angle(2 * std::log(2.0), 0.5), std::numbers::pi / 3, 1e-12);
  EXPECT_EQ(attention_angle(0.3, 0.5), std::numbers::pi);  // more than half everywhere
  EXPECT_EQ(attention_angle(0, 0.5), std::numbers::pi);
}

// A mean over the keys that the token sees: the first token of a causal head sees its own.
TEST(Dome, MeansOnlyKeysThatAreSeen) {
  HeadPart part{.beta = 1, .query = {1, 0}, .keys = zeros(2, 2)};
  part.keys(0, 0) = 2, part.keys(1, 1) = 10;
  part.scores = {2, -std::numeric_limits<double>::infinity()};
  EXPECT_EQ(dome_of(part).mean_length, 2);
}

// Unit rows at angles (degrees) on a great circle; NaN: without direction.
Matrix keys_at(const std::vector<double>& angles) {
  Matrix keys = zeros(static_cast<int>(angles.size()), 3);
  for (int j = 0; j < keys.rows; ++j) {
    if (std::isnan(angles[j])) continue;
    keys(j, 0) = std::cos(angles[j] * std::numbers::pi / 180);
    keys(j, 1) = std::sin(angles[j] * std::numbers::pi / 180);
  }
  return keys;
}

TEST(KeyGroups, JoinKeysThatOverlapAndNoOthers) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  // The disc of half the weight has the radius 0.18, or 10.5 degrees.
  const Matrix keys = keys_at({0, 5, 40, 40, 90, none, 90.1, 91});
  const Vector weights{0.5, 0.1, 0.3, 0.1, 0, 0, 0, 0};
  const std::vector<int> group = group_keys(keys, weights, {.ball = 0.26, .least = 0.008});
  EXPECT_EQ(group, (std::vector<int>{0, 0, 1, 1, 2, -1, 2, 3}));
  const std::vector<KeyGroup> all = summarise_groups(keys, weights, group);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].count, 2);
  EXPECT_NEAR(all[0].weight, 0.6, 1e-15);
  // At the mean by weight: nearer to the heavy key.
  EXPECT_NEAR(std::atan2(all[0].place[1], all[0].place[0]) * 180 / std::numbers::pi, 5.0 / 6, 0.01);
  EXPECT_EQ(all[2].count, 2);
  EXPECT_NEAR(std::hypot(all[2].place[0], all[2].place[1], all[2].place[2]), 1, kRounding);
  EXPECT_TRUE(group_keys(zeros(0, 3), {}).empty());
}

// A disc that grows by a key may cover another that it did not cover before.
TEST(KeyGroups, AreJoinedUntilNoneOverlap) {
  const Matrix keys = keys_at({0, 14, 8});
  const Vector weights{0.4, 0.35, 0.25};  // radius 9.4 degrees; with the third key 12
  EXPECT_EQ(group_keys(keys, weights, {.ball = 0.26}), (std::vector<int>{0, 0, 0}));
}

// Many keys at one place are one group, whatever their weights.
TEST(KeyGroups, CountASwarmThatHasGathered) {
  const Matrix keys = keys_at(std::vector<double>(124, 30.0));
  const Vector weights(124, 1.0 / 124);
  const std::vector<KeyGroup> all = summarise_groups(keys, weights, group_keys(keys, weights));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].count, 124);
  EXPECT_NEAR(all[0].weight, 1, 1e-12);
}

// The parts of the message are the weights times the lengths of the values.
TEST(Dome, ValuesHaveDirectionsAndParts) {
  HeadPart part{.values = zeros(3, 4)};
  part.values(0, 0) = 3, part.values(1, 3) = 1;  // along an axis, across all of them, nothing
  part.weights = {0.25, 0.25, 0.5};
  Matrix axes = zeros(3, 4);
  for (int a = 0; a < 3; ++a) axes(a, a) = 1;
  const Matrix seen = directions_along(axes, part.values);
  EXPECT_EQ(std::vector<double>(seen.data.begin(), seen.data.end()),
            (std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(parts_of_message(part), (Vector{0.75, 0.25, 0}));
}

// Three vectors span three axes: nothing of them is lost in any d.
TEST(ArrowAxes, ShowThreeVectorsWhole) {
  for (const int d : {2, 3, 8}) {
    const Matrix m = random_matrix(3, d, 7);
    std::vector<Vector> three;
    for (int v = 0; v < 3; ++v)
      three.emplace_back(m.data.begin() + v * d, m.data.begin() + v * d + d);
    const ArrowAxes found = arrow_axes(three, d);
    EXPECT_NEAR(found.share, 1, 1e-9) << d;
    for (const Vector& v : three) {
      double square = 0;
      for (int a = 0; a < 3; ++a) {
        double along = 0;
        for (int k = 0; k < d; ++k) along += found.axes(a, k) * v[k];
        square += along * along;
      }
      EXPECT_NEAR(std::sqrt(square), size_of(v), 1e-6) << d;
    }
  }
}

TEST(TokenMove, CountsTheTokensAttended) {
  EXPECT_NEAR(tokens_attended({.weights = {0.25, 0.25, 0.25, 0.25}}), 4, kRounding);
  EXPECT_NEAR(tokens_attended({.weights = {0, 1, 0}}), 1, kRounding);
  EXPECT_EQ(tokens_attended({.weights = {0, 0}}), 0);
}

TEST(TokenMove, RefusesTokensAndPlacesThatAreNot) {
  const auto engine = make_reference_engine();
  const HostSwarm x = random_sphere({4, 3}, 1);
  HostSwarm lost = x;
  lost.at(2, 1) = std::nan("");
  expect_refused({{"token", [&] { token_move(*engine, sa(1), x, {.token = 4}); }},
                  {"token", [&] { token_move(*engine, sa(1), x, {.token = -1}); }},
                  {"finite", [&] { token_move(*engine, sa(1), lost, {.token = 0}); }}});
}

}  // namespace
}  // namespace murmur::testing
