// experiment_test.cpp: from words to objects and back, and what is refused on the way.
#include "murmur/experiment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>

#include "murmur/error.h"
#include "support.h"

namespace murmur::testing {
namespace {

Experiment made(const std::vector<std::string>& assignments, const std::string& base = "") {
  return make_experiment(gather({base, {}, assignments}));
}

Error refused(const std::vector<std::string>& assignments) {
  try {
    made(assignments);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "accepted: " << (assignments.empty() ? "" : assignments[0]);
  return {Fault::runtime, "", "", ""};
}

TEST(Experiment, DefaultsAreTheDocumentedOnes) {
  const Experiment e = made({});
  EXPECT_EQ(e.swarm.shape(), (Shape{64, 3}));
  EXPECT_EQ(e.schedule.T, 10);
  EXPECT_EQ(e.schedule.every, 0.1);
  EXPECT_EQ(e.flow.method, Method::dopri5);
  EXPECT_EQ(e.flow.tolerance.rtol, 1e-8);
  EXPECT_EQ(e.flow.tolerance.atol, 1e-10);
  const auto& a = std::get<Attention>(e.dynamics.sublayers.at(0).forces.at(0));
  EXPECT_EQ(a.beta, 4);
  EXPECT_EQ(a.weighting, Attention::softmax);
}

TEST(Experiment, LaterSourcesWin) {
  const Settings s =
      gather({"circle", {{"MURMUR_BETA", "5"}, {"MURMUR_N", "7"}, {"MURMUR_DATA", "/x"}}, {"n=9"}});
  EXPECT_EQ(s.at("d").text, "2");     // the preset
  EXPECT_EQ(s.at("beta").text, "5");  // the environment over the preset
  EXPECT_EQ(s.at("n").text, "9");     // the command line over all
  EXPECT_EQ(s.at("dt").text, "0.1");  // the default
}

// config.toml alone makes the same experiment again.
TEST(Experiment, ConfigReadsBackTheSame) {
  for (const char* preset : {"flagship", "circle", "metastable", "repulsion", "heads", "will"}) {
    const Experiment a = made({}, preset);
    Settings again = gather({});
    for (const auto& [key, value] : parse_experiment(a.config, "config.toml", "."))
      again[key] = value;
    const Experiment b = make_experiment(again);
    EXPECT_EQ(a.config, b.config) << preset;
    EXPECT_EQ(to_rows(a.swarm), to_rows(b.swarm)) << preset;
    EXPECT_EQ(a.schedule.frames(), b.schedule.frames());
    EXPECT_EQ(a.schedule.time(3), b.schedule.time(3));
  }
}

TEST(Experiment, EveryPresetIsSound) {
  ASSERT_GE(presets().size(), 8u);
  for (const Preset& preset : presets()) EXPECT_NO_THROW(made({}, preset.name)) << preset.name;
}

TEST(Experiment, UnknownKeysAreRefusedWithASuggestion) {
  const Error e = refused({"betaa=3"});
  EXPECT_EQ(e.fault, Fault::input);
  EXPECT_NE(e.remedy.find("beta"), std::string::npos);
  EXPECT_NE(refused({"dynamics=SAA"}).remedy.find("SA"), std::string::npos);
}

TEST(Experiment, TomlErrorsSayLineAndColumn) {
  const auto where = [](const std::string& text) {
    try {
      make_experiment([&] {
        Settings s = gather({});
        for (const auto& [key, value] : parse_experiment(text, "x.toml", ".")) s[key] = value;
        return s;
      }());
    } catch (const Error& error) {
      EXPECT_EQ(error.fault, Fault::input);
      return error.where;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(where("n = 5\nbeta = \"warm\"\n").substr(0, 9), "x.toml:2:");
  EXPECT_EQ(where("n = 5\nbetta = 3\n").substr(0, 9), "x.toml:2:");
  EXPECT_EQ(where("n = = 5\n").substr(0, 9), "x.toml:1:");
  EXPECT_EQ(where("n = [1, 2]\n").substr(0, 9), "x.toml:1:");
  EXPECT_EQ(where("init = [[1, 0], 3]\n").substr(0, 9), "x.toml:1:");
}

TEST(Experiment, RefusesWhatCannotBe) {
  for (const char* bad : {"n=0",
                          "n=-1",
                          "n=2.5",
                          "n=many",
                          "d=1",
                          "beta=nan",
                          "beta=",
                          "T=0",
                          "T=-1",
                          "dt=0",
                          "rtol=0",
                          "merge=-1",
                          "merge=1e-12",
                          "save=often",
                          "save=every:0",
                          "save=log:1",
                          "engine=cuda9",
                          "precision=f16",
                          "threads=0",
                          "init=orthonormal",
                          "init=cap:9",
                          "init=clusters:0",
                          "init=clusters:65",
                          "init=gaussian",
                          "init=points:1,0;1",
                          "clock=U9",
                          "init=points:2,0;0,1",
                          "cluster_tol=0",
                          "seed=-1",
                          "name=a/b",
                          "query=nope.npy",
                          "perceptron=gaussian:x",
                          "clock=U2",
                          "self=maybe",
                          "init=equiangular:2",
                          "heads=0"})
    EXPECT_EQ(refused({bad}).fault, Fault::input) << bad;
  EXPECT_EQ(refused({"method=rk4", "dt=0.3", "T=1"}).fault, Fault::input);
  EXPECT_EQ(refused({"method=rk4", "dt=0.1", "save=every:0.25"}).fault, Fault::input);
  EXPECT_EQ(refused({"dynamics=causal", "merge=1e-3"}).fault, Fault::input);
  EXPECT_EQ(refused({"engine=reference", "precision=f32"}).fault, Fault::input);
}

TEST(Experiment, DefaultSaveRoundsUpToWholeSteps) {
  EXPECT_EQ(made({"method=layers", "T=1"}).schedule.every, 0.1);
  EXPECT_NEAR(made({"method=layers", "T=25"}).schedule.every, 0.3, 1e-15);
}

TEST(Initial, Laws) {
  const HostSwarm cap = made({"init=cap:0.3", "n=500", "d=4"}).swarm;
  for (int i = 0; i < 500; ++i) EXPECT_GE(cap.at(i, 0), std::cos(0.3) - 1e-12);
  // On S^2 the height over a cap is uniform: its mean is the middle of [cos a, 1].
  const HostSwarm wide = made({"init=cap:1.2", "n=20000", "d=3"}).swarm;
  double height = 0;
  for (int i = 0; i < wide.n(); ++i) height += wide.at(i, 0) / wide.n();
  EXPECT_NEAR(height, (1 + std::cos(1.2)) / 2, 5 * 0.19 / std::sqrt(20000.0));
  const HostSwarm equal = made({"init=equiangular:-0.2", "n=5", "d=7"}).swarm;
  EXPECT_NEAR(dot(equal, 0, 4), -0.2, 1e-14);
  EXPECT_NEAR(dot(equal, 3, 3), 1, 1e-14);
  const HostSwarm hemisphere = made({"init=hemisphere", "n=300"}).swarm;
  for (int i = 0; i < 300; ++i) EXPECT_GE(hemisphere.at(i, 0), 0);
  const HostSwarm groups = made({"init=clusters:3:0.001", "n=30", "d=5"}).swarm;
  EXPECT_GT(dot(groups, 0, 27), 0.999);
  const HostSwarm box = made({"init=box:5", "habitat=space", "n=1000"}).swarm;
  for (int i = 0; i < 1000; ++i) EXPECT_LE(std::fabs(box.at(i, 2)), 5);
}

TEST(Initial, UniformHasNoPreferredDirection) {
  const HostSwarm x = made({"n=20000", "d=5"}).swarm;
  for (int k = 0; k < 5; ++k) {
    double mean = 0, square = 0;
    for (int i = 0; i < x.n(); ++i)
      mean += x.at(i, k) / x.n(), square += x.at(i, k) * x.at(i, k) / x.n();
    EXPECT_NEAR(mean, 0, 5 * std::sqrt(0.2 / 20000));
    EXPECT_NEAR(square, 0.2, 0.01);
  }
}

TEST(Initial, ParticlesDoNotDependOnHowManyThereAre) {
  const HostSwarm few = made({"n=10"}).swarm, many = made({"n=100"}).swarm;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(few.at(i, 1), many.at(i, 1));
}

}  // namespace
}  // namespace murmur::testing
