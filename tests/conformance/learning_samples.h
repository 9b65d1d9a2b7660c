// learning_samples.h: samples to learn from, and what an Adjoint must say of them to be right.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "murmur/learn.h"
#include "murmur/random.h"

namespace murmur::testing {

struct Samples {
  std::vector<float> x, y, shift;
  std::vector<std::size_t> first{0}, chosen;
  std::vector<int> label, word, asked;

  // Words in place of points where there is a vocabulary.
  Batch batch(const Architecture& a) const {
    Batch b = batch();
    if (a.vocabulary > 0) b.x = b.y = b.shift = {}, b.word = word;
    b.asked = asked;
    return b;
  }
  Batch batch() const { return {x, y, first, label, chosen, shift, 5, 11}; }
};
inline constexpr int kWords = 23;

// What an Adjoint is asked to learn; the name tells cases apart.
struct AdjointCase {
  std::string name;
  Architecture architecture;
  Objective objective{};
};

inline void PrintTo(const AdjointCase& c, std::ostream* out) { *out << c.name; }

// Samples of every size that a kernel's tiles treat apart, in a scrambled order.
inline Samples some_samples(int classes) {
  Samples f;
  const int sizes[] = {1, 7, 16, 17, 98, 33, 64, 2, 49, 80, 120, 5};
  std::uint32_t number = 0;
  for (const int size : sizes) {
    for (int i = 0; i < size; ++i, ++number) {
      const Draw draw{3, Stream::position, number};
      f.x.push_back(static_cast<float>(20 * draw.uniform(0) - 10));
      f.y.push_back(static_cast<float>(20 * draw.uniform(1) - 10));
      f.word.push_back(static_cast<int>(kWords * draw.uniform(2)));
    }
    f.first.push_back(f.x.size());
    f.label.push_back(static_cast<int>(f.label.size()) % classes);
    f.asked.push_back(size / 3);
  }
  for (std::size_t k = 0; k < std::size(sizes); ++k) {
    f.chosen.push_back(k * 5 % std::size(sizes));
    f.shift.push_back(0.25f * static_cast<float>(k % 3));
    f.shift.push_back(-0.5f * static_cast<float>(k % 2));
  }
  return f;
}

inline double length(std::span<const double> a) {
  double square = 0;
  for (const double v : a) square += v * v;
  return std::sqrt(square);
}

inline double error_norm(std::span<const float> a, std::span<const double> b) {
  std::vector<double> difference(b.size());
  for (std::size_t k = 0; k < b.size(); ++k) difference[k] = a[k] - b[k];
  return length(difference);
}

// Loss, gradient and readout are those of the plain loops; of each tensor's gradient within
// `tolerance` of its length.
inline void expect_as_defined(Adjoint& adjoint, const Architecture& a, const Objective& objective,
                              const Samples& samples, double tolerance) {
  const std::vector<float> parameters = initial_parameters(a, 1);
  const std::vector<double> doubles(parameters.begin(), parameters.end());
  std::vector<double> expected(parameters.size()), places(samples.chosen.size() * a.d);
  std::vector<float> gradient(parameters.size()), readout(places.size());
  const BatchResult plain = reference_backward(a, doubles, samples.batch(a), objective, expected);
  const BatchResult fast = adjoint.backward(parameters, samples.batch(a), objective, gradient);
  EXPECT_NEAR(fast.loss, plain.loss, 2e-6 * std::fabs(plain.loss));
  EXPECT_EQ(fast.correct, plain.correct);
  double before = 0;  // length of the tensor before: of the key, at its bias
  for (const TensorPlace& t : layout(a)) {
    const std::span<const double> e(expected.data() + t.offset, t.size());
    const std::span<const float> g(gradient.data() + t.offset, t.size());
    // b_K adds <q_i, b_K> to every score of row i, which the softmax does not see, unless keys are
    // turned by their places.
    const bool unseen = t.name.ends_with("key_bias") && !a.rotary;
    if (unseen) {
      EXPECT_LT(length(e), 1e-12 * before);
    }
    EXPECT_LT(error_norm(g, e), tolerance * (unseen ? before : length(e))) << t.name;
    before = length(e);
  }
  reference_forward(a, doubles, samples.batch(a), places);
  adjoint.forward(parameters, samples.batch(a), readout);
  EXPECT_LT(error_norm(readout, places), 1e-6 * length(places));
}

}  // namespace murmur::testing
