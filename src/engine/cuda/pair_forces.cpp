// pair_forces.cpp: chooses the form of the sums as the simd engine does, and makes them.
#include "engine/cuda/pair_forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/cuda/sums_kernels.h"
#include "engine/cuda/wide_pairs.h"

namespace murmur::cuda {

namespace {

// As of engine/simd/pair_forces.cpp: what single and double precision can hold.
constexpr double kOpenFloat = 16, kDifferenceFloat = 1024, kOpenDouble = 900;
constexpr double kTooSmallFloat = 0x1p-40;
constexpr int kFewestMutual = 4096, kMostMutual = 1 << 19;
constexpr int kStretchesAtOnce = 128;
constexpr std::size_t kStripNumbers = std::size_t{1} << 26;  // scores of a strip of rows
// Tensor cores' accumulators round down: so many summands go into one before it is added to others.
constexpr int kSourcesAtOnce = 256, kCoordinatesAtOnce = 128;

bool in_registers(int d) { return d >= 2 && d <= 4; }

int first_sighted(const Seen& seen, int n) {
  if (seen.self) return 0;
  return seen.past ? std::min(1, n) : n == 1 ? 1 : 0;
}

int strip_rows(int n, std::size_t pitch) {
  const auto most = static_cast<int>(std::max<std::size_t>(kStripNumbers / pitch / 256, 1) * 256);
  return std::min(n, most);
}

// 2^k such that scale size is at most 2^12: halves reach 2^16.
double scale_to_halves(double size) {
  return size > 0 && std::isfinite(size) ? std::exp2(12 - std::ceil(std::log2(size))) : 1;
}

// A product of halves into floats, c = keep c + op(a) op(b), or several of them.
struct HalfProduct {
  cublasHandle_t handle;
  bool turn_left, turn_right;
  int rows, cols, inner;
  std::size_t left_pitch, right_pitch, pitch;
  int count = 1;  // products, so far apart in a, b and c
  long long left_step = 0, right_step = 0, step = 0;

