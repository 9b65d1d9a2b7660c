// cuda.cpp: how fast the engine on the GPU computes velocities, each beside the limit that it has.
#include "engine/cuda/cuda.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/timed.h"
#include "ensemble/cuda/replicas.h"
#include "murmur/dynamics.h"
#include "murmur/random.h"

namespace murmur {
namespace {

HostSwarm random_sphere(Shape shape) {
  HostSwarm x(shape);
  for (int i = 0; i < x.n(); ++i) {
    const Draw who{.seed = 1, .particle = static_cast<std::uint32_t>(i)};
    double square = 0;
    for (int k = 0; k < x.d(); ++k) {
      x.at(i, k) = who.normal(static_cast<std::uint16_t>(k));
      square += x.at(i, k) * x.at(i, k);
    }
    for (int k = 0; k < x.d(); ++k) x.at(i, k) /= std::sqrt(square);
  }
  return x;
}

// A rotation of the first two axes: scores are no longer symmetric.
Matrix turn(int d) {
  Matrix m = scaled_identity(d, 1);
  m(0, 0) = m(1, 1) = 0.8;
  m(0, 1) = 0.6, m(1, 0) = -0.6;
  return m;
}

struct Timed {
  double best, middle;  // seconds
};

Timed time(Field& field, const Swarm& x, Swarm& v, int repetitions) {
  std::vector<double> seconds;
  for (int turn = -2; turn < repetitions; ++turn) {
    const double took = timed_seconds(
        field, [] { return seconds_of(CLOCK_MONOTONIC); }, [&] { field.velocity(0, x, v); });
    if (turn >= 0) seconds.push_back(took);
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

double difference(const HostSwarm& a, const HostSwarm& b) {
  double most = 0;
  for (int i = 0; i < a.n(); ++i)
    for (int k = 0; k < a.d(); ++k) most = std::max(most, std::fabs(a.at(i, k) - b.at(i, k)));
  return most;
}

void row(Shape shape, Precision precision, bool symmetric, double beta, int repetitions) {
  const HostSwarm x = random_sphere(shape);
  Dynamics dynamics;
  Attention head{.beta = beta};
  if (!symmetric) head.query = turn(shape.d);
  dynamics.sublayers = {{{head}}};
  const auto engine = make_cuda_engine(precision);
  const auto field = engine->prepare(dynamics, shape);
  const auto at = engine->place(x), v = engine->place(x);
  const Timed t = time(*field, *at, *v, repetitions);
  const double pairs = static_cast<double>(shape.n) * shape.n;
  double off = NAN;
  if (precision == Precision::f32 && pairs * shape.d < 2e13) {
    const auto exact = make_cuda_engine(Precision::f64);
    const auto exact_field = exact->prepare(dynamics, shape);
    const auto w = exact->place(x);
    exact_field->velocity(0, *exact->place(x), *w);
    off = difference(engine->fetch(*v), exact->fetch(*w));
  }
  std::printf("%9d %5d  %s  %-9s %5g  %9.3f  %8.1f  %8.1f  %.1e\n", shape.n, shape.d,
              precision == Precision::f32 ? "f32" : "f64", symmetric ? "symmetric" : "plain", beta,
              t.best * 1e3, pairs / t.best * 1e-9, pairs / t.middle * 1e-9, off);
  std::fflush(stdout);
}

// Lengths of Q x differ by a factor of four.
Matrix stretch() {
  Matrix m = turn(3);
  m(2, 2) = 0.25;
  return m;
}

// A velocity of many particles on S^2 through their moments.
void moments_row(int n, double beta, Precision precision, const Matrix& query = {}) {
  HostSwarm x({n, 3});
  std::uint64_t state = 1;
  const auto uniform = [&] {  // Steele, Lea, Flood: splitmix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  };
  for (int i = 0; i < n; ++i) {
    const double z = 2 * uniform() - 1, angle = 6.283185307179586 * uniform();
    x.at(i, 0) = std::sqrt(1 - z * z) * std::cos(angle);
    x.at(i, 1) = std::sqrt(1 - z * z) * std::sin(angle);
    x.at(i, 2) = z;
  }
  Dynamics dynamics;
  dynamics.sublayers = {{{Attention{.beta = beta, .query = query}}}};
  const auto engine = make_cuda_engine(precision, GpuSums::moments);
  const auto field = engine->prepare(dynamics, x.shape());
  const auto at = engine->place(x), v = engine->place(x);
  const Timed t = time(*field, *at, *v, 3);
  std::printf("%9d     3  %s  %s %5g  %9.3f  degree %d, error below %.1e", n,
              precision == Precision::f32 ? "f32" : "f64",
              query.data.empty() ? "moments  " : "lengths  ", beta, t.best * 1e3,
              field->error_bound()->orders, field->error_bound()->worst);
  if (field->error_bound()->direct > 0) std::printf(", pair by pair");
  if (n <= 1'048'576) {
    const auto exact = make_cuda_engine(Precision::f64);
    const auto exact_field = exact->prepare(dynamics, x.shape());
    const auto w = exact->place(x);
    exact_field->velocity(0, *exact->place(x), *w);
    std::printf(", found %.1e", difference(engine->fetch(*v), exact->fetch(*w)));
  }
  std::printf("\n");
  std::fflush(stdout);
}

// A step of 1024 swarms of 32 tokens: seconds of two trajectories, one longer than the other.
void ensemble_row(Shape shape, Method method) {
  ReplicasSetting setting{.shape = shape, .beta = 4, .method = method, .dt = 1e-3};
  const auto seconds = [&](int steps) {
    const ReplicasWork work{.count = 1024,
                            .times = {steps * setting.dt},
                            .start = [&](std::int64_t) { return random_sphere(shape); },
                            .keep_last = false};
    double best = INFINITY;
    for (int turn = 0; turn < 3; ++turn) {
      const auto start = std::chrono::steady_clock::now();
      advance_replicas_on_gpu(setting, work);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      best = std::min(best, took.count());
    }
    return best;
  };
  const double step = (seconds(41'000) - seconds(1000)) / 40'000;
  std::printf("1024 swarms, n = %d, d = %d, %s: %.2f us a step\n", shape.n, shape.d,
              method == Method::layers ? "layers" : "rk4", step * 1e6);
  std::fflush(stdout);
}

}  // namespace
}  // namespace murmur

// With a word, only a few rows: for a profiler.
int main(int argc, char**) {
  using murmur::Precision;
  if (argc > 1) {
    murmur::row({262'144, 3}, Precision::f32, true, 4, 1);
    murmur::moments_row(1'000'000, 4, Precision::f64, murmur::stretch());
    murmur::ensemble_row({32, 2}, murmur::Method::layers);
    return 0;
  }
  std::printf("%s\n", murmur::gpu_name().c_str());
  std::printf("        n     d       scores     beta   ms (best)  Gpairs/s  (median)  error\n");
  murmur::moments_row(262'144, 4, Precision::f64);
  murmur::moments_row(262'144, 9, Precision::f64);
  murmur::moments_row(262'144, 4, Precision::f32);
  for (const double beta : {25.0, 100.0}) murmur::moments_row(1'000'000, beta, Precision::f64);
  for (const int n : {1'000'000, 100'000'000})
    murmur::moments_row(n, 4, Precision::f64, murmur::stretch());
  murmur::moments_row(100'000'000, 100, Precision::f64);
  murmur::moments_row(100'000'000, 4, Precision::f32);
  murmur::moments_row(100'000'000, 4, Precision::f64);
  murmur::ensemble_row({32, 2}, murmur::Method::layers);
  murmur::ensemble_row({32, 2}, murmur::Method::rk4);
  murmur::ensemble_row({32, 3}, murmur::Method::layers);
  murmur::ensemble_row({128, 3}, murmur::Method::layers);
  for (const int d : {2, 3, 4})
    for (const bool symmetric : {false, true})
      murmur::row({262'144, d}, Precision::f32, symmetric, 4, 7);
  murmur::row({262'144, 3}, Precision::f32, true, 100, 3);
  for (const int n : {16'384, 65'536, 1'048'576})
    for (const bool symmetric : {false, true})
      murmur::row({n, 3}, Precision::f32, symmetric, 4, n > 500'000 ? 2 : 7);
  for (const bool symmetric : {false, true})
    murmur::row({65'536, 3}, Precision::f64, symmetric, 4, 5);
  murmur::row({65'536, 3}, Precision::f64, true, 1000, 3);
  for (const int d : {8, 16, 32, 64, 128, 256, 1024})
    murmur::row({65'536, d}, Precision::f32, true, 4, 3);
  for (const int d : {8, 64, 1024}) murmur::row({16'384, d}, Precision::f64, true, 4, 3);
  return 0;
}
