// heads.cpp: entropies and sinks of attention, and the spectra of Q^T K and of O V.
#include "trace/heads.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "trace/effective_beta.h"

namespace murmur {

namespace {

using Rows = std::vector<double>;  // row-major

// Entry (row, col) of W (out, in).
double entry(const Linear& f, int row, int col) {
  return f.transposed ? f.w[static_cast<std::ptrdiff_t>(col) * f.pitch + row]
                      : f.w[static_cast<std::ptrdiff_t>(row) * f.pitch + col];
}

// The effects of a norm on a state other than the division by a length: its gain, and whether it
// subtracts the mean.
struct BehindNorm {
  const float* gain = nullptr;  // null: there is no norm
  bool centred = false;
};

// Rows [first, first + w) of a map that follows a norm; `own` is the gain of the norm behind the
// map, if it has one.
Rows rows_of(const Linear& f, int first, int w, const BehindNorm& norm,
             const float* own = nullptr) {
  Rows rows;
  for (int r = 0; r < w; ++r) {
    const std::size_t begin = rows.size();
    double mean = 0;
    for (int c = 0; c < f.in; ++c) {
      rows.push_back(entry(f, first + r, c) * (norm.gain != nullptr ? norm.gain[c] : 1) *
                     (own != nullptr ? own[r] : 1));
      mean += rows.back() / f.in;
    }
    if (norm.centred)
      for (std::size_t e = begin; e < rows.size(); ++e) rows[e] -= mean;
  }
  return rows;
}

// Columns [first, first + w), as rows.
Rows columns_of(const Linear& f, int first, int w) {
  Rows rows;
  for (int c = 0; c < w; ++c)
    for (int r = 0; r < f.out; ++r) rows.push_back(entry(f, r, first + c));
  return rows;
}

// cos(Q phi, K phi), both maps (w, d).
double cosine_through(const Rows& query, const Rows& key, const Rows& phi, int w) {
  double both = 0, first = 0, second = 0;
  const std::size_t d = phi.size();
  for (std::size_t r = 0; r < static_cast<std::size_t>(w); ++r) {
    double q = 0, k = 0;
    for (std::size_t c = 0; c < d; ++c) {
      q += query[r * d + c] * phi[c];
      k += key[r * d + c] * phi[c];
    }
    both += q * k;
    first += q * q;
    second += k * k;
  }
  return both / std::sqrt(first * second);
}

void read_maps(const BlockWeights& b, const Description& of, const BlockChoice& choice,
               HeadReading& reading) {
  const int w = of.head_width;
  const bool behind = of.place != NormPlace::after && choice.first_norm;
  BehindNorm norm;
  if (behind) norm = {b.attention_norm.gain, of.norm.kind == Norm::layer};
  const int key_head = reading.head / (of.heads / of.key_heads);
  const Rows query = rows_of(b.query, reading.head * w, w, norm, b.query_norm.gain);
  const Rows key = rows_of(b.key, key_head * w, w, norm, b.key_norm.gain);
  Rows phi;
  reading.qk = map_reading(query, key, w, of.d);
  reading.ov = map_reading(columns_of(b.out, reading.head * w, w),
                           rows_of(b.value, key_head * w, w, norm), w, of.d, &phi);
  const std::vector<std::complex<double>>& lambda = reading.ov.spectrum;
  if (lambda.empty()) return;
  reading.leading = {.re = lambda[0].real(), .im = lambda[0].imag()};
  reading.leading.next = lambda.size() > 1 ? std::abs(lambda[1]) / std::abs(lambda[0]) : 0;
  if (!phi.empty()) reading.leading.heard = cosine_through(query, key, phi, w);
}

struct AttentionStatistics {
  double entropy = 0, share = 0, sink = 0, first = 0;
  int sink_at = 0;
};

// Reads the weights (n, n) of one head. A token can be a sink if at least a quarter of all tokens
// see it.
AttentionStatistics attention_statistics(const float* weights, int n) {
  AttentionStatistics s;
  Rows received(static_cast<std::size_t>(n)), observers(static_cast<std::size_t>(n));
  int several = 0;
  for (int i = 0; i < n; ++i) {
    const float* a = weights + static_cast<std::ptrdiff_t>(i) * n;
    double entropy = 0;
    int seen = 0;
    for (int j = 0; j < n; ++j) {
      if (!(a[j] > 0)) continue;
      ++seen;
      entropy -= a[j] * std::log(static_cast<double>(a[j]));
      received[static_cast<std::size_t>(j)] += a[j];
      observers[static_cast<std::size_t>(j)] += 1;
    }
    s.entropy += entropy / n;
    if (i > 0) s.first += a[0] / (n - 1.0);
    if (seen < 2) continue;
    ++several;
    s.share += entropy / std::log(seen);
  }
  if (several > 0) s.share /= several;
  for (std::size_t j = 0; j < received.size(); ++j) {
    if (observers[j] * 4 < n || received[j] / observers[j] <= s.sink) continue;
    s.sink = received[j] / observers[j];
    s.sink_at = static_cast<int>(j);
  }
  return s;
}

void add_attention(const TracedText& text, const Description& of, double share, int threads,
                   std::vector<HeadReading>& all) {
  const auto fits = effective_betas(text, of, threads);
  for (HeadReading& r : all) {
    const auto block = static_cast<std::size_t>(r.block), head = static_cast<std::size_t>(r.head);
    const auto n = static_cast<std::size_t>(text.n());
    const AttentionStatistics s =
        attention_statistics(&text.trace.attention[block][head * n * n], text.n());
    if (r.entropy == 0 && r.sink == 0) r.sink_at = s.sink_at;
    r.beta += share * fits[block][head].beta;
    r.misfit += share * fits[block][head].misfit;
    r.uniform += share * fits[block][head].uniform;
    r.entropy += share * s.entropy;
    r.entropy_share += share * s.share;
    r.sink += share * s.sink;
    r.first += share * s.first;
  }
}

}  // namespace

MapReading map_reading(const Rows& left, const Rows& right, int w, int d, Rows* leading) {
  using Map =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const Map a(left.data(), w, d), b(right.data(), w, d);
  const Eigen::MatrixXd small = b * a.transpose();  // has the eigenvalues of a^T b that are not 0
  MapReading reading;
  const double square = ((a * a.transpose()) * (b * b.transpose())).trace();
  if (!(square > 0)) return reading;
  reading.symmetry = (small * small).trace() / square;
  reading.identity = small.trace() / std::sqrt(d * square);
  const Eigen::EigenSolver<Eigen::MatrixXd> solved(small, leading != nullptr);
  const Eigen::VectorXcd lambda = solved.eigenvalues();
  const double moduli = lambda.cwiseAbs().sum();
  reading.radius = lambda.cwiseAbs().maxCoeff();
  if (moduli > 0) reading.positivity = lambda.real().sum() / moduli;
  std::vector<int> order(static_cast<std::size_t>(w));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return std::abs(lambda[i]) > std::abs(lambda[j]); });
  for (const int k : order) reading.spectrum.push_back(lambda[k]);
  if (leading != nullptr && lambda[order[0]].imag() == 0) {
    const Eigen::VectorXd phi = a.transpose() * solved.eigenvectors().col(order[0]).real();
    leading->assign(phi.data(), phi.data() + phi.size());
  }
  return reading;
}

