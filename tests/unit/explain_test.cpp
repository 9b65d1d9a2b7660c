// explain_test.cpp: what is told of a setting is true of it: results, methods, clusters.
#include <gtest/gtest.h>

#include "murmur/dynamics.h"
#include "murmur/experiment.h"

namespace murmur {
namespace {

using Words = std::vector<std::string>;

Experiment made(const Words& words) { return make_experiment(gather({.assignments = words})); }

std::string known(const Words& words) {
  std::string text;
  for (const std::string& result : known_results(made(words))) text += result + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Known, RatesWithoutTheSelfTerm) {
  EXPECT_TRUE(has(known({"n=5", "d=5"}), "e^(-2 t)"));
  EXPECT_TRUE(has(known({"n=5", "d=5", "self=false"}), "e^(-2.5 t)"));
  EXPECT_TRUE(has(known({"n=5", "d=5", "self=false", "dynamics=USA"}), "e^(-2 e^beta t)"));
  EXPECT_TRUE(has(known({"n=5", "d=5", "normalisation=pre"}), "t^(-2)"));
  EXPECT_TRUE(has(known({"n=5", "d=5", "normalisation=peri", "self=false"}), "t^(-2.5)"));
  EXPECT_TRUE(has(known({"n=5", "normalisation=ngpt:3", "self=false"}), "e^(-7.5 t)"));
  EXPECT_TRUE(has(known({"n=5", "normalisation=sqrt", "self=false"}), "e^(-5 sqrt(t))"));
  EXPECT_FALSE(has(known({"n=5", "normalisation=pre", "relative=true"}), "t^(-2)"));
}

TEST(Known, OneClusterOnTheCircle) {
  for (const char* beta : {"beta=-0.1", "beta=0", "beta=1", "beta=9", "beta=400"})
    EXPECT_TRUE(has(known({"d=2", beta}), "one cluster (2507.22857")) << beta;
  EXPECT_FALSE(has(known({"d=3", "beta=-0.1"}), "ends as one cluster"));
  EXPECT_TRUE(has(known({"d=3", "beta=9"}), "one cluster (Markdahl"));
  EXPECT_TRUE(has(known({"d=3", "beta=9"}), "2405.18273"));
  EXPECT_FALSE(has(known({"d=2", "beta=-0.5"}), "ends as one cluster"));
}

// A right angle at beta = 9, in every clock and without the self term.
TEST(Known, LifetimesAreThoseOfTheClock) {
  const std::string order = "of order e^(beta (1 - cos theta))";
  const Words sa = {"d=2", "beta=9"}, usa = {"d=2", "beta=9", "dynamics=USA"};
  const auto in_clock = [&](const char* clock) {
    Words words = usa;
    words.emplace_back(clock);
    return known(words);
  };
  EXPECT_TRUE(has(known(sa), order) && has(known(sa), "t = 465.9")) << known(sa);
  EXPECT_TRUE(has(in_clock("clock=U2"), order)) << in_clock("clock=U2");
  EXPECT_TRUE(has(in_clock("clock=U2"), "t = 928.8")) << in_clock("clock=U2");
  EXPECT_TRUE(has(in_clock("clock=U1"), "t = 0.1146")) << in_clock("clock=U1");
  EXPECT_TRUE(has(in_clock("clock=U3"), "t = 0.01274")) << in_clock("clock=U3");
  for (const char* clock : {"clock=U1", "clock=U3", "clock=U4"})
    EXPECT_FALSE(has(in_clock(clock), order)) << clock;
  EXPECT_FALSE(has(known({"d=2", "beta=9", "self=false"}), order));
  EXPECT_TRUE(has(known({"d=2", "beta=9", "self=false", "n=2"}), "as fast at every beta"));
  EXPECT_TRUE(has(known({"d=5", "beta=9"}), order));
}

TEST(Known, EnergiesAreMonotoneAlongTheFlowOnly) {
  EXPECT_TRUE(has(known({}), "never falls"));
  EXPECT_TRUE(has(known({"direction=descent"}), "never rises"));
  for (const Words& words : {Words{"method=layers", "dt=2"}, Words{"method=euler", "dt=0.5"}}) {
    EXPECT_FALSE(has(known(words), "never falls")) << words[0];
    EXPECT_TRUE(has(known(words), "exact flow: steps of fixed length")) << words[0];
  }
  EXPECT_FALSE(has(known({"value=goe"}), "never"));
}

TEST(Known, RescaledDescentNeedsPlainScores) {
  const Words words = {"dynamics=rescaled", "direction=descent"};
  EXPECT_TRUE(has(known(words), "x = e^(-t) z come to 0")) << known(words);
  Words scores = words;
  scores.emplace_back("query=gaussian");
  EXPECT_EQ(known(scores), "");
  scores.back() = "key=minus-identity";
  EXPECT_FALSE(has(known(scores), "come to 0"));
}

TEST(Known, BiasesMassesAndTimeAreOutsideOfMostTheorems) {
  Experiment e = made({"d=3", "n=4"});
  EXPECT_FALSE(known_results(e).empty());
  e.swarm.mass = {0.7, 0.1, 0.1, 0.1};
  for (const std::string& result : known_results(e)) EXPECT_FALSE(has(result, "ends as")) << result;
  e = made({"d=3", "n=4"});
  std::get<Attention>(e.dynamics.sublayers[0].forces[0]).value_bias = {0, 1, 0};
  EXPECT_TRUE(known_results(e).empty());
  e = made({"d=3", "n=4"});
  e.dynamics.sublayers[0].until = 1;
  EXPECT_TRUE(known_results(e).empty());
}

TEST(Known, TheMiddleIsLostUntilACriticalTime) {
  const Words words = {"dynamics=USA", "reach=past", "alibi=1", "beta=1", "d=2", "clock=U3"};
  EXPECT_TRUE(has(known(words), "t = 2.457")) << known(words);
  Words sharper = words;
  sharper[3] = "beta=2";
  EXPECT_TRUE(has(known(sharper), "t = 0.6007")) << known(sharper);
  sharper[5] = "clock=U1";  // t_U1 = beta t_U3
  EXPECT_TRUE(has(known(sharper), "t = 1.201")) << known(sharper);
  Words sphere = words;
  sphere[4] = "d=3";
  EXPECT_EQ(known(sphere), "");
}

TEST(Known, SinkhornIsAGradientWhereTheValueIsTheScore) {
  const std::string gradient = "Wasserstein gradient";
  EXPECT_TRUE(has(known({"dynamics=sinkhorn"}), gradient));
  EXPECT_TRUE(has(known({"dynamics=sinkhorn", "direction=descent"}), gradient));
  EXPECT_TRUE(has(known({"dynamics=sinkhorn", "query=goe", "value=query-key"}), gradient));
  EXPECT_FALSE(has(known({"dynamics=sinkhorn", "query=goe"}), gradient));
  EXPECT_FALSE(has(known({"dynamics=sinkhorn", "value=goe"}), gradient));
  EXPECT_FALSE(has(known({"dynamics=sinkhorn", "query=gaussian", "value=query-key"}), gradient));
  EXPECT_FALSE(has(known({"dynamics=sinkhorn", "gains=1,2,3"}), gradient));
  EXPECT_FALSE(has(known({"dynamics=sinkhorn"}), "mean"));
  EXPECT_TRUE(has(known({"dynamics=sinkhorn", "habitat=space"}), "m' = m "));
  EXPECT_TRUE(has(known({"dynamics=sinkhorn", "habitat=space", "relative=true"}), "m' = 0"));
}

TEST(Known, WeightsDrawnAnew) {
  const Words words = {"n=8", "d=4", "beta=0", "value=gaussian", "redraw=0.1"};
  EXPECT_TRUE(has(known(words), "Ito")) << known(words);
  EXPECT_TRUE(has(known(words), "e^(-0.075 t)")) << known(words);  // 3/4 of s
  EXPECT_TRUE(has(known(words), "t = 21.97")) << known(words);     // e^s = 9: s = ln 9
  Words scores = words;
  scores[2] = "beta=3";
  EXPECT_FALSE(has(known(scores), "t = 21.97"));
  scores.insert(scores.end(), {"query=gaussian", "key=gaussian"});
  EXPECT_TRUE(has(known(scores), "t = 21.97")) << known(scores);
  for (const Words& other :
       {Words{"value=goe"}, Words{"value=gaussian", "perceptron=gaussian:4"},
        Words{"value=gaussian", "self=false"}, Words{"value=gaussian", "normalisation=pre"}}) {
    Words with = other;
    with.emplace_back("redraw=0.1");
    EXPECT_TRUE(has(known(with), "Ito")) << other.back();
    EXPECT_FALSE(has(known(with), "decays as e^(-0.0")) << other.back();
  }
  EXPECT_TRUE(has(known({"value=psd", "redraw=0.1"}), "mean I"));
  EXPECT_FALSE(has(known({"query=gaussian", "redraw=0.1"}), "Ito"));
  EXPECT_FALSE(has(known({"perceptron=gaussian:4", "redraw=0.1"}), "Ito"));
}

std::string layers(Words words) {
  words.insert(words.end(), {"method=layers", "dt=0.1"});
  return method_text(made(words));
}

TEST(MethodText, TellsWhatLayersDoHere) {
  EXPECT_TRUE(has(layers({}), "x <- N(x + dt A), dt = 0.1"));
  EXPECT_TRUE(has(layers({}), "about 10 %"));
  EXPECT_TRUE(has(layers({"normalisation=ngpt:2"}), "about 20 %"));
  EXPECT_TRUE(has(layers({"dynamics=USA"}), "1 + dt <x, A>"));
  EXPECT_FALSE(has(layers({"dynamics=USA"}), "%"));
  EXPECT_FALSE(has(layers({"perceptron=gaussian:4"}), "%"));
  for (const char* word : {"normalisation=pre", "normalisation=peri", "dynamics=euclidean"}) {
    EXPECT_TRUE(has(layers({word}), "x <- x + dt")) << word;
    EXPECT_TRUE(has(layers({word}), "nothing is normalised")) << word;
    EXPECT_FALSE(has(layers({word}), "N(")) << word;
    EXPECT_FALSE(has(layers({word}), "slow")) << word;
  }
  const std::string mix = layers({"normalisation=mix:3"});
  EXPECT_TRUE(has(mix, "x <- |x| N(x / |x| + dt A) while t <= 3, then x <- x + dt A")) << mix;
  EXPECT_FALSE(has(layers({"dynamics=USA", "clock=U4"}), "slow"));
}

TEST(MethodText, RetractsOnTheSphereAlone) {
  for (const MethodRow& row : methods()) {
    const Words words = {std::string("method=") + row.name};
    const std::string sphere = method_text(made(words));
    EXPECT_FALSE(has(sphere, "$")) << sphere;
    const std::string space = method_text(made({words[0], "habitat=space"}));
    EXPECT_FALSE(has(space, "retracted") || has(space, "N(")) << space;
    EXPECT_TRUE(has(sphere, "retracted") || has(sphere, "N(")) << sphere;
  }
}

TEST(ClusterText, IsTheRuleOfTheObservable) {
  EXPECT_EQ(cluster_text(made({})), "<x_i, x_j> > 1 - 0.001");
  EXPECT_EQ(cluster_text(made({"habitat=space"})), "|x_i - x_j| < 0.001");
  for (const char* word : {"normalisation=pre", "normalisation=peri", "normalisation=mix:1"})
    EXPECT_EQ(cluster_text(made({word})), "<x_i, x_j> > (1 - 0.001) |x_i| |x_j|");
}

}  // namespace
}  // namespace murmur
