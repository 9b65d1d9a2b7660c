// gradient_test.cpp: gradients of the engine of vector kernels against those of the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gradient_support.h"

namespace murmur::testing {
namespace {

// Of every array relative to its largest entry: sums in another order, through some ten steps.
constexpr double kWithin = 1e-11;

FlowGradient gradient_on(Engine& engine, const GradientCase& c) {
  const auto field = engine.prepare(c.dynamics, c.x.shape());
  const RecordedFlow recorded({engine, *field, c.settings}, c.schedule, c.x);
  return gradient(recorded, drawn_loss).gradient;
}

Mismatch between(const FlowGradient& found, const FlowGradient& wanted, int d) {
  Comparison comparison;
  Dynamics left = found.dynamics, right = wanted.dynamics;
  const auto of_found = parameter_spans(left, d), of_wanted = parameter_spans(right, d);
  for (std::size_t p = 0; p < of_found.size(); ++p)
    comparison.add(of_found[p].name, of_found[p].values,
                   {of_wanted[p].values.begin(), of_wanted[p].values.end()});
  comparison.add("start", to_rows(found.start), to_rows(wanted.start));
  comparison.add("mass", found.mass, wanted.mass);
  return comparison.result();
}

Attention drawn_head(std::uint64_t seed, int d, int k) {
  Attention a{.beta = 1.3};
  a.query = random_matrix(k, d, seed, 1 / std::sqrt(d));
  a.key = random_matrix(k, d, seed + 1, 1 / std::sqrt(d));
  a.value = random_matrix(d, d, seed + 2, 1 / std::sqrt(d));
  a.query_bias = random_matrix(k, 1, seed + 3, 0.3).data;
  a.key_bias = random_matrix(k, 1, seed + 4, 0.3).data;
  a.value_bias = random_matrix(d, 1, seed + 5, 0.3).data;
  return a;
}

GradientCase case_of(const Dynamics& dynamics, Shape shape, Method method = Method::euler) {
  GradientCase c{.name = "", .dynamics = dynamics, .x = random_sphere(shape, 8)};
  for (int i = 0; i < shape.n; ++i) c.x.mass[i] *= 0.5 + (i % 3) / 2.0;
  c.settings = {.method = method, .dt = 0.1, .tolerance = {1e-5, 1e-6}};
  c.schedule = {.T = 0.3, .every = 0.1};
  return c;
}

void expect_the_reference(const GradientCase& c, double within = kWithin) {
  const auto reference = make_reference_engine();
  const auto simd = make_simd_engine(Precision::f64, 2);
  const Mismatch off = between(gradient_on(*simd, c), gradient_on(*reference, c), c.x.d());
  EXPECT_LE(off.worst, within) << off.where;
}

TEST(SimdGradient, AgreesInEverySizeDimensionAndMask) {
  for (const int n : {1, 7, 8, 9, 65, 200})
    for (const int d : {2, 3, 5})
      for (const auto mask : {Attention::none, Attention::causal})
        for (const bool self : {true, false})
          for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
            SCOPED_TRACE(fmt::format("n {} d {} mask {} self {} weighting {}", n, d,
                                     static_cast<int>(mask), self, static_cast<int>(weighting)));
            Attention head = drawn_head(3, d, d == 5 ? 2 : d);
            head.mask = mask, head.self = self, head.weighting = weighting;
            head.relative = d == 3;
            expect_the_reference(case_of(dynamics_of(head), {n, d}));
          }
}

TEST(SimdGradient, AgreesForClocksHeadsPerceptronsAndMethods) {
  for (const auto clock : {Clock::u1, Clock::u2, Clock::u3, Clock::u4}) {
    Attention head = drawn_head(13, 3, 2);
    head.weighting = Attention::unnormalised;
    Dynamics dynamics = dynamics_of(head);
    dynamics.clock = clock;
    expect_the_reference(case_of(dynamics, {33, 3}));
  }
  const Perceptron p{.in = random_matrix(6, 9, 5, 0.4),
                     .in_bias = random_matrix(6, 1, 6, 0.3).data,
                     .out = random_matrix(9, 6, 7, 0.4),
                     .activation = Perceptron::gelu};
  for (const auto method : {Method::layers, Method::rk4, Method::dopri5})
    for (const auto manifold : {Manifold::sphere, Manifold::space}) {
      Dynamics dynamics{.manifold = manifold,
                        .sublayers = {{{drawn_head(23, 9, 2), drawn_head(33, 9, 9)}}, {{p}}}};
      GradientCase c = case_of(dynamics, {40, 9}, method);
      // The steps of an adaptive method answer to rounding in their lengths.
      expect_the_reference(c, method == Method::dopri5 ? 1e-6 : kWithin);
    }
}

// Scores beyond what a bound by lengths allows, and particles without mass.
TEST(SimdGradient, AgreesForSharpHeadsAndEmptyMasses) {
  for (const double beta : {30.0, 400.0, 3000.0}) {
    GradientCase c = case_of(sa(beta), {70, 3});
    c.settings.dt = 1e-3, c.schedule = {.T = 3e-3};
    for (int i = 0; i < c.x.n(); i += 9) c.x.mass[i] = 0;
    SCOPED_TRACE(beta);
    const auto reference = make_reference_engine();
    const auto simd = make_simd_engine(Precision::f64, 2);
    FlowGradient found = gradient_on(*simd, c), wanted = gradient_on(*reference, c);
    for (int i = 0; i < c.x.n(); i += 9) found.mass[i] = wanted.mass[i] = 0;  // up to e^beta
    const Mismatch off = between(found, wanted, 3);
    EXPECT_LE(off.worst, 1e-9) << off.where;  // scores are rounded to beta times 1e-16
  }
}

TEST(SimdGradient, HasTheSameBitsForAnyNumberOfThreads) {
  GradientCase c = case_of({.sublayers = {{{drawn_head(43, 4, 4), drawn_head(53, 4, 1)}}}},
                           {700, 4}, Method::rk4);
  c.schedule = {.T = 0.1};
  const auto one = make_simd_engine(Precision::f64, 1);
  const FlowGradient first = gradient_on(*one, c);
  for (const int threads : {2, 3, 8}) {
    const auto engine = make_simd_engine(Precision::f64, threads);
    EXPECT_EQ(between(gradient_on(*engine, c), first, 4).worst, 0) << threads;
  }
}

// In single precision the trajectory is another one by some 1e-7; its adjoint is in double.
TEST(SimdGradient, SinglePrecisionFliesInFloatAndComesBackInDouble) {
  const GradientCase c = case_of(dynamics_of(drawn_head(63, 3, 3)), {300, 3});
  const auto reference = make_reference_engine();
  const auto simd = make_simd_engine(Precision::f32, 1);
  const Mismatch off = between(gradient_on(*simd, c), gradient_on(*reference, c), 3);
  EXPECT_LE(off.worst, 1e-5) << off.where;
  EXPECT_GT(off.worst, 0);
}

}  // namespace
}  // namespace murmur::testing
