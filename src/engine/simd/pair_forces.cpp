// pair_forces.cpp: chooses the kernel that is both right and fast for the particles at hand, and
// sums blocks of sources that ranks pass to each other.
#include "engine/simd/pair_forces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "core/parallel.h"

namespace murmur::simd {

namespace {

// Sources are y_j = scale (x_j - origin) with weights mass_j / largest_mass.
struct SourceScaling {
  const double* origin = nullptr;  // (d)
  double scale = 1;
  double largest_mass = 1;
};

std::size_t source_pitch(int d) { return (static_cast<std::size_t>(d) + 4) / 4 * 4; }

std::size_t packed_size(int n, int d) {
  return (static_cast<std::size_t>(n) + kSources - 1) / kSources * kSources * d;
}

// Writes y (n, source_pitch(d)): values, weight, zeros. It does a few particles at a time, because
// columns hold an axis of many particles and y all coordinates of one.
template <class T>
void place_sources(const Sources& s, const SourceScaling& scaling, T* y) {
  const std::size_t pitch = source_pitch(s.d);
  constexpr int kTogether = 16;
  for (int j0 = 0; j0 < s.n; j0 += kTogether) {
    const int end = std::min(j0 + kTogether, s.n);
    for (int k = 0; k < s.d; ++k)
      for (int j = j0; j < end; ++j)
        y[j * pitch + k] = static_cast<T>(
            scaling.scale * (s.values.data[k * s.values.stride + j] - scaling.origin[k]));
    for (int j = j0; j < end; ++j) {
      T* to = y + j * pitch;
      to[s.d] = static_cast<T>(s.mass[j] / scaling.largest_mass);
      std::fill(to + s.d + 1, to + pitch, T{0});
    }
  }
}

// Writes packed (ceil(n / kSources), d, kSources) from y.
template <class T>
void pack_sources(const T* y, int n, int d, T* packed) {
  const std::size_t pitch = source_pitch(d);
  for (int j0 = 0; j0 < n; j0 += kSources)
    for (int k = 0; k < d; ++k)
      for (int j = j0; j < j0 + kSources; ++j) *packed++ = j < n ? y[j * pitch + k] : T{0};
}

// Writes packed (ceil(n / kSources), k, kSources) from keys minus their origin (k).
template <class T>
void pack_keys(const Sources& s, const double* origin, T* packed) {
  for (int j0 = 0; j0 < s.n; j0 += kSources)
    for (int k = 0; k < s.k; ++k)
      for (int j = j0; j < j0 + kSources; ++j)
        *packed++ = j < s.n ? static_cast<T>(s.keys.data[k * s.keys.stride + j] - origin[k]) : T{0};
}

// The largest open scores in float (natural units), which are rounded to 6e-8 of their size.
constexpr double kOpenFloat = 16;
// The largest scores from differences of float positions, whose error is 1e-7 times the root.
constexpr double kDifferenceFloat = 1024;
// Double exponentials of scores up to this size (in powers of two) neither overflow nor underflow.
constexpr double kOpenDouble = 900;
// Rows with less weight than this are summed again: the least summand of the kernels, 2^-100
// (float) or 2^-980 (double), must be negligible, and z must keep its digits.
constexpr double kTooSmallFloat = 0x1p-40, kTooSmallDouble = 0x1p-900;
// For fewer or more particles the sums per strip cost too much time or memory.
constexpr int kFewestSymmetric = 256, kMostSymmetric = 1 << 18;

int blocks(std::size_t stride) { return static_cast<int>(stride / kBlock); }

bool in_registers(int d) { return d >= 2 && d <= 4; }

bool row_is_empty(const Head& head, int n, int i) {
  return !head.self && (n == 1 || (head.causal && i == 0));
}

// All rows before it are empty.
int first_nonempty_row(const Head& head, int n) {
  return !row_is_empty(head, n, 0) ? 0 : head.causal ? std::min(1, n) : n;
}

// Returns (n) |x_i - origin|^2 of columns (d, stride), axis by axis as they lie in memory.
std::vector<double> squared_distances(ConstColumns x, int n, const std::vector<double>& origin) {
  std::vector<double> square(n);
  for (std::size_t k = 0; k < origin.size(); ++k)
    for (int i = 0; i < n; ++i) {
      const double from = x.data[k * x.stride + i] - origin[k];
      square[i] += from * from;
    }
  return square;
}

// Returns max_i |x_i - origin|; NaN if one of them is NaN.
double largest_distance(ConstColumns x, int n, const std::vector<double>& origin) {
  double most = 0;
  for (const double square : squared_distances(x, n, origin))
    if (square > most || std::isnan(square)) most = square;
  return std::sqrt(most);
}

ConstColumns columns(const HostSwarm& x) { return {x.axis(0), x.stride()}; }

std::vector<double> mean_of(ConstColumns x, int n, int d) {
  std::vector<double> mean(d);
  for (int k = 0; k < d; ++k) {
    for (int i = 0; i < n; ++i) mean[k] += x.data[k * x.stride + i];
    mean[k] /= n;
  }
  return mean;
}

bool are_unit_vectors(const HostSwarm& x) {
  const std::vector<double> square =
      squared_distances(columns(x), x.n(), std::vector<double>(x.d()));
  return std::all_of(square.begin(), square.end(),
                     [](double s) { return std::abs(s - 1) < 1e-10; });
}

bool equal_masses(std::span<const double> mass) {
  return std::all_of(mass.begin(), mass.end(), [&](double m) { return m == mass[0]; });
}

// Returns whether the weights of (i, j) and (j, i) are equal and the symmetric kernel is fast
// enough.
bool use_symmetric_kernel(const Head& head, const HostSwarm& x) {
  return in_registers(x.d()) && head.isotropic && !head.causal && head.self &&
         std::abs(head.query_key_scale) > 1e-3 && x.n() >= kFewestSymmetric &&
         x.n() <= kMostSymmetric && equal_masses(x.mass);
}

}  // namespace

void PairForces::add(const Head& head, const HostSwarm& x, HostSwarm& a) {
  if (x.n() == 0) return;
  prepare(x);
  const int n = x.n(), d = x.d();
  const double* u = project_queries(head, x);
  double* mean = mean_.need(stride_ * d);
  sum(head, x, {{u, stride_}, columns(x), columns(x), mean, n, d, d, x.mass});
  add_values(head, x, a);
}

// Adds the values of the sums that are in mean_, z_ and offset_.
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
    for (int i = std::max(first_, first_nonempty_row(head, n)); i < end_; ++i)
      to[i - first_] += weight[i] * (head.value_scale * value[k * stride_ + i] + bias);
  }
}

