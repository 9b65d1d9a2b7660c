// stop_test.cpp: a flag ends computations between blocks of work, and changes nothing else.
#include "murmur/stop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <mutex>
#include <set>
#include <thread>

#include "core/parallel.h"
#include "engine/moments/moments.h"
#include "murmur/error.h"
#include "murmur/external.h"
#include "murmur/meanfield.h"
#include "support.h"

namespace murmur::testing {
namespace {

constexpr int kThreads[] = {1, 2, 4};

TEST(Stop, LeavesBlocksUndone) {
  for (const int threads : kThreads) {
    std::atomic<int> flag{0}, done{0};
    const StopScope scope(&flag);
    EXPECT_FALSE(finishes([&] {
      for_blocks(10'000, threads, [&](int) {
        ++done;
        flag = 15;
      });
    }));
    EXPECT_GE(done, 1);
    EXPECT_LE(done, 4);  // those that were under way
    EXPECT_THROW(stop_point(), Stopped);
  }
}

TEST(Stop, NothingStopsWithoutAScope) {
  std::atomic<int> flag{1}, done{0};
  for (const int threads : kThreads) for_blocks(100, threads, [&](int) { ++done; });
  EXPECT_EQ(done, 300);
  { const StopScope scope(&flag); }
  EXPECT_NO_THROW(stop_point());
}

// Another thread, with a scope of its own or none, goes on.
TEST(Stop, IsOfOneThreadAndThoseThatWorkForIt) {
  std::atomic<int> flag{1};
  const StopScope scope(&flag);
  EXPECT_THROW(stop_point(), Stopped);
  int done = 0;
  std::thread([&] { for_blocks(10, 1, [&](int) { ++done; }); }).join();
  EXPECT_EQ(done, 10);
  const std::atomic<int> quiet{0};
  const StopScope other(&quiet);
  EXPECT_NO_THROW(stop_point());
}

TEST(Stop, IsHeldWhileAHoldLives) {
  std::atomic<int> flag{1};
  const StopScope scope(&flag);
  for (const int threads : kThreads) {
    std::atomic<int> done{0};
    {
      const HoldStop hold;
      for_blocks(100, threads, [&](int) { ++done; });
      const HoldStop again(false);
      EXPECT_THROW(stop_point(), Stopped);
    }
    EXPECT_EQ(done, 100);
    EXPECT_THROW(stop_point(), Stopped);
  }
}

// What a loop within a block computes is whole, or the block ends by Stopped or the loop's error.
TEST(Stop, ALoopWithinALoopIsWholeOrThrows) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::atomic<int> flag{0};
    std::atomic<bool> partial{false};
    const StopScope scope(&flag);
    finishes([&] {
      for_blocks(16, 4, [&](int block) {
        if (block == 5) flag = 2;
        std::atomic<int> done{0};
        for_blocks(64, 4, [&](int) { ++done; });
        if (done != 64) partial = true;
      });
    });
    EXPECT_FALSE(partial);
  }
}

TEST(Stop, AnErrorOfABlockLeavesOtherLoopsWhole) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::atomic<bool> partial{false};
    const auto fail = [&] {
      for_blocks(16, 4, [&](int block) {
        if (block == 5) throw Error(Fault::runtime, "", "", "");
        std::atomic<int> done{0};
        for_blocks(64, 4, [&](int) { ++done; });
        if (done != 64) partial = true;
      });
    };
    EXPECT_THROW(fail(), Error);
    EXPECT_FALSE(partial);
  }
}

