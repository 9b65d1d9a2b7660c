// trained_swarm_test.cpp: a trained swarm as a file, as a judge, and as an experiment's model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "image_files.h"
#include "learn_samples.h"
#include "murmur/error.h"
#include "murmur/training.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

using test::expect_refused;
using test::TemporaryDirectory;

TrainedSwarm untrained(Architecture a, std::vector<int> digits = {5, 6}) {
  a.targets = spread_targets(static_cast<int>(digits.size()), a.d);
  const std::vector<double> lively = lively_parameters(a, 3);
  TrainedSwarm swarm;
  swarm.architecture = a;
  swarm.parameters.assign(lively.begin(), lively.end());
  swarm.digits = std::move(digits);
  swarm.tokens = {0.25, 1};
  swarm.data = "somewhere";
  return swarm;
}

const std::vector<Architecture> kKinds = {
    {.d = 3, .blocks = 4, .hidden = 5},
    {.d = 2, .blocks = 3, .shared = false, .hidden = 4, .residual = 0.3},
    {.d = 4, .blocks = 2, .hidden = 4, .heads = 2, .readout = Architecture::cls, .position = true},
    {.d = 3, .blocks = 2, .hidden = 4, .interaction = Architecture::uniform},
    {.d = 2,
     .blocks = 2,
     .hidden = 4,
     .interaction = Architecture::attraction,
     .readout = Architecture::cls},
    {.d = 3, .blocks = 2, .hidden = 4, .interaction = Architecture::none},
    {.d = 3, .blocks = 2, .hidden = 4, .heads = 2},
    {.d = 3, .blocks = 2, .hidden = 4, .heads = 3, .head_width = 2},
};

SampleSet ensemble(const std::vector<int>& sizes) {
  const Samples samples(sizes);
  return {samples.x, samples.y, samples.first, samples.label};
}

TEST(TrainedSwarm, FileReadsBackTheSame) {
  const TemporaryDirectory folder;
  for (const Architecture& kind : kKinds)
    for (const std::vector<int>& digits : {std::vector{5, 6}, std::vector{0, 3, 8}}) {
      const TrainedSwarm swarm = untrained(kind, digits);
      write_trained_swarm(swarm, folder / "model.safetensors");
      for (const auto& path : {folder.path(), folder / "model.safetensors"}) {
        const TrainedSwarm again = read_trained_swarm(path);
        EXPECT_EQ(again.parameters, swarm.parameters);
        EXPECT_EQ(again.architecture.targets, swarm.architecture.targets);
        EXPECT_EQ(again.architecture.residual, swarm.architecture.residual);
        EXPECT_EQ(again.architecture.shared, swarm.architecture.shared);
        EXPECT_EQ(again.architecture.interaction, swarm.architecture.interaction);
        EXPECT_EQ(again.architecture.readout, swarm.architecture.readout);
        EXPECT_EQ(again.architecture.position, swarm.architecture.position);
        EXPECT_EQ(again.architecture.heads, swarm.architecture.heads);
        EXPECT_EQ(again.architecture.head_width, swarm.architecture.head_width);
        EXPECT_EQ(again.digits, digits);
        EXPECT_EQ(again.tokens.threshold, 0.25);
        EXPECT_EQ(again.data, "somewhere");
      }
    }
}

// What tells words their places, and how many words there are, is in the file; pictures say
// nothing.
TEST(TrainedSwarm, SwarmsThatReadWordsReadBackTheSame) {
  const TemporaryDirectory folder;
  const auto path = folder / "model.safetensors";
  for (const Task task : {Task::sense, Task::order})
    for (const int code : {0, 1, 2, 3}) {
      TrainedSwarm swarm = untrained({.d = 4,
                                      .blocks = 2,
                                      .hidden = 4,
                                      .readout = Architecture::asked,
                                      .position = code == 1,
                                      .vocabulary = static_cast<int>(vocabulary_of(task).size()),
                                      .places = code == 2 ? kLongestSentence : 0,
                                      .rotary = code == 3});
      swarm.task = task;
      write_trained_swarm(swarm, path);
      const TrainedSwarm again = read_trained_swarm(path);
      EXPECT_EQ(again.task, task);
      EXPECT_EQ(again.parameters, swarm.parameters);
      EXPECT_EQ(again.architecture.readout, Architecture::asked);
      EXPECT_EQ(again.architecture.vocabulary, swarm.architecture.vocabulary);
      EXPECT_EQ(again.architecture.places, swarm.architecture.places);
      EXPECT_EQ(again.architecture.rotary, swarm.architecture.rotary);
      const SampleSet test = test_sentences(task);
      EXPECT_EQ(judge(again, test, 1).scores, judge(swarm, test, 2).scores);
      if (code == 3)
        expect_refused([&] { simulate_sample(swarm, test, 0); }, "rotary", "in the architecture");
      else
        EXPECT_NEAR(simulate_sample(swarm, test, 5).scores(2, 0),
                    judge(swarm, test, 1).scores(5, 0), 1e-4);
    }
  TrainedSwarm lost = untrained(kKinds[0]);
  lost.task = Task::sense;
  write_trained_swarm(lost, path);
  expect_refused([&] { read_trained_swarm(path); }, "vocabulary", path.string());
}

