// optimiser.cpp: turns gradients into updates of the parameters: AdamW, clipping, one-cycle rates.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "core/elementary.h"
#include "murmur/learn.h"

namespace murmur {

// AdamW (1711.05101), the decay multiplied by the rate:
//   m <- beta1 m + (1 - beta1) g,   s <- beta2 s + (1 - beta2) g^2,   u = updates so far + 1
//   p <- (1 - rate decay) p - rate m / (1 - beta1^u) / (sqrt(s / (1 - beta2^u)) + epsilon)
void Optimiser::update(std::span<float> parameters, std::span<const float> gradient) {
  assert(parameters.size() == gradient.size());
  momentum.resize(parameters.size());
  square.resize(parameters.size());
  ++updates;
  const auto past = static_cast<double>(updates);
  const double step = rate / (1 - elementary::pow(beta1, past));
  const double grow = 1 / (1 - elementary::pow(beta2, past));
  for (std::size_t e = 0; e < parameters.size(); ++e) {
    const double g = gradient[e];
    const double m = beta1 * momentum[e] + (1 - beta1) * g;
    const double s = beta2 * square[e] + (1 - beta2) * g * g;
    momentum[e] = static_cast<float>(m);
    square[e] = static_cast<float>(s);
    parameters[e] = static_cast<float>((1 - rate * decay) * parameters[e] -
                                       step * m / (std::sqrt(s * grow) + epsilon));
  }
}

double clip(std::span<float> gradient, double most) {
  double sum = 0;
  for (const float g : gradient) sum += static_cast<double>(g) * g;
  const double length = std::sqrt(sum);
  if (most > 0 && length > most)
    for (float& g : gradient) g = static_cast<float>(g * (most / length));
  return length;
}

//   rate(u) = a + (b - a) (1 - cos(pi s)) / 2,  s the share of the rise, or of the fall, that is
//   done
// The rise ends at update `warm` updates - 1, the fall at the last (1708.07120).
double one_cycle(std::int64_t update, std::int64_t updates, double peak, double warm) {
  const double last = std::max<double>(1, static_cast<double>(updates) - 1);
  const double top = std::clamp(warm * static_cast<double>(updates) - 1, 0.0, last);
  const double now = std::clamp(static_cast<double>(update), 0.0, last);
  const auto between = [](double from, double to, double share) {
    return from + (to - from) * (1 - elementary::cos(std::numbers::pi * share)) / 2;
  };
  if (now < top) return between(peak / 25, peak, now / top);
  return top < last ? between(peak, peak / 1e5, (now - top) / (last - top)) : peak;
}

}  // namespace murmur
