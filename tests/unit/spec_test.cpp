// spec_test.cpp: a spec and its words say the same, and experiments come out of either alike.
#include <gtest/gtest.h>

#include <cmath>

#include "experiment/rows.h"
#include "murmur/error.h"
#include "murmur/landscape.h"
#include "murmur/meanfield.h"
#include "murmur/theory.h"
#include "support.h"

namespace murmur {
namespace {

std::string differing(const ExperimentSpec& a, const ExperimentSpec& b) {
  std::string names;
  for (const Row<ExperimentSpec>& row : rows_of<ExperimentSpec>())
    if (!row.same(a, b)) names += std::string(row.parameter.name) + " ";
  return names;
}

// Every field away from its default, with numbers that need all their digits.
ExperimentSpec unusual() {
  ExperimentSpec s;
  s.name = "other";
  s.n = 5;
  s.d = 2;
  s.dynamics = {.interaction = Interaction::USA,
                .beta = 1.0 / 3,
                .manifold = ManifoldChoice::space,
                .query = {MatrixChoice::gaussian},
                .key = {MatrixChoice::given, {1, 2, {0.1, 1e-17}}},
                .value = {MatrixChoice::minus_query_key},
                .weights_in_time = WeightsInTime::linear,
                .weights_until = 1.0 / 7,
                .redraw = 0.7,
                .heads = 2,
                .head_scale = HeadScale::mean,
                .mask = Attention::causal,
                .self = false,
                .relative = Relative::no,
                .alibi = 1e-3,
                .clock = Clock::u3,
                .normalisation = {LayerNorm::mix, std::sqrt(2.0)},
                .gains = {1, 2.0 / 3},
                .gains_end = {3, 4},
                .gains_until = 0.1 + 0.2,
                .perceptron = {PerceptronChoice::gradient, 7},
                .activation = Perceptron::tanh,
                .direction = Direction::descent,
                .noise = 1e-300};
  s.model = "a/b.safetensors";
  s.init = InitialLaw{InitialLaw::clusters, {2, 0.1 + 0.2}};
  s.data = "mnist";
  s.masses = "m.npy";
  s.T = std::exp(1.0);
  s.save = SaveChoice{SaveChoice::log_from, 0.1, 1.0 + 1e-6};
  s.dt = 1e-7;
  s.method = Method::strang;
  s.tolerance = {1e-5, 3e-12};
  s.merge = 0.25;
  s.max_evaluations = 9'000'000'000'000'000;
  s.random = {9'000'000'000'000'000, 4'294'967'295};
  s.engine = {"simd", Precision::f32, 3};
  s.cluster_tol = 0.3;
  s.pair_threshold = -0.9;
  return s;
}

TEST(Spec, DefaultsStandInTheTableAndInTheStructAlike) {
  EXPECT_EQ(differing(spec_of(gather({})), {}), "");
  for (const auto& [name, word] : words_of({})) EXPECT_EQ(word.origin, "default") << name;
}

TEST(Spec, WordsReadBackAsTheSameSpec) {
  const ExperimentSpec spec = unusual();
  const Settings words = words_of(spec);
  for (const auto& [name, word] : words) EXPECT_EQ(word.origin, "the experiment") << name;
  EXPECT_EQ(differing(spec_of(words), spec), "");
  const Initial starts[] = {InitialLaw{InitialLaw::cap, {std::acos(0.1)}},
                            InitialPoints{{2, 2, {0.1 + 0.2, -1e-300, 1, 0}}},
                            InitialFile{"points.npy"}, InitialPicture{true, 7, 2},
                            InitialPicture{false, 12, 1}};
  for (const Initial& init : starts) {
    ExperimentSpec own = spec;
    own.init = init;
    EXPECT_EQ(differing(spec_of(words_of(own)), own), "");
  }
  for (const SaveChoice& save :
       {SaveChoice{SaveChoice::every, 0.1 + 0.2}, SaveChoice{SaveChoice::share, 7},
        SaveChoice{SaveChoice::log, 20}, SaveChoice{SaveChoice::final, 0}}) {
    ExperimentSpec own = spec;
    own.save = save;
    EXPECT_EQ(differing(spec_of(words_of(own)), own), "");
  }
}

TEST(Spec, MakesTheExperimentThatItsWordsMake) {
  ExperimentSpec spec;
  spec.n = 9;
  spec.d = 2;
  spec.dynamics.beta = 1.0 / 3;
  spec.dynamics.query = {MatrixChoice::goe};
  spec.T = 0.7;
  spec.random = {5, 2};
  const Experiment typed = make_experiment(spec);
  const Experiment said = make_experiment(gather(
      {"",
       {},
       {"n=9", "d=2", "beta=0.3333333333333333", "query=goe", "T=0.7", "seed=5", "replica=2"}}));
  EXPECT_EQ(typed.config, said.config);
  EXPECT_EQ(to_rows(typed.swarm), to_rows(said.swarm));
  EXPECT_EQ(std::get<Attention>(typed.dynamics.sublayers[0].forces[0]).query,
            std::get<Attention>(said.dynamics.sublayers[0].forces[0]).query);
}

TEST(Spec, RefusesATypedValueInTheWordsOfItsParameter) {
  ExperimentSpec spec;
  spec.dynamics.noise = 0.25;
  try {
    make_experiment(spec);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.summary, "noise = 0.25: needs method=strang, euler or layers");
    EXPECT_EQ(error.where, "the experiment");
  }
}

// Each of these is a dynamics, and neither a mean field nor a landscape.
std::vector<Dynamics> beyond_measures() {
  using testing::dynamics_of;
  std::vector<Dynamics> all;
  for (Attention head :
       {Attention{.query = scaled_identity(2, 2)}, Attention{.key = scaled_identity(2, -2)},
        Attention{.query_bias = {1, 0}}, Attention{.value = scaled_identity(2, 2)},
        Attention{.value_bias = {1, 0}}, Attention{.relative = true}, Attention{.self = false},
        Attention{.mask = Attention::causal, .alibi = 1}, Attention{.alibi = 1}}) {
    head.weighting = Attention::unnormalised;
    all.push_back(dynamics_of(head));
  }
  all.push_back(dynamics_of(Attention{.weighting = Attention::unnormalised}, Manifold::space));
  all.push_back(dynamics_of(Attention{.weighting = Attention::hard}));
  all.push_back(dynamics_of(Attention{.weighting = Attention::sinkhorn}));
  all.push_back(dynamics_of(Perceptron{.in = zeros(1, 2), .out = zeros(2, 1)}));
  for (const int change : {0, 1, 2, 3, 4, 5}) {
    Dynamics d = dynamics_of(Attention{.weighting = Attention::unnormalised});
    if (change == 0) d.clock = Clock::u4;
    if (change == 1) d.gain = {1, 2};
    if (change == 2) d.gain_end = {1, 2};
    if (change == 3) d.normalisation = LayerNorm::sqrt;
    if (change == 4) d.sublayers[0].until = 1;
    if (change == 5) d.sublayers.push_back(d.sublayers[0]);
    all.push_back(d);
  }
  return all;
}

TEST(Reductions, RefuseWhatTheyDoNotKnow) {
  int number = 0;
  for (const Dynamics& dynamics : beyond_measures()) {
    EXPECT_THROW(mean_field_of(dynamics, 2), Error) << number;
    EXPECT_THROW(landscape_of(dynamics, 2), Error) << number;
    EXPECT_THROW(theory::growth_of(dynamics, 2), Error) << number;
    EXPECT_THROW(theory::equiangular_of(dynamics, 2), Error) << number;
    ++number;
  }
  Dynamics noisy = testing::usa(3);
  noisy.noise = 0.1;
  EXPECT_EQ(mean_field_of(noisy, 2).noise, 0.1);
  EXPECT_THROW(landscape_of(noisy, 2), Error);
  EXPECT_THROW(theory::equiangular_of(noisy, 8), Error);
  EXPECT_EQ(theory::growth_of(noisy, 2).noise, 0.1);
  EXPECT_THROW(landscape_of(testing::sa(3), 2), Error);
  // A causal mask has a mean field, a law a label, and neither energies nor plain rates.
  const Dynamics causal = testing::dynamics_of(
      Attention{.mask = Attention::causal, .weighting = Attention::unnormalised});
  EXPECT_TRUE(mean_field_of(causal, 2).causal);
  EXPECT_FALSE(mean_field_of(noisy, 2).causal);
  EXPECT_THROW(landscape_of(causal, 2), Error);
  EXPECT_THROW(theory::growth_of(causal, 2), Error);
}

TEST(Reductions, TakeWhatTheyKnow) {
  Dynamics dynamics = testing::dynamics_of(
      Attention{.beta = 3, .value = scaled_identity(2, -1), .weighting = Attention::unnormalised});
  dynamics.clock = Clock::u2;
  const Perceptron unit{.in = {1, 2, {1, 0}}, .out = {2, 1, {-2, 0}}};  // turned round
  dynamics.sublayers.push_back({.forces = {unit}});
  const MeanField field = mean_field_of(dynamics, 2);
  EXPECT_TRUE(field.repulsive && field.perceptron);
  EXPECT_EQ(field.beta, 3);
  EXPECT_EQ(field.weighting, Attention::unnormalised);
  EXPECT_EQ(field.clock, Clock::u2);
  const Landscape l = landscape_of(dynamics, 2);
  EXPECT_EQ(l.direction, Landscape::descent);
  EXPECT_EQ(l.kernel, Landscape::scaled);
  EXPECT_EQ(l.omega, Vector{2});
  EXPECT_THROW(theory::growth_of(dynamics, 2), Error);  // of attention alone
  const theory::Equiangular swarm = theory::equiangular_of(testing::sa(2), 8);
  EXPECT_EQ(swarm.beta, 2);
  EXPECT_EQ(swarm.n, 8);
  EXPECT_EQ(swarm.law, theory::Law::sa);
}

}  // namespace
}  // namespace murmur
