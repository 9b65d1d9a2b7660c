// reference_parts.cpp: maps, rotations, attention and activations, one number after the other.
#include "model/reference_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/elementary.h"

namespace murmur::reference {

namespace {

// a_i = e^{s_i - max s} / sum_j e^{s_j - max s}, over what is seen; 0 elsewhere.
void softmax(const std::vector<double>& score, const Sight& seen, float* row, int n) {
  double top = score[static_cast<std::size_t>(seen.begin)];
  for (int j = seen.begin; j < seen.end; ++j)
    top = std::max(top, score[static_cast<std::size_t>(j)]);
  double total = 0;
  for (int j = seen.begin; j < seen.end; ++j)
    total += elementary::exp(score[static_cast<std::size_t>(j)] - top);
  std::fill_n(row, n, 0.0f);
  for (int j = seen.begin; j < seen.end; ++j)
    row[j] = static_cast<float>(elementary::exp(score[static_cast<std::size_t>(j)] - top) / total);
}

double activated(double x, FeedForwardActivation activation) {
  switch (activation) {
    case FeedForwardActivation::relu:
      return x > 0 ? x : 0;
    case FeedForwardActivation::gelu:
      return 0.5 * x * (1 + elementary::erf(x * (std::numbers::sqrt2 / 2)));
    case FeedForwardActivation::gelu_tanh: {
      const double inner = std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1 + elementary::tanh(inner));
    }
    case FeedForwardActivation::silu:
      return x / (1 + elementary::exp(-x));
  }
  return x;
}

}  // namespace

// y_io = b_o + sum_k x_ik W_ok
std::vector<float> map_rows(const std::vector<float>& x, const Linear& f) {
  const int n = static_cast<int>(x.size() / static_cast<std::size_t>(f.in));
  std::vector<float> y(static_cast<std::size_t>(n) * f.out);
  const std::ptrdiff_t across = f.transposed ? f.pitch : 1, down = f.transposed ? 1 : f.pitch;
  for (int i = 0; i < n; ++i)
    for (int o = 0; o < f.out; ++o) {
      const float* const row = &x[static_cast<std::size_t>(i) * f.in];
      const float* const w = f.w + o * down;
      double sum = f.bias == nullptr ? 0 : f.bias[o];
      for (int k = 0; k < f.in; ++k) sum += static_cast<double>(row[k]) * w[k * across];
      y[static_cast<std::size_t>(i) * f.out + o] = static_cast<float>(sum);
    }
  return y;
}

void normalise_rows(std::vector<float>& x, const Norm& norm, const NormWeights& weights,
                    std::size_t width) {
  for (std::size_t at = 0; at < x.size(); at += width) {
    float* const row = &x[at];
    double mean = 0, square = 0;
    if (norm.kind == Norm::layer) {
      for (std::size_t k = 0; k < width; ++k) mean += row[k];
      mean /= static_cast<double>(width);
    }
    for (std::size_t k = 0; k < width; ++k) square += (row[k] - mean) * (row[k] - mean);
    const double scale = 1 / std::sqrt(square / static_cast<double>(width) + norm.epsilon);
    for (std::size_t k = 0; k < width; ++k) {
      const double bias = weights.bias == nullptr ? 0 : weights.bias[k];
      row[k] = static_cast<float>((row[k] - mean) * scale * weights.gain[k] + bias);
    }
  }
}

void rotate_rows(std::vector<float>& x, int n, int heads, int width, const Rotary& rotary,
                 double theta) {
  const int half = rotary.width / 2;
  const int apart = rotary.neighbours ? 1 : half, next = rotary.neighbours ? 2 : 1;
  for (int i = 0; i < half; ++i) {
    const double rate = elementary::pow(theta, -2.0 * i / rotary.width);
    for (int p = 0; p < n; ++p) {
      const double c = elementary::cos(p * rate), s = elementary::sin(p * rate);
      for (int h = 0; h < heads; ++h) {
        float* const a = &x[(static_cast<std::size_t>(p) * heads + h) * width + i * next];
        float* const b = a + apart;
        const double first = *a * c - *b * s, second = *b * c + *a * s;
        *a = static_cast<float>(first), *b = static_cast<float>(second);
      }
    }
  }
}

std::vector<float> attention_rows(const AttentionShape& s, const std::vector<float>& q,
                                  const std::vector<float>& k, const std::vector<float>& v,
                                  std::vector<float>& weights) {
  const std::size_t wide = static_cast<std::size_t>(s.heads) * s.width,
                    narrow = static_cast<std::size_t>(s.key_heads) * s.width;
  std::vector<float> gathered(static_cast<std::size_t>(s.n) * wide);
  std::vector<double> score(static_cast<std::size_t>(s.n));
  for (int head = 0; head < s.heads; ++head) {
    const std::size_t from = static_cast<std::size_t>(head / (s.heads / s.key_heads)) * s.width,
                      own = static_cast<std::size_t>(head) * s.width;
    for (int i = 0; i < s.n; ++i) {
      const Sight seen = sight_of(i, s.n, s.causal, s.window);
      const float* const query = &q[i * wide + own];
      for (int j = seen.begin; j < seen.end; ++j) {
        const float* const key = &k[j * narrow + from];
        double sum = 0;
        for (int e = 0; e < s.width; ++e) sum += static_cast<double>(query[e]) * key[e];
        sum *= s.scale;
        score[static_cast<std::size_t>(j)] =
            s.cap > 0 ? s.cap * elementary::tanh(sum / s.cap) : sum;
      }
      float* const row = &weights[(static_cast<std::size_t>(head) * s.n + i) * s.n];
      softmax(score, seen, row, s.n);
      for (int e = 0; e < s.width; ++e) {
        double sum = 0;
        for (int j = seen.begin; j < seen.end; ++j)
          sum += static_cast<double>(row[j]) * v[j * narrow + from + e];
        gathered[i * wide + own + e] = static_cast<float>(sum);
      }
    }
  }
  return gathered;
}

void activate(std::vector<float>& x, FeedForwardActivation activation) {
  for (float& value : x) value = static_cast<float>(activated(value, activation));
}

float capped(float s, double cap) {
  return static_cast<float>(cap * elementary::tanh(static_cast<double>(s) / cap));
}

}  // namespace murmur::reference
