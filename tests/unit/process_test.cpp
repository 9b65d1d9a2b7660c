// process_test.cpp: checkpoints by clock and signal, progress with the time left, runs closed after
// exceptions.
#include <gtest/gtest.h>

#include <cmath>
#include <new>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "murmur/run.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

class Process : public ::testing::Test {
 protected:
  test::TemporaryDirectory folder{};
  murmur::Run run = murmur::Run::create(folder / "run", {.command = "simulate"}, false);
  std::atomic<int> signal{0};
  ProcessControl control{.signal = &signal};

  nlohmann::json manifest() const {
    return nlohmann::json::parse(RunReader(folder / "run").manifest());
  }
};

Record state_of(double value) { return {{"value", array_of(value)}}; }

TEST_F(Process, ACheckpointWaitsForItsTimeOrForASignal) {
  RecordedProcess process(run, control, "t");
  int asked = 0;
  const auto step = [&](double t) {
    return process.keep(t, [&] {
      ++asked;
      return state_of(t);
    });
  };
  EXPECT_FALSE(step(1));
  EXPECT_EQ(asked, 0);
  signal = 2;
  EXPECT_TRUE(step(2.5));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(RunReader(folder / "run").events().back(), R"({"event":"checkpoint","t":2.5})");
  signal = 0;
  control.checkpoint_seconds = 0;
  EXPECT_FALSE(step(3));
  EXPECT_EQ(asked, 2);
}

TEST_F(Process, WhatWasKeptIsFoundAgain) {
  RecordedProcess(run, control, "update").save(7, state_of(0.25));
  run.close("interrupted", {}, "");
  { const murmur::Run closed = std::move(run); }
  const murmur::Run again = murmur::Run::reopen(folder / "run", {});
  ASSERT_TRUE(again.last_checkpoint());
  EXPECT_EQ(again.last_checkpoint()->at("value").doubles()[0], 0.25);
}

TEST_F(Process, AnExceptionClosesTheRunByItsKind) {
  RecordedProcess process(run, control, "t");
  process.keep(1.5, [] { return state_of(1); });
  const auto status_after = [&](auto exception) {
    EXPECT_THROW(process.guarded([&]() -> int { throw exception; }), decltype(exception));
    return manifest()["status"];
  };
  EXPECT_EQ(status_after(Error(Fault::input, "no such pictures", "data", "give them back")),
            "interrupted");
  EXPECT_EQ(manifest()["sentence"], "no such pictures");
  EXPECT_EQ(manifest()["numbers"]["t"], 1.5);
  EXPECT_EQ(status_after(Error(Fault::numerical, "not finite", "t = 1", "use less")), "failed");
  EXPECT_EQ(status_after(std::bad_alloc()), "failed");
  EXPECT_EQ(process.guarded([] { return 3; }), 3);
}

TEST_F(Process, ProgressIsAskedForOnlyWhenItIsWanted) {
  RecordedProcess process(run, control, "t");
  const auto state = [] { return state_of(0); };
  process.pause(1, state, []() -> Progress { throw std::logic_error("nobody asked"); });
  int told = 0;
  control.report = [&](const Progress& p) {
    ++told;
    EXPECT_EQ(p.fraction(), 0.25);
  };
  while (told == 0) process.pause(2, state, [] { return Progress{.done = 1, .of = 4}; });
  EXPECT_EQ(told, 1);
}

TEST(Pace, TellsTheRestByWhatWasDoneSinceItBegan) {
  Pace pace;
  EXPECT_TRUE(std::isnan(pace.seconds_left(10, 20)));  // it began here, half way
  EXPECT_TRUE(std::isnan(pace.seconds_left(10, 20)));
  while (pace.seconds() < 0.01) continue;
  const double left = pace.seconds_left(15, 20);
  EXPECT_GE(left, 0.01);
  EXPECT_LE(left, pace.seconds());
}

TEST(UnitProgress, CountsWhatWasKeptAndWeighsWhatIsLeft) {
  std::vector<Progress> told;
  ProcessControl control;
  control.report = [&](const Progress& p) { told.push_back(p); };
  UnitProgress units(control, "cells");
  units.add(1, true);
  units.add(1);
  units.add(3);
  units.tell();
  units.end(1);
  units.tell("beta = 4", {{"cell", std::string("beta = 4")}});
  units.end(3, false);
  units.tell();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].done, 1);
  EXPECT_EQ(told[0].of, 3);
  EXPECT_EQ(told[0].what, "cells");
  EXPECT_TRUE(std::isnan(told[0].seconds_left));
  EXPECT_EQ(told[1].done, 2);
  EXPECT_EQ(told[1].live, "beta = 4");
  EXPECT_GT(told[1].seconds_left, 0);
  EXPECT_EQ(told[2].done, 2) << "one failed";
  EXPECT_EQ(told[2].seconds_left, 0);
}

}  // namespace
}  // namespace murmur
