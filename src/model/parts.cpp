// parts.cpp: maps, norms, rotations, attention and activations, row by row.
#include "model/parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "learn/products.h"

namespace murmur {

namespace {

constexpr int kSlab = 32;  // rows a thread takes at a time

View view(const float* at, int rows, int cols, int pitch) {
  return {const_cast<float*>(at), rows, cols, pitch};
}

void softmax(float* row, int n, const Sight& seen) {
  const float top = *std::max_element(row + seen.begin, row + seen.end);
  double total = 0;
  for (int j = seen.begin; j < seen.end; ++j) {
    row[j] = std::exp(row[j] - top);
    total += row[j];
  }
  const auto share = static_cast<float>(1 / total);
  for (int j = 0; j < n; ++j) row[j] = j < seen.begin || j >= seen.end ? 0 : row[j] * share;
}

float gelu_tanh(float x) {
  const double inner =
      std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * static_cast<double>(x) * x * x);
  return static_cast<float>(0.5 * x * (1 + std::tanh(inner)));
}

}  // namespace

Sight sight_of(int i, int n, bool causal, int window) {
  const int reach = window > 0 ? window - 1 : n;
  return {std::max(0, i - reach), causal ? i + 1 : std::min(n, i + reach + 1)};
}

std::vector<float> map_rows(const std::vector<float>& x, const Linear& f, int threads) {
  const int n = static_cast<int>(x.size() / f.in);
  std::vector<float> y(static_cast<std::size_t>(n) * f.out);
  if (f.bias != nullptr)
    for (int i = 0; i < n; ++i) std::copy_n(f.bias, f.out, &y[static_cast<std::size_t>(i) * f.out]);
  const View w = f.transposed ? view(f.w, f.in, f.out, f.pitch) : view(f.w, f.out, f.in, f.pitch);
  const float keep = f.bias == nullptr ? 0 : 1;
  require_products();
  for_blocks((n + kSlab - 1) / kSlab, threads, [&](int block) {
    const int first = block * kSlab, rows = std::min(kSlab, n - first);
    multiply(view(&x[static_cast<std::size_t>(first) * f.in], rows, f.in, f.in), w,
             f.transposed ? Transposed::none : Transposed::right,
             view(&y[static_cast<std::size_t>(first) * f.out], rows, f.out, f.out), 1, keep);
  });
  return y;
}

void normalise_rows(std::vector<float>& x, const Norm& norm, const NormWeights& weights,
                    std::size_t width) {
  for (std::size_t at = 0; at < x.size(); at += width) {
    float* row = &x[at];
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
    const double rate = std::pow(theta, -2.0 * i / rotary.width);
    for (int p = 0; p < n; ++p) {
      const double c = std::cos(p * rate), s = std::sin(p * rate);
      for (int h = 0; h < heads; ++h) {
        float& a = x[(static_cast<std::size_t>(p) * heads + h) * width + i * next];
        float& b = *(&a + apart);
        const double first = a * c - b * s, second = b * c + a * s;
        a = static_cast<float>(first), b = static_cast<float>(second);
      }
    }
  }
}

std::vector<float> attention_rows(const AttentionShape& s, const std::vector<float>& q,
                                  const std::vector<float>& k, const std::vector<float>& v,
                                  std::vector<float>& weights) {
  const int wide = s.heads * s.width, narrow = s.key_heads * s.width;
  std::vector<float> gathered(static_cast<std::size_t>(s.n) * wide);
  for_blocks(s.heads, s.threads, [&](int head) {
    const int from = head / (s.heads / s.key_heads) * s.width, own = head * s.width;
    float* const w = &weights[static_cast<std::size_t>(head) * s.n * s.n];
    const View a = view(w, s.n, s.n, s.n);
    multiply(view(&q[own], s.n, s.width, wide), view(&k[from], s.n, s.width, narrow),
             Transposed::right, a, static_cast<float>(s.scale));
    for (int i = 0; i < s.n; ++i) {
      float* const row = w + static_cast<std::size_t>(i) * s.n;
      const Sight seen = sight_of(i, s.n, s.causal, s.window);
      for (int j = seen.begin; s.cap > 0 && j < seen.end; ++j) row[j] = capped(row[j], s.cap);
      softmax(row, s.n, seen);
    }
    multiply(a, view(&v[from], s.n, s.width, narrow), Transposed::none,
             view(&gathered[own], s.n, s.width, wide));
  });
  return gathered;
}

void activate(std::vector<float>& x, FeedForwardActivation activation) {
  for (float& value : x) switch (activation) {
      case FeedForwardActivation::relu:
        value = std::max(value, 0.0f);
        break;
      case FeedForwardActivation::gelu:
        value = static_cast<float>(0.5 * value * (1 + std::erf(value * std::numbers::sqrt2 / 2)));
        break;
      case FeedForwardActivation::gelu_tanh:
        value = gelu_tanh(value);
        break;
      case FeedForwardActivation::silu:
        value = static_cast<float>(value / (1 + std::exp(-static_cast<double>(value))));
        break;
    }
}

}  // namespace murmur
