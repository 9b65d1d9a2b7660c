// contenders.h: every engine that must agree with the reference, and how closely.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "engine/cuda/cuda.h"
#include "support.h"

namespace murmur::testing {

// The vector engine on one instruction set, or the engine on the GPU.
struct Contender {
  Precision precision;
  std::int64_t target;  // of Highway; 0: the GPU

  bool on_gpu() const { return target == 0; }
  std::string name() const {
    return std::string(precision == Precision::f32 ? "f32 " : "f64 ") +
           (on_gpu() ? "cuda" : hwy::TargetName(target));
  }
  std::unique_ptr<Engine> engine(int threads) const {
    return on_gpu() ? make_cuda_engine(precision) : make_simd_engine(precision, threads);
  }
};

// Dispatches to one instruction set while it lives.
class OnTarget {
 public:
  explicit OnTarget(std::int64_t target) { choose(target); }
  ~OnTarget() { choose(0); }
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;

 private:
  static void choose([[maybe_unused]] std::int64_t target) {
#ifndef HWY_COMPILE_ONLY_STATIC
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
#endif
  }
};

// Without Highway's library there is one instruction set, and nothing to choose.
inline std::vector<std::int64_t> compiled_targets() {
#ifdef HWY_COMPILE_ONLY_STATIC
  return {HWY_STATIC_TARGET};
#else
  std::vector<std::int64_t> targets;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1)
    targets.push_back(left & -left);
  return targets;
#endif
}

inline std::vector<Contender> contenders() {
  std::vector<Contender> all;
  for (const std::int64_t target : compiled_targets())
    for (const Precision precision : {Precision::f32, Precision::f64})
      all.push_back({precision, target});
  if (!gpu_name().empty())
    for (const Precision precision : {Precision::f32, Precision::f64})
      all.push_back({precision, 0});
  return all;
}

// The one place of tolerances, relative to what the messages of a row weigh together. A score s is
// known to |s| ulp at best, in both engines, and its exponential then to that much.
inline double tolerance(Precision precision, double largest_score) {
  return precision == Precision::f64 ? 1e-15 * (8 + largest_score) : 2e-6;
}

inline double length(const double* v, std::size_t n) {
  double square = 0;
  for (std::size_t k = 0; k < n; ++k) square += v[k] * v[k];
  return std::sqrt(square);
}

inline double farthest(const HostSwarm& x) {
  double most = 0;
  for (int i = 0; i < x.n(); ++i) most = std::max(most, std::sqrt(dot(x, i, i)));
  return most;
}

inline double size_of(const Matrix& m, int d) {  // Frobenius
  return m.empty() ? std::sqrt(static_cast<double>(d)) : length(m.data.data(), m.data.size());
}

// |beta| max_i |Q x_i + b_Q| max_j |K x_j + b_K|, or a little more.
inline double largest_score(const Attention& a, const HostSwarm& x) {
  const double far = farthest(x);
  const auto reach = [&](const Matrix& m, const Vector& bias) {
    return (m.empty() ? 1 : size_of(m, x.d())) * far + length(bias.data(), bias.size());
  };
  return std::abs(a.beta) * reach(a.query, a.query_bias) * reach(a.key, a.key_bias);
}

inline HostSwarm drift(Engine& engine, const Dynamics& dynamics, const HostSwarm& x) {
  const auto field = engine.prepare(dynamics, x.shape());
  const auto at = engine.place(x), a = engine.place(x);
  field->drift(0, 0, *at, *a);
  return engine.fetch(*a);
}

// (n) what the messages that reach particle i weigh together: the drift of the same head with
// messages of length 1 (softmax: 1), times the largest message.
inline std::vector<double> message_sizes(const Dynamics& dynamics, const HostSwarm& x) {
  std::vector<double> sizes(x.n());
  const auto reference = make_reference_engine();
  for (const Force& force : dynamics.sublayers[0].forces) {
    const auto* a = std::get_if<Attention>(&force);
    if (!a) continue;
    const double message = size_of(a->value, x.d()) * farthest(x) * (a->relative ? 2 : 1) +
                           length(a->value_bias.data(), a->value_bias.size());
    Attention unit = *a;
    unit.value = zeros(x.d(), x.d());
    unit.value_bias.assign(x.d(), 0.0);
    unit.value_bias[0] = 1;
    Dynamics one = dynamics;
    one.sublayers = {{{unit}}};
    const HostSwarm weight = drift(*reference, one, x);
    for (int i = 0; i < x.n(); ++i) sizes[i] += std::abs(weight.at(i, 0)) * message;
  }
  return sizes;
}

// Largest |got_ik - wanted_ik| / size_i; infinite where only one of two rows is finite.
inline double disagreement(const HostSwarm& got, const HostSwarm& wanted,
                           const std::vector<double>& size) {
  double most = 0;
  for (int i = 0; i < got.n(); ++i) {
    bool got_finite = true, wanted_finite = true;
    double apart = 0;  // largest, as a square could overflow
    for (int k = 0; k < got.d(); ++k) {
      got_finite = got_finite && std::isfinite(got.at(i, k));
      wanted_finite = wanted_finite && std::isfinite(wanted.at(i, k));
      apart = std::max(apart, std::abs(got.at(i, k) - wanted.at(i, k)));
    }
    if (got_finite != wanted_finite) return HUGE_VAL;
    if (wanted_finite && apart > 0) most = std::max(most, apart / size[i]);
  }
  return most;
}

// Holds every contender to the reference at x, for one phase of attention heads.
inline void expect_agreement(const Dynamics& dynamics, const HostSwarm& x) {
  const auto reference = make_reference_engine();
  const HostSwarm wanted = drift(*reference, dynamics, x);
  const std::vector<double> size = message_sizes(dynamics, x);
  double score = 0;
  for (const Force& force : dynamics.sublayers[0].forces)
    if (const auto* a = std::get_if<Attention>(&force))
      score = std::max(score, largest_score(*a, x));
  for (const Contender& contender : contenders()) {
    const OnTarget on(contender.target);
    const auto engine = contender.engine(2);
    const double got = disagreement(drift(*engine, dynamics, x), wanted, size);
    EXPECT_LE(got, tolerance(contender.precision, score)) << contender.name();
  }
}

}  // namespace murmur::testing
