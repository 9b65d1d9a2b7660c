// bench_velocity_test.cpp: the clock is read when the work is done, and impossible times are
// refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/host_field.h"
#include "core/timed.h"
#include "murmur/error.h"
#include "murmur/experiment.h"

namespace murmur {
namespace {

Dynamics one_head() { return {.sublayers = {{{Attention{}}}}}; }

// A field like that of a GPU: it notes what it is asked for, and does it when it is waited for.
class LateField final : public HostField {
 public:
  explicit LateField(std::vector<std::string>& events)
      : HostField(one_head(), {4, 2}), events_(events) {}
  void velocity(double, const Swarm&, Swarm&) override { ++asked_; }
  void wait() const override {
    events_.push_back(asked_ > 0 ? "done" : "idle");
    asked_ = 0;
  }
  bool on_device() const override { return true; }

 private:
  void add_forces(const Ask&, const HostSwarm&, HostSwarm&) override {}
  std::vector<std::string>& events_;
  mutable int asked_ = 0;
};

TEST(Timed, ReadsTheClockWhenTheDeviceIsDone) {
  std::vector<std::string> events;
  LateField field(events);
  const HostSwarm x({4, 2});
  HostSwarm v = x;
  field.velocity(0, x, v);  // asked for before: not a part of what is timed
  double now = 0;
  const double seconds = timed_seconds(
      field, [&] { return events.push_back("clock"), now += 1; },
      [&] { field.velocity(0, x, v), events.push_back("asked"); });
  EXPECT_EQ(seconds, 1);
  EXPECT_EQ(events, (std::vector<std::string>{"done", "clock", "asked", "done", "clock"}));
}

TEST(Timed, ADeviceIsNotTimedByTheProcessor) {
  std::vector<std::string> events;
  const LateField field(events);
  EXPECT_EQ(clock_of(field, true), CLOCK_MONOTONIC);
  const auto engine = make_reference_engine();
  const auto own = engine->prepare(one_head(), {4, 2});
  EXPECT_EQ(clock_of(*own, true), CLOCK_THREAD_CPUTIME_ID);
  EXPECT_EQ(clock_of(*own, false), CLOCK_MONOTONIC);
}

// 262,144 particles on S^2 in 1.6 ms: the launch of the work, not the work.
TEST(BenchVelocity, RefusesWhatTheMachineCannotDo) {
  const MachineRates gpu{4e12, 5e14};
  const double least = least_pair_seconds({262'144, 3}, gpu);
  EXPECT_NEAR(least, 0.5 * 262'144.0 * 262'144.0 / 4e12, 1e-12);
  EXPECT_NO_THROW(require_possible(least, least, "cuda"));
  EXPECT_NO_THROW(require_possible(0.9 * least, least, "cuda"));  // noise of the probe
  EXPECT_NO_THROW(require_possible(1e-9, 0, "moments"));          // no limit is known
  try {
    require_possible(0.0016, least, "cuda f32");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::runtime);
    EXPECT_NE(std::string(error.what()).find("shorter than possible on this machine"),
              std::string::npos);
  }
  // In many coordinates multiply-adds are the limit.
  EXPECT_GT(least_pair_seconds({1000, 64}, {1e9, 1e9}),
            90 * least_pair_seconds({1000, 64}, {1e9, 1e15}));
}

TEST(BenchVelocity, KnowsTheLimitOfSumsOverPairs) {
  const auto measured = [](const std::vector<std::string>& words) {
    return time_velocity(make_experiment(gather({"", {}, words})), {.repetitions = 2});
  };
  for (const char* engine : {"engine=simd", "engine=reference"}) {
    const VelocitySpeed speed = measured({"n=600", "d=3", "threads=1", engine});
    EXPECT_GT(speed.seconds_least, 0) << engine;
  }
  EXPECT_EQ(measured({"n=600", "d=2", "threads=1", "engine=moments"}).seconds_least, 0);
}

}  // namespace
}  // namespace murmur
