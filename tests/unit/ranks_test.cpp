// Ranks as threads of one process: swarms that are shared, errors that become those of all.
#include "murmur/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <mutex>
#include <thread>

#include "engine/cuda/cuda.h"
#include "engine/moments/moments.h"
#include "engine/mpi/shared_engine.h"
#include "engine/simd/pair_forces.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/flow.h"

namespace murmur {
namespace {

// What the ranks of one test have in common.
struct Table {
  explicit Table(int size) : size(size), barrier(size), texts(size), numbers(size), spans(size) {}
  int size;
  std::barrier<> barrier;
  std::vector<std::string> texts;
  std::vector<std::int64_t> numbers;
  std::vector<std::span<const double>> spans;
  std::vector<std::span<std::uint64_t>> wide = std::vector<std::span<std::uint64_t>>(size);
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Table& table, int rank) : table_(table), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return table_.size; }

  void gather(std::span<const double> own, std::span<const int> counts,
              std::span<double> all) override {
    table_.spans[rank_] = own;
    meet();
    auto to = all.begin();
    for (int r = 0; r < size(); ++r) {
      EXPECT_EQ(static_cast<int>(table_.spans[r].size()), counts[r]);
      to = std::copy(table_.spans[r].begin(), table_.spans[r].end(), to);
    }
    EXPECT_TRUE(to == all.end());
    meet();
  }
  std::vector<std::int64_t> gather(std::int64_t own) override {
    table_.numbers[rank_] = own;
    meet();
    std::vector<std::int64_t> all = table_.numbers;
    meet();
    return all;
  }
  void add(std::span<std::uint64_t> halves) override {
    table_.wide[rank_] = halves;
    meet();
    std::vector<std::uint64_t> total(halves.size());
    for (int r = 0; r < size(); ++r)
      for (std::size_t e = 0; e < total.size(); e += 2) {
        const std::uint64_t low = total[e] + table_.wide[r][e];
        total[e + 1] += table_.wide[r][e + 1] + (low < total[e] ? 1 : 0);
        total[e] = low;
      }
    meet();
    std::copy(total.begin(), total.end(), halves.begin());
  }
  void largest(std::span<double> values) override {
    for (double& value : values) {
      std::vector<int> counts(size(), 1);
      std::vector<double> all(size());
      gather({&value, 1}, counts, all);
      value = *std::max_element(all.begin(), all.end());
    }
  }
  void largest(std::span<std::int64_t> values) override {
    for (std::int64_t& value : values) {
      const std::vector<std::int64_t> all = gather(value);
      value = *std::max_element(all.begin(), all.end());
    }
  }
  std::string broadcast_text(int rank, const std::string& text) override {
    table_.texts[rank_] = text;
    meet();
    std::string told = table_.texts[rank];
    meet();
    return told;
  }
  void pass(std::span<const double> own, std::span<double> other,
            const std::function<void()>& between) override {
    table_.spans[rank_] = own;
    meet();
    between();
    const auto from = table_.spans[(rank_ + size() - 1) % size()];
    std::copy(from.begin(), from.end(), other.begin());
    meet();
  }
  bool all_leave(double) override { return true; }
  void abandon(int) override { std::abort(); }

 private:
  void meet() { table_.barrier.arrive_and_wait(); }
  Table& table_;
  int rank_;
};

// Does `work` as so many ranks at once.
void on_ranks(int size, const std::function<void(Ranks&)>& work) {
  Table table(size);
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      ThreadRanks ranks(table, r);
      work(ranks);
    });
  for (std::thread& thread : threads) thread.join();
}

Experiment experiment(const std::vector<std::string>& words) {
  return make_experiment(gather({.assignments = words}, parameters()));
}

// Where an experiment ends, and after how many steps.
struct Flown {
  HostSwarm x{};
  std::int64_t steps = 0, rejected = 0;
};

Flown fly(const Experiment& e, Engine& engine) {
  const auto field = prepare_field(e, engine);
  FlowState state = start(e.swarm);
  Flown flown;
  FlowWatch watch;
  watch.frame = [&](double, const Frame& frame) { flown.x = frame.host; };
  const Outcome outcome = advance({engine, *field, e.flow, e.random}, e.schedule, state, watch);
  EXPECT_TRUE(outcome.ok()) << outcome.what;
  flown.steps = state.step;
  flown.rejected = state.rejected;
  return flown;
}

Flown fly_on_ranks(const Experiment& e, int size) {
  std::mutex lock;
  Flown first;
  on_ranks(size, [&](Ranks& ranks) {
    const auto engine = share_engine(make_engine(e.engine), ranks);
    Flown flown = fly(e, *engine);
    const std::lock_guard guard(lock);
    if (ranks.first()) first = std::move(flown);
  });
  return first;
}

