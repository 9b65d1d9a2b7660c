// external_test.cpp: functions of the caller as forces, and experiments whose forces no words say.
#include "murmur/external.h"

#include <gtest/gtest.h>

#include <cmath>

#include "murmur/error.h"
#include "murmur/forces.h"

namespace murmur {
namespace {

Settings words_of_nothing(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"n=5",           "d=2", "dynamics=none",
                                    "habitat=space", "T=1", "init=gaussian"};
  words.insert(words.end(), more.begin(), more.end());
  return gather({.assignments = words});
}

ExternalForce pull() {
  return {"pull", [](double, const HostSwarm& x, HostSwarm& a) {
            for (int k = 0; k < x.d(); ++k)
              for (int i = 0; i < x.n(); ++i) a.at(i, k) -= x.at(i, k);
          }};
}

TEST(External, MovesWhatNothingElseMoves) {
  Settings words = words_of_nothing({});
  EXPECT_THROW(make_experiment(words), Error);  // no force at all
  add_external(words, {"pull"});
  const Experiment e = make_experiment(words);
  EXPECT_EQ(e.engine.name, "reference");
  const auto engine = make_reference_engine({pull()});
  EXPECT_EQ(engine->name(), "reference with pull");
  const auto field = prepare_field(e, *engine);
  FlowState state = start(e.swarm);
  HostSwarm last;
  FlowWatch watch;
  watch.frame = [&](double, const Frame& frame) { last = frame.host; };
  EXPECT_TRUE(advance({*engine, *field, e.flow, e.random}, e.schedule, state, watch).ok());
  for (int i = 0; i < e.swarm.n(); ++i)
    for (int k = 0; k < e.swarm.d(); ++k)
      EXPECT_NEAR(last.at(i, k), std::exp(-1.0) * e.swarm.at(i, k), 1e-7);
}

TEST(External, ActsAfterTheOthersInASublayerOfItsOwn) {
  Settings words = gather({.assignments = {"n=4", "d=3", "beta=2"}});
  const Experiment alone = make_experiment(words);
  add_external(words, {"pull"});
  const Experiment beside = make_experiment(words);
  EXPECT_EQ(beside.dynamics.sublayers.size(), alone.dynamics.sublayers.size() + 1);
  EXPECT_TRUE(beside.dynamics.sublayers.back().forces.empty());
  const auto engine = make_reference_engine({pull()});
  const auto field = prepare_field(beside, *engine);
  HostSwarm a(beside.swarm.shape());
  field->drift(0, 1, beside.swarm, a);
  for (int i = 0; i < a.n(); ++i)
    for (int k = 0; k < a.d(); ++k) EXPECT_EQ(a.at(i, k), -beside.swarm.at(i, k));
}

TEST(External, RefusesWhatItsEngineDoesNotDo) {
  for (const char* word : {"engine=simd", "precision=f32", "merge=0.1"}) {
    Settings words = words_of_nothing({word});
    add_external(words, {"pull"});
    EXPECT_THROW(make_experiment(words), Error) << word;
  }
  Settings words = words_of_nothing({});
  EXPECT_THROW(add_external(words, {"two words"}), Error);
  EXPECT_THROW(add_external(words, {""}), Error);
  EXPECT_THROW(add_external(words, {"a", "b", "a"}), Error);
}

TEST(External, IsNamedInTheNameOfItsEngine) {
  EXPECT_EQ(external_of_engine("reference with a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(external_of_engine("reference").empty());
  EXPECT_TRUE(external_of_engine("simd f64 (AVX3) with care").empty());
  EXPECT_EQ(make_reference_engine()->name(), "reference");
}

TEST(Forces, GivenAsObjectsAreThoseOfTheWords) {
  const Settings words = gather({.assignments = {"n=6", "d=3", "beta=3", "dynamics=USA"}});
  const Experiment said = make_experiment(words);
  const Experiment given =
      make_experiment({spec_of(words), words}, Dynamics{.sublayers = said.dynamics.sublayers});
  EXPECT_EQ(to_rows(said.swarm), to_rows(given.swarm));
  EXPECT_EQ(said.engine.name, given.engine.name);
  EXPECT_NE(equation_text(given.dynamics).find("b = beta = 3"), std::string::npos);
  Dynamics wrong = said.dynamics;
  std::get<Attention>(wrong.sublayers[0].forces[0]).value = zeros(2, 2);
  EXPECT_THROW(make_experiment({spec_of(words), words}, wrong), Error);
}

}  // namespace
}  // namespace murmur
