// cuda_test.cpp: what the engine on the GPU does beside attention, against the reference; skipped
// where there is no GPU.
#include <gtest/gtest.h>

#include <cstring>

#include "contenders.h"
#include "engine/cuda/room.h"
#include "ensemble/cuda/replicas.h"
#include "murmur/flow.h"

namespace murmur::testing {
namespace {

class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu_name().empty()) GTEST_SKIP() << "no NVIDIA GPU, or built without CUDA";
  }
};

bool same_bits(const HostSwarm& a, const HostSwarm& b) {
  for (int k = 0; k < a.d(); ++k)
    if (std::memcmp(a.axis(k), b.axis(k), sizeof(double) * a.n()) != 0) return false;
  return true;
}

void weigh(HostSwarm& x) {
  double total = 0;
  for (int i = 0; i < x.n(); ++i) total += x.mass[i] = std::pow(10.0, -(i % 6));
  for (double& m : x.mass) m /= total;
}

// Large swarms: the sums that use each exponential twice, strips and stretches, beside double
// precision on the processor.
TEST_F(Cuda, LargeSwarmsAgree) {
  const auto simd = make_simd_engine(Precision::f64, 0);
  for (const int d : {2, 3, 4, 8, 33, 64, 100, 200})
    for (const int n : {4096, 5000, 9001})
      for (const bool weighted : {false, true}) {
        if (n > 5000 && d > 64) continue;
        HostSwarm x = random_sphere({n, d}, 3);
        if (weighted) weigh(x);
        for (const double beta : {1.0, 8.0, -5.0})
          for (const bool softmax : {true, false}) {
            const Dynamics dynamics = softmax ? sa(beta) : usa(beta);
            const HostSwarm wanted = drift(*simd, dynamics, x);
            double size = 0;
            for (int i = 0; i < n; ++i)
              for (int k = 0; k < d; ++k) size = std::max(size, std::abs(wanted.at(i, k)));
            for (const Precision precision : {Precision::f32, Precision::f64}) {
              const auto cuda = make_cuda_engine(precision);
              const double off = largest_difference(drift(*cuda, dynamics, x), wanted);
              EXPECT_LT(off / std::max(size, 1e-3),
                        precision == Precision::f32 ? (d > 128 ? 8e-6 : 4e-6) : 1e-12)
                  << "n = " << n << ", d = " << d << ", beta = " << beta << ", softmax " << softmax
                  << ", weighted " << weighted << (precision == Precision::f32 ? ", f32" : ", f64");
            }
          }
      }
}

// Weights as halves: a crowd, a few that are alone, and weights over forty octaves.
TEST_F(Cuda, MutualWeightsOfAllSizes) {
  const auto simd = make_simd_engine(Precision::f64, 0);
  for (const int d : {2, 3})
    for (const int n : {33'000, 70'001})
      for (const double beta : {3.0, 15.0}) {
        HostSwarm x = random_sphere({n, d}, 8);
        for (int i = 0; i < n; ++i) {
          if (i % 1000 != 0) x.at(i, 0) += 3;
          const double size = std::sqrt(dot(x, i, i));
          for (int k = 0; k < d; ++k) x.at(i, k) /= size;
        }
        for (const bool softmax : {true, false}) {
          Dynamics dynamics = softmax ? sa(beta) : usa(beta);
          if (!softmax) dynamics.clock = Clock::u2;
          const HostSwarm wanted = drift(*simd, dynamics, x);
          const auto cuda = make_cuda_engine(Precision::f32);
          EXPECT_LT(largest_difference(drift(*cuda, dynamics, x), wanted), 4e-6)
              << "n = " << n << ", d = " << d << ", beta = " << beta << ", softmax " << softmax;
        }
      }
}

// Halves hold coordinates of about 1; smaller and larger swarms are summed otherwise.
TEST_F(Cuda, SwarmsInSpaceOfAllSizes) {
  const auto simd = make_simd_engine(Precision::f64, 0);
  for (const double size : {1e-4, 0.1, 0.5, 6.0, 1e5}) {
    HostSwarm x = random_sphere({5000, 3}, 9);
    for (int i = 0; i < x.n(); ++i)
      for (int k = 0; k < 3; ++k) x.at(i, k) *= size;
    Dynamics dynamics = sa(3 / (size * size));
    dynamics.manifold = Manifold::space;
    const HostSwarm wanted = drift(*simd, dynamics, x);
    const auto cuda = make_cuda_engine(Precision::f32);
    EXPECT_LT(largest_difference(drift(*cuda, dynamics, x), wanted), 4e-6 * size) << size;
  }
}