  void operator()(const std::uint16_t* a, const std::uint16_t* b, float keep, float* c) const {
    const float one = 1;
    inspect(cublasGemmStridedBatchedEx(
        handle, turn_left ? CUBLAS_OP_T : CUBLAS_OP_N, turn_right ? CUBLAS_OP_T : CUBLAS_OP_N,
        rows, cols, inner, &one, a, CUDA_R_16F, static_cast<int>(left_pitch), left_step, b,
        CUDA_R_16F, static_cast<int>(right_pitch), right_step, &keep, c, CUDA_R_32F,
        static_cast<int>(pitch), step, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }
};

Halves halves_in(std::byte* room, std::size_t count) {
  auto* at = reinterpret_cast<std::uint16_t*>(room);
  return {at, at + count};
}

}  // namespace

std::size_t pair_bytes(Shape shape, Precision precision) {
  const std::size_t n = static_cast<std::size_t>(whole_rows(shape.n));
  const std::size_t d = static_cast<std::size_t>(shape.d);
  const std::size_t own = n * (4 * d + 4) * 8;  // u, keys, sums, values
  if (in_registers(shape.d)) {
    const auto strips = static_cast<std::size_t>(mutual_stretches(shape.n));
    const std::size_t floats =
        (d + 1) * n * 4 *
        std::max<std::size_t>(kStretchesAtOnce, shape.n <= kMostMutual ? strips : 0);
    const std::size_t doubles = (d + 1) * n * 8 * 64;
    return own + (precision == Precision::f32 ? std::max(floats, doubles) : doubles) + n * 84;
  }
  const std::size_t strip = static_cast<std::size_t>(strip_rows(shape.n, n)) * n;
  const std::size_t parts =
      static_cast<std::size_t>(strip_rows(shape.n, n)) * d * (n / kSourcesAtOnce) * 4;
  return own + n * d * 12 + strip * 8 + (precision == Precision::f32 ? parts : 0);
}

void DevicePairs::add(const DeviceHead& head, const DeviceSwarm& x, DeviceSwarm& a) {
  const auto [n, d] = x.shape();
  if (n == 0) return;
  const std::size_t stride = x.stride();
  Work w{head, x, n, d, head.k, stride, nullptr, x.data(), {}};
  double* u = u_.need(stride * head.k);
  if (head.isotropic)
    scaled(x.places(), head.gaze_scale, {u, stride, n, d});
  else
    apply(head.gaze.map(), x.places(), false, u, stride);
  w.u = u;
  if (head.keys.rows > 0) {
    double* keys = keys_.need(stride * head.k);
    apply(head.keys.map(), x.places(), false, keys, stride);
    w.keys = keys;
  }
  w.sums = {sums_.need(stride * d), z_.need(stride), stride};
  const Done done = sum(w);

  Means means{.n = n, .d = d, .stride = stride, .sum = w.sums.n, .z = w.sums.z};
  means.scale = done.scale;
  if (done.differences)
    means.aim = u, means.gaze = std::abs(head.gaze_scale);
  else
    means.origin = done.middle;
  if (head.relative) means.own = x.data(), means.own_stride = stride;
  to_means(means);
  Said said{.mean = w.sums.n, .value_scale = head.value_scale};
  if (head.value.rows > 0) {
    double* value = value_.need(stride * d);
    apply(head.value.map(), {w.sums.n, stride, n, d}, false, value, stride);
    said.mean = value;
  }
  said.bias = head.value_bias ? head.value_bias->need(0) : nullptr;
  Weights weights{.n = n, .d = d, .stride = stride, .softmax = head.softmax};
  weights.rate = head.rate * done.heaviest;
  weights.level = head.level;
  weights.z = w.sums.z;
  weights.bound = done.bound;
  weights.flat = done.flat;
  weights.aim = u, weights.origin = done.origin, weights.k = head.k;
  weights.tilt = head.tilt ? head.tilt->need(0) : nullptr;
  weights.x = x.data(), weights.x_stride = stride;
  weights.sighted = first_sighted(head.seen, n);
  add_said(weights, said, a.places());
  inspect(cudaGetLastError());
}

DevicePairs::Done DevicePairs::sum(const Work& w) {
  Done done;
  const bool small = in_registers(w.d) && w.head.keys.rows == 0;
  if (precision_ == Precision::f32 &&
      (small ? sum_small_float(w, done) : sum_wide_float(w, done)))
    return done;
  return small ? sum_small_double(w) : sum_strips_double(w);
}

// Of the keys: how far they are from their centre and from 0; of u: how long; of the swarm: how far
// from unit length. The centre stays in origin().
DevicePairs::Facts DevicePairs::facts(const Work& w) {
  double* scratch = scratch_.need(reduce_scratch(w.n));
  double* to = facts_.need(4);
  const ConstPlaces keys{w.keys, w.stride, w.n, w.k}, u{w.u, w.stride, w.n, w.k};
  double* middle = origin_.need(static_cast<std::size_t>(std::max(w.k, w.d)));
  centre(keys, nullptr, scratch, middle);
  farthest(keys, middle, scratch, to);
  farthest(keys, nullptr, scratch, to + 1);
  farthest(u, nullptr, scratch, to + 2);
  off_the_sphere(w.x.places(), scratch, to + 3);
  const std::vector<double> found = fetch(to, 4);
  return {std::sqrt(found[0]), std::sqrt(found[1]), std::sqrt(found[2]) * std::numbers::ln2,
          found[3]};
}

bool DevicePairs::sum_small_float(const Work& w, Done& done) {
  const Facts f = facts(w);
  const DeviceHead& head = w.head;
  const bool twice = head.isotropic && head.seen.all() && std::abs(head.gaze_scale) > 1e-3 &&
                     w.x.masses->equal && w.n >= kFewestMutual && w.n <= kMostMutual &&
                     f.radius > f.size / 2 && f.gaze * f.size <= kOpenFloat;
  double* middle = origin_.need(0);
  if (twice)  // seen from a centre, scores are not mutual
    inspect(cudaMemsetAsync(middle, 0, sizeof(double) * static_cast<std::size_t>(w.d)));
  const double radius = twice ? f.size : f.radius;
  done.origin = done.middle = middle;
  done.heaviest = w.x.masses->heaviest;
  if (f.gaze * radius <= kOpenFloat) {
    const double ratio = radius > 0 && f.gaze > 0 ? radius * std::numbers::ln2 / f.gaze : 1;
    sum_open(w, twice, std::exp2(std::round(std::log2(ratio) / 2)));
    return true;
  }
  if (!head.isotropic || !(f.off < 1e-10)) return false;
  return sum_differences(w, f.radius, done);
}

void DevicePairs::sum_open(const Work& w, bool twice, double balance) {
  const Packed packed = lay_out(packed_.need(packed_bytes(w.n)), w.n);
  pack({w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), origin_.need(0), w.x.masses->heaviest,
        balance},
       packed);
  const std::size_t size = (w.d + 1) * packed.rows;
  const int count = twice ? mutual_stretches(w.n) : plain_stretches(w.n);
  const int at_once = twice ? count : std::min(count, kStretchesAtOnce);
  auto* room = reinterpret_cast<float*>(room_.need(size * at_once * sizeof(float)));
  if (twice) {
    const Stretches all{count, packed.rows, room};
    mutual_sums(packed, w.n, w.d, all);
    const auto behind = static_cast<double>(packed.rows) - w.n;
    return add_stretches(all, w.n, w.d, false, behind, w.sums);
  }
  for (int first = 0; first < count; first += at_once) {
    const Stretches some{std::min(at_once, count - first), packed.rows, room};
    plain_sums(packed, w.n, w.d, w.head.seen, first, some);
    add_stretches(some, w.n, w.d, first > 0, 0, w.sums);
  }
}

// g <x_i, x_j> = |g| - |g| |x_j - t_i|^2 / 2 on the sphere, t_i = sign(g) x_i.
bool DevicePairs::sum_differences(const Work& w, double radius, Done& done) {
  const double g = std::abs(w.head.gaze_scale);
  if (!(g * std::numbers::ln2 * radius * radius <= kDifferenceFloat)) return false;
  const auto rows = static_cast<std::size_t>(whole_rows(w.n));
  auto* source = reinterpret_cast<float4*>(packed_.need(rows * 36));
  float4* target = source + rows;
  auto* weight = reinterpret_cast<float*>(target + rows);
  done.scale = std::sqrt(g / 2);
  pack_difference({w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), origin_.need(0),
                   w.x.masses->heaviest, 1},
                  done.scale, g, source, target, weight);
  const int count = double_stretches(w.n);
  auto* room = reinterpret_cast<float*>(room_.need((w.d + 1) * rows * count * sizeof(float)));
  const Stretches all{count, rows, room};
  difference_sums({w.n, w.d, source, target, weight}, w.head.seen, all);
  add_stretches(all, w.n, w.d, false, 0, w.sums);
  done.differences = true;
  done.flat = g;
  done.origin = nullptr;
  const int first = first_sighted(w.head.seen, w.n);
  double* worst = facts_.need(4);
  least(w.sums.z, first, w.n, scratch_.need(0), worst);
  const double inverse = fetch(worst, 1)[0];
  if (inverse <= 1 / kTooSmallFloat) return true;
  done = {};
  return false;
}

DevicePairs::Done DevicePairs::sum_small_double(const Work& w) {
  Done done;
  done.heaviest = w.x.masses->heaviest;
  double* scratch = scratch_.need(reduce_scratch(w.n));
  double* to = facts_.need(4);
  farthest(w.x.places(), nullptr, scratch, to);
  farthest({w.u, w.stride, w.n, w.d}, nullptr, scratch, to + 1);
  const std::vector<double> found = fetch(to, 2);
  const bool open = std::sqrt(found[0]) * std::sqrt(found[1]) <= kOpenDouble;
  const auto rows = static_cast<std::size_t>(whole_rows(w.n));
  auto* room = reinterpret_cast<double*>(
      room_.need((w.d + 1) * rows * double_stretches(w.n) * sizeof(double)));
  DoublePairs p{w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), done.heaviest};
  if (!open) {
    double* bound = bound_.need(w.stride);
    largest_scores(p, w.head.seen, rows, room, bound);
    p.bound = done.bound = bound;
  }
  double_sums(p, w.head.seen, rows, room);
  add_double_stretches(room, rows, w.n, w.d, w.sums);
  return done;
}

