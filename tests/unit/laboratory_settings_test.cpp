// laboratory_settings_test.cpp: every dynamics by name, what is refused, and configs that read
// back.
#include <gtest/gtest.h>

#include <algorithm>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "support.h"

namespace murmur::testing {
namespace {

using Words = std::vector<std::string>;

Experiment made(const Words& assignments) { return make_experiment(gather({"", {}, assignments})); }

Error refused(const Words& assignments) {
  try {
    made(assignments);
  } catch (const Error& error) {
    return error;
  }
  std::string all;
  for (const std::string& word : assignments) all += word + " ";
  ADD_FAILURE() << "accepted: " << all;
  return {Fault::runtime, "", "", ""};
}

const Attention& head(const Experiment& e, int sublayer = 0) {
  return std::get<Attention>(e.dynamics.sublayers.at(sublayer).forces.at(0));
}

TEST(NamedDynamics, ChooseScaleAndHabitat) {
  const Experiment hard = made({"dynamics=hardmax"});
  EXPECT_EQ(head(hard).weighting, Attention::hard);
  EXPECT_TRUE(head(hard).relative);
  EXPECT_EQ(hard.dynamics.manifold, Manifold::space);
  EXPECT_EQ(hard.engine.name, "reference");
  const Experiment round = made({"dynamics=hardmax", "habitat=sphere"});
  EXPECT_FALSE(head(round).relative);
  EXPECT_EQ(round.dynamics.manifold, Manifold::sphere);
  const Experiment both = made({"dynamics=sinkhorn"});
  EXPECT_EQ(head(both).weighting, Attention::sinkhorn);
  EXPECT_EQ(both.dynamics.manifold, Manifold::sphere);
  const Experiment flat = made({"dynamics=euclidean"});
  EXPECT_EQ(head(flat).weighting, Attention::softmax);
  EXPECT_FALSE(head(flat).relative);
  EXPECT_EQ(flat.dynamics.manifold, Manifold::space);
  EXPECT_TRUE(head(made({"dynamics=euclidean", "relative=true"})).relative);
  const Experiment within = made({"dynamics=rescaled"});
  EXPECT_TRUE(head(within).rescaled && head(within).relative);
  EXPECT_EQ(head(made({"dynamics=causal", "alibi=2", "n=8"})).alibi, 0.25);
  const Experiment alone = made({"dynamics=none", "noise=0.5", "method=euler"});
  EXPECT_TRUE(alone.dynamics.sublayers.at(0).forces.empty());
  EXPECT_EQ(alone.dynamics.noise, 0.5);
}

TEST(NamedDynamics, LayerNorm) {
  EXPECT_EQ(made({"normalisation=pre"}).dynamics.manifold, Manifold::space);
  const Experiment mix = made({"normalisation=mix:2.5"});
  EXPECT_EQ(mix.dynamics.normalisation, LayerNorm::mix);
  EXPECT_EQ(mix.dynamics.mix_until, 2.5);
  EXPECT_EQ(made({"normalisation=ngpt:3"}).dynamics.speed, 3);
  EXPECT_EQ(made({"normalisation=ngpt"}).dynamics.speed, 1);
  EXPECT_EQ(made({"normalisation=sqrt"}).dynamics.manifold, Manifold::sphere);
}

TEST(NamedDynamics, Ellipsoid) {
  const Experiment e = made({"gains=1,2,0.5", "gains_end=2,2,2", "T=7"});
  EXPECT_EQ(e.dynamics.manifold, Manifold::sphere);
  EXPECT_EQ(e.dynamics.gain, (Vector{1, 2, 0.5}));
  EXPECT_EQ(e.dynamics.gain_until, 7);
  EXPECT_NE(e.config.find("habitat = \"ellipsoid\""), std::string::npos);
  EXPECT_NE(e.config.find("gains_until = \"7\""), std::string::npos);
}

TEST(NamedMatrices, AreWhatTheirNamesSay) {
  const Experiment e = made({"query=psd", "key=wigner", "value=query-key", "d=6"});
  const Matrix &q = head(e).query, &k = head(e).key, &v = head(e).value;
  const Matrix minus =
      head(made({"query=psd", "key=wigner", "value=minus-query-key", "d=6"})).value;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(q(i, j), q(j, i));
      EXPECT_EQ(k(i, j), k(j, i));
      double sum = 0;
      for (int r = 0; r < 6; ++r) sum += q(r, i) * k(r, j);
      EXPECT_NEAR(v(i, j), sum, 1e-15);
      EXPECT_EQ(minus(i, j), -v(i, j));
    }
  EXPECT_TRUE(head(made({"value=query-key"})).value.empty());
  EXPECT_EQ(head(made({"value=minus-query-key"})).value, scaled_identity(3, -1));
  // Means of many: psd has trace d, wigner a diagonal of variance 1/d.
  double trace = 0, square = 0;
  const Experiment wide = made({"query=psd", "key=wigner", "d=200", "n=2"});
  for (int i = 0; i < 200; ++i) {
    trace += head(wide).query(i, i) / 200;
    square += head(wide).key(i, i) * head(wide).key(i, i);
  }
  EXPECT_NEAR(trace, 1, 0.05);
  EXPECT_NEAR(square, 1, 0.5);
}

TEST(TypedMatrices, AreReadByRows) {
  const Experiment e = made({"query=matrix:1,2;3,-4;0.5,0", "key=matrix:1,0;0,1;1,1",
                             "value=matrix:0,-1;1,0", "d=2", "heads=2"});
  EXPECT_EQ(head(e).query, (Matrix{3, 2, {1, 2, 3, -4, 0.5, 0}}));
  EXPECT_EQ(head(e).value, (Matrix{2, 2, {0, -1, 1, 0}}));
  EXPECT_EQ(std::get<Attention>(e.dynamics.sublayers.at(0).forces.at(1)).query, head(e).query);
  EXPECT_EQ(e.inputs.at("value").shape, (std::vector<std::size_t>{2, 2}));
  EXPECT_NE(e.config.find("inputs/query.npy"), std::string::npos) << e.config;
}

TEST(TypedMatrices, AreRefusedWhenTheyDoNotFit) {
  EXPECT_NE(std::string(refused({"value=matrix:1,0;0", "d=2"}).what()).find("different lengths"),
            std::string::npos);
  EXPECT_NE(std::string(refused({"value=matrix:1,x;0,1", "d=2"}).what()).find("'x'"),
            std::string::npos);
  refused({"value=matrix:", "d=2"});
  refused({"value=matrix:1,0;0,1", "d=3"});
  refused({"query=matrix:1,0,0", "key=matrix:1,0,0;0,1,0", "d=3"});
  refused({"query=matrix:1e999,0;0,1", "d=2"});
}

TEST(Redraw, DrawsAnewInEveryWindow) {
  const Experiment e = made({"value=goe", "redraw=0.5", "T=2", "method=layers", "dt=0.1"});
  ASSERT_EQ(e.dynamics.sublayers.size(), 5u);
  EXPECT_EQ(head(e, 0).value, head(made({"value=goe"})).value);
  for (int k = 1; k < 5; ++k) EXPECT_NE(head(e, k).value, head(e, k - 1).value);
  for (int step = 0; step < 20; ++step) {
    int active = 0;
    for (int k = 0; k < 5; ++k)
      if (e.dynamics.sublayers[k].active(step * 0.1)) {
        ++active;
        EXPECT_EQ(k, step / 5);
      }
    EXPECT_EQ(active, 1);
  }
  const Experiment longer = made({"value=goe", "redraw=0.5", "T=4", "method=layers", "dt=0.1"});
  for (int k = 0; k < 5; ++k) EXPECT_EQ(head(e, k).value, head(longer, k).value);
}

TEST(Redraw, LayersFlyThroughTheWindows) {
  const Experiment e =
      made({"value=goe", "redraw=0.2", "T=0.4", "method=layers", "dt=0.2", "n=5", "beta=1"});
  const Simulated f = simulated(e.dynamics, e.swarm, e.flow, e.schedule);
  HostSwarm x = e.swarm;
  for (int k = 0; k < 2; ++k)
    x = simulated(dynamics_of(head(e, k)), x, {.method = Method::layers, .dt = 0.2}, {.T = 0.2})
            .last();
  EXPECT_EQ(to_rows(f.last()), to_rows(x));
  Experiment longer = made({"value=goe", "redraw=0.2", "T=4", "method=layers", "dt=0.2", "n=5",
                            "beta=1", "save=every:0.4"});
  const Simulated g = simulated(longer.dynamics, longer.swarm, longer.flow, longer.schedule);
  EXPECT_EQ(to_rows(g.frames.at(1)), to_rows(x));  // windows to come change nothing
}

TEST(Replica, HasItsOwnStartAndWeights) {
  const Experiment a = made({"value=goe", "perceptron=gaussian:4"});
  const Experiment b = made({"value=goe", "perceptron=gaussian:4", "replica=1"});
  EXPECT_NE(to_rows(a.swarm), to_rows(b.swarm));
  EXPECT_NE(head(a).value, head(b).value);
  EXPECT_NE(std::get<Perceptron>(a.dynamics.sublayers[1].forces[0]).in,
            std::get<Perceptron>(b.dynamics.sublayers[1].forces[0]).in);
  EXPECT_EQ(to_rows(made({"replica=0"}).swarm), to_rows(made({}).swarm));
}

TEST(GradientPerceptron, HasAnEnergyAndADirection) {
  const Experiment up = made({"dynamics=USA", "perceptron=gradient:5", "activation=gelu"});
  const Experiment down =
      made({"dynamics=USA", "perceptron=gradient:5", "activation=gelu", "direction=descent"});
  const auto& p = std::get<Perceptron>(up.dynamics.sublayers[1].forces[0]);
  const auto& q = std::get<Perceptron>(down.dynamics.sublayers[1].forces[0]);
  EXPECT_EQ(head(down).value, scaled_identity(3, -1));
  for (int m = 0; m < 5; ++m) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      square += p.in(m, k) * p.in(m, k);
      EXPECT_EQ(q.out(k, m), -p.out(k, m));
    }
    EXPECT_NEAR(square, 1, 1e-14);
  }
  for (const Experiment* e : {&up, &down}) {
    const std::vector<std::string> names = observable_names(e->dynamics);
    EXPECT_NE(std::find(names.begin(), names.end(), "energy"), names.end());
  }
}

