// pair_forces.cpp: chooses the kernel that is both right and fast for the particles at hand.
#include "engine/simd/pair_forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"

namespace murmur::simd {

namespace {

// Float scores are rounded to 6e-8 of their size: beyond this size (natural units) to too much.
constexpr double kOpenFloat = 16;
// Differences of float positions: the score errs by 1e-7 times the root of this.
constexpr double kDifferenceFloat = 1024;
// Double exponentials of scores up to this size (in powers of two) neither over- nor underflow.
constexpr double kOpenDouble = 900;
// Rows lighter than this are summed again: the kernels' least summand 2^-100 (float) or 2^-980
// (double) must not count, and z must keep its digits.
constexpr double kTooSmallFloat = 0x1p-40, kTooSmallDouble = 0x1p-900;
// Outside these, sums of its own for every strip cost a swarm too much time or memory.
constexpr int kFewestMutual = 256, kMostMutual = 1 << 18;
constexpr double kTooFewPairs = 500'000;  // n^2 d below which threads cost more than they bring

int blocks(std::size_t stride) { return static_cast<int>(stride / kBlock); }

bool in_registers(int d) { return d >= 2 && d <= 4; }

// Whether row i sees nobody.
bool blind(const Head& head, int n, int i) {
  return !head.self && (n == 1 || (head.past && i == 0));
}

// Rows before it see nobody.
int first_sighted(const Head& head, int n) {
  return !blind(head, n, 0) ? 0 : head.past ? std::min(1, n) : n;
}

// (n) |x_i - origin|^2, of columns (d, stride), axis by axis as they lie in memory.
std::vector<double> squares(ConstColumns x, int n, const std::vector<double>& origin) {
  std::vector<double> square(n);
  for (std::size_t k = 0; k < origin.size(); ++k)
    for (int i = 0; i < n; ++i) {
      const double from = x.data[k * x.stride + i] - origin[k];
      square[i] += from * from;
    }
  return square;
}

// max_i |x_i - origin|; NaN if one of them is.
double farthest(ConstColumns x, int n, const std::vector<double>& origin) {
  double most = 0;
  for (const double square : squares(x, n, origin))
    if (square > most || std::isnan(square)) most = square;
  return std::sqrt(most);
}

ConstColumns columns(const HostSwarm& x) { return {x.axis(0), x.stride()}; }

std::vector<double> centre(ConstColumns x, int n, int d) {
  std::vector<double> mean(d);
  for (int k = 0; k < d; ++k) {
    for (int i = 0; i < n; ++i) mean[k] += x.data[k * x.stride + i];
    mean[k] /= n;
  }
  return mean;
}

bool of_unit_length(const HostSwarm& x) {
  const std::vector<double> square = squares(columns(x), x.n(), std::vector<double>(x.d()));
  return std::all_of(square.begin(), square.end(),
                     [](double s) { return std::abs(s - 1) < 1e-10; });
}

bool equal_masses(std::span<const double> mass) {
  return std::all_of(mass.begin(), mass.end(), [&](double m) { return m == mass[0]; });
}

// Whether the score of i and j is that of j and i, and nothing else tells them apart.
bool mutual(const Head& head, const HostSwarm& x) {
  return in_registers(x.d()) && head.isotropic && !head.past && head.self &&
         std::abs(head.gaze_scale) > 1e-3 && x.n() >= kFewestMutual && x.n() <= kMostMutual &&
         equal_masses(x.mass);
}

}  // namespace

void PairForces::add(const Head& head, const HostSwarm& x, HostSwarm& a) {
  if (x.n() == 0) return;
  meet(x);
  const int n = x.n(), d = x.d();
  const double* u = look(head, x);
  double* mean = mean_.need(stride_ * d);
  sum(head, x, {{u, stride_}, columns(x), columns(x), mean, n, d, d, x.mass});
  add_values(head, x, a);
}

// Of the sums that are in mean_, z_ and offset_.
void PairForces::add_values(const Head& head, const HostSwarm& x, HostSwarm& a) {
  const int n = x.n(), d = x.d();
  const double* mean = mean_.need(stride_ * d);
  const double* value = mean;
  if (!head.value_is_scale) {
    double* to = u_.need(stride_ * d);  // the scores are done
    map(head.value, {mean, stride_}, n, to);
    value = to;
  }
  const double* weight = weights(head, x);
  for (int k = 0; k < d; ++k) {
    const double bias = head.value_bias.empty() ? 0 : head.value_bias[k];
    double* to = a.axis(k);
    for (int i = std::max(first_, first_sighted(head, n)); i < end_; ++i)
      to[i - first_] += weight[i] * (head.value_scale * value[k * stride_ + i] + bias);
  }
}

void PairForces::add(const NarrowHeads& all, const HostSwarm& x, HostSwarm& a) {
  if (x.n() == 0) return;
  meet(x);
  const int n = x.n(), d = x.d();
  const int rows = all.seen.matrix.rows;
  double* seen = u_.need(stride_ * std::max(rows, d));
  for (int k = 0; k < rows; ++k) std::fill(seen + k * stride_ + n, seen + (k + 1) * stride_, 0.0);
  map(all.seen, columns(x), n, seen);
  double* mean = mean_.need(stride_ * all.said.matrix.cols);
  for (const Head& head : all.heads) {
    const ConstColumns u{seen, stride_}, keys{seen + head.k * stride_, stride_};
    const ConstColumns values{keys.data + head.k * stride_, stride_};
    const bool own = head.r > 0;
    const int r = own ? head.r : d;
    sum(head, x, {u, keys, own ? values : columns(x), mean, n, head.k, r, x.mass});
    const double* weight = weights(head, x);
    const int first = first_sighted(head, n);
    for (int k = 0; k < r; ++k) {
      double* to = mean + k * stride_;
      std::fill_n(to, first, 0.0);
      for (int i = std::max(first, first_); !head.softmax && i < end_; ++i) to[i] *= weight[i];
    }
    for (std::size_t k = 0; k < head.value_bias.size(); ++k)
      for (int i = std::max(first, first_); i < end_; ++i)
        a.axis(k)[i - first_] += weight[i] * head.value_bias[k];
    seen += (2 * head.k + head.r) * stride_;
    mean += r * stride_;
  }
  double* to = u_.need(stride_ * d);  // the scores are done
  map(all.said, {mean_.need(0), stride_}, n, to);
  for (int k = 0; k < d; ++k)
    for (int i = first_; i < end_; ++i) a.axis(k)[i - first_] += to[k * stride_ + i];
}

void PairForces::only(int first, int count) {
  some_ = true;
  only_first_ = first;
  only_count_ = count;
}

void PairForces::meet(const HostSwarm& x) {
  stride_ = (static_cast<std::size_t>(x.n()) + kBlock - 1) / kBlock * kBlock;
  team_ = static_cast<double>(x.n()) * x.n() * x.d() < kTooFewPairs ? 1 : threads_;
  heaviest_ = *std::max_element(x.mass.begin(), x.mass.end());
  first_ = some_ ? only_first_ : 0;
  end_ = some_ ? only_first_ + only_count_ : x.n();
  targets_ = x.n();
  unit_targets_ = true;  // they are the sources
}

void PairForces::map(const Affine& f, ConstColumns x, int n, double* to) const {
  for_blocks(blocks(stride_), team_, [&](int block) {
    affine_block(f, x, {to, stride_, n}, block);
  });
}

//   u_i = G x_i + g
const double* PairForces::look(const Head& head, const HostSwarm& x) {
  double* u = u_.need(stride_ * x.d());
  for (int k = 0; k < x.d(); ++k) {
    double* to = u + k * stride_;
    std::fill(to + x.n(), to + stride_, 0.0);
    if (head.isotropic)
      for (int i = 0; i < x.n(); ++i) to[i] = head.gaze_scale * x.axis(k)[i];
  }
  if (!head.isotropic) map(head.gaze, columns(x), x.n(), u);
  return u;
}

// Into s.mean, less the own value where values are relative.
void PairForces::sum(const Head& head, const HostSwarm& x, const Sources& s) {
  if (precision_ == Precision::f64 || !sum_in_float(head, x, s)) sum_in_double(head, x, s);
  if (!head.relative) return;
  for (int k = 0; k < s.d; ++k)
    for (int i = first_; i < end_; ++i)
      s.mean[k * stride_ + i] -= s.values.data[k * s.values.stride + i];
}

template <class T>
PairSums<T> PairForces::pair_sums(const Head& head, const Sources& s) {
  PairSums<T> p;
  p.d = s.d;
  p.k = s.k;
  p.sources = s.n;
  p.pitch = source_pitch(s.d);
  p.weighted = !equal_masses(s.mass);
  p.past = head.past;
  p.self = head.self;
  p.stride = stride_;
  p.z = z_.need(stride_);
  p.n = s.mean;
  return p;
}

// What tile_sums reads: sources again, or keys less their origin.
template <class T>
void PairForces::pack(const Head& head, const Sources& s, const double* origin, PairSums<T>& p,
                      Buffer<T>& packed) const {
  T* tiles = packed.need(packed_size(s.n, s.k));
  head.narrow() ? pack_keys(s, origin, tiles) : pack_sources(p.y, s.n, s.d, tiles);
  p.packed = tiles;
}

template <class T>
void PairForces::sum(const PairSums<T>& p) const {
  const int before = first_ / kBlock, after = (end_ + kBlock - 1) / kBlock;
  for_blocks(after - before, team_, [&](int b) {
    p.packed == nullptr ? small_sums(p, before + b) : tile_sums(p, before + b);
  });
}

template <class T>
void PairForces::sum_mutual(const PairSums<T>& p, double g) {
  const std::size_t size = (p.d + 1) * stride_;
  double* strips = strips_.need(kStrips * size);
  for_blocks(kStrips, team_,
             [&](int strip) { symmetric_sums(p, g, strip, strips + strip * size); });
  for (std::size_t c = 0; c < size; ++c) {
    double total = 0;
    for (int strip = 0; strip < kStrips; ++strip) total += strips[strip * size + c];
    (c < p.d * stride_ ? p.n[c] : p.z[c - p.d * stride_]) = total;
  }
}

// Sources are told from their centre c in float, which costs nothing and keeps the digits of a
// swarm near consensus: <u_i, x_j> = <u_i, x_j - c> + <u_i, c>. On the sphere, where G = g I,
//   g <x_i, x_j> = |g| <t_i, x_j> = |g| - |g| |x_j - t_i|^2 / 2,   t_i = sign(g) x_i
// keeps them for large |g| too.
bool PairForces::sum_in_float(const Head& head, const HostSwarm& x, const Sources& s) {
  const int n = s.n, d = s.d;
  const double* u = s.u.data;
  const std::vector<double> zero(s.k);
  std::vector<double> origin = centre(s.keys, n, s.k);
  double radius = farthest(s.keys, n, origin);
  const double size = farthest(s.keys, n, zero);
  const double gaze = farthest({u, stride_}, targets_, zero) * std::numbers::ln2;
  const double g = head.gaze_scale;
  const bool twice = !some_ && mutual(head, x) && radius > size / 2 && gaze * size <= kOpenFloat;
  if (twice) origin = zero, radius = size;  // seen from a centre, scores are not mutual
  const bool open = gaze * radius <= kOpenFloat;
  if (!open && !(in_registers(d) && head.isotropic && of_unit_length(x) && unit_targets_ &&
                 std::abs(g) * std::numbers::ln2 * radius * radius <= kDifferenceFloat))
    return false;

  auto p = pair_sums<float>(head, s);
  p.form = open ? Form::open : Form::difference;
  const double scale = open ? 1 : std::sqrt(std::abs(g) / 2);
  const std::vector<double> middle = head.narrow() ? centre(s.values, n, d) : origin;
  float* y = y32_.need(n * p.pitch);
  place_sources(s, {middle.data(), scale, heaviest_}, y);
  p.y = y;
  if (head.narrow() || !in_registers(d)) pack(head, s, origin.data(), p, packed32_);
  float* aim = u32_.need(stride_ * s.k);
  for (int k = 0; k < s.k; ++k)
    for (std::size_t i = 0; i < stride_; ++i) {
      const double ui = u[k * stride_ + i];
      aim[k * stride_ + i] = static_cast<float>(open ? ui : scale * (ui / std::abs(g) - origin[k]));
    }
  p.u = aim;
  twice ? sum_mutual(p, g) : sum(p);

  double* offset = offset_.need(stride_);
  std::fill_n(offset, stride_, open ? 0.0 : std::abs(g));
  for (int k = 0; k < d; ++k)
    for (int i = first_; i < end_; ++i) {
      double& mean = p.n[k * stride_ + i];
      mean = mean / (scale * p.z[i]) + (open ? middle[k] : u[k * stride_ + i] / std::abs(g));
    }
  for (int k = 0; open && k < s.k; ++k)
    for (int i = 0; i < targets_; ++i) offset[i] += u[k * stride_ + i] * origin[k];
  if (!open) sum_again(head, s, kTooSmallFloat);
  return true;
}

void PairForces::sum_in_double(const Head& head, const HostSwarm& x, const Sources& s) {
  const int n = s.n, d = s.d;
  const double* u = s.u.data;
  const std::vector<double> zero(std::max(s.k, d));
  const double radius = farthest(s.keys, n, {zero.begin(), zero.begin() + s.k});
  const bool open =
      farthest({u, stride_}, targets_, {zero.begin(), zero.begin() + s.k}) * radius <= kOpenDouble;

  auto p = pair_sums<double>(head, s);
  p.form = open ? Form::open : Form::bounded;
  double* y = y_.need(n * p.pitch);
  place_sources(s, {zero.data(), 1, heaviest_}, y);
  p.y = y;
  if (head.narrow() || !in_registers(d)) pack(head, s, zero.data(), p, packed_);
  p.u = u;
  double* offset = offset_.need(stride_);  // |u_i| max_j |key_j|
  std::fill_n(offset, stride_, 0.0);
  if (!open) {
    for (int k = 0; k < s.k; ++k)
      for (int i = 0; i < targets_; ++i) offset[i] += u[k * stride_ + i] * u[k * stride_ + i];
    for (int i = 0; i < targets_; ++i) offset[i] = std::sqrt(offset[i]) * radius;
  }
  p.bound = offset;
  const bool twice = !some_ && open && mutual(head, x);
  twice ? sum_mutual(p, head.gaze_scale) : sum(p);

  for (int k = 0; k < d; ++k)
    for (int i = first_; i < end_; ++i) p.n[k * stride_ + i] /= p.z[i];
  if (!open) sum_again(head, s, kTooSmallDouble);
}

// The rows whose bound was too high, in double and with their true largest score.
void PairForces::sum_again(const Head& head, const Sources& s, double too_small) {
  std::vector<int> rows;
  const double* z = z_.need(stride_);
  for (int i = first_; i < end_; ++i)
    if (z[i] < too_small && !blind(head, s.n, i)) rows.push_back(i);
  if (rows.empty()) return;

  auto p = pair_sums<double>(head, s);
  p.form = Form::bounded;
  const std::vector<double> zero(std::max(s.k, s.d));
  double* y = y_.need(s.n * p.pitch);
  place_sources(s, {zero.data(), 1, heaviest_}, y);
  p.y = y;
  pack(head, s, zero.data(), p, packed_);
  p.u = s.u.data;
  constexpr std::size_t kBatch = 4096;
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    const auto end = std::min(first + kBatch, rows.size());
    sum_rows(p, {rows.begin() + first, rows.begin() + end});
  }
}