bool DevicePairs::sum_wide_float(const Work& w, Done& done) {
  const Facts f = facts(w);
  if (!(f.gaze * f.radius <= kOpenFloat)) return false;
  double* scratch = scratch_.need(reduce_scratch(w.n));
  done.origin = origin_.need(0);
  double* middle = middle_.need(static_cast<std::size_t>(w.d) + 1);
  centre(w.x.places(), nullptr, scratch, middle);
  done.middle = middle;
  done.heaviest = w.x.masses->heaviest;
  if (std::max(w.k, w.d) <= kFusedMost)
    sum_fused(w, f, done);
  else
    sum_strips_halves(w, f, done);
  return true;
}

void DevicePairs::sum_fused(const Work& w, const Facts& f, Done& done) {
  const int pitch = padded_dimension(std::max(w.k, w.d));
  const auto rows = static_cast<std::size_t>(whole_rows(w.n));
  const std::size_t size = rows * static_cast<std::size_t>(pitch);
  std::byte* at = packed_.need(size * 12 + rows * 8);
  Fused p{.n = w.n, .pitch = pitch, .d = w.d, .rows = rows};
  p.u = halves_in(at, size), at += size * 4;
  p.key = halves_in(at, size), at += size * 4;
  p.value = halves_in(at, size), at += size * 4;
  auto* weight = reinterpret_cast<float*>(at);
  p.weight = weight;
  p.bound = weight + rows;
  const double look = scale_to_halves(f.gaze / std::numbers::ln2);
  const double far = scale_to_halves(f.radius);
  const double value = scale_to_halves(f.size);
  split_rows({w.n, w.k, w.stride, w.u, nullptr, look}, rows, pitch, p.u);
  split_rows({w.n, w.k, w.stride, w.keys, done.origin, far}, rows, pitch, p.key);
  split_rows({w.n, w.d, w.stride, w.x.data(), done.middle, value}, rows, pitch, p.value);
  split_weights(w.x.mass(), done.heaviest, w.n, rows, weight);
  p.unscale = static_cast<float>(1 / (look * far));
  const int count = fused_stretches(w.n, pitch);
  auto* room =
      reinterpret_cast<float*>(room_.need((w.d + 1) * rows * count * sizeof(float)));
  if (w.head.isotropic && w.head.gaze_scale > 0 && w.head.seen.self && f.off < 1e-10)
    fused_own_bounds(p);
  else
    fused_bounds(p, w.head.seen, room);
  const Stretches all{count, rows, room};
  fused_sums(p, w.head.seen, all);
  add_fused(all, w.n, w.d, value, w.sums);
  double* bound = bound_.need(w.stride);
  widen(p.bound, w.n, bound);
  done.bound = bound;
}

