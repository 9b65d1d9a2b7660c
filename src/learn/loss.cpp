// loss.cpp: the two losses, target and cross-entropy, of the outputs of one sample, and the
// distances behind its last blocks.
#include "learn/loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

// A sample classified with near certainty has a gradient so small that backward would compute with
// subnormal numbers, up to a hundred times as slow on some processors. Below this it is set to 0.
float felt(double gradient) {
  return std::fabs(gradient) < 1e-20 ? 0.0f : static_cast<float>(gradient);
}

// The gradient at the readout, distributed to the tokens that it is computed from.
void back_to_tokens(const std::vector<double>& dm, int read, const Tokens& dx) {
  for (int k = 0; k < dx.d; ++k)
    for (int i = 0; i < dx.n; ++i)
      dx(i, k) = felt(read >= 0 ? (i == read ? dm[k] : 0.0) : dm[k] / dx.n);
}

// |x_i - t| of the tokens that are read, times `weight` each.
double target_distance(const Architecture& a, const LossQuestion& question, double weight,
                       const Tokens& x, const Tokens& dx) {
  const int read = question.read, label = question.label;
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

SampleLoss sample_loss(const Architecture& a, const Objective& objective,
                       const LossQuestion& question, const Tokens& x, const Tokens& dx) {
  std::vector<float> m(a.d);
  read_out(a, x, question.read, m.data());
  const std::vector<double> score = scores(a, std::vector<double>(m.begin(), m.end()));
  SampleLoss result;
  result.correct = std::max_element(score.begin(), score.end()) - score.begin() == question.label;
  const auto batch = static_cast<double>(question.batch);
  if (objective.loss == Objective::target) {
    const double tokens = question.read >= 0 ? 1.0
                          : objective.padded ? static_cast<double>(question.longest)
                                             : static_cast<double>(x.n);
    result.loss = target_distance(a, question, 1 / (batch * tokens), x, dx);
    return result;
  }
  std::vector<double> dscore(score.size()), dm(a.d);
  result.loss = cross_entropy(objective, question.label, score, dscore) / batch;
  for (std::size_t c = 0; c < score.size(); ++c)
    for (int k = 0; k < a.d; ++k)
      dm[k] += dscore[c] * a.targets(static_cast<int>(c), k) / (10 * batch);
  back_to_tokens(dm, question.read, dx);
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
double settle_loss(const Architecture& a, const Objective& objective, const LossQuestion& question,
                   const Tokens& x, const Tokens& dx) {
  const double weight = settle_weight(a, objective, question.batch, x.n);
  double square = 0;
  for (int k = 0; k < a.d; ++k)
    for (int i = 0; i < x.n; ++i) {
      const double gap = x(i, k) - a.targets(question.label, k);
      square += gap * gap;
      dx(i, k) += felt(2 * weight * gap);
    }
  return weight * square;
}

}  // namespace murmur