TEST(LaboratoryConfig, ReadsBackTheSame) {
  const Words cases[] = {
      {"dynamics=hardmax", "method=layers", "dt=0.25"},
      {"dynamics=sinkhorn", "relative=true", "habitat=space"},
      {"dynamics=rescaled", "value=gaussian", "d=4"},
      {"dynamics=causal", "alibi=1.5"},
      {"normalisation=mix:2"},
      {"normalisation=ngpt:0.5"},
      {"gains=1,2,3", "gains_end=3,2,1"},
      {"value=psd", "redraw=0.5", "replica=3", "method=layers"},
      {"dynamics=USA", "perceptron=gradient:7", "direction=descent", "clock=U2"},
  };
  for (const Words& words : cases) {
    const Experiment a = made(words);
    Settings again = gather({});
    for (const auto& [key, value] : parse_experiment(a.config, "config.toml", "."))
      again[key] = value;
    const Experiment b = make_experiment(again);
    EXPECT_EQ(a.config, b.config) << words[0];
    EXPECT_EQ(to_rows(a.swarm), to_rows(b.swarm)) << words[0];
    const auto engine = make_reference_engine();
    EXPECT_EQ(to_rows(velocity(*engine, a.dynamics, a.swarm)),
              to_rows(velocity(*engine, b.dynamics, b.swarm)))
        << words[0];
  }
}