double apart(const HostSwarm& a, const HostSwarm& b) {
  EXPECT_EQ(a.n(), b.n());
  double most = 0;
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i) most = std::max(most, std::fabs(a.at(i, k) - b.at(i, k)));
  return most;
}

TEST(Ranks, MomentsAndReferenceGiveTheBitsOfOneProcess) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"engine=moments", "n=9000", "d=2", "beta=5", "T=0.5"},
           {"engine=moments", "n=5000", "d=3", "beta=5", "T=0.3"},
           {"engine=moments", "n=4100", "d=2", "beta=60", "T=0.02", "init=cap:1"},
           {"engine=moments", "n=5000", "d=2", "beta=3", "T=0.4", "method=strang", "dt=0.1",
            "noise=0.1"},
           {"engine=reference", "n=70", "d=3", "T=1"},
           {"engine=reference", "n=200", "d=3", "dynamics=USA", "clock=U4", "T=0.3"},
           {"engine=reference", "n=48", "d=2", "beta=20", "merge=1e-3", "T=10"}}) {
    Experiment e = experiment(words);
    e.engine.threads = 1;
    const Flown alone = fly(e, *make_engine(e.engine));
    for (int size = 1; size <= 4; ++size) {
      const Flown shared = fly_on_ranks(e, size);
      EXPECT_EQ(apart(alone.x, shared.x), 0) << words[0] << " " << words[1] << " on " << size;
      EXPECT_EQ(alone.steps, shared.steps);
      EXPECT_EQ(alone.rejected, shared.rejected);
    }
  }
}

TEST(Ranks, PairsAgreeWithinRoundingAndWithEachOtherToTheBit) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"d=3", "n=700", "beta=4"},
                                             {"d=24", "n=300", "dynamics=causal"},
                                             {"d=3", "n=600", "beta=900"},
                                             {"d=16", "n=200", "heads=4", "dynamics=USA"},
                                             {"d=2", "n=600", "beta=2", "precision=f32"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"engine=simd", "T=0.2"});
    Experiment e = experiment(all);
    e.engine.threads = 1;
    const Flown alone = fly(e, *make_engine(e.engine));
    const Flown one = fly_on_ranks(e, 1);
    const bool single = e.engine.precision == Precision::f32;
    EXPECT_LT(apart(alone.x, one.x), single ? 1e-6 : 1e-12) << words[0] << " " << words[1];
    for (int size = 2; size <= 4; ++size)
      EXPECT_EQ(apart(one.x, fly_on_ranks(e, size).x), 0) << words[0] << " on " << size;
  }
}

// Sums by a GPU that all ranks share: each has the rows of its own particles.
TEST(Ranks, ShareAGpu) {
  if (gpu_name().empty()) GTEST_SKIP() << "no NVIDIA GPU, or built without CUDA";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"d=3", "n=1500", "beta=4"},
                                             {"d=3", "n=1500", "beta=4", "precision=f32"},
                                             {"d=3", "n=900", "beta=60", "precision=f32"},
                                             {"d=2", "n=700", "beta=900", "dynamics=causal"},
                                             {"d=24", "n=600", "dynamics=causal"},
                                             {"d=200", "n=600", "precision=f32"},
                                             {"d=3", "n=2000", "engine=cuda-moments"},
                                             {"d=3", "n=700", "perceptron=gradient:3"}}) {
    std::vector<std::string> all = words;
    if (all.back() != "engine=cuda-moments") all.push_back("engine=cuda");
    all.insert(all.end(), {"T=0.2", "method=rk4", "dt=0.05"});
    Experiment e = experiment(all);
    e.engine.threads = 1;
    const Flown alone = fly(e, *make_engine(e.engine));
    const Flown one = fly_on_ranks(e, 1);
    const bool single = e.engine.precision == Precision::f32;
    EXPECT_LT(apart(alone.x, one.x), single ? 4e-6 : 1e-11) << words[0] << " " << words[1];
    for (int size = 2; size <= 3; ++size)
      EXPECT_LT(apart(one.x, fly_on_ranks(e, size).x), single ? 4e-6 : 1e-12)
          << words[0] << " on " << size;
  }
}

// A third, or any other part, of a swarm.
class PartOf final : public Share {
 public:
  PartOf(Ranks& ranks, const HostSwarm& all) : ranks_(ranks) {
    for (int r = 0; r < ranks.size(); ++r) counts_.push_back(end(all, r) - end(all, r - 1));
    first_ = end(all, ranks.rank() - 1);
    own = HostSwarm({counts_[ranks.rank()], all.d()});
    for (int i = 0; i < own.n(); ++i) {
      for (int k = 0; k < all.d(); ++k) own.at(i, k) = all.at(first_ + i, k);
      own.mass[i] = all.mass[first_ + i];
    }
    all_ = all.n();
  }
  Ranks& ranks() const override { return ranks_; }
  int first() const override { return first_; }
  int all() const override { return all_; }
  std::span<const int> counts() const override { return counts_; }
  const HostSwarm& everybody(const HostSwarm&) override { std::abort(); }