// Models of heads that share d say what they always said: older files are of this kind.
TEST(TrainedSwarm, OnlyAChosenWidthOfHeadsIsWritten) {
  const TemporaryDirectory folder;
  const auto path = folder / "model.safetensors";
  for (const Architecture& kind : kKinds) {
    write_trained_swarm(untrained(kind), path);
    EXPECT_EQ(read_safetensors(path).metadata.count("head_width"), kind.head_width > 0 ? 1u : 0u);
  }
}

// Every name, shape, text and number of the file counts.
TEST(TrainedSwarm, FilesOfAnotherShapeAreRefused) {
  const TemporaryDirectory folder;
  const auto path = folder / "model.safetensors";
  write_trained_swarm(untrained(kKinds[0]), path);
  const Safetensors good = read_safetensors(path);
  const auto refused = [&](const Safetensors& bad, const std::string& what) {
    write_safetensors(path, bad);
    expect_refused([&] { read_trained_swarm(path); }, what, path.string());
  };
  for (const auto& [name, array] : good.tensors) {
    Safetensors bad = good;
    bad.tensors.erase(name);
    refused(bad, name);
    bad = good;
    bad.tensors[name].shape.push_back(1);
    refused(bad, name);
    bad = good;
    bad.tensors[name].values = std::vector<double>(array.size(), NAN);
    refused(bad, name);
  }
  for (const auto& [name, text] : good.metadata) {
    Safetensors bad = good;
    bad.metadata.erase(name);
    refused(bad, name);
    if (name == "data") continue;
    bad.metadata[name] = "salad";
    refused(bad, name);
  }
  Safetensors bad = good;
  bad.tensors["extra"] = array_of(1.0);
  refused(bad, "extra");
  bad = good;
  bad.tensors["blocks.0.in"].shape = {3, 5};
  refused(bad, "(5, 3)");
  for (const auto& [name, text] : {std::pair{"d", "2"},
                                   {"hidden", "6"},
                                   {"shared", "false"},
                                   {"heads", "2"},
                                   {"head_width", "2"},
                                   {"head_width", "-3"},
                                   {"head_width", "wide"},
                                   {"residual", "0"},
                                   {"digits", "5,6,7"},
                                   {"d", "1e300"},
                                   {"hidden", "1000000000"},
                                   {"blocks", "0"},
                                   {"interaction", "uniform"},
                                   {"readout", "cls"}}) {
    bad = good;
    bad.metadata[name] = text;
    EXPECT_THROW(
        {
          write_safetensors(path, bad);
          read_trained_swarm(path);
        },
        Error)
        << name << text;
  }
  for (const auto& [name, text, what] : {std::tuple{"finer", "33", "1 to 32"},
                                         {"finer", "1.5", "a whole number"},
                                         {"threshold", "1", "a share of full ink"},
                                         {"height", "1", "2 to 4096 pixels"},
                                         {"width", "5000", "2 to 4096 pixels"},
                                         {"d", "1", "a number of coordinates"}}) {
    bad = good;
    bad.metadata[name] = text;
    refused(bad, what);
  }
  bad = good;
  bad.tensors["targets"].values = std::vector<std::int64_t>(good.tensors.at("targets").size());
  refused(bad, "does not hold floating-point numbers");
  expect_refused([&] { read_trained_swarm(folder / "nothing"); }, "", "nothing");
  std::filesystem::remove(path);
  expect_refused([&] { read_trained_swarm(folder.path()); }, "no trained swarm", "");
}

