// training_device_test.cpp: where a training computes: read, kept, told apart from what it learns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiment/training_loop.h"
#include "learn/device_training.h"
#include "murmur/error.h"
#include "murmur/training.h"
#include "reproduce/training_cache.h"

namespace murmur {
namespace {

Training described(const std::vector<std::string>& assignments) {
  return make_training(gather({{}, {}, assignments}, training_parameters()));
}

TEST(TrainingDevice, IsReadAndKept) {
  EXPECT_EQ(described({}).device, Training::cpu);
  EXPECT_NE(described({}).config.find("device = \"cpu\""), std::string::npos);
  const Training t = described({"device=cuda", "d=100"});
  EXPECT_EQ(t.device, Training::cuda);
  EXPECT_NE(t.config.find("device = \"cuda\""), std::string::npos);
  EXPECT_EQ(contents_of(t, {}).engine, "adjoint cuda f32");
  EXPECT_EQ(contents_of(described({}), {}).engine, "adjoint f32");
}

TEST(TrainingDevice, RefusesWhatItCannotDo) {
  EXPECT_THROW(described({"device=gpu"}), Error);
  EXPECT_THROW(described({"device=cuda", "dropout=0.1"}), Error);
  EXPECT_NO_THROW(described({"device=cuda", "dropout=0"}));
}

TEST(TrainingDevice, OneTrainingOnEitherDeviceIsTheSameOnAShelf) {
  EXPECT_TRUE(same_training(described({"device=cuda"}).config, described({}).config));
  EXPECT_FALSE(same_training(described({"device=cuda", "d=4"}).config, described({}).config));
}

// Either the swarm learns there, or the refusal says what is missing.
TEST(TrainingDevice, IsThereOrRefused) {
  EXPECT_NE(adjoint_for(described({})), nullptr);
  try {
    EXPECT_NE(adjoint_for(described({"device=cuda"})), nullptr);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::tool);
    EXPECT_NE(error.remedy.find("device=cpu"), std::string::npos);
  }
}

// Keeps parameters and optimiser to itself, as a GPU does, and learns as the processor does.
class FarAway final : public Adjoint, public DeviceTraining {
 public:
  explicit FarAway(const Architecture& a) : near_(make_adjoint(a, 1)) {}
  BatchResult backward(std::span<const float> parameters, const Batch& batch,
                       const Objective& objective, std::span<float> gradient) override {
    return near_->backward(parameters, batch, objective, gradient);
  }
  void forward(std::span<const float> parameters, const Batch& batch,
               std::span<float> readout) override {
    near_->forward(parameters, batch, readout);
  }
  void put(std::span<const float> parameters, const Optimiser& optimiser) override {
    ++puts;
    parameters_.assign(parameters.begin(), parameters.end());
    optimiser_ = optimiser;
  }
  void get(std::span<float> parameters, Optimiser& optimiser) override {
    std::copy(parameters_.begin(), parameters_.end(), parameters.begin());
    optimiser.momentum = optimiser_.momentum;
    optimiser.square = optimiser_.square;
  }
  Update update(const Batch& batch, const Objective& objective, double clip, Optimiser& optimiser,
                const std::function<const Batch*()>& next) override {
    if (announced) {
      EXPECT_EQ(batch.update, announced_.update);
      EXPECT_EQ(batch.chosen.data(), announced_.chosen.data());
      EXPECT_EQ(std::vector<float>(batch.shift.begin(), batch.shift.end()), shift_);
    }
    std::vector<float> gradient(parameters_.size());
    Update made;
    made.result = near_->backward(parameters_, batch, objective, gradient);
    made.gradient = murmur::clip(gradient, clip);
    optimiser_.rate = optimiser.rate;
    optimiser_.update(parameters_, gradient);
    ++optimiser.updates;
    const Batch* then = next();
    announced = then != nullptr;
    if (announced) announced_ = *then, shift_.assign(then->shift.begin(), then->shift.end());
    return made;
  }

  int puts = 0;
  bool announced = false;