void PairForces::add(const NarrowHeads& all, const HostSwarm& x, HostSwarm& a) {
  if (x.n() == 0) return;
  prepare(x);
  const int n = x.n(), d = x.d();
  const int rows = all.projections.matrix.rows;
  double* projected = u_.need(stride_ * std::max(rows, d));
  for (int k = 0; k < rows; ++k)
    std::fill(projected + k * stride_ + n, projected + (k + 1) * stride_, 0.0);
  map(all.projections, columns(x), n, projected);
  double* mean = mean_.need(stride_ * all.values.matrix.cols);
  for (const Head& head : all.heads) {
    const ConstColumns u{projected, stride_}, keys{projected + head.k * stride_, stride_};
    const ConstColumns values{keys.data + head.k * stride_, stride_};
    const bool own = head.r > 0;
    const int r = own ? head.r : d;
    sum(head, x, {u, keys, own ? values : columns(x), mean, n, head.k, r, x.mass});
    const double* weight = weights(head, x);
    const int first = first_nonempty_row(head, n);
    for (int k = 0; k < r; ++k) {
      double* to = mean + k * stride_;
      std::fill_n(to, first, 0.0);
      for (int i = std::max(first, first_); !head.softmax && i < end_; ++i) to[i] *= weight[i];
    }
    for (std::size_t k = 0; k < head.value_bias.size(); ++k)
      for (int i = std::max(first, first_); i < end_; ++i)
        a.axis(k)[i - first_] += weight[i] * head.value_bias[k];
    projected += (2 * head.k + head.r) * stride_;
    mean += r * stride_;
  }
  double* to = u_.need(stride_ * d);  // the scores are done
  map(all.values, {mean_.need(0), stride_}, n, to);
  for (int k = 0; k < d; ++k)
    for (int i = first_; i < end_; ++i) a.axis(k)[i - first_] += to[k * stride_ + i];
}

