// parts.cpp: maps, norms, rotations, attention and activations, row by row.
#include "model/parts.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "learn/products.h"
#include "model/row_kernels.h"

namespace murmur {

namespace {

// Rows and columns of a product that a thread takes at a time. What is fewer packs a matrix anew
// too often; few rows leave threads nothing but columns to share.
constexpr int kSlab = 512, kPanel = 384, kPanelOfFewRows = 192;
constexpr int kQueries = 128;  // of attention at a time: what none of them sees is not computed

View view(const float* at, int rows, int cols, int pitch) {
  return {const_cast<float*>(at), rows, cols, pitch};
}

// Sums of eight kinds, added up at the end: the processor need not wait for one before the next.
template <class Term>
double sum_of(std::size_t width, const Term& term) {
  double sums[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= width; k += 8)
    for (std::size_t l = 0; l < 8; ++l) sums[l] += term(k + l);
  for (; k < width; ++k) sums[0] += term(k);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
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
    for (int first = 0; first < s.n; first += kQueries) {
      const int last = std::min(first + kQueries, s.n) - 1, rows = last - first + 1;
      const int begin = sight_of(first, s.n, s.causal, s.window).begin;
      const int end = sight_of(last, s.n, s.causal, s.window).end;
      const auto query = static_cast<std::size_t>(first) * wide + own,
                 key = static_cast<std::size_t>(begin) * narrow + from;
      float* const corner = w + static_cast<std::ptrdiff_t>(first) * s.n + begin;
      const View a = view(corner, rows, end - begin, s.n);
      multiply(view(&q[query], rows, s.width, wide), view(&k[key], end - begin, s.width, narrow),
               Transposed::right, a, static_cast<float>(s.scale));
      for (int i = first; i <= last; ++i) {
        float* const row = w + static_cast<std::ptrdiff_t>(i) * s.n;
        const Sight seen = sight_of(i, s.n, s.causal, s.window);
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

}  // namespace murmur
