// parts.cpp: maps, norms, rotations, attention and activations, row by row; below, the same in
// plain loops.
#include "model/parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/elementary.h"
#include "core/parallel.h"
#include "learn/products.h"

namespace murmur {

namespace {

// Rows and columns of a product per task of a thread. With fewer, a matrix is packed too often;
// with few rows the threads share columns.
constexpr int kSlab = 512, kPanel = 384, kPanelOfFewRows = 192;
constexpr int kQueries = 128;  // queries at a time: weights that none of them has are not computed

View view(const float* at, int rows, int cols, int pitch) {
  return {const_cast<float*>(at), rows, cols, pitch};
}

// Eight partial sums, added at the end, so that the processor need not wait for each sum.
template <class Term>
double sum_of(std::size_t width, const Term& term) {
  double sums[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= width; k += 8)
    for (std::size_t l = 0; l < 8; ++l) sums[l] += term(k + l);
  for (; k < width; ++k) sums[0] += term(k);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

struct StandardFunctions {
  static double pow(double x, double y) { return std::pow(x, y); }
  static double cos(double x) { return std::cos(x); }
  static double sin(double x) { return std::sin(x); }
};
struct ElementaryFunctions {
  static double pow(double x, double y) { return elementary::pow(x, y); }
  static double cos(double x) { return elementary::cos(x); }
  static double sin(double x) { return elementary::sin(x); }
};

// Rotates the pairs of each head by p theta^(-2i/width), with these elementary functions.
template <class Functions>
void rotate_rows_by(std::vector<float>& x, int n, int heads, int width, const Rotary& rotary,
                    double theta) {
  const int half = rotary.width / 2;
  const int apart = rotary.neighbours ? 1 : half, next = rotary.neighbours ? 2 : 1;
  for (int i = 0; i < half; ++i) {
    const double rate = Functions::pow(theta, -2.0 * i / rotary.width);
    for (int p = 0; p < n; ++p) {
      const double c = Functions::cos(p * rate), s = Functions::sin(p * rate);
      for (int h = 0; h < heads; ++h) {
        float* const a = &x[(static_cast<std::size_t>(p) * heads + h) * width + i * next];
        float* const b = a + apart;
        const double first = *a * c - *b * s, second = *b * c + *a * s;
        *a = static_cast<float>(first), *b = static_cast<float>(second);
      }
    }
  }
}

}  // namespace

VisibleKeys visible_keys(int i, int n, bool causal, int window) {
  const int reach = window > 0 ? window - 1 : n;
  return {std::max(0, i - reach), causal ? i + 1 : std::min(n, i + reach + 1)};
}

std::vector<float> map_rows(const std::vector<float>& x, const Linear& f, int threads) {
  const int n = static_cast<int>(x.size() / f.in);
  std::vector<float> y(static_cast<std::size_t>(n) * f.out);
  if (f.bias != nullptr)
    for (int i = 0; i < n; ++i) std::copy_n(f.bias, f.out, &y[static_cast<std::size_t>(i) * f.out]);
  const float keep = f.bias == nullptr ? 0 : 1;
  const int panel = n < kSlab ? kPanelOfFewRows : kPanel;
  const int slabs = (n + kSlab - 1) / kSlab, panels = (f.out + panel - 1) / panel;
  require_products();
  for_blocks(slabs * panels, threads, [&](int block) {
    const int first = block / panels * kSlab, rows = std::min(kSlab, n - first);
    const int from = block % panels * panel, cols = std::min(panel, f.out - from);
    const View w =
        f.transposed ? view(f.w + from, f.in, cols, f.pitch)
                     : view(f.w + static_cast<std::ptrdiff_t>(from) * f.pitch, cols, f.in, f.pitch);
    multiply(view(&x[static_cast<std::size_t>(first) * f.in], rows, f.in, f.in), w,
             f.transposed ? Transposed::none : Transposed::right,
             view(&y[static_cast<std::size_t>(first) * f.out + from], rows, cols, f.out), 1, keep);
  });
  return y;
}

void normalise_rows(std::vector<float>& x, const Norm& norm, const NormWeights& weights,
                    std::size_t width) {
  for (std::size_t at = 0; at < x.size(); at += width) {
    float* row = &x[at];
    const auto value = [&](std::size_t k) { return static_cast<double>(row[k]); };
    const double mean =
        norm.kind == Norm::layer ? sum_of(width, value) / static_cast<double>(width) : 0;
    const double square =
        sum_of(width, [&](std::size_t k) { return (row[k] - mean) * (row[k] - mean); });
    const double scale = 1 / std::sqrt(square / static_cast<double>(width) + norm.epsilon);
    for (std::size_t k = 0; k < width; ++k) {
      const double bias = weights.bias == nullptr ? 0 : weights.bias[k];
      row[k] = static_cast<float>((row[k] - mean) * scale * weights.gain[k] + bias);
    }
  }
}

void rotate_rows(std::vector<float>& x, int n, int heads, int width, const Rotary& rotary,
                 double theta) {
  rotate_rows_by<StandardFunctions>(x, n, heads, width, rotary, theta);
}

std::vector<float> attention_rows(const AttentionShape& s, const std::vector<float>& q,
                                  const std::vector<float>& k, const std::vector<float>& v,
                                  std::vector<float>& weights) {
  const int wide = s.heads * s.width, narrow = s.key_heads * s.width;
  std::vector<float> gathered(static_cast<std::size_t>(s.n) * wide);
  for_blocks(s.heads, s.threads, [&](int head) {
    const int from = head / (s.heads / s.key_heads) * s.width, own = head * s.width;
    float* const w = &weights[static_cast<std::size_t>(head) * s.n * s.n];
    for (int first = 0; first < s.n; first += kQueries) {
      const int last = std::min(first + kQueries, s.n) - 1, rows = last - first + 1;
      const int begin = visible_keys(first, s.n, s.causal, s.window).begin;
      const int end = visible_keys(last, s.n, s.causal, s.window).end;
      const auto query = static_cast<std::size_t>(first) * wide + own,
                 key = static_cast<std::size_t>(begin) * narrow + from;
      float* const corner = w + static_cast<std::ptrdiff_t>(first) * s.n + begin;
      const View a = view(corner, rows, end - begin, s.n);
      multiply(view(&q[query], rows, s.width, wide), view(&k[key], end - begin, s.width, narrow),
               Transposed::right, a, static_cast<float>(s.scale));
      for (int i = first; i <= last; ++i) {
        float* const row = w + static_cast<std::ptrdiff_t>(i) * s.n;
        const VisibleKeys seen = visible_keys(i, s.n, s.causal, s.window);
        for (int j = seen.begin; s.cap > 0 && j < seen.end; ++j) row[j] = capped(row[j], s.cap);
        std::fill(row + begin, row + seen.begin, 0.0f);
        softmax_row(row + seen.begin, seen.end - seen.begin);
        std::fill(row + seen.end, row + end, 0.0f);
      }
      multiply(a, view(&v[key], end - begin, s.width, narrow), Transposed::none,
               view(&gathered[query], rows, s.width, wide));
    }
  });
  return gathered;
}

void activate(std::vector<float>& x, FeedForwardActivation activation) {
  activate_row(x.data(), x.size(), activation);
}

namespace reference {

namespace {

// a_i = e^{s_i - max s} / sum_j e^{s_j - max s} over the keys that are seen; 0 elsewhere.
void softmax(const std::vector<double>& score, const VisibleKeys& seen, float* row, int n) {
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
  rotate_rows_by<ElementaryFunctions>(x, n, heads, width, rotary, theta);
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
      const VisibleKeys seen = visible_keys(i, s.n, s.causal, s.window);
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

}  // namespace reference

}  // namespace murmur
