// ensemble_test.cpp: eight swarms at once go where the reference engine carries each of them alone.
#include "ensemble/ensemble.h"

#include <bit>
#include <limits>

#include "contenders.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur::testing {
namespace {

struct Law {
  const char* name;
  Attention::Weighting weighting;
  Clock clock;
  double beta;
};

const Law kLaws[] = {{"SA", Attention::softmax, Clock::u1, 4},
                     {"SA, beta 0", Attention::softmax, Clock::u1, 0},
                     {"SA, beta below 0", Attention::softmax, Clock::u1, -3},
                     {"SA, beta 400", Attention::softmax, Clock::u1, 400},
                     {"USA", Attention::unnormalised, Clock::u1, 2},
                     {"USA, beta below 0", Attention::unnormalised, Clock::u1, -2},
                     {"USA in u2", Attention::unnormalised, Clock::u2, 5},
                     {"USA in u3", Attention::unnormalised, Clock::u3, 1.5}};

const Shape kShapes[] = {{1, 2}, {2, 2},  {7, 2},  {32, 2},  {7, 3},  {9, 4},   {1, 3},  {2, 8},
                         {7, 8}, {32, 8}, {13, 5}, {32, 32}, {7, 40}, {32, 40}, {70, 6}, {133, 9}};

ReplicasSetting setting_of(const Law& law, Shape shape, Method method) {
  return {.shape = shape,
          .beta = law.beta,
          .weighting = law.weighting,
          .clock = law.clock,
          .method = method,
          .dt = 0.02};
}

Dynamics law_of(const ReplicasSetting& s) {
  Dynamics dynamics = dynamics_of(Attention{.beta = s.beta, .weighting = s.weighting});
  dynamics.clock = s.clock;
  return dynamics;
}

HostSwarm start_of(Shape shape, std::int64_t replica) {
  return random_sphere(shape, 100 + static_cast<std::uint64_t>(replica));
}

ReplicasWork work_of(const ReplicasSetting& s, std::int64_t first, std::int64_t count) {
  ReplicasWork work{.first = first, .count = count};
  const Shape shape = s.shape;
  work.start = [shape](std::int64_t replica) { return start_of(shape, replica); };
  work.threads = 2;
  return work;
}

HostSwarm simulated_alone(const ReplicasSetting& s, std::int64_t replica, double t) {
  const FlowSettings settings{.method = s.method, .dt = s.dt, .tolerance = s.tolerance};
  return simulated(law_of(s), start_of(s.shape, replica), settings, {.T = t}).last();
}

// Two swarms of an ensemble against themselves flown alone, on every instruction set.
void expect_company_unnoticed(const ReplicasSetting& s, double t, double close) {
  const HostSwarm alone[] = {simulated_alone(s, 6, t), simulated_alone(s, 9, t)};
  for (const std::int64_t target : compiled_targets()) {
    const OnTarget on(target);
    ReplicasWork work = work_of(s, 6, 4);
    work.times = {t};
    const ReplicasResult result = advance_replicas(s, work);
    ASSERT_TRUE(result.outcome.ok()) << result.outcome.what;
    EXPECT_LE(largest_difference(result.last[0], alone[0]), close) << hwy::TargetName(target);
    EXPECT_LE(largest_difference(result.last[3], alone[1]), close) << hwy::TargetName(target);
  }
}

class EnsembleLaws : public ::testing::TestWithParam<Law> {};
INSTANTIATE_TEST_SUITE_P(All, EnsembleLaws, ::testing::ValuesIn(kLaws), [](const auto& info) {
  std::string name = info.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

TEST_P(EnsembleLaws, FiftyFixedStepsAsTheReferenceTakesThem) {
  for (const Shape shape : kShapes)
    for (const Method method : {Method::layers, Method::euler, Method::rk4}) {
      if (shape.n > 32 && method != Method::layers) continue;  // the same sums, long to check
      SCOPED_TRACE(::testing::Message() << "n = " << shape.n << ", d = " << shape.d << ", method "
                                        << static_cast<int>(method));
      const ReplicasSetting s = setting_of(GetParam(), shape, method);
      expect_company_unnoticed(s, 50 * s.dt, 1e-11);
    }
}

TEST_P(EnsembleLaws, AdaptiveStepsComeToTheSamePlace) {
  for (const Shape shape : {Shape{1, 2}, Shape{2, 2}, Shape{32, 2}, Shape{7, 8}, Shape{7, 40}}) {
    SCOPED_TRACE(::testing::Message() << "n = " << shape.n << ", d = " << shape.d);
    ReplicasSetting s = setting_of(GetParam(), shape, Method::dopri5);
    s.tolerance = {1e-9, 1e-11};
    expect_company_unnoticed(s, 1.3, 1e-6);
  }
}

// On the circle sums are Fourier sums where beta is small for n, and sums over pairs beyond.
TEST(SampleSet, BothKindsOfSumsOnTheCircleAsTheReference) {
  for (const double beta : {0.0, 1e-9, 0.1, 1.0, 2.5, 6.0, 9.0, 16.0, 18.0, 30.0, 100.0, 1000.0})
    for (const int n : {2, 8, 9, 15, 32, 33, 66})
      for (const Method method : {Method::layers, Method::rk4})
        for (const Law& law : {Law{"SA", Attention::softmax, Clock::u1, beta},
                               Law{"USA", Attention::unnormalised, Clock::u1, beta},
                               Law{"USA in u2", Attention::unnormalised, Clock::u2, beta},
                               Law{"USA in u3", Attention::unnormalised, Clock::u3, beta}}) {
          const bool grows = law.weighting == Attention::unnormalised && law.clock != Clock::u2;
          if (grows && beta > 2.5) continue;  // steps of length e^beta magnify every rounding
          SCOPED_TRACE(::testing::Message() << law.name << ", beta = " << beta << ", n = " << n
                                            << ", method " << static_cast<int>(method));
          const ReplicasSetting s = setting_of(law, {n, 2}, method);
          expect_company_unnoticed(s, 10 * s.dt, 1e-12);
        }
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const ReplicaReading& a, const ReplicaReading& b) {
  return same_bits(a.close_pairs, b.close_pairs) && same_bits(a.mean_cos, b.mean_cos) &&
         same_bits(a.order, b.order) && a.clusters == b.clusters;
}

bool same_bits(const HostSwarm& a, const HostSwarm& b) {
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i)
      if (!same_bits(a.at(i, k), b.at(i, k))) return false;
  return a.shape() == b.shape();
}

TEST(SampleSet, ReadsWhatTheObservablesRead) {
  const ObserveSettings settings{.cluster_tol = 0.02, .pair_threshold = 0.95};
  for (const Shape shape : {Shape{1, 3}, Shape{2, 2}, Shape{32, 2}, Shape{7, 40}, Shape{70, 3}})
    for (const Method method : {Method::layers, Method::dopri5}) {
      ReplicasSetting s = setting_of(kLaws[0], shape, method);
      s.cluster_tol = settings.cluster_tol;
      s.pair_threshold = settings.pair_threshold;
      s.tolerance = {1e-9, 1e-11};
      const std::vector<double> times{0, 0.4, 2, 6};
      ReplicasWork work = work_of(s, 3, 9);
      work.times = times;
      const ReplicasResult all = advance_replicas(s, work);
      for (std::size_t time = 0; time < times.size(); ++time) {
        work.times = {times[time]};  // so that `last` is the swarm at that time
        const ReplicasResult there = advance_replicas(s, work);
        for (std::size_t r = 0; r < 9; ++r) {
          const ReplicaReading& got = all.readings[r * times.size() + time];
          EXPECT_TRUE(same_bits(got, there.readings[r]));
          const HostSwarm& x = there.last[r];
          const Dynamics dynamics = law_of(s);
          const std::vector<std::string> names = observable_names(dynamics);
          const std::vector<double> row = observe(x, dynamics, settings);
          const auto value = [&](const char* name) {
            return row[std::find(names.begin(), names.end(), name) - names.begin()];
          };
          EXPECT_EQ(got.clusters, clusters(x, Manifold::sphere, s.cluster_tol).count);
          EXPECT_NEAR(got.order, value("order"), 1e-13);
          if (shape.n == 1) {
            EXPECT_TRUE(std::isnan(got.close_pairs) && std::isnan(got.mean_cos));
            continue;
          }
          EXPECT_NEAR(got.close_pairs, value("close_pairs"), 1e-13);
          EXPECT_NEAR(got.mean_cos, value("mean_cos"), 1e-13);
        }
      }
    }
}

TEST(SampleSet, ThreadsAndCompanyDoNotShow) {
  for (const Method method : {Method::layers, Method::dopri5})
    for (const Shape shape : {Shape{8, 2}, Shape{32, 2}, Shape{7, 40}}) {
      const ReplicasSetting s = setting_of(kLaws[0], shape, method);
      ReplicasWork work = work_of(s, 0, 50);
      work.times = {0.2, 1};
      work.threads = 1;
      const ReplicasResult one = advance_replicas(s, work);
      const auto expect_same = [&](const ReplicasWork& other) {
        const ReplicasResult got = advance_replicas(s, other);
        for (std::int64_t r = 0; r < other.count; ++r) {
          const auto here = static_cast<std::size_t>(r);
          const auto there = static_cast<std::size_t>(r + other.first);
          EXPECT_TRUE(same_bits(got.last[here], one.last[there]));
          for (std::size_t time = 0; time < 2; ++time)
            EXPECT_TRUE(same_bits(got.readings[2 * here + time], one.readings[2 * there + time]));
        }
      };
      for (const int threads : {2, 3}) {
        work.threads = threads;
        expect_same(work);
      }
      for (const auto& [first, count] : {std::pair{0, 1}, std::pair{7, 2}, std::pair{21, 29}}) {
        work.first = first;
        work.count = count;
        expect_same(work);
      }
    }
}

TEST(SampleSet, ParticlesAtOnePlaceHaveASmallerSpan) {
  ReplicasSetting s = setting_of(kLaws[0], {6, 11}, Method::layers);
  ReplicasWork work = work_of(s, 0, 1);
  work.times = {0, 0.1};
  const auto twins = [&](std::int64_t replica) {
    HostSwarm x = start_of(s.shape, replica);
    for (int k = 0; k < x.d(); ++k) {
      x.at(1, k) = x.at(0, k);
      x.at(3, k) = -x.at(2, k);
      x.at(5, k) = x.at(4, k) * (1 + 1e-15);
    }
    return x;
  };
  work.start = twins;
  const FlowSettings settings{.method = s.method, .dt = s.dt};
  EXPECT_LE(largest_difference(advance_replicas(s, work).last[0],
                               simulated(law_of(s), twins(0), settings, {.T = 0.1}).last()),
            1e-13);
}

TEST(SampleSet, SumsAsSmallAsTheyCanBeStillPull) {
  for (const Method method : {Method::layers, Method::rk4})
    for (const Shape shape : {Shape{1, 2}, Shape{5, 2}, Shape{40, 2}, Shape{5, 5}}) {
      ReplicasSetting s = setting_of(kLaws[0], shape, method);
      s.beta = -330;  // weights of particles at one place are e^-660
      ReplicasWork work = work_of(s, 0, 2);
      work.times = {0.1};
      const auto together = [&](std::int64_t replica) {
        HostSwarm x = start_of(s.shape, replica);
        for (int i = 1; i < x.n(); ++i)
          for (int k = 0; k < x.d(); ++k) x.at(i, k) = x.at(0, k);
        return x;
      };
      work.start = together;
      const ReplicasResult result = advance_replicas(s, work);
      ASSERT_TRUE(result.outcome.ok()) << result.outcome.what;
      EXPECT_LE(largest_difference(result.last[1], together(1)), 1e-14);
    }
}

TEST(SampleSet, SaysWhichReplicaOverflowedAndWhen) {
  const Law usa{"USA", Attention::unnormalised, Clock::u1, 800};
  for (const Method method : {Method::layers, Method::euler, Method::rk4, Method::dopri5}) {
    const ReplicasSetting s = setting_of(usa, {4, 2}, method);
    ReplicasWork work = work_of(s, 11, 20);
    work.times = {0, 1};
    const ReplicasResult result = advance_replicas(s, work);
    EXPECT_EQ(result.outcome.ending, Ending::not_finite);
    const int replica = method == Method::dopri5 ? 8 : 11;  // eight share the step, 8 comes first
    EXPECT_NE(result.outcome.what.find("replica " + std::to_string(replica)), std::string::npos)
        << result.outcome.what;
    EXPECT_EQ(result.outcome.t, 0);
    EXPECT_FALSE(result.outcome.remedy.empty());
    EXPECT_TRUE(std::isfinite(result.readings[0].order));
    EXPECT_TRUE(std::isnan(result.readings[1].order));
  }
}

TEST(SampleSet, LeavesWhenSignalled) {
  const ReplicasSetting s = setting_of(kLaws[0], {8, 2}, Method::layers);
  ReplicasWork work = work_of(s, 0, 40);
  work.times = {1};
  std::atomic<int> signal{0};
  std::atomic<int> started{0};
  work.signal = &signal;
  work.start = [&](std::int64_t replica) {
    if (++started == 12) signal = 1;
    return start_of(s.shape, replica);
  };
  work.threads = 1;
  EXPECT_EQ(advance_replicas(s, work).outcome.ending, Ending::interrupted);
  EXPECT_LT(started, 40);
}

TEST(SampleSet, KnowsWhatItCanFly) {
  EXPECT_TRUE(replicas_know(sa(4), Method::layers));
  EXPECT_TRUE(replicas_know(usa(4), Method::dopri5));
  EXPECT_TRUE(replicas_know(dynamics_of(Attention{.value = scaled_identity(3, 1)}), Method::rk4));
  EXPECT_THROW(replicas_of(dynamics_of(Attention{.self = false}), {}, {8, 3}), Error);
  EXPECT_FALSE(replicas_know(sa(4), Method::strang));
  EXPECT_FALSE(replicas_know(dynamics_of(Attention{}, Manifold::space), Method::layers));
  EXPECT_FALSE(replicas_know(dynamics_of(Attention{.self = false}), Method::layers));
  EXPECT_FALSE(replicas_know(dynamics_of(Attention{.mask = Attention::causal}), Method::layers));
  EXPECT_FALSE(
      replicas_know(dynamics_of(Attention{.value = scaled_identity(3, -1)}), Method::layers));
  Dynamics dynamics = usa(4);
  dynamics.clock = Clock::u4;
  EXPECT_FALSE(replicas_know(dynamics, Method::layers));
  dynamics = sa(4);
  dynamics.noise = 0.1;
  EXPECT_FALSE(replicas_know(dynamics, Method::layers));
  dynamics = sa(4);
  dynamics.normalisation = LayerNorm::pre;
  EXPECT_FALSE(replicas_know(dynamics, Method::layers));
  dynamics = sa(4);
  dynamics.sublayers.push_back(dynamics.sublayers[0]);
  EXPECT_FALSE(replicas_know(dynamics, Method::layers));
}

TEST(SampleSet, RefusesWhatItCannotFly) {
  const ReplicasSetting good = setting_of(kLaws[0], {4, 2}, Method::layers);
  ReplicasWork work = work_of(good, 0, 1);
  work.times = {0.1};
  const auto refuses = [&](auto change) {
    ReplicasSetting s = good;
    ReplicasWork w = work;
    change(s, w);
    EXPECT_THROW(advance_replicas(s, w), Error);
  };
  refuses([](auto& s, auto&) { s.clock = Clock::u4; });
  refuses([](auto& s, auto&) { s.method = Method::strang; });
  refuses([](auto& s, auto&) { s.beta = std::numeric_limits<double>::infinity(); });
  refuses([](auto& s, auto&) { s.dt = 0; });
  refuses([](auto&, auto& w) { w.times = {0.05}; });
  refuses([](auto&, auto& w) { w.times = {0.2, 0.1}; });
  refuses([](auto&, auto& w) {
    w.start = [](std::int64_t) { return HostSwarm({4, 2}); };  // at the origin
  });
  refuses([](auto&, auto& w) {
    w.start = [](std::int64_t) { return circle({0, 1, 2, 3}, {0.1, 0.2, 0.3, 0.4}); };
  });
  refuses([](auto&, auto& w) { w.start = [](std::int64_t) { return random_sphere({5, 2}, 1); }; });
}

}  // namespace
}  // namespace murmur::testing