TEST(LaboratorySettings, RefuseWhatMeansNothing) {
  const Words bad[] = {
      {"dynamics=none"},
      {"alibi=1"},
      {"dynamics=causal", "alibi=-1"},
      {"dynamics=hardmax", "reach=past", "alibi=1"},
      {"dynamics=sinkhorn", "reach=past"},
      {"dynamics=sinkhorn", "self=false"},
      {"dynamics=rescaled", "habitat=sphere"},
      {"dynamics=rescaled", "relative=false"},
      {"dynamics=euclidean", "habitat=sphere"},
      {"dynamics=hardmax", "clock=U2"},
      {"dynamics=hardmax", "engine=simd"},
      {"dynamics=hardmax", "precision=f32"},
      {"normalisation=pre", "habitat=sphere"},
      {"normalisation=ngpt", "habitat=space"},
      {"normalisation=sqrt", "habitat=space"},
      {"normalisation=ngpt:0"},
      {"normalisation=mix"},
      {"normalisation=mix:-1"},
      {"normalisation=post:1"},
      {"normalisation=layer"},
      {"normalisation=ngpt", "dynamics=USA", "clock=U4"},
      {"habitat=ellipsoid"},
      {"gains=1,2"},
      {"gains=1,2,-1"},
      {"gains=1,2,3", "habitat=space"},
      {"gains=1,2,3", "habitat=sphere"},
      {"gains=1,2,3", "normalisation=ngpt"},
      {"gains_end=1,2,3", "gains_until=0"},
      {"gains=1,2,3", "gains_until=5"},
      {"redraw=0.1"},
      {"redraw=-1", "value=goe"},
      {"redraw=1e-5", "value=goe"},
      {"redraw=0.001", "value=goe", "d=2000", "n=2"},
      {"query=query-key"},
      {"perceptron=gradient:0"},
      {"direction=sideways"},
      {"relative=maybe"},
      {"replica=-1"},
  };
  for (const Words& words : bad) EXPECT_EQ(refused(words).fault, Fault::input) << words[0];
}

}  // namespace
}  // namespace murmur::testing