// The fast flight, the slow one and the common vocabulary say the same of every sample.
TEST(TrainedSwarm, FlightAndVerdictAgree) {
  const SampleSet samples = ensemble({7, 1, 30, 12});
  for (const Architecture& kind : kKinds) {
    const TrainedSwarm swarm = untrained(kind);
    const Verdicts verdicts = judge(swarm, samples, 1);
    for (std::size_t k = 0; k < samples.samples(); ++k) {
      const SampleTrajectory trajectory = simulate_sample(swarm, samples, k);
      ASSERT_EQ(trajectory.frames.size(), static_cast<std::size_t>(kind.blocks + 1));
      for (int c = 0; c < 2; ++c) {
        const double last = trajectory.scores(kind.blocks, c);
        EXPECT_NEAR(verdicts.scores(static_cast<int>(k), c), last, 1e-4 * (1 + std::fabs(last)));
      }
      const int row = static_cast<int>(k);
      EXPECT_EQ(verdicts.verdict[k], verdicts.scores(row, 1) > verdicts.scores(row, 0) ? 1 : 0);
    }
  }
}

TEST(TrainedSwarm, FliesPastTheTrainedDepth) {
  const SampleSet samples = ensemble({9});
  for (const Architecture& kind : kKinds) {
    const TrainedSwarm swarm = untrained(kind);
    const SampleTrajectory usual = simulate_sample(swarm, samples, 0),
                           far = simulate_sample(swarm, samples, 0, 9);
    ASSERT_EQ(far.frames.size(), 10u);
    for (std::size_t f = 0; f < usual.frames.size(); ++f)
      EXPECT_EQ(to_rows(usual.frames[f]), to_rows(far.frames[f]));
    EXPECT_NE(to_rows(far.frames[8]), to_rows(far.frames[9]));
  }
}