// Every kernel once, small enough for a memory checker.
TEST_F(Cuda, SmallCases) {
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const int d : {1, 3, 8, 130})
      for (const bool past : {false, true})
        for (const double beta : {2.0, 60.0}) {
          const HostSwarm x = random_sphere({300, d}, 5);
          const Attention head{.beta = beta, .mask = past ? Attention::causal : Attention::none};
          const Dynamics dynamics = dynamics_of(head);
          EXPECT_LT(largest_difference(drift(*make_cuda_engine(precision), dynamics, x),
                                       drift(*make_reference_engine(), dynamics, x)),
                    precision == Precision::f32 ? 4e-6 : 1e-12);
        }
  const HostSwarm many = random_sphere({4200, 3}, 5);
  EXPECT_LT(largest_difference(drift(*make_cuda_engine(Precision::f32), sa(2), many),
                               drift(*make_simd_engine(Precision::f64, 0), sa(2), many)),
            1e-6);
  const HostSwarm few = random_sphere({300, 3}, 5);
  for (const double beta : {2.0, 30.0, -30.0})  // a series, and transforms
    EXPECT_LT(largest_difference(
                  drift(*make_cuda_engine(Precision::f64, GpuSums::moments), sa(beta), few),
                  drift(*make_reference_engine(), sa(beta), few)),
              1e-10);
  const ReplicasSetting setting{.shape = {40, 2}, .beta = 2};
  const ReplicasWork work{.count = 5, .times = {0.2}, .start = [](std::int64_t r) {
                            return random_sphere({40, 2}, static_cast<std::uint64_t>(r));
                          }};
  EXPECT_TRUE(advance_replicas_on_gpu(setting, work).outcome.ok());
}

TEST_F(Cuda, SameBitsEveryTime) {
  for (const int d : {3, 64, 200})
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const HostSwarm x = random_sphere({6000, d}, 5);
      const HostSwarm once = velocity(*make_cuda_engine(precision), sa(4), x);
      for (int again = 0; again < 3; ++again)
        EXPECT_TRUE(same_bits(velocity(*make_cuda_engine(precision), sa(4), x), once)) << d;
    }
}