// Small parts first: low times high and high times low are one product of twice the coordinates,
// since key is (high, low) and u is (low, high).
void DevicePairs::sum_strips_halves(const Work& w, const Facts& f, Done& done) {
  const auto rows = static_cast<std::size_t>(whole_rows(w.n));
  const std::size_t size = rows * static_cast<std::size_t>(w.k), values = rows * w.d;
  std::byte* at = packed_.need(size * 8 + values * 4 + rows * 4);
  const Halves low_first = halves_in(at, size), u{low_first.low, low_first.high};
  const Halves key = halves_in(at + size * 4, size);
  const Halves value = halves_in(at + size * 8, values);
  auto* weight = reinterpret_cast<float*>(at + size * 8 + values * 4);
  const double look = scale_to_halves(f.gaze / std::numbers::ln2);
  const double far = scale_to_halves(f.radius), wide = scale_to_halves(f.size);
  split_columns({w.n, w.k, w.stride, w.u, nullptr, look}, rows, u);
  split_columns({w.n, w.k, w.stride, w.keys, done.origin, far}, rows, key);
  split_columns({w.n, w.d, w.stride, w.x.data(), done.middle, wide}, rows, value);
  split_weights(w.x.mass(), done.heaviest, w.n, rows, weight);
  const int most = strip_rows(w.n, rows), all = static_cast<int>(rows);
  const int parts = all / kSourcesAtOnce;
  const std::size_t scores = static_cast<std::size_t>(most) * rows;
  const std::size_t part = static_cast<std::size_t>(most) * w.d;
  std::byte* room = room_.need(scores * 8 + part * parts * 4);
  auto* s = reinterpret_cast<float*>(room);
  const Halves p = halves_in(room + scores * 4, scores);
  auto* sums = reinterpret_cast<float*>(room + scores * 8);
  double* bound = bound_.need(w.stride);
  const float unscale = static_cast<float>(1 / (look * far));
  for (int first = 0; first < w.n; first += most) {
    const Strip strip{first, std::min(most, w.n - first), w.n, rows};
    HalfProduct score{products_.handle(), false, true, all, strip.count, 2 * w.k, rows, rows, rows};
    score(key.high, u.low + first, 0, s);
    for (int k = 0; k < w.k; k += kCoordinatesAtOnce) {
      score.inner = std::min(kCoordinatesAtOnce, w.k - k);
      score(key.high + k * rows, u.high + k * rows + first, 1, s);
    }
    weigh_halves(strip, w.head.seen, weight, unscale, s, p, w.sums.z, bound);
    const auto count = static_cast<std::size_t>(strip.count);
    const HalfProduct add{products_.handle(), true, false, strip.count, w.d, kSourcesAtOnce,
                          rows, rows, count, parts, kSourcesAtOnce, kSourcesAtOnce,
                          static_cast<long long>(count) * w.d};
    add(p.low, value.high, 0, sums);
    add(p.high, value.low, 1, sums);
    add(p.high, value.high, 1, sums);
    keep_strip(strip, w.d, parts, sums, wide, w.sums.n, w.stride);
  }
  done.bound = bound;
}

