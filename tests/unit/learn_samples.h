// learn_samples.h: small samples, architectures and parameters for the tests of the learning swarm.
#pragma once

#include <cmath>
#include <vector>

#include "murmur/learn.h"
#include "murmur/random.h"

namespace murmur::testing {

// Samples of given sizes, spread over a box, labelled in turn; all of them chosen, each shifted.
struct Samples {
  std::vector<float> x{}, y{}, shift{};
  std::vector<std::size_t> first{0}, chosen{};
  std::vector<int> label{}, word{}, asked{};  // words repeat within a sample

  explicit Samples(const std::vector<int>& sizes, int classes = 2, double half_width = 2) {
    for (const int size : sizes) {
      for (int i = 0; i < size; ++i) {
        const Draw who{.seed = 77, .particle = static_cast<std::uint32_t>(x.size())};
        x.push_back(static_cast<float>(half_width * (2 * who.uniform(0) - 1)));
        y.push_back(static_cast<float>(half_width * (2 * who.uniform(1) - 1)));
        word.push_back(i * i % kWords);
      }
      asked.push_back(size / 2);
      chosen.push_back(label.size());
      label.push_back(static_cast<int>(label.size()) % classes);
      first.push_back(x.size());
      shift.push_back(0.25F * static_cast<float>(label.size()));
      shift.push_back(-0.125F);
    }
  }
  static constexpr int kWords = 5;

  // Of an architecture with a vocabulary: words in place of points, which are not shifted.
  Batch batch(const Architecture& a) const {
    Batch b = batch();
    if (a.vocabulary > 0) b.x = b.y = b.shift = {}, b.word = word;
    b.asked = asked;
    return b;
  }
  Batch batch() const {
    return {.x = x,
            .y = y,
            .first = first,
            .label = label,
            .chosen = chosen,
            .shift = shift,
            .seed = 5,
            .update = 3};
  }
};

// The initial parameters, with what starts at zero moved away from it.
inline std::vector<double> lively_parameters(const Architecture& a, std::uint64_t seed) {
  const std::vector<float> start = initial_parameters(a, seed);
  std::vector<double> parameters(start.begin(), start.end());
  for (std::size_t e = 0; e < parameters.size(); ++e)
    if (parameters[e] == 0)
      parameters[e] =
          Draw{.seed = seed, .stream = Stream::query, .particle = static_cast<std::uint32_t>(e)}
              .uniform(0) -
          0.5;
  return parameters;
}

template <class T>
double norm(const std::vector<T>& v, std::size_t from, std::size_t size) {
  double square = 0;
  for (std::size_t e = from; e < from + size; ++e) square += static_cast<double>(v[e]) * v[e];
  return std::sqrt(square);
}

// Holds a gradient to central differences of `loss`, tensor by tensor: |difference| within 1e-6 of
// the tensor's length, or 1e-9 of the whole gradient's where the tensor has none (key_bias).
template <class Loss>
void expect_central_differences(const std::vector<TensorPlace>& places,
                                std::vector<double> parameters, const std::vector<double>& gradient,
                                const Loss& loss) {
  const double h = 1e-5, whole = norm(gradient, 0, gradient.size());
  ASSERT_GT(whole, 0);
  for (const TensorPlace& place : places) {
    double square = 0;
    for (std::size_t e = place.offset; e < place.offset + place.size(); ++e) {
      const double here = parameters[e];
      parameters[e] = here + h;
      const double above = loss(parameters);
      parameters[e] = here - h;
      const double below = loss(parameters);
      parameters[e] = here;
      const double apart = (above - below) / (2 * h) - gradient[e];
      square += apart * apart;
    }
    const double length = norm(gradient, place.offset, place.size());
    EXPECT_LE(std::sqrt(square), 1e-6 * length + 1e-9 * whole) << place.name;
  }
}

}  // namespace murmur::testing