void PairForces::sum_rows(const PairSums<double>& all, const std::vector<int>& rows) {
  const int count = static_cast<int>(rows.size()), d = all.d;
  const std::size_t stride = (rows.size() + kBlock - 1) / kBlock * kBlock;
  Buffer<double> u_few, n_few, z_few, bound_few;
  std::vector<int> row(stride, rows.back());
  std::copy(rows.begin(), rows.end(), row.begin());
  double* u = u_few.need(stride * all.k);
  for (int k = 0; k < all.k; ++k)
    for (std::size_t i = 0; i < stride; ++i) u[k * stride + i] = all.u[k * stride_ + row[i]];

  PairSums<double> p = all;
  p.u = u;
  p.row = row.data();
  p.stride = stride;
  p.z = z_few.need(stride);
  p.n = n_few.need(stride * d);
  double* bound = bound_few.need(stride);
  p.bound = bound;
  for_blocks(blocks(stride), team_, [&](int block) {
    tile_bounds(p, block, bound);
    tile_sums(p, block);
  });
  double* offset = offset_.need(stride_);
  for (int i = 0; i < count; ++i) {
    all.z[rows[i]] = p.z[i];
    offset[rows[i]] = bound[i];
    for (int k = 0; k < d; ++k) all.n[k * stride_ + rows[i]] = p.n[k * stride + i] / p.z[i];
  }
}

//   weight_i
const double* PairForces::weights(const Head& head, const HostSwarm& x) {
  const int n = x.n();
  double* weight = z_.need(stride_);
  const double* offset = offset_.need(stride_);
  if (head.softmax) std::fill_n(weight, n, 1.0);
  for (int i = first_; !head.softmax && i < end_; ++i) {
    double exponent = offset[i] + head.level;
    for (std::size_t k = 0; k < head.tilt.size(); ++k) exponent += head.tilt[k] * x.axis(k)[i];
    const double half = std::exp2(exponent / 2);  // twice, lest it overflow before z brings it down
    weight[i] = head.rate * heaviest_ * weight[i] * half * half;
  }
  return weight;
}

}  // namespace murmur::simd
