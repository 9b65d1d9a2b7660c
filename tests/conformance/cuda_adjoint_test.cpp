// cuda_adjoint_test.cpp: forward and backward pass on a GPU agree with the plain ones, equal bits
// every time; passed over where there is no GPU.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "conformance/learning_samples.h"
#include "learn/device_training.h"
#include "murmur/error.h"
#include "murmur/learn.h"

namespace murmur {
namespace {

using testing::expect_as_defined;
using testing::Samples;
using Case = testing::AdjointCase;
using testing::some_samples;

std::vector<Case> cases() {
  using A = Architecture;
  std::vector<Case> all;
  const auto add = [&](std::string name, A a, Objective o = {}, int classes = 2) {
    a.targets = spread_targets(classes, a.d);
    all.push_back({std::move(name), std::move(a), o});
  };
  add("d3", {.d = 3, .blocks = 3, .hidden = 40});
  add("d3_ten_blocks", {.d = 3, .blocks = 10, .hidden = 512});
  add("d3_heads3", {.d = 3, .blocks = 3, .hidden = 40, .heads = 3});
  add("d3_heads2", {.d = 3, .blocks = 3, .hidden = 40, .heads = 2});
  add("d3_heads2_uniform",
      {.d = 3, .blocks = 3, .hidden = 40, .heads = 2, .interaction = A::uniform});
  add("d6_heads4_of_5", {.d = 6, .blocks = 2, .hidden = 33, .heads = 4, .head_width = 5});
  add("d3_hidden200", {.d = 3, .blocks = 3, .hidden = 200});
  add("d3_hidden600", {.d = 3, .blocks = 3, .hidden = 600});
  for (const int d : {2, 3, 4}) {
    const std::string in = "_d" + std::to_string(d);
    add("narrow" + in, {.d = d, .blocks = 2, .hidden = 130});
    add("free" + in, {.d = d, .blocks = 4, .shared = false, .hidden = 40});
    add("free_hidden600" + in, {.d = d, .blocks = 2, .shared = false, .hidden = 600});
    add("position" + in, {.d = d, .blocks = 3, .hidden = 40, .position = true});
    add("free_cls" + in,
        {.d = d, .blocks = 3, .shared = false, .hidden = 40, .readout = A::cls, .position = true});
    add("free_uniform" + in,
        {.d = d, .blocks = 3, .shared = false, .hidden = 40, .interaction = A::uniform});
  }
  add("d5", {.d = 5, .blocks = 3, .hidden = 33});
  add("d5_free", {.d = 5, .blocks = 4, .shared = false, .hidden = 40});
  add("d5_position", {.d = 5, .blocks = 3, .hidden = 40, .position = true});
  add("d100", {.d = 100, .blocks = 2, .hidden = 64});
  add("d100_free", {.d = 100, .blocks = 3, .shared = false, .hidden = 64});
  add("d100_heads2", {.d = 100, .blocks = 2, .hidden = 64, .heads = 2});
  add("d100_heads2_free_cls",
      {.d = 100, .blocks = 2, .shared = false, .hidden = 64, .heads = 2, .readout = A::cls});
  for (const int d : {3, 6}) {
    const std::string in = "_d" + std::to_string(d);
    add("cls" + in, {.d = d, .blocks = 3, .hidden = 40, .readout = A::cls});
    add("none" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::none});
    add("attraction" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::attraction});
    add("uniform" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::uniform});
    add("target" + in, {.d = d, .blocks = 3, .hidden = 40}, {.loss = Objective::target});
    add("target_cls" + in, {.d = d, .blocks = 2, .hidden = 40, .readout = A::cls},
        {.loss = Objective::target});
    add("padded" + in, {.d = d, .blocks = 3, .hidden = 40},
        {.loss = Objective::target, .padded = true});
    for (const bool shared : {true, false})
      add((shared ? "settle_shared" : "settle_free") + in,
          {.d = d, .blocks = 5, .shared = shared, .hidden = 40}, {.settle = 0.7}, 3);
    add("settle_cls_target" + in, {.d = d, .blocks = 4, .hidden = 40, .readout = A::cls},
        {.loss = Objective::target, .settle = 2, .settle_from = 2});
    add("settle_uniform" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::uniform},
        {.settle = 2});
    add("ten_classes" + in, {.d = d, .blocks = 3, .hidden = 40}, {.smoothing = 0.1}, 10);
  }
  return all;
}

class CudaAdjoints : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    try {
      adjoint_ = make_cuda_adjoint(GetParam().architecture);
    } catch (const Error& error) {
      if (error.fault != Fault::tool) throw;
      GTEST_SKIP() << error.summary;
    }
  }
  std::unique_ptr<Adjoint> adjoint_{};
};

TEST_P(CudaAdjoints, LossGradientAndReadoutAgreeWithThePlainLoops) {
  const auto& [name, a, objective] = GetParam();
  expect_as_defined(*adjoint_, a, objective, some_samples(a.targets.rows), 1e-4);
}

