// wide_forces.cpp: sums over pairs in many dimensions: one kernel, or strips of rows between
// products of matrices.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/cuda/pair_forces.h"
#include "engine/cuda/room.h"
#include "engine/cuda/sums_kernels.h"
#include "engine/cuda/wide_pairs.h"

namespace murmur::cuda {

namespace {

// Tensor cores' accumulators round down: so many summands of a score go into one before it is added
// to others.
constexpr int kCoordinatesAtOnce = 128;

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
        handle, turn_left ? CUBLAS_OP_T : CUBLAS_OP_N, turn_right ? CUBLAS_OP_T : CUBLAS_OP_N, rows,
        cols, inner, &one, a, CUDA_R_16F, static_cast<int>(left_pitch), left_step, b, CUDA_R_16F,
        static_cast<int>(right_pitch), right_step, &keep, c, CUDA_R_32F, static_cast<int>(pitch),
        step, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }
};

Halves halves_in(std::byte* room, std::size_t count) {
  auto* at = reinterpret_cast<std::uint16_t*>(room);
  return {at, at + count};
}

}  // namespace

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
  auto* room = reinterpret_cast<float*>(room_.need((w.d + 1) * rows * count * sizeof(float)));
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
  for (int first = w.rows.begin(); first < w.rows.end(w.n); first += most) {
    const Strip strip{first, std::min(most, w.rows.end(w.n) - first), w.n, rows};
    HalfProduct score{products_.handle(), false, true, all, strip.count, 2 * w.k, rows, rows, rows};
    score(key.high, u.low + first, 0, s);
    for (int k = 0; k < w.k; k += kCoordinatesAtOnce) {
      score.inner = std::min(kCoordinatesAtOnce, w.k - k);
      score(key.high + k * rows, u.high + k * rows + first, 1, s);
    }
    weigh_halves(strip, w.head.seen, weight, unscale, s, p, w.sums.z, bound);
    const auto count = static_cast<std::size_t>(strip.count);
    const HalfProduct add{products_.handle(),
                          true,
                          false,
                          strip.count,
                          w.d,
                          kSourcesAtOnce,
                          rows,
                          rows,
                          count,
                          parts,
                          kSourcesAtOnce,
                          kSourcesAtOnce,
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
  for (int first = w.rows.begin(); first < w.rows.end(w.n); first += most) {
    const Strip strip{first, std::min(most, w.rows.end(w.n) - first), w.n, pitch};
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