TEST(Stop, TheLookIsCalledBetweenBlocks) {
  std::atomic<int> flag{0};
  const std::function<void()> look = [&] { flag = 2; };
  const StopScope scope(&flag, &look);
  EXPECT_FALSE(finishes([&] {
    for (;;) for_blocks(8, 2, [](int) {});
  }));
  EXPECT_EQ(flag, 2);
}

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Half a second into a velocity that takes much longer; afterwards the field computes the same
// bits.
TEST(Stop, EndsAVelocityOfEveryEngine) {
  struct Case {
    const char* name;
    std::unique_ptr<Engine> engine;
    Shape shape;
  };
  Case cases[] = {{"reference", make_reference_engine(), {60'000, 8}},
                  {"simd", make_simd_engine(Precision::f64, 2), {300'000, 8}},
                  {"simd, mutual", make_simd_engine(Precision::f32, 2), {600'000, 3}},
                  {"simd f32", make_simd_engine(Precision::f32, 2), {400'000, 16}}};
  for (Case& c : cases) {
    const HostSwarm x = random_sphere(c.shape, 1);
    const auto field = c.engine->prepare(sa(2), c.shape);
    const auto at = c.engine->place(x);
    const auto v = at->like();
    std::atomic<int> flag{0};
    double at_signal = 0;
    std::thread signal([&] {
      const double begin = processor_seconds();
      while (processor_seconds() < begin + 0.5)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      at_signal = processor_seconds();
      flag = 2;
    });
    {
      const StopScope scope(&flag);
      EXPECT_FALSE(finishes([&] { field->velocity(0, *at, *v); })) << c.name;
    }
    const double used = processor_seconds() - at_signal;
    signal.join();
    EXPECT_LT(used, 1) << c.name;
  }
}

TEST(Stop, LeavesAFieldThatComputesTheSameBits) {
  std::unique_ptr<Engine> engines[] = {make_reference_engine(), make_simd_engine(Precision::f64, 2),
                                       make_simd_engine(Precision::f32, 2),
                                       make_moments_engine({.threads = 2})};
  for (const auto& engine : engines) {
    const HostSwarm x = random_sphere({3000, 3}, 1), y = random_sphere({3000, 3}, 2);
    const auto field = engine->prepare(usa(3), x.shape());
    const auto expected = x.like(), found = x.like();
    field->velocity(0, x, *expected);
    std::atomic<int> flag{1};
    {
      const StopScope scope(&flag);
      EXPECT_THROW(field->velocity(0, y, *found), Stopped) << engine->name();
    }
    field->velocity(0, x, *found);
    EXPECT_EQ(to_rows(engine->fetch(*expected)), to_rows(engine->fetch(*found))) << engine->name();
  }
}

// A force that does nothing and sets the flag in chosen evaluations: the next one is stopped, in
// the midst of a step.
struct Interruptions {
  std::atomic<int> flag{0};
  int evaluation = 0, every = 7;
  ExternalForce force() {
    return {"stop", [this](double, const HostSwarm&, HostSwarm&) {
              if (++evaluation % every == 0) flag = 2;
            }};
  }
};

Simulated simulated_through_stops(const Dynamics& dynamics, const HostSwarm& x,
                                  const FlowSettings& settings, const Schedule& schedule,
                                  int& stops) {
  Interruptions interruptions;
  Simulated result;
  result.state = start(x);
  for (;;) {
    const auto engine = make_reference_engine({interruptions.force()});
    const auto field = engine->prepare(dynamics, x.shape());
    const StopScope scope(&interruptions.flag);
    FlowWatch watch;
    watch.frame = [&](double t, const HostSwarm& frame) {
      result.times.push_back(t);
      result.frames.push_back(frame);
    };
    watch.merged = [&](const Merge& merge) { result.merges.push_back(merge); };
    watch.pause = [&](const FlowState&, const auto&) { return interruptions.flag != 0; };
    result.outcome = advance({*engine, *field, settings}, schedule, result.state, watch);
    if (result.outcome.ending != Ending::interrupted) return result;
    ++stops;
    interruptions.flag = 0;
    interruptions.every = 7 + stops % 50;  // a long step is not stopped for ever
  }
}

TEST(Stop, AFlowStoppedWithinStepsGivesTheSameBits) {
  const HostSwarm x = random_sphere({24, 2}, 5);
  const FlowSettings kinds[] = {{.method = Method::layers},
                                {.method = Method::rk4, .dt = 0.05},
                                {},
                                {.method = Method::dop853},
                                {.tolerance = {1e-8, 1e-8}, .merge = 1e-6}};
  for (const FlowSettings& settings : kinds) {
    SCOPED_TRACE(row_of(settings.method).name);
    const Schedule schedule{.T = 10, .every = 0.5};
    int stops = 0;
    const auto engine = make_reference_engine();
    const Simulated whole = simulated(sa(9), x, settings, schedule);
    const Simulated pieces = simulated_through_stops(sa(9), x, settings, schedule, stops);
    EXPECT_GT(stops, 3);
    ASSERT_EQ(whole.times, pieces.times);
    for (std::size_t k = 0; k < whole.frames.size(); ++k)
      EXPECT_EQ(to_rows(whole.frames[k]), to_rows(pieces.frames[k])) << "frame " << k;
    EXPECT_EQ(whole.merges.size(), pieces.merges.size());
    EXPECT_EQ(whole.state.step, pieces.state.step);
    EXPECT_EQ(whole.state.rejected, pieces.state.rejected);
    EXPECT_EQ(to_rows(whole.state.x), to_rows(pieces.state.x));
  }
}

// Who does not know of the stop must not take a flow that was cut short for a result.
TEST(Stop, PassesThroughAFlowThatNobodyPauses) {
  const HostSwarm x = random_sphere({24, 2}, 5);
  for (const Method method : {Method::layers, Method::dopri5, Method::bdf}) {
    Interruptions interruptions;
    const auto engine = make_reference_engine({interruptions.force()});
    const auto field = engine->prepare(sa(4), x.shape());
    FlowState state = start(x);
    const StopScope scope(&interruptions.flag);
    const auto advanced = [&](const FlowWatch& watch) {
      return finishes([&] {
        advance({*engine, *field, {.method = method}}, {.T = 10}, state, watch);
      });
    };
    EXPECT_FALSE(advanced({}));
    interruptions.flag = 0;
    FlowWatch watch;
    watch.pause = [](const FlowState&, const auto&) { return false; };
    EXPECT_FALSE(advanced(watch));
  }
}

// A mean field that the look of its scope interrupts now and then, which ends where it would have.
TEST(Stop, AMeanFieldStoppedWithinStepsGivesTheSameBits) {
  const MeanField field{.beta = 5, .weighting = Attention::unnormalised, .noise = 0.01};
  Measure start;
  start.waves = {{1, 1e-3}, {2, 1e-3}, {3, 1e-3}};
  const MeanFieldMethod method{.modes = 64};
  MeanFieldPlan plan{.schedule = {.T = 0.3, .every = 0.01}};
  const MeanFieldTrajectory whole = carry(field, start, method, plan);
  std::atomic<int> flag{0};
  const StopScope scope(&flag);
  int frames = 0, stops = 0, asked = 0;
  plan.frame = [&](const MeanFieldFrame&) {
    if (++frames % 3 == 0) flag = 2, asked = 0;
  };
  // Not right after the frame: the next velocity is stopped.
  plan.pause = [&](const MeanFieldTrajectory&, const auto&) { return flag != 0 && ++asked > 1; };
  MeanFieldTrajectory pieces = carry(field, start, method, plan);
  while (pieces.outcome.ending == Ending::interrupted) {
    ++stops;
    flag = 0;
    plan.from = pieces;
    pieces = carry(field, start, method, plan);
  }
  EXPECT_GT(stops, 3);
  ASSERT_EQ(whole.steps.size(), pieces.steps.size());
  EXPECT_EQ(whole.state.coefficients, pieces.state.coefficients);
}

}  // namespace
}  // namespace murmur::testing