  HostSwarm own{};

 private:
  int end(const HostSwarm& all, int r) const { return all.n() * (r + 1) / ranks_.size(); }
  Ranks& ranks_;
  std::vector<int> counts_{};
  int first_ = 0, all_ = 0;
};

TEST(Ranks, BlocksThatPassByGiveTheSumsOfAll) {
  for (const auto weighting : {Attention::softmax, Attention::unnormalised})
    for (const int d : {3, 7})
      for (const double beta : {2.0, -1.0, 900.0})
        for (const Precision precision : {Precision::f64, Precision::f32}) {
          if (weighting == Attention::unnormalised && beta > 100) continue;  // e^900
          HostSwarm x = experiment({"n=413", "d=" + std::to_string(d), "init=cap:1"}).swarm;
          for (int i = 0; i < x.n(); ++i) x.mass[i] *= 1 + i % 3;
          const simd::Head head = simd::fold({.beta = beta, .weighting = weighting}, Clock::u1, d);
          HostSwarm whole(x.shape());
          simd::PairForces(precision, 1).add(head, x, whole);
          const double heaviest = *std::max_element(x.mass.begin(), x.mass.end());
          for (int size = 1; size <= 4; ++size)
            on_ranks(size, [&](Ranks& ranks) {
              PartOf share(ranks, x);
              simd::PairForces forces(precision, 1);
              HostSwarm a(share.own.shape());
              forces.begin_blocks(head, share.own, heaviest);
              simd::pass_blocks_around(share, share.own, [&](const HostSwarm& block) {
                forces.add_block(head, share.own, block);
              });
              forces.finish_blocks(head, share.own, a);
              double most = 0;
              for (int k = 0; k < d; ++k)
                for (int i = 0; i < a.n(); ++i)
                  most = std::max(most, std::fabs(a.at(i, k) - whole.at(share.first() + i, k)) /
                                            (1 + std::fabs(whole.at(share.first() + i, k))));
              EXPECT_LT(most, precision == Precision::f32 ? 3e-6 : 1e-12)
                  << d << " " << beta << " on " << size;
            });
        }
}

TEST(Ranks, ErrorNormsAreSummedInTheSameBlocks) {
  Experiment e = experiment({"engine=moments", "n=300000", "d=2", "T=1"});
  HostSwarm moved = e.swarm;
  for (int i = 0; i < moved.n(); ++i) moved.at(i, 0) += 1e-9 * (i % 977);
  e.engine.threads = 1;
  const auto engine = make_engine(e.engine);
  const double alone = prepare_field(e, *engine)->error_norm(e.swarm, moved, {});
  for (int size = 1; size <= 4; ++size)
    on_ranks(size, [&](Ranks& ranks) {
      const auto shared = share_engine(make_engine(e.engine), ranks);
      const auto field = prepare_field(e, *shared);
      EXPECT_EQ(field->error_norm(*shared->place(e.swarm), *shared->place(moved), {}), alone);
    });
}

TEST(Ranks, AnErrorOfOneIsThrownOnAll) {
  std::atomic<int> thrown = 0;
  on_ranks(3, [&](Ranks& ranks) {
    EXPECT_NO_THROW(together(&ranks, [] {}));
    try {
      together(&ranks, [&] {
        if (ranks.rank() > 0)
          throw Error(Fault::runtime, "full " + std::to_string(ranks.rank()), "disk", "empty it");
      });
    } catch (const Error& error) {
      EXPECT_EQ(error.fault, Fault::runtime);
      EXPECT_EQ(error.summary, "full 1");  // the lowest one's
      EXPECT_EQ(error.where, "disk (rank 1)");
      EXPECT_EQ(error.remedy, "empty it");
      EXPECT_TRUE(ranks.failed_together);
      ++thrown;
    }
  });
  EXPECT_EQ(thrown, 3);
}

TEST(Ranks, ThoseThatDifferAreRefused) {
  std::atomic<int> refused = 0;
  on_ranks(3, [&](Ranks& ranks) {
    const RequiredEqual same[] = {{"the program", "1"}, {"the experiment", "n = 3\nbeta = 4\n"}};
    EXPECT_NO_THROW(require_alike(&ranks, same));
    const RequiredEqual own[] = {
        {"the program", "1"},
        {"the experiment", ranks.rank() == 2 ? "n = 3\nbeta = 5\n" : "n = 3\nbeta = 4\n"}};
    try {
      require_alike(&ranks, own);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault, Fault::verification);
      EXPECT_EQ(error.summary, "ranks disagree on the experiment");
      EXPECT_EQ(error.where, "rank 0 has 'beta = 4', rank 2 has 'beta = 5'");
      ++refused;
    }
  });
  EXPECT_EQ(refused, 3);
}

}  // namespace
}  // namespace murmur