DevicePairs::Done DevicePairs::sum_strips_double(const Work& w) {
  const auto pitch = static_cast<std::size_t>(whole_rows(w.n));
  const int most = strip_rows(w.n, pitch);
  auto* s = reinterpret_cast<double*>(
      room_.need(static_cast<std::size_t>(most) * pitch * sizeof(double)));
  double* bound = bound_.need(w.stride);
  const double one = 1, zero = 0;
  const auto stride = static_cast<int>(w.stride), wide = static_cast<int>(pitch);
  for (int first = 0; first < w.n; first += most) {
    const Strip strip{first, std::min(most, w.n - first), w.n, pitch};
    inspect(cublasDgemm(products_.handle(), CUBLAS_OP_N, CUBLAS_OP_T, w.n, strip.count, w.k, &one,
                        w.keys, stride, w.u + first, stride, &zero, s, wide));
    weigh_double(strip, w.head.seen, w.x.mass(), s, w.sums.z, bound);
    inspect(cublasDgemm(products_.handle(), CUBLAS_OP_T, CUBLAS_OP_N, strip.count, w.d, w.n, &one,
                        s, wide, w.x.data(), stride, &zero, w.sums.n + first, stride));
  }
  Done done;
  done.bound = bound;
  return done;
}

}  // namespace murmur::cuda
