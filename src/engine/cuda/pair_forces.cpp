// pair_forces.cpp: chooses the form of the sums as the simd engine does, and makes them.
#include "engine/cuda/pair_forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/cuda/room.h"
#include "engine/cuda/sphere_moments.h"
#include "engine/cuda/sphere_series.h"
#include "engine/cuda/sphere_targets.h"
#include "engine/cuda/sums_kernels.h"

namespace murmur::cuda {

namespace {

// As of engine/simd/pair_forces.cpp: what single and double precision can hold.
constexpr double kDifferenceFloat = 1024, kOpenDouble = 900;
constexpr double kTooSmallFloat = 0x1p-40;
// Of weights as halves: the largest is 2^14 at most, and so many octaves below have all digits.
constexpr int kLargestHalf = 14, kOctaves = 17;
// Smaller weights are off by 2^-25: so many of them by 10^-6 of one that is 2^13 or above.
constexpr int kMostBesideOwn = 1 << 18;

// Stretches whose sums are kept at once, of `size` bytes each.
int at_once(int count, std::size_t size) {
  return std::min(count, static_cast<int>(std::max<std::size_t>(kStretchBytes / size, 1)));
}

bool in_registers(int d) { return d >= 2 && d <= 4; }

// How far from the sphere (|x|^2 - 1) particles may be for series that know nothing of it.
constexpr double kOnTheSphere = 1e-14;

// How far a mean is off where no bound is known.
constexpr double kNothing = std::numeric_limits<double>::infinity();

// Z e^{-rho} of a uniform swarm on S^2.
double uniform_z(double rho) { return (1 - std::exp(-2 * rho)) / (2 * rho); }

int first_sighted(const Seen& seen, int n) {
  if (seen.self) return 0;
  return seen.past ? std::min(1, n) : n == 1 ? 1 : 0;
}

}  // namespace

void DevicePairs::add(const DeviceHead& head, const DeviceSwarm& x, const RowTiles& rows,
                      DeviceSwarm& a) {
  const auto [n, d] = x.shape();
  if (n == 0) return;
  const std::size_t stride = x.stride();
  Work w{head, x, rows, n, d, head.k, stride, nullptr, x.data(), {}};
  w.sums = {sums_.need(stride * d), z_.need(stride), stride};
  Done done;
  const bool summed = moments_ == GpuSums::moments && sum_by_moments(w, done);
  if (!summed) {
    look(w);
    done = sum(w);
  }

  Means means{.n = n, .d = d, .stride = stride, .sum = w.sums.n, .z = w.sums.z};
  means.scale = done.scale;
  if (done.differences)
    means.aim = w.u, means.gaze = std::abs(head.gaze_scale);
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
  weights.aim = w.u, weights.origin = done.origin, weights.k = head.k;
  weights.tilt = head.tilt ? head.tilt->need(0) : nullptr;
  weights.x = x.data(), weights.x_stride = stride;
  weights.sighted = first_sighted(head.seen, n);
  add_said(weights, said, a.places());
  inspect(cudaGetLastError());
}

// u and, for a head of few rows, keys.
void DevicePairs::look(Work& w) {
  double* u = u_.need(w.stride * w.k);
  if (w.head.isotropic)
    scaled(w.x.places(), w.head.gaze_scale, {u, w.stride, w.n, w.d});
  else
    apply(w.head.gaze.map(), w.x.places(), false, u, w.stride);
  w.u = u;
  if (w.head.keys.rows == 0) return;
  double* keys = keys_.need(w.stride * w.k);
  apply(w.head.keys.map(), w.x.places(), false, keys, w.stride);
  w.keys = keys;
}

// The least weight of a row; NaN where one is none.
double DevicePairs::lightest(const Work& w) {
  double* to = facts_.need(4);
  least(w.sums.z, 0, w.n, scratch_.need(reduce_scratch(w.n)), to);
  return 1 / fetch(to, 1)[0];
}

// How far a mean can be off by the series of degree 31 at most; infinity where a uniform swarm
// would not be within the promise.
double DevicePairs::by_series(const Work& w, double rho, double promise) {
  if (!(std::abs(rho) > 1e-2 && std::abs(rho) < 50)) return kNothing;
  const SphereSeries series(rho, promise / 64);
  if (series.of_mean(uniform_z(std::abs(rho))) > promise) return kNothing;
  const std::vector<double> coefficients = series.coefficients(moments(w, series));
  sphere_sums(w.x.places(), rho, series.terms(),
              coefficients_.upload(std::span<const double>(coefficients)), w.sums);
  error.orders = std::max(error.orders, series.degree());
  return series.of_mean(lightest(w));
}

// The same where each u has a length of its own, between 0.1 and 50: what is left out is largest
// for the longest.
double DevicePairs::by_lengths(Work& w, double promise) {
  double* scratch = scratch_.need(reduce_scratch(w.n));
  double* to = facts_.need(4);
  double* bound = bound_.need(w.stride);
  const ConstPlaces u{w.u, w.stride, w.n, 3};
  lengths(u, bound);
  farthest(u, nullptr, scratch, to);
  least(bound, 0, w.n, scratch, to + 1);
  const std::vector<double> found = fetch(to, 2);
  const double longest = std::sqrt(found[0]) * std::numbers::ln2;
  const double shortest = std::numbers::ln2 / found[1];
  if (!(shortest > 0.1 && longest < 50)) return kNothing;
  const SphereSeries series(longest, promise / 64);
  if (series.of_mean(uniform_z(longest)) > promise) return kNothing;
  const std::vector<double> harmonics = series.harmonics(moments(w, series));
  sums_at_targets(u, bound, series.degree(),
                  coefficients_.upload(std::span<const double>(harmonics)), w.sums);
  error.orders = std::max(error.orders, series.degree());
  return series.of_mean(lightest(w));
}

std::vector<double> DevicePairs::moments(const Work& w, const SphereSeries& series) {
  const int terms = series.terms();
  const auto size = static_cast<std::size_t>(2 * terms * terms);
  double* to = facts_.need(std::max<std::size_t>(size, 4));
  sphere_moments(w.x.places(), w.x.mass(), terms, parts_.need(moment_scratch(terms)), to);
  return fetch(to, size);
}

// The same by transforms, for whatever rho; where the head turns its queries, u must have one
// length.
double DevicePairs::by_transform(Work& w, double off, double promise, double& gaze) {
  SphereTransform::Request request{.x = w.x.places(), .mass = w.x.mass()};
  gaze = std::abs(w.head.gaze_scale);
  if (!w.head.isotropic || w.head.gaze_scale < 0) {
    double* to = facts_.need(4);
    double* scratch = scratch_.need(reduce_scratch(w.n));
    const Places turned{directions_.need(w.stride * 3), w.stride, w.n, 3};
    if (w.head.isotropic) {
      scaled(w.x.places(), -1, turned);
    } else {
      look(w);
      farthest({w.u, w.stride, w.n, 3}, nullptr, scratch, to);
      gaze = std::sqrt(fetch(to, 1)[0]);
      if (!(gaze > 0)) return kNothing;
      scaled({w.u, w.stride, w.n, 3}, 1 / gaze, turned);
      off_the_sphere(turned, scratch, to);
      off = std::max(off, fetch(to, 1)[0]);
    }
    request.targets = turned;
  }
  request.rho = gaze * std::numbers::ln2;
  request.tolerance = promise;
  request.off = off;
  SphereTransform::Bound bound;
  if (!(off < 1e-10) || !(request.rho > 1e-2) || !transform_.sum(request, w.sums, bound))
    return kNothing;
  error.orders = std::max(error.orders, bound.degree);
  return bound.of_mean(lightest(w));
}

bool DevicePairs::sum_by_moments(Work& w, Done& done) {
  const double promise =
      precision_ == Precision::f32 ? kGpuMomentsPromiseFloat : kGpuMomentsPromise;
  double worst = kNothing;
  if (w.d == 3 && w.head.keys.rows == 0 && w.head.seen.all()) {
    double* to = facts_.need(4);
    off_the_sphere(w.x.places(), scratch_.need(reduce_scratch(w.n)), to);
    const double off = fetch(to, 1)[0];
    if (w.head.isotropic && off < kOnTheSphere)
      worst = by_series(w, w.head.gaze_scale * std::numbers::ln2, promise);
    done.flat = std::abs(w.head.gaze_scale);
    if (!(worst <= promise)) worst = by_transform(w, off, promise, done.flat);
    if (!(worst <= promise) && !w.head.isotropic && off < kOnTheSphere) {
      worst = by_lengths(w, promise);
      done.bound = bound_.need(w.stride);
    }
  }
  if (!(worst <= promise)) {
    done = {};
    error.direct += w.n;
    return false;
  }
  error.worst = worst;
  error.worst_ever = std::max(error.worst_ever, worst);
  return true;
}

DevicePairs::Done DevicePairs::sum(const Work& w) {
  Done done;
  const bool small = in_registers(w.d) && w.head.keys.rows == 0;
  if (precision_ == Precision::f32 && (small ? sum_small_float(w, done) : sum_wide_float(w, done)))
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
  sizes(keys, middle, u, w.x.places(), scratch, to);
  const std::vector<double> found = fetch(to, 4);
  return {std::sqrt(found[0]), std::sqrt(found[1]), std::sqrt(found[2]) * std::numbers::ln2,
          found[3]};
}

bool DevicePairs::sum_small_float(const Work& w, Done& done) {
  const Facts f = facts(w);
  const DeviceHead& head = w.head;
  const double most = f.gaze * f.size / std::numbers::ln2;  // |s_ij|
  // Halves hold coordinates of about 1; and all weights, or each row has its own, which none
  // exceeds, and beside which what the others are off by is nothing.
  const bool held =
      f.size > 0.125 && f.size < 8 &&
      (2 * most <= kOctaves || (head.gaze_scale > 0 && f.off < 1e-10 && w.n <= kMostBesideOwn));
  const bool twice = head.isotropic && head.seen.all() && std::abs(head.gaze_scale) > 1e-3 &&
                     w.d < 4 && held && w.x.masses->equal && w.n >= kFewestMutual &&
                     w.n <= kMostMutual && w.rows.count == all_tiles(w.n).count &&
                     f.radius > f.size / 2 && f.gaze * f.size <= kOpenFloat;
  double* middle = origin_.need(0);
  if (twice)  // seen from a centre, scores are not mutual
    inspect(cudaMemsetAsync(middle, 0, sizeof(double) * static_cast<std::size_t>(w.d)));
  const double radius = twice ? f.size : f.radius;
  done.origin = done.middle = middle;
  done.heaviest = w.x.masses->heaviest;
  if (f.gaze * radius <= kOpenFloat) {
    const double ratio = radius > 0 && f.gaze > 0 ? radius * std::numbers::ln2 / f.gaze : 1;
    const double balance = std::exp2(std::round(std::log2(ratio) / 2));
    const int shift = kLargestHalf - static_cast<int>(std::ceil(most));
    sum_open(w, balance, twice ? std::optional(shift) : std::nullopt);
    return true;
  }
  if (!head.isotropic || !(f.off < 1e-10)) return false;
  return sum_differences(w, f.radius, done);
}

void DevicePairs::sum_open(const Work& w, double balance, std::optional<int> shift) {
  const bool twice = shift.has_value();
  const Packed packed = lay_out(packed_.need(packed_bytes(w.n)), w.n);
  pack({w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), origin_.need(0), w.x.masses->heaviest,
        balance, twice, shift.value_or(0)},
       packed);
  const std::size_t size = (w.d + 1) * packed.rows;
  const int count = twice ? mutual_stretches(w.n) : plain_stretches(w.n);
  const int some = twice ? count : at_once(count, size * sizeof(float));
  auto* room = reinterpret_cast<float*>(room_.need(size * some * sizeof(float)));
  if (twice) {
    const Stretches all{count, packed.rows, room};
    mutual_sums(packed, w.n, w.d, all);
    return add_stretches(all, w.n, w.d, w.rows, false, std::exp2(-*shift), w.sums);
  }
  for (int first = 0; first < count; first += some) {
    const Stretches these{std::min(some, count - first), packed.rows, room};
    plain_sums(packed, w.n, w.d, w.head.seen, w.rows, first, these);
    add_stretches(these, w.n, w.d, w.rows, first > 0, 1, w.sums);
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
  pack_difference(
      {w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), origin_.need(0), w.x.masses->heaviest, 1},
      done.scale, g, source, target, weight);
  const int count = double_stretches(w.n);
  const std::size_t size = (w.d + 1) * rows;
  const int some = at_once(count, size * sizeof(float));
  auto* room = reinterpret_cast<float*>(room_.need(size * some * sizeof(float)));
  for (int first = 0; first < count; first += some) {
    const Stretches these{std::min(some, count - first), rows, room};
    difference_sums({w.n, w.d, source, target, weight}, w.head.seen, w.rows, first, these);
    add_stretches(these, w.n, w.d, w.rows, first > 0, 1, w.sums);
  }
  done.differences = true;
  done.flat = g;
  done.origin = nullptr;
  const int first = std::max(first_sighted(w.head.seen, w.n), w.rows.begin());
  double* worst = facts_.need(4);
  least(w.sums.z, first, w.rows.end(w.n), scratch_.need(0), worst);
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
  const int count = double_stretches(w.n);
  const std::size_t size = (w.d + 1) * rows;
  const int some = at_once(count, size * sizeof(double));
  auto* room = reinterpret_cast<double*>(room_.need(size * some * sizeof(double)));
  DoublePairs p{w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), done.heaviest};
  if (!open) {
    double* bound = bound_.need(w.stride);
    for (int first = 0; first < count; first += some)
      largest_scores(p, w.head.seen, w.rows, first, {std::min(some, count - first), rows, room},
                     bound);
    p.bound = done.bound = bound;
  }
  for (int first = 0; first < count; first += some) {
    const DoubleStretches these{std::min(some, count - first), rows, room};
    double_sums(p, w.head.seen, w.rows, first, these);
    add_double_stretches(these, w.n, w.d, w.rows, first > 0, w.sums);
  }
  return done;
}

}  // namespace murmur::cuda