TEST_F(Cuda, SumsOfObservables) {
  const auto reference = make_reference_engine(), cuda = make_cuda_engine(Precision::f64);
  for (const int n : {1, 2, 7, 300, 5000})
    for (const int d : {2, 3, 5, 12})
      for (const bool pre : {false, true}) {
        HostSwarm x = random_sphere({n, d}, 6);
        weigh(x);
        Dynamics dynamics = sa(4);
        if (pre) dynamics.manifold = Manifold::space, dynamics.normalisation = LayerNorm::pre;
        for (int i = 0; i < n && pre; ++i)
          for (int k = 0; k < d; ++k) x.at(i, k) *= 0.5 + 0.1 * (i % 11);
        const auto wanted = reference->prepare(dynamics, x.shape());
        const auto field = cuda->prepare(dynamics, x.shape());
        const auto at = cuda->place(x);
        const ParticleSums a = field->particle_sums(*at, 1), b = wanted->particle_sums(x, 1);
        EXPECT_TRUE(a.measurable);
        EXPECT_NEAR(a.radius, b.radius, 1e-13);
        EXPECT_NEAR(a.norm_drift, b.norm_drift, 1e-15);
        for (int k = 0; k < d; ++k) EXPECT_NEAR(a.mean[k], b.mean[k], 1e-13);
        ASSERT_EQ(a.gram.rows, b.gram.rows);
        for (int r = 0; r < a.gram.rows; ++r)
          for (int c = 0; c <= r; ++c) EXPECT_NEAR(a.gram(r, c), b.gram(r, c), 1e-11);
        Matrix symmetric = random_matrix(d, d, 8);
        for (int r = 0; r < d; ++r)
          for (int c = 0; c < r; ++c) symmetric(r, c) = symmetric(c, r);
        for (const PairRequest& request :
             {PairRequest{.beta = 4, .anchor = 1, .threshold = 0.9},
              PairRequest{.directions = true, .threshold = 0.5},
              PairRequest{.matrix = symmetric, .beta = 0.5},
              PairRequest{.beta = 1, .sample = {.seed = 3, .max_exact = 100, .pairs = 20'000}}}) {
          const PairSums p = field->pair_sums(*at, request), q = wanted->pair_sums(x, request);
          EXPECT_EQ(p.pairs, q.pairs);
          EXPECT_NEAR(p.gibbs, q.gibbs, 1e-12 * std::abs(q.gibbs));
          if (n == 1) continue;
          EXPECT_NEAR(p.mean, q.mean, 1e-13);
          EXPECT_NEAR(p.min, q.min, 1e-14 * (1 + std::abs(q.min)));
          EXPECT_NEAR(p.max, q.max, 1e-14 * (1 + std::abs(q.max)));
          EXPECT_NEAR(p.close, q.close, 1e-13);
        }
      }
  HostSwarm bad = random_sphere({9, 3}, 1);
  bad.at(4, 1) = HUGE_VAL;
  const auto field = cuda->prepare(sa(1), bad.shape());
  EXPECT_FALSE(field->particle_sums(*cuda->place(bad), 1).measurable);
}

TEST_F(Cuda, NearestPair) {
  const auto reference = make_reference_engine(), cuda = make_cuda_engine(Precision::f64);
  for (const int n : {1, 2, 50, 3000}) {
    const HostSwarm x = random_sphere({n, 3}, 4);
    const auto wanted = reference->prepare(sa(1), x.shape());
    const auto field = cuda->prepare(sa(1), x.shape());
    const auto at = cuda->place(x);
    for (const double delta : {1e-6, 0.01, 0.3, 3.0}) {
      const ClosePair a = field->nearest_pair(*at, delta), b = wanted->nearest_pair(x, delta);
      EXPECT_EQ(a.i, b.i);
      EXPECT_EQ(a.j, b.j);
      EXPECT_NEAR(a.square, b.square, 1e-15);
    }
  }
}

// The moves of a flow one by one: the same draws, the same normalisations.
TEST_F(Cuda, MovesOfAFlow) {
  const auto reference = make_reference_engine(), cuda = make_cuda_engine(Precision::f64);
  for (const Manifold manifold : {Manifold::sphere, Manifold::space})
    for (const int d : {2, 3, 7}) {
      const Dynamics dynamics = dynamics_of(Attention{.beta = 2}, manifold);
      const HostSwarm x = random_sphere({500, d}, 1), along = random_sphere({500, d}, 2);
      const auto here = reference->prepare(dynamics, x.shape());
      const auto there = cuda->prepare(dynamics, x.shape());
      const auto at = cuda->place(x), push = cuda->place(along), to = cuda->place(x);
      HostSwarm y = x;
      const Term host_terms[] = {{0.3, &along}, {-0.1, &x}};
      const Term terms[] = {{0.3, push.get()}, {-0.1, at.get()}};
      here->retract(x, host_terms, y);
      there->retract(*at, terms, *to);
      EXPECT_LT(largest_difference(cuda->fetch(*to), y), 1e-15);
      const double wanted = here->error_norm(x, y, {1e-3, 1e-5});
      EXPECT_NEAR(there->error_norm(*at, *to, {1e-3, 1e-5}), wanted, 1e-12 * wanted);
      const NoiseStep step{.noise = 0.2, .h = 0.1, .random = {7, 3}, .moment = 5};
      here->noise_increment(step, x, y);
      there->noise_increment(step, *at, *to);
      EXPECT_LT(largest_difference(cuda->fetch(*to), y), 1e-14);
      here->diffuse(step, x, y);
      there->diffuse(step, *at, *to);
      EXPECT_LT(largest_difference(cuda->fetch(*to), y), 1e-14);
    }
}

TEST_F(Cuda, PerceptronsAgree) {
  const auto reference = make_reference_engine(), cuda = make_cuda_engine(Precision::f32);
  for (const auto activation : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
    for (const int d : {1, 3, 17, 64})
      for (const int h : {1, 8, 100}) {
        Perceptron p{
            .in = random_matrix(h, d, 1), .out = random_matrix(d, h, 2), .activation = activation};
        if (h > 1) p.in_bias = random_matrix(1, h, 3).data;
        if (d > 1) p.out_bias = random_matrix(1, d, 4).data;
        const HostSwarm x = random_sphere({130, d}, 5);
        const double most = size_of(p.out, d) * (size_of(p.in, d) + std::sqrt(h)) + 1;
        EXPECT_LT(largest_difference(drift(*cuda, dynamics_of(p), x),
                                     drift(*reference, dynamics_of(p), x)),
                  4e-15 * most);
      }
}

struct Flown {
  HostSwarm last{};
  std::size_t merges = 0;
};

Flown flown(Engine& engine, const Dynamics& dynamics, const HostSwarm& x,
            const FlowSettings& settings) {
  const auto field = engine.prepare(dynamics, x.shape());
  Flown result;
  FlowState state = start(x);
  FlowWatch watch;
  watch.merged = [&](const Merge&) { ++result.merges; };
  watch.frame = [&](double, const Frame& frame) { result.last = frame.host; };
  const Outcome outcome = advance({engine, *field, settings, {3, 1}}, {.T = 2}, state, watch);
  EXPECT_TRUE(outcome.ok());
  return result;
}

// Whole flows: every kind of method, noise, merging.
TEST_F(Cuda, FlowsAgree) {
  const auto reference = make_reference_engine(), cuda = make_cuda_engine(Precision::f64);
  for (const Method method :
       {Method::layers, Method::euler, Method::rk4, Method::strang, Method::dopri5})
    for (const double noise : {0.0, 0.05}) {
      if (noise > 0 && (method == Method::dopri5 || method == Method::rk4)) continue;
      Dynamics dynamics = sa(4);
      dynamics.noise = noise;
      const HostSwarm x = random_sphere({200, 3}, 9);
      const bool merging = noise == 0 && method != Method::dopri5;
      const FlowSettings settings{.method = method, .merge = merging ? 0.02 : 0};
      const Flown wanted = flown(*reference, dynamics, x, settings);
      const Flown got = flown(*cuda, dynamics, x, settings);
      EXPECT_EQ(got.merges, wanted.merges);
      EXPECT_EQ(wanted.merges > 0, merging);
      EXPECT_LT(largest_difference(got.last, wanted.last), method == Method::dopri5 ? 1e-8 : 1e-11);
    }
}

TEST_F(Cuda, ArcLength) {
  Dynamics dynamics = usa(9);
  dynamics.clock = Clock::u4;
  const HostSwarm x = random_sphere({300, 2}, 9);
  EXPECT_LT(largest_difference(velocity(*make_cuda_engine(Precision::f64), dynamics, x),
                               velocity(*make_reference_engine(), dynamics, x)),
            1e-13);
}

TEST_F(Cuda, RefusesWhatItHasNoKernelFor) {
  const auto cuda = make_cuda_engine(Precision::f64);
  EXPECT_TRUE(
      cuda->unsupported_reason(dynamics_of(Attention{.weighting = Attention::hard}), {4, 3}));
  EXPECT_TRUE(
      cuda->unsupported_reason(sa(1), {2'000'000'000, 3}));  // its memory is said before it starts
  EXPECT_FALSE(cuda->unsupported_reason(sa(1), {1000, 3}));
}

// What a flow takes of the GPU's memory is known without one, and grows with what is asked for.
TEST(CudaRoom, IsCountedBeforeAnythingIsDrawn) {
  constexpr std::size_t kAll = std::size_t{139} << 30;
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const GpuSums sums : {GpuSums::pairs, GpuSums::moments}) {
      EXPECT_FALSE(cuda::too_large({100'000'000, 3}, precision, sums, kAll));
      const auto reason = cuda::too_large({2'000'000'000, 3}, precision, sums, kAll);
      ASSERT_TRUE(reason);
      EXPECT_NE(reason->what.find("n = 2000000000 particles of d = 3 need"), std::string::npos);
      EXPECT_NE(reason->what.find("139.0 GiB are free"), std::string::npos);
      EXPECT_TRUE(cuda::too_large({1000, 3}, precision, sums, 1 << 20));
    }
  for (const int d : {2, 3, 4, 8, 200})
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      std::size_t before = 0;
      for (const int n : {1, 1000, 100'000, 1'000'000, 2'000'000'000}) {
        // Eighteen swarms, and at least targets and sums beside them.
        const std::size_t bytes = cuda::pair_bytes({n, d}, precision);
        EXPECT_GE(bytes, static_cast<std::size_t>(n) * d * 16);
        EXPECT_GE(cuda::swarm_bytes({n, d}), static_cast<std::size_t>(n) * d * 8);
        const std::size_t all = 18 * cuda::swarm_bytes({n, d}) + bytes;
        EXPECT_FALSE(cuda::too_large({n, d}, precision, GpuSums::pairs, all));
        EXPECT_TRUE(cuda::too_large({n, d}, precision, GpuSums::pairs, all - 1));
        EXPECT_GT(all, before);
        before = all;
      }
    }
}

// Swarms by the warp beside swarms by the lane: the same steps, the same readings.
TEST_F(Cuda, EnsemblesAgree) {
  for (const Shape shape : {Shape{32, 2}, {7, 3}, {50, 4}, {100, 3}})
    for (const Method method : {Method::layers, Method::euler, Method::rk4})
      for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
        const ReplicasSetting setting{
            .shape = shape,
            .beta = 3,
            .weighting = weighting,
            .clock = weighting == Attention::softmax ? Clock::u1 : Clock::u3,
            .method = method,
            .dt = 0.05,
            .pair_threshold = 0.9,
            .cluster_tol = 0.05};
        ASSERT_TRUE(gpu_replicas_know(setting));
        const ReplicasWork work{
            .first = 3, .count = 21, .times = {0, 0.5, 2}, .start = [&](std::int64_t r) {
              return random_sphere(shape, 40 + r);
            }};
        const ReplicasResult got = advance_replicas_on_gpu(setting, work);
        const ReplicasResult wanted = advance_replicas(setting, work);
        ASSERT_TRUE(got.outcome.ok());
        for (std::size_t r = 0; r < wanted.readings.size(); ++r) {
          const ReplicaReading &a = got.readings[r], &b = wanted.readings[r];
          EXPECT_NEAR(a.mean_cos, b.mean_cos, 1e-11);
          EXPECT_NEAR(a.order, b.order, 1e-11);
          EXPECT_NEAR(a.close_pairs, b.close_pairs, 1e-12);
          EXPECT_EQ(a.clusters, b.clusters);
        }
        for (std::size_t r = 0; r < wanted.last.size(); ++r)
          EXPECT_LT(largest_difference(got.last[r], wanted.last[r]), 1e-11);
      }
  EXPECT_FALSE(gpu_replicas_know({.shape = {32, 2}, .method = Method::dopri5}));
  EXPECT_FALSE(gpu_replicas_know({.shape = {32, 9}}));
}

// Sums through moments keep their promise, and say when they cannot.
TEST_F(Cuda, MomentsOnTheSphere) {
  const auto simd = make_simd_engine(Precision::f64, 0);
  for (const double beta : {0.5, 4.0, 9.0, -4.0, 40.0})
    for (const bool softmax : {true, false})
      for (const bool clustered : {false, true}) {
        HostSwarm x = random_sphere({3000, 3}, 2);
        if (clustered)
          for (int i = 0; i < x.n(); ++i) {
            x.at(i, 0) += 8;
            const double size = std::sqrt(dot(x, i, i));
            for (int k = 0; k < 3; ++k) x.at(i, k) /= size;
          }
        weigh(x);
        Dynamics dynamics = softmax ? sa(beta) : usa(beta);
        if (!softmax) dynamics.clock = Clock::u2;
        const HostSwarm wanted = drift(*simd, dynamics, x);
        for (const Precision precision : {Precision::f32, Precision::f64}) {
          const auto cuda = make_cuda_engine(precision, GpuSums::moments);
          const auto field = cuda->prepare(dynamics, x.shape());
          const auto at = cuda->place(x), a = cuda->place(x);
          field->drift(0, 0, *at, *a);
          const double promise =
              precision == Precision::f32 ? kGpuMomentsPromiseFloat : kGpuMomentsPromise;
          EXPECT_LE(field->error_bound()->worst, promise);
          EXPECT_LT(largest_difference(cuda->fetch(*a), wanted), 2 * promise)
              << "beta = " << beta << ", softmax " << softmax << ", clustered " << clustered;
        }
      }
}

// Queries and keys of any kind: each target has a length of its own.
TEST_F(Cuda, TargetsOfAnyLength) {
  const auto pairs = make_cuda_engine(Precision::f64);
  for (const double beta : {0.5, 2.0, 6.0, -3.0})
    for (const bool softmax : {true, false})
      for (const bool gathered : {false, true}) {
        HostSwarm x = random_sphere({20'000, 3}, 4);
        for (int i = 0; i < x.n() && gathered; ++i) {
          x.at(i, 1) += 4;
          const double size = std::sqrt(dot(x, i, i));
          for (int k = 0; k < 3; ++k) x.at(i, k) /= size;
        }
        weigh(x);
        Attention head{
            .beta = beta, .query = random_matrix(3, 3, 5), .key = random_matrix(3, 3, 6)};
        for (int k = 0; k < 3; ++k) head.query(k, k) += 2, head.key(k, k) += 2;
        if (!softmax) head.weighting = Attention::unnormalised;
        const Dynamics dynamics = dynamics_of(head);
        const HostSwarm wanted = drift(*pairs, dynamics, x);
        const auto cuda = make_cuda_engine(Precision::f64, GpuSums::moments);
        const auto field = cuda->prepare(dynamics, x.shape());
        const auto at = cuda->place(x), a = cuda->place(x);
        field->drift(0, 0, *at, *a);
        const ErrorBound& told = *field->error_bound();
        double largest = 0;
        for (int i = 0; i < x.n(); ++i) largest = std::max(largest, std::sqrt(dot(wanted, i, i)));
        EXPECT_LE(largest_difference(cuda->fetch(*a), wanted), (told.worst + 1e-13) * largest)
            << "beta = " << beta << ", softmax " << softmax << ", gathered " << gathered;
        EXPECT_LE(told.worst, kGpuMomentsPromise);
        if (std::abs(beta) < 1) {
          EXPECT_EQ(told.direct, 0) << "gathered " << gathered;
          EXPECT_GT(told.orders, 0);
        }
      }
}

// Beyond the series: transforms, for one length of u, also where the queries are turned.
TEST_F(Cuda, TransformsOnTheSphere) {
  const auto pairs = make_cuda_engine(Precision::f64);
  Matrix turn = scaled_identity(3, 1);
  turn(0, 0) = turn(1, 1) = 0.8, turn(0, 1) = 0.6, turn(1, 0) = -0.6;
  for (const int gathered : {0, 1, 2})
    for (const double beta : {4.0, 25.0, 100.0, -25.0, 300.0})
      for (const bool turned : {false, true}) {
        HostSwarm x = random_sphere({20'000, 3}, 2);
        for (int i = 0; i < x.n() && gathered > 0; ++i) {  // three heaps; or all at the poles
          for (int k = 0; k < 3; ++k) x.at(i, k) *= gathered == 1 ? 0.1 : 1e-6;
          x.at(i, gathered == 1 ? i % 3 : 2) += i % 2 == 0 ? 1 : -1;
          const double size = std::sqrt(dot(x, i, i));
          for (int k = 0; k < 3; ++k) x.at(i, k) /= size;
        }
        Attention head{.beta = beta};
        if (turned) head.query = turn;
        const Dynamics dynamics = dynamics_of(head);
        const HostSwarm wanted = drift(*pairs, dynamics, x);
        const auto cuda = make_cuda_engine(Precision::f64, GpuSums::moments);
        const auto field = cuda->prepare(dynamics, x.shape());
        const auto at = cuda->place(x), a = cuda->place(x);
        field->drift(0, 0, *at, *a);
        const HostSwarm once = cuda->fetch(*a);
        const ErrorBound& told = *field->error_bound();
        EXPECT_LE(largest_difference(once, wanted), told.worst + 1e-13)
            << "beta = " << beta << ", turned " << turned << ", gathered " << gathered;
        EXPECT_LE(told.worst, kGpuMomentsPromise);
        if (gathered != 1 && std::abs(beta) <= 100) {
          EXPECT_EQ(told.direct, 0) << beta << " " << turned << " " << gathered;
          EXPECT_GT(told.orders, 0);
        }
        field->drift(0, 0, *at, *a);
        EXPECT_TRUE(same_bits(cuda->fetch(*a), once));
      }
}

}  // namespace
}  // namespace murmur::testing