TEST(TrainedSwarm, ChancesAndConfusion) {
  Matrix scores{2, 3, {800, 799, -900, 1, 1, 1}};
  const Matrix chances = chances_of(scores);
  EXPECT_NEAR(chances(0, 0), 1 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_EQ(chances(0, 2), 0);
  EXPECT_NEAR(chances(1, 2), 1.0 / 3, 1e-15);
  const Matrix counts = confusion_of({.verdict = {0, 1, 1, 2, 0}}, {0, 1, 0, 2, -1}, 3);
  EXPECT_EQ(counts, (Matrix{3, 3, {1, 1, 0, 0, 1, 0, 0, 0, 1}}));
}

TEST(TrainedSwarm, JudgesAnyNumberOfFlocksAlike) {
  const TrainedSwarm swarm = untrained(kKinds[0]);
  const std::vector<int> sizes(1500, 3);
  const SampleSet many = ensemble(sizes);
  const Verdicts all = judge(swarm, many, 2);
  const SampleSet one{{many.x.begin() + 3 * 1200, many.x.begin() + 3 * 1201},
                      {many.y.begin() + 3 * 1200, many.y.begin() + 3 * 1201},
                      {0, 3},
                      {0}};
  EXPECT_EQ(judge(swarm, one, 1).scores(0, 0), all.scores(1200, 0));
}

// The fields are the force of a lone token: value mixed, then feed-forward.
TEST(TrainedSwarm, FieldsAreThoseOfTheBlock) {
  const TrainedSwarm swarm = untrained({.d = 3, .blocks = 2, .shared = false, .hidden = 5});
  const std::vector<TensorPlace> places = layout(swarm.architecture);
  const std::vector<double> x{1, -2, 0.5};
  const BlockFields fields = fields_at(swarm, 1, x);
  const auto tensor = [&](const std::string& name) {
    const auto place = std::find_if(places.begin(), places.end(),
                                    [&](const TensorPlace& p) { return p.name == name; });
    return swarm.parameters.data() + place->offset;
  };
  const float *w = tensor("blocks.1.key"), *b = tensor("blocks.1.key_bias");
  for (int r = 0; r < 3; ++r)
    EXPECT_NEAR(fields.key[r], b[r] + w[3 * r] - 2 * w[3 * r + 1] + 0.5 * w[3 * r + 2], 1e-6);
  const Dynamics dynamics = dynamics_of(swarm.architecture, swarm.doubles());
  const auto& perceptron = std::get<Perceptron>(dynamics.sublayers.back().forces.front());
  for (int r = 0; r < 3; ++r) {
    double sum = perceptron.out_bias[r];
    for (int h = 0; h < 5; ++h) {
      double unit = perceptron.in_bias[h];
      for (int k = 0; k < 3; ++k) unit += perceptron.in(h, k) * x[k];
      sum += perceptron.out(r, h) * std::max(unit, 0.0);
    }
    EXPECT_NEAR(fields.feed_forward[r], sum, 1e-12);
  }
  EXPECT_TRUE(fields_at(untrained(kKinds[3]), 0, x).query.empty());
  const Architecture heads{.d = 3, .blocks = 1, .hidden = 4, .heads = 3, .head_width = 2};
  EXPECT_EQ(fields_at(untrained(heads), 0, x).value.size(), 6u);
  EXPECT_EQ(fields_at(untrained(heads), 0, x).feed_forward.size(), 3u);
}

// A model as an experiment: the same flight, and its config suffices to make it again.
class GivenModel : public ::testing::Test {
 protected:
  Experiment made(std::vector<std::string> words, const TrainedSwarm& swarm) {
    write_trained_swarm(swarm, folder_ / "model.safetensors");
    words.push_back("model=" + folder_.path().string());
    return make_experiment(gather({"", {}, words}));
  }
  TemporaryDirectory folder_;
};

TEST_F(GivenModel, FliesAsTheSwarmDoesAndRemakesItself) {
  for (const Architecture& kind : kKinds) {
    const TrainedSwarm swarm = untrained(kind);
    const Experiment e = made({"init=points:1,2;-1,0.5;0,3"}, swarm);
    EXPECT_EQ(e.flow.method, Method::layers);
    EXPECT_EQ(e.flow.dt, kind.residual);
    EXPECT_EQ(e.schedule.frames(), kind.blocks + 1);
    const SampleSet sample{{1, -1, 0}, {2, 0.5, 3}, {0, 3}, {-1}};
    const SampleTrajectory trajectory = simulate_sample(swarm, sample, 0);
    EXPECT_EQ(to_rows(e.swarm), to_rows(trajectory.frames.front()));

    const auto run = folder_ / "run";
    std::filesystem::create_directories(run / "inputs");
    for (const auto& [name, array] : e.inputs) write_npy(run / "inputs" / (name + ".npy"), array);
    write_file_atomically(run / "config.toml", e.config);
    std::filesystem::remove(folder_ / "model.safetensors");
    const Experiment again = make_experiment(gather({(run / "config.toml").string(), {}, {}}));
    EXPECT_EQ(again.config, e.config);
    EXPECT_EQ(to_rows(again.swarm), to_rows(e.swarm));
    EXPECT_EQ(again.dynamics.sublayers.size(), e.dynamics.sublayers.size());
    EXPECT_EQ(again.schedule.T, e.schedule.T);
  }
}

TEST_F(GivenModel, RefusesWhatTheModelSettles) {
  const TrainedSwarm swarm = untrained(kKinds[0]);
  const std::string points = "init=points:1,2;3,4";
  for (const char* word : {"beta=4", "query=identity", "dynamics=SA", "perceptron=none", "heads=1",
                           "habitat=sphere", "d=4", "masses=equal", "clock=U1", "n=3"})
    expect_refused(
        [&] {
          made({points, word}, swarm);
        },
        std::string(word).substr(0, std::string(word).find('=')), word);
  for (const char* bad : {"init=points:1,2,3,4", "init=points:1,1e9", "init=test:x", "init=test:-1",
                          "init=test:1.5", "init=test:1:0", "init=test:1:99", "init=nothing.png"})
    expect_refused([&] { made({bad}, swarm); }, "", "");
  EXPECT_NO_THROW(made({points, "T=3", "d=3", "n=2", "habitat=space"}, swarm));
  EXPECT_EQ(made({"init=gaussian", "n=9"}, swarm).swarm.n(), 9);
  expect_refused([] { make_experiment(gather({"", {}, {"init=test:3"}})); }, "trained", "test:3");
}

TEST(DataPlaces, CommandLineThenModelThenVariable) {
  const auto places = [](const Sources& sources, const std::string& model) {
    return data_places(gather(sources), model);
  };
  EXPECT_EQ(places({}, "auto").asked, "");
  EXPECT_EQ(places({}, "/kept").asked, "/kept");
  EXPECT_EQ(places({"", {}, {"data=/given"}}, "/kept").asked, "/given");
  EXPECT_EQ(places({"", {}, {"data=mnist"}}, "/kept").asked, "mnist");
  EXPECT_EQ(places({"", {{"MURMUR_DATA", "/variable"}}, {}}, "auto").environment, "/variable");
  EXPECT_EQ(places({"", {{"MURMUR_DATA", "/variable"}}, {}}, "auto").asked, "");
}

}  // namespace
}  // namespace murmur::testing