void PairForces::select_rows(int first, int count) {
  rows_selected_ = true;
  selected_first_ = first;
  selected_count_ = count;
}

void PairForces::prepare(const HostSwarm& x) {
  stride_ = (static_cast<std::size_t>(x.n()) + kBlock - 1) / kBlock * kBlock;
  threads_used_ = worthwhile_threads(static_cast<double>(x.n()) * x.n() * x.d(), threads_);
  largest_mass_ = *std::max_element(x.mass.begin(), x.mass.end());
  first_ = rows_selected_ ? selected_first_ : 0;
  end_ = rows_selected_ ? selected_first_ + selected_count_ : x.n();
  targets_ = x.n();
  unit_targets_ = true;  // the targets are the sources
}

void PairForces::map(const Affine& f, ConstColumns x, int n, double* to) const {
  for_blocks(blocks(stride_), threads_used_, [&](int block) {
    affine_block(f, x, {to, stride_, n}, block);
  });
}

//   u_i = G x_i + g
const double* PairForces::project_queries(const Head& head, const HostSwarm& x) {
  double* u = u_.need(stride_ * x.d());
  for (int k = 0; k < x.d(); ++k) {
    double* to = u + k * stride_;
    std::fill(to + x.n(), to + stride_, 0.0);
    if (head.isotropic)
      for (int i = 0; i < x.n(); ++i) to[i] = head.query_key_scale * x.axis(k)[i];
  }
  if (!head.isotropic) map(head.query_key, columns(x), x.n(), u);
  return u;
}

// Writes s.mean, minus the own value if values are relative.
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
  p.causal = head.causal;
  p.self = head.self;
  p.stride = stride_;
  p.z = z_.need(stride_);
  p.n = s.mean;
  return p;
}

// Writes the packed sources of tile_sums: sources again, or keys minus their origin.
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
  for_blocks(after - before, threads_used_, [&](int b) {
    p.packed == nullptr ? small_sums(p, before + b) : tile_sums(p, before + b);
  });
}

template <class T>
void PairForces::sum_symmetric(const PairSums<T>& p, double g) {
  const std::size_t size = (p.d + 1) * stride_;
  double* strips = strips_.need(kStrips * size);
  for_blocks(kStrips, threads_used_,
             [&](int strip) { symmetric_sums(p, g, strip, strips + strip * size); });
  for (std::size_t c = 0; c < size; ++c) {
    double total = 0;
    for (int strip = 0; strip < kStrips; ++strip) total += strips[strip * size + c];
    (c < p.d * stride_ ? p.n[c] : p.z[c - p.d * stride_]) = total;
  }
}