 private:
  std::unique_ptr<Adjoint> near_;
  std::vector<float> parameters_{}, shift_{};
  Optimiser optimiser_{};
  Batch announced_{};
};

// Twelve samples of seven tokens, two classes.
TrainingData some_data() {
  TrainingData data;
  data.train.first = {0};
  for (int k = 0; k < 12; ++k) {
    for (int i = 0; i < 7; ++i) {
      data.train.x.push_back(static_cast<float>((k * 7 + i * 5) % 19) - 9);
      data.train.y.push_back(static_cast<float>((k * 3 + i * 11) % 17) - 8);
    }
    data.train.first.push_back(data.train.x.size());
    data.train.label.push_back(k % 2);
    data.learned.push_back(static_cast<std::size_t>(k));
  }
  return data;
}

// Wherever the parameters lie, every update draws the same batch and ends with the same bits; a
// state that was fetched goes on from there, in the same loop and in a new one.
TEST(TrainingDevice, ALoopWithADeviceLearnsTheSameBits) {
  const Training t = described(
      {"blocks=2", "hidden=16", "batch=4", "epochs=3", "affine=0.1", "warp=1", "settle=1"});
  const TrainingData data = some_data();
  const auto here = make_adjoint(t.architecture, 1);
  FarAway there(t.architecture), again(t.architecture);
  TrainingLoop plain(t, data, *here), far(t, data, there), resumed(t, data, again);
  const std::vector<float> start = initial_parameters(t.architecture, 0);
  TrainingState a = TrainingLoop::begin(t, start), b = TrainingLoop::begin(t, start), c;
  while (!plain.finished(a)) {
    EXPECT_EQ(plain.update(a), far.update(b));
    if (a.update == 4) far.collect(b), c = b;
    if (a.update > 4) resumed.update(c);
  }
  EXPECT_EQ(there.puts, 1);
  EXPECT_NE(b.parameters, a.parameters);  // not fetched since
  far.collect(b);
  resumed.collect(c);
  for (const TrainingState& s : {b, c}) {
    EXPECT_EQ(s.parameters, a.parameters);
    EXPECT_EQ(s.optimiser.momentum, a.optimiser.momentum);
    EXPECT_EQ(s.optimiser.square, a.optimiser.square);
    EXPECT_EQ(s.optimiser.updates, a.optimiser.updates);
    EXPECT_EQ(s.loss, a.loss);
    EXPECT_EQ(s.gradient, a.gradient);
    EXPECT_EQ(s.correct, a.correct);
  }
}

// The model is the mean of the parameters after the last epochs, on a device and after a stop
// alike.
TEST(TrainingDevice, AveragesAreOfTheLastEpochs) {
  const Training t =
      described({"blocks=2", "hidden=16", "batch=4", "epochs=5", "averaging=0.5", "warp=1"});
  const TrainingData data = some_data();
  const auto here = make_adjoint(t.architecture, 1);
  FarAway there(t.architecture);
  TrainingLoop plain(t, data, *here), far(t, data, there), resumed(t, data, *here);
  const std::vector<float> start = initial_parameters(t.architecture, 0);
  TrainingState a = TrainingLoop::begin(t, start), b = a, c;
  std::vector<std::vector<float>> after;  // (epochs)(parameters)
  while (!plain.finished(a)) {
    const bool ended = plain.update(a);
    EXPECT_EQ(far.update(b), ended);
    if (ended) after.push_back(a.parameters);
    EXPECT_EQ(a.averaged, std::max<std::int64_t>(0, a.update / plain.per_epoch() - 2));
    if (after.size() < 3) {
      EXPECT_EQ(a.model(), a.parameters);
    }
    if (a.update == 10) c = a;  // within the fourth epoch, when there is a mean
    if (a.update > 10) resumed.update(c);
  }
  EXPECT_EQ(c.model(), a.model());
  EXPECT_EQ(b.model(), a.model());
  EXPECT_NE(a.model(), a.parameters);
  for (std::size_t e = 0; e < start.size(); ++e)
    EXPECT_NEAR(a.model()[e], (after[2][e] + after[3][e] + after[4][e]) / 3,
                1e-6 * (1 + std::abs(after[4][e])));
}

// Every update draws its depth by its number alone; the gradient is that of a swarm of so many
// blocks, and depth 1 is what it is without the word.
TEST(TrainingDepth, AnUpdateRunsTheBlocksThatItDraws) {
  const Training t = described({"blocks=3", "hidden=8", "batch=4", "epochs=40", "deeper=2.4"});
  const TrainingData data = some_data();
  const auto adjoint = make_adjoint(t.architecture, 1);
  TrainingLoop loop(t, data, *adjoint);
  std::vector<int> drawn(8);
  for (std::int64_t update = 0; update < loop.updates(); ++update) {
    ASSERT_GE(loop.blocks(update), 3);
    ASSERT_LE(loop.blocks(update), 7);  // floor(2.4 * 3)
    ++drawn[static_cast<std::size_t>(loop.blocks(update))];
  }
  for (const int blocks : {3, 4, 5, 6, 7}) EXPECT_GT(drawn[blocks], 5) << blocks;

  std::int64_t deep = 0;
  while (loop.blocks(deep) == 3) ++deep;
  TrainingState state = TrainingLoop::begin(t, initial_parameters(t.architecture, 0));
  while (state.update < deep) loop.update(state);
  TrainingState plain = state, as_deep = state;
  Training other = t;
  other.architecture.blocks = loop.blocks(deep);
  other.deeper = 1;
  const auto deep_adjoint = make_adjoint(other.architecture, 1);
  TrainingLoop deep_loop(other, data, *deep_adjoint);
  Training shallow = t;
  shallow.deeper = 1;
  TrainingLoop shallow_loop(shallow, data, *adjoint);
  loop.update(state);
  deep_loop.update(as_deep);
  shallow_loop.update(plain);
  EXPECT_EQ(state.parameters, as_deep.parameters);
  EXPECT_NE(state.parameters, plain.parameters);
}

}  // namespace
}  // namespace murmur