TEST_P(CudaAdjoints, EveryTimeTheSameBits) {
  const auto& [name, a, objective] = GetParam();
  const std::vector<float> parameters = initial_parameters(a, 2);
  const Samples samples = some_samples(a.targets.rows);
  std::vector<float> once(parameters.size()), again(parameters.size());
  const BatchResult first = adjoint_->backward(parameters, samples.batch(), objective, once);
  const auto other = make_cuda_adjoint(a);
  for (Adjoint* adjoint : {adjoint_.get(), other.get()}) {
    const BatchResult result = adjoint->backward(parameters, samples.batch(), objective, again);
    EXPECT_EQ(result.loss, first.loss);
    EXPECT_EQ(again, once);
  }
}

// Batches of more samples than the GPU takes at once, and of fewer after that.
TEST_P(CudaAdjoints, BatchesOfAnySizeAgree) {
  const auto& [name, a, objective] = GetParam();
  if (a.d > 10) GTEST_SKIP() << "the plain loops would take long";
  Samples samples = some_samples(a.targets.rows);
  samples.chosen.clear();
  samples.shift.clear();
  for (std::size_t k = 0; k < 300; ++k) samples.chosen.push_back(k * 7 % samples.label.size());
  std::vector<float> parameters = initial_parameters(a, 1), gradient(parameters.size());
  adjoint_->backward(parameters, samples.batch(), objective, gradient);
  if (a.blocks <= 3) expect_as_defined(*adjoint_, a, objective, samples, 1e-4);
  expect_as_defined(*adjoint_, a, objective, some_samples(a.targets.rows), 1e-4);
}

TEST_P(CudaAdjoints, DropoutIsRefused) {
  const auto& [name, a, objective] = GetParam();
  const std::vector<float> parameters = initial_parameters(a, 1);
  std::vector<float> gradient(parameters.size());
  EXPECT_THROW(adjoint_->backward(parameters, some_samples(a.targets.rows).batch(),
                                  {.dropout = 0.1}, gradient),
               Error);
}

// Four updates with everything on the GPU are those of clip and Optimiser from the same gradients:
// bit for bit unless the gradient is clipped, whose length is summed in another order there.
TEST_P(CudaAdjoints, UpdatesOnTheGpuAreThoseOfTheOptimiser) {
  const auto& [name, a, objective] = GetParam();
  auto* device = dynamic_cast<DeviceTraining*>(adjoint_.get());
  if (device == nullptr) GTEST_SKIP() << "its parameters stay on the host";
  const auto plain = make_cuda_adjoint(a);
  const Samples samples = some_samples(a.targets.rows);
  for (const double most : {0.0, 0.5}) {
    std::vector<float> here = initial_parameters(a, 2), gradient(here.size()), there(here.size());
    Optimiser one{.decay = 0.01};
    one.momentum.assign(here.size(), 0.0f), one.square.assign(here.size(), 0.0f);
    Optimiser other = one;
    Batch batch = samples.batch(), then = batch;
    device->put(here, other);
    for (int k = 0; k < 4; ++k) {
      const BatchResult result = plain->backward(here, batch, objective, gradient);
      const double length = clip(gradient, most);
      one.rate = other.rate = 0.01 / (k + 1);
      one.update(here, gradient);
      then.update = batch.update + 1;
      const auto next = [&]() -> const Batch* { return k == 1 ? nullptr : &then; };
      const DeviceTraining::Update made = device->update(batch, objective, most, other, next);
      EXPECT_NEAR(made.result.loss, result.loss, 1e-6 * most * result.loss);
      EXPECT_NEAR(made.gradient, length, (1e-14 + 1e-6 * most) * length);
      batch = then;
    }
    device->get(there, other);
    EXPECT_EQ(other.updates, one.updates);
    if (most == 0) {
      EXPECT_EQ(there, here);
      EXPECT_EQ(other.momentum, one.momentum);
      EXPECT_EQ(other.square, one.square);
    }
    for (std::size_t k = 0; k < here.size(); ++k) EXPECT_NEAR(there[k], here[k], 1e-6);
  }
}

// Samples of which two do not fit a multiprocessor at once, and of which none does.
TEST(CudaAdjoint, LongSamplesAgree) {
  Architecture a{.d = 3, .blocks = 2, .hidden = 40};
  a.targets = spread_targets(2, a.d);
  std::unique_ptr<Adjoint> adjoint;
  try {
    adjoint = make_cuda_adjoint(a);
  } catch (const Error& error) {
    if (error.fault != Fault::tool) throw;
    GTEST_SKIP() << error.summary;
  }
  for (const int longest : {700, 1300}) {
    Samples samples = some_samples(2);
    for (int i = 0; i < longest; ++i) {
      samples.x.push_back(static_cast<float>(i % 41) / 2 - 10);
      samples.y.push_back(static_cast<float>(i % 37) / 2 - 9);
    }
    samples.first.push_back(samples.x.size());
    samples.label.push_back(1);
    samples.chosen = {1, samples.label.size() - 1, 4};
    samples.shift.clear();
    expect_as_defined(*adjoint, a, {}, samples, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, CudaAdjoints, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace murmur