// In float, sources are differences from their centre c, which keeps the digits of a swarm near
// consensus: <u_i, x_j> = <u_i, x_j - c> + <u_i, c>. On the sphere, where G = g I,
//   g <x_i, x_j> = |g| <t_i, x_j> = |g| - |g| |x_j - t_i|^2 / 2,   t_i = sign(g) x_i
// keeps the digits for large |g| too.
bool PairForces::sum_in_float(const Head& head, const HostSwarm& x, const Sources& s) {
  const int n = s.n, d = s.d;
  const double* u = s.u.data;
  const std::vector<double> zero(s.k);
  std::vector<double> origin = mean_of(s.keys, n, s.k);
  double radius = largest_distance(s.keys, n, origin);
  const double size = largest_distance(s.keys, n, zero);
  const double longest = largest_distance({u, stride_}, targets_, zero) * std::numbers::ln2;
  const double g = head.query_key_scale;
  const bool symmetric = !rows_selected_ && use_symmetric_kernel(head, x) && radius > size / 2 &&
                         longest * size <= kOpenFloat;
  if (symmetric)
    origin = zero, radius = size;  // scores of differences from a centre are not symmetric
  const bool open = longest * radius <= kOpenFloat;
  if (!open && !(in_registers(d) && head.isotropic && are_unit_vectors(x) && unit_targets_ &&
                 std::abs(g) * std::numbers::ln2 * radius * radius <= kDifferenceFloat))
    return false;

  auto p = pair_sums<float>(head, s);
  p.form = open ? Form::open : Form::difference;
  const double scale = open ? 1 : std::sqrt(std::abs(g) / 2);
  const std::vector<double> middle = head.narrow() ? mean_of(s.values, n, d) : origin;
  float* y = y32_.need(n * p.pitch);
  place_sources(s, {middle.data(), scale, largest_mass_}, y);
  p.y = y;
  if (head.narrow() || !in_registers(d)) pack(head, s, origin.data(), p, packed32_);
  float* target = u32_.need(stride_ * s.k);
  for (int k = 0; k < s.k; ++k)
    for (std::size_t i = 0; i < stride_; ++i) {
      const double ui = u[k * stride_ + i];
      target[k * stride_ + i] =
          static_cast<float>(open ? ui : scale * (ui / std::abs(g) - origin[k]));
    }
  p.u = target;
  symmetric ? sum_symmetric(p, g) : sum(p);

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
  const double radius = largest_distance(s.keys, n, {zero.begin(), zero.begin() + s.k});
  const bool open =
      largest_distance({u, stride_}, targets_, {zero.begin(), zero.begin() + s.k}) * radius <=
      kOpenDouble;

  auto p = pair_sums<double>(head, s);
  p.form = open ? Form::open : Form::bounded;
  double* y = y_.need(n * p.pitch);
  place_sources(s, {zero.data(), 1, largest_mass_}, y);
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
  const bool symmetric = !rows_selected_ && open && use_symmetric_kernel(head, x);
  symmetric ? sum_symmetric(p, head.query_key_scale) : sum(p);

  for (int k = 0; k < d; ++k)
    for (int i = first_; i < end_; ++i) p.n[k * stride_ + i] /= p.z[i];
  if (!open) sum_again(head, s, kTooSmallDouble);
}

