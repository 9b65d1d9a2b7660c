// simulate_test.cpp: what a simulation asks of its engine and field, and how often.
#include <gtest/gtest.h>

#include <cmath>

#include "core/host_field.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "temporary.h"

namespace murmur::test {
namespace {

struct Asked {
  int unsupported_reason = 0, particle_sums = 0, pair_sums = 0;
};

// No forces at all, in host memory.
class CountedField final : public HostField {
 public:
  CountedField(const Dynamics& dynamics, Shape shape, Asked& asked)
      : HostField(dynamics, shape), asked_(asked) {}

  ParticleSums particle_sums(const Swarm& x, int threads) override {
    ++asked_.particle_sums;
    return HostField::particle_sums(x, threads);
  }
  PairSums pair_sums(const Swarm& x, const PairRequest& request) override {
    ++asked_.pair_sums;
    return HostField::pair_sums(x, request);
  }

 private:
  void add_forces(const Ask&, const HostSwarm&, HostSwarm&) override {}

  Asked& asked_;
};

class CountedEngine final : public HostEngine {
 public:
  explicit CountedEngine(Asked& asked) : asked_(asked) {}

  std::string name() const override { return "counted"; }
  std::optional<Unsupported> unsupported_reason(const Dynamics&, Shape) const override {
    ++asked_.unsupported_reason;
    return Unsupported{"nothing is known", "use engine=reference"};
  }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<CountedField>(dynamics, shape, asked_);
  }

  Asked& asked_;
};

RunContents contents_of(const Experiment& e) {
  RunContents c;
  c.config = e.config;
  c.inputs = e.inputs;
  c.columns = observable_names(e.dynamics);
  c.shape = e.swarm.shape();
  c.command = "simulate";
  c.engine = "counted";
  return c;
}

void simulate_into(const std::filesystem::path& directory, const Experiment& e, Engine& engine) {
  Run run = Run::create(directory, contents_of(e), true);
  EXPECT_TRUE(simulate(e, engine, run, {}).ok());
}

Experiment three_frames() {
  return make_experiment(gather({.assignments = {"n=8", "T=1", "save=every:0.5"}}));
}

// make_experiment has asked; a field made by hand is asked about.
TEST(Simulate, AsksNoEngineWhatItKnows) {
  TemporaryDirectory folder;
  Asked asked;
  CountedEngine engine(asked);
  const Experiment e = three_frames();
  simulate_into(folder / "run", e, engine);
  EXPECT_EQ(asked.unsupported_reason, 0);
  EXPECT_THROW(engine.prepare(e.dynamics, e.swarm.shape()), Error);
  EXPECT_EQ(asked.unsupported_reason, 1);
}

// The rows of a run are sums of the field: three frames, one pass over the pairs for each.
TEST(Simulate, TakesItsSumsFromTheField) {
  TemporaryDirectory folder;
  Asked asked;
  CountedEngine engine(asked);
  simulate_into(folder / "run", three_frames(), engine);
  EXPECT_EQ(asked.particle_sums, 3);
  EXPECT_EQ(asked.pair_sums, 3);
}

// After mergers a frame still has all rows, on the engine as in the run.
TEST(Simulate, ObservesMergedFramesUnfolded) {
  TemporaryDirectory folder;
  const Experiment e =
      make_experiment(gather({.assignments = {"n=32", "d=2", "beta=9", "T=200", "rtol=1e-8",
                                              "atol=1e-8", "merge=1e-6", "save=every:50"}}));
  simulate_into(folder / "run", e, *make_engine(e.engine));
  const RunReader reader(folder / "run");
  ASSERT_FALSE(reader.events().empty());  // particles have merged
  for (const std::string& name : observable_names(e.dynamics)) {
    const std::size_t column = observable_column(e.dynamics, name);
    const std::vector<double> kept = reader.column(name);
    for (std::int64_t f = 0; f < reader.frames(); ++f) {
      const double value =
          observe(reader.frame(f), e.dynamics, observe_settings(e, reader.times()[f]))[column];
      EXPECT_TRUE(kept[f] == value || (std::isnan(kept[f]) && std::isnan(value)))
          << name << " " << f;
    }
  }
}

// One key for all: the settings of observables and the noise take it from the experiment.
TEST(Experiment, HasOneRandomKey) {
  const Experiment e = make_experiment(
      gather({.assignments = {"n=8", "seed=5", "replica=2", "threads=1", "cluster_tol=0.01"}}));
  EXPECT_EQ(e.random, (RandomKey{5, 2}));
  const ObserveSettings settings = observe_settings(e, 3);
  EXPECT_EQ(settings.seed, 5u);
  EXPECT_EQ(settings.threads, 1);
  EXPECT_EQ(settings.cluster_tol, 0.01);
  EXPECT_EQ(settings.pair_threshold, e.observe.pair_threshold);
  EXPECT_EQ(settings.t, 3);
}

TEST(Experiment, HoldsAResolvedEngine) {
  const Experiment small = make_experiment(gather({.assignments = {"n=8"}}));
  EXPECT_EQ(small.engine.name, "reference");
  EXPECT_EQ(make_engine(small.engine)->name(), "reference");
  const Experiment large = make_experiment(gather({.assignments = {"n=300"}}));
  EXPECT_EQ(large.engine.name, "simd");
  EXPECT_EQ(make_engine(large.engine)->name(),
            make_engine({}, large.swarm.shape(), large.dynamics)->name());
}

}  // namespace
}  // namespace murmur::test