std::string theory_of(const LeadingValue& leading, const MapReading& ov) {
  constexpr double kNear = 0.99;   // |V - c I|_F is then within 0.15 of |c I|_F
  constexpr double kApart = 1e-3;  // half precision does not resolve smaller differences of moduli
  constexpr double kLeastCosine = 1e-6;  // a smaller cosine is a rounded zero
  if (!std::isfinite(leading.re)) return "";
  if (ov.identity > kNear) return "gathers";
  if (ov.identity < -kNear) return "repels";
  if (std::abs(leading.im) > kApart * std::abs(leading.re)) return "turns";
  const bool dominant = leading.re > 0 && leading.next < 1 - kApart;
  return dominant && leading.heard > kLeastCosine ? "hyperplanes" : "open";
}

std::vector<HeadReading> head_readings(const Transformer* model, std::span<const TracedText> texts,
                                       const Description& of, int threads) {
  std::vector<HeadReading> all;
  const auto run = static_cast<int>(texts.front().trace.attention.size());
  for (int block = 0; block < run; ++block)
    for (int head = 0; head < of.heads; ++head) all.push_back({.block = block, .head = head});
  int counted = 0;
  for (const TracedText& text : texts) counted += text.n() > 1 ? 1 : 0;
  for (const TracedText& text : texts)
    if (text.n() > 1) add_attention(text, of, 1.0 / counted, threads, all);
  if (model == nullptr) return all;
  for_blocks(static_cast<int>(all.size()), threads, [&](int k) {
    HeadReading& reading = all[static_cast<std::size_t>(k)];
    const auto layer = static_cast<std::size_t>(reading.block % of.layers);
    read_maps(model->weights().blocks[of.shared ? 0 : layer], of, of.blocks[layer], reading);
  });
  return all;
}

}  // namespace murmur