// Sums the rows whose bound was too high again, in double and with their true largest score.
void PairForces::sum_again(const Head& head, const Sources& s, double too_small) {
  std::vector<int> rows;
  const double* z = z_.need(stride_);
  for (int i = first_; i < end_; ++i)
    if (z[i] < too_small && !row_is_empty(head, s.n, i)) rows.push_back(i);
  if (rows.empty()) return;

  auto p = pair_sums<double>(head, s);
  p.form = Form::bounded;
  const std::vector<double> zero(std::max(s.k, s.d));
  double* y = y_.need(s.n * p.pitch);
  place_sources(s, {zero.data(), 1, largest_mass_}, y);
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
  for_blocks(blocks(stride), threads_used_, [&](int block) {
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
    double exponent = offset[i] + head.offset;
    for (std::size_t k = 0; k < head.offset_slope.size(); ++k)
      exponent += head.offset_slope[k] * x.axis(k)[i];
    const double half = std::exp2(exponent / 2);  // in two factors, so that it does not overflow
    weight[i] = head.rate * largest_mass_ * weight[i] * half * half;
  }
  return weight;
}

void PairForces::begin_blocks(const Head& head, const HostSwarm& x, double largest_mass) {
  if (x.n() == 0) return;
  prepare(x);
  largest_mass_ = largest_mass;
  threads_used_ = threads_;
  rows_selected_ = true;  // no symmetric sums: the sources are another block
  first_ = 0;
  end_ = x.n();
  project_queries(head, x);
  unit_targets_ = are_unit_vectors(x);
  std::fill_n(all_mean_.need(stride_ * x.d()), stride_ * x.d(), 0.0);
  std::fill_n(all_z_.need(stride_), stride_, 0.0);
  std::fill_n(all_offset_.need(stride_), stride_, 0.0);
}

//   z 2^o = z_1 2^o_1 + z_2 2^o_2,   mean = (z_1 2^o_1 mean_1 + z_2 2^o_2 mean_2) / (z 2^o)
void PairForces::add_block(const Head& head, const HostSwarm& x, const HostSwarm& sources) {
  if (x.n() == 0 || sources.n() == 0) return;
  const int d = x.d();
  const double* u = u_.need(stride_ * d);
  double* mean = mean_.need(stride_ * d);
  Sources s{{u, stride_}, columns(sources), columns(sources), mean, sources.n(), d, d,
            sources.mass};
  if (precision_ == Precision::f64 || !sum_in_float(head, sources, s))
    sum_in_double(head, sources, s);
  const double* z = z_.need(stride_);
  const double* offset = offset_.need(stride_);
  double* all_mean = all_mean_.need(stride_ * d);
  double* all_z = all_z_.need(stride_);
  double* all_offset = all_offset_.need(stride_);
  for (int i = 0; i < x.n(); ++i) {
    if (!(z[i] > 0)) continue;
    const double top = all_z[i] > 0 ? std::max(all_offset[i], offset[i]) : offset[i];
    const double before = all_z[i] > 0 ? all_z[i] * std::exp2(all_offset[i] - top) : 0;
    const double here = z[i] * std::exp2(offset[i] - top);
    all_z[i] = before + here;
    all_offset[i] = top;
    for (int k = 0; k < d; ++k) {
      double& m = all_mean[k * stride_ + i];
      m = (before * m + here * mean[k * stride_ + i]) / all_z[i];
    }
  }
}

void PairForces::finish_blocks(const Head& head, const HostSwarm& x, HostSwarm& a) {
  if (x.n() == 0) return;
  const int d = x.d();
  double* mean = mean_.need(stride_ * d);
  std::copy_n(all_mean_.need(stride_ * d), stride_ * d, mean);
  std::copy_n(all_z_.need(stride_), stride_, z_.need(stride_));
  std::copy_n(all_offset_.need(stride_), stride_, offset_.need(stride_));
  for (int k = 0; head.relative && k < d; ++k)
    for (int i = 0; i < x.n(); ++i) mean[k * stride_ + i] -= x.axis(k)[i];
  add_values(head, x, a);
}

namespace {

// Returns axis after axis, then the masses.
std::vector<double> packed(const HostSwarm& x) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(x.n()) * (x.d() + 1));
  for (int k = 0; k < x.d(); ++k) all.insert(all.end(), x.axis(k), x.axis(k) + x.n());
  all.insert(all.end(), x.mass.begin(), x.mass.end());
  return all;
}

HostSwarm unpacked(const std::vector<double>& all, Shape shape) {
  HostSwarm x(shape);
  for (int k = 0; k < shape.d; ++k)
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(shape.n) * k, shape.n, x.axis(k));
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(shape.n) * shape.d, shape.n,
              x.mass.begin());
  return x;
}

}  // namespace

void pass_blocks_around(Share& share, const HostSwarm& own,
                        const std::function<void(const HostSwarm& block)>& add) {
  Ranks& ranks = share.ranks();
  const int size = ranks.size(), d = own.d();
  std::vector<double> here = packed(own), next;
  for (int step = 0; step < size; ++step) {
    const int owner = (ranks.rank() + size - step) % size;
    const HostSwarm block = unpacked(here, {share.counts()[owner], d});
    if (step + 1 == size) return add(block);
    const int coming = share.counts()[(owner + size - 1) % size];
    next.resize(static_cast<std::size_t>(coming) * (d + 1));
    ranks.pass(here, next, [&] { add(block); });
    std::swap(here, next);
  }
}

}  // namespace murmur::simd
