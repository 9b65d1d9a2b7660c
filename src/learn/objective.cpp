// objective.cpp: losses of one sample's outputs, dropout masks, and the optimiser's updates.
#include "learn/objective.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "core/elementary.h"
#include "murmur/learn.h"
#include "murmur/random.h"

namespace murmur {

void read_out(const Architecture& a, const Tokens& x, int read, float* readout) {
  for (int k = 0; k < a.d; ++k) {
    if (read >= 0) {
      readout[k] = x(read, k);
      continue;
    }
    double sum = 0;
    for (int i = 0; i < x.n; ++i) sum += x(i, k);
    readout[k] = static_cast<float>(sum / x.n);
  }
}

namespace {

//   -sum_c y_c log p_c,  p = softmax(score),  y = (1 - smoothing) at the label + smoothing /
//   classes
double cross_entropy(const Objective& objective, int label, const std::vector<double>& score,
                     std::vector<double>& dscore) {
  const double peak = *std::max_element(score.begin(), score.end());
  const auto classes = static_cast<double>(score.size());
  double sum = 0;
  for (const double s : score) sum += std::exp(s - peak);
  double loss = 0;
  for (std::size_t c = 0; c < score.size(); ++c) {
    const double log_p = score[c] - peak - std::log(sum);
    const double y = (static_cast<int>(c) == label ? 1 - objective.smoothing : 0.0) +
                     objective.smoothing / classes;
    loss -= y * log_p;
    dscore[c] = std::exp(log_p) - y;
  }
  return loss;
}

// The gradient of a sample classified with near certainty is so small that backward would compute
// with subnormal numbers, which are up to a hundred times slower on some processors. Smaller
// gradients are set to 0.
float without_subnormal(double gradient) {
  return std::fabs(gradient) < 1e-20 ? 0.0f : static_cast<float>(gradient);
}

// The gradient at the readout, distributed to the tokens that it is computed from.
void readout_backward(const std::vector<double>& dm, int read, const Tokens& dx) {
  for (int k = 0; k < dx.d; ++k)
    for (int i = 0; i < dx.n; ++i)
      dx(i, k) = without_subnormal(read >= 0 ? (i == read ? dm[k] : 0.0) : dm[k] / dx.n);
}

// The sum of weight |x_i - t| over the tokens of the readout.
double target_distance(const Architecture& a, const LossInput& input, double weight,
                       const Tokens& x, const Tokens& dx) {
  const int read = input.read, label = input.label;
  double loss = 0;
  for (int i = 0; i < x.n; ++i) {
    const double share = read >= 0 && i != read ? 0.0 : weight;
    double square = 0;
    for (int k = 0; k < a.d; ++k) {
      const double gap = x(i, k) - a.targets(label, k);
      square += gap * gap;
    }
    const double distance = std::sqrt(square);
    loss += share * distance;
    for (int k = 0; k < a.d; ++k)
      dx(i, k) = distance > 0
                     ? static_cast<float>(share * (x(i, k) - a.targets(label, k)) / distance)
                     : 0.0f;
  }
  return loss;
}

}  // namespace

SampleLoss sample_loss(const Architecture& a, const Objective& objective, const LossInput& input,
                       const Tokens& x, const Tokens& dx) {
  std::vector<float> m(a.d);
  read_out(a, x, input.read, m.data());
  const std::vector<double> score = scores(a, std::vector<double>(m.begin(), m.end()));
  SampleLoss result;
  result.correct = std::max_element(score.begin(), score.end()) - score.begin() == input.label;
  const auto batch = static_cast<double>(input.batch);
  if (objective.loss == Objective::target) {
    const double tokens = input.read >= 0    ? 1.0
                          : objective.padded ? static_cast<double>(input.longest)
                                             : static_cast<double>(x.n);
    result.loss = target_distance(a, input, 1 / (batch * tokens), x, dx);
    return result;
  }
  std::vector<double> dscore(score.size()), dm(a.d);
  result.loss = cross_entropy(objective, input.label, score, dscore) / batch;
  for (std::size_t c = 0; c < score.size(); ++c)
    for (int k = 0; k < a.d; ++k)
      dm[k] += dscore[c] * a.targets(static_cast<int>(c), k) / (10 * batch);
  readout_backward(dm, input.read, dx);
  return result;
}

int settled_blocks(int blocks, int settle_from) {
  return settle_from > 0 ? std::max(1, blocks - settle_from + 1) : blocks - blocks / 2;
}

double settle_weight(const Architecture& a, const Objective& objective, std::size_t batch, int n) {
  constexpr double kReach = 100;  // squared length of the targets
  return objective.settle / (kReach * settled_blocks(a.blocks, objective.settle_from) *
                             static_cast<double>(batch) * n);
}

//   weight sum_i |x_i - t|^2
double settle_loss(const Architecture& a, const Objective& objective, const LossInput& input,
                   const Tokens& x, const Tokens& dx) {
  const double weight = settle_weight(a, objective, input.batch, x.n);
  double square = 0;
  for (int k = 0; k < a.d; ++k)
    for (int i = 0; i < x.n; ++i) {
      const double gap = x(i, k) - a.targets(input.label, k);
      square += gap * gap;
      dx(i, k) += without_subnormal(2 * weight * gap);
    }
  return weight * square;
}

// Pair p = i n + j reads half-word p mod 8 of the Philox block with counter
//   (p / 8, update, sample, stream * 2^16 + 256 block + head)
void dropout_mask(const DropoutDraw& draw, int n, double p, float* mask) {
  const auto pairs = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto dropped = static_cast<std::uint32_t>(std::lround(std::clamp(p, 0.0, 1.0) * 65536));
  const auto kept = static_cast<float>(dropped >= 65536 ? 0 : 1 / (1 - p));
  const auto name = static_cast<std::uint16_t>(256 * draw.block + draw.head);
  for (std::size_t first = 0; first < pairs; first += 8) {
    const std::array<std::uint32_t, 4> word =
        Draw{.seed = draw.seed,
             .stream = Stream::dropout,
             .particle = static_cast<std::uint32_t>(first / 8),
             .step = draw.update,
             .replica = draw.sample}
            .bits(name);
    const std::size_t count = std::min<std::size_t>(8, pairs - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t bits = word[k / 2] >> (16 * (k % 2)) & 0xFFFF;
      mask[first + k] = bits < dropped ? 0.0F : kept;
    }
  }
}

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
