// verify_test.cpp: a stiff simulation through mergers is repeated by dopri5, and both must agree.
#include "experiment/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "murmur/error.h"
#include "temporary.h"

namespace murmur::test {
namespace {

struct Told {
  Outcome outcome;
  std::vector<std::string> verified;
};

RunContents contents_of(const Experiment& e) {
  RunContents c;
  c.config = e.config;
  c.inputs = e.inputs;
  c.columns = observable_names(e.dynamics);
  c.shape = e.swarm.shape();
  c.command = "simulate";
  c.engine = "reference";
  return c;
}

Told told(const std::vector<std::string>& words, const std::filesystem::path& directory) {
  const Experiment e = make_experiment(gather({.assignments = words}));
  Run run = Run::create(directory, contents_of(e), true);
  Told result{simulate(e, *make_engine(e.engine), run, {}), {}};
  for (const std::string& line : RunReader(directory).events())
    if (line.find("verified") != std::string::npos) result.verified.push_back(line);
  return result;
}

bool has_stiff(const std::filesystem::path& directory) {
  try {
    told({"n=2", "method=bdf", "T=0.1"}, directory);
    return true;
  } catch (const Error& error) {
    return error.fault != Fault::tool;
  }
}

class Verify : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_stiff(folder_ / "run")) GTEST_SKIP() << "built without SUNDIALS";
  }
  Told told(const std::vector<std::string>& words) { return test::told(words, folder_ / "run"); }

  TemporaryDirectory folder_;
};

TEST_F(Verify, AFlightThroughMergersIsFlownTwice) {
  const Told t = told({"n=32", "d=2", "beta=9", "T=1e4", "method=bdf", "save=log:40"});
  EXPECT_TRUE(t.outcome.ok()) << t.outcome.what;
  ASSERT_EQ(t.verified.size(), 1u);
  EXPECT_NE(t.verified[0].find("\"by\":\"dopri5 with merging\""), std::string::npos);
}

// Where norms move the clusters are those of the directions, in both flights.
TEST_F(Verify, ClustersOfDirectionsAreCountedAlike) {
  const Told t = told({"n=8", "d=2", "beta=1", "T=30", "method=bdf", "normalisation=pre",
                       "rtol=1e-9", "atol=1e-10"});
  EXPECT_TRUE(t.outcome.ok()) << t.outcome.what;
  ASSERT_EQ(t.verified.size(), 1u);
  const std::vector<double> counts = RunReader(folder_ / "run").column("clusters");
  EXPECT_LT(counts.back(), counts.front());
  EXPECT_NE(t.verified[0].find(fmt::format("\"clusters\":{:g},", counts.back())),
            std::string::npos);
}

TEST_F(Verify, NothingMergedNothingToVerify) {
  EXPECT_TRUE(told({"n=4", "d=2", "beta=1", "T=0.1", "method=bdf"}).verified.empty());
  EXPECT_TRUE(told({"n=16", "d=2", "beta=9", "T=100"}).verified.empty());  // dopri5
}

// Frames that another flight left in the run are not those of the second method.
TEST_F(Verify, DisagreementIsANumericalEnd) {
  const std::vector<std::string> words = {"n=16", "d=2", "beta=9", "T=50", "seed=1", "method=bdf"};
  ASSERT_TRUE(told(words).outcome.ok());
  Experiment e = make_experiment(gather({.assignments = words}));
  auto run = murmur::Run::reopen(folder_ / "run", {});
  const auto engine = make_engine(e.engine);
  EXPECT_TRUE(verify(e, *engine, run, {}).ok());
  e.swarm = make_experiment(gather({.assignments = {"n=16", "d=2", "seed=2"}})).swarm;
  const Outcome outcome = verify(e, *engine, run, {});
  EXPECT_EQ(outcome.ending, Ending::methods_disagree);
  EXPECT_NE(outcome.what.find("differ"), std::string::npos);
  EXPECT_FALSE(outcome.remedy.empty());
}

TEST_F(Verify, WhatDoesNotGoTogetherIsRefused) {
  const auto fault = [&](const std::vector<std::string>& words) {
    try {
      make_experiment(gather({.assignments = words}));
    } catch (const Error& error) {
      return error.fault;
    }
    return Fault::runtime;
  };
  EXPECT_EQ(fault({"method=bdf", "merge=1e-4"}), Fault::input);
  EXPECT_EQ(fault({"method=bdf", "precision=f32", "n=500"}), Fault::input);
  EXPECT_EQ(fault({"method=bdf", "noise=0.1"}), Fault::input);
  EXPECT_EQ(fault({"noise=0.1"}), Fault::input);
  EXPECT_EQ(fault({"method=rk4", "noise=0.1"}), Fault::input);
  EXPECT_EQ(fault({"method=euler", "noise=0.1", "merge=1e-3"}), Fault::input);
  EXPECT_EQ(fault({"method=euler", "noise=-1"}), Fault::input);
}

}  // namespace
}  // namespace murmur::test
