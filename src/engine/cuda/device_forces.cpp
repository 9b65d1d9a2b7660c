// device_forces.cpp: copies swarms, heads and perceptrons to the GPU, and chooses the form of the
// sum over pairs for each head, as the simd engine does.
#include "engine/cuda/device_forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "core/overloaded.h"
#include "engine/cuda/room.h"
#include "engine/cuda/sums_kernels.h"
#include "engine/simd/head.h"

namespace murmur::cuda {

Masses::Masses(const std::vector<double>& mass) : host(mass) {
  if (mass.empty()) return;
  device.upload(std::span<const double>(host));
  largest_mass = *std::max_element(host.begin(), host.end());
  equal = *std::min_element(host.begin(), host.end()) == largest_mass;
  massless = static_cast<int>(std::count(host.begin(), host.end(), 0.0));
}

DeviceSwarm::DeviceSwarm(Shape shape, std::shared_ptr<Masses> mass)
    : masses(std::move(mass)),
      shape_(shape),
      stride_((static_cast<std::size_t>(shape.n) + 31) / 32 * 32) {
  if (shape.n > 0) x_.need(stride_ * static_cast<std::size_t>(shape.d));
}

namespace {

constexpr double kLog2e = 1.44269504088896340736;

std::shared_ptr<Room<double>> upload(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  auto room = std::make_shared<Room<double>>();
  room->upload(std::span<const double>(values));
  return room;
}

DeviceMap upload_map(const Matrix& m, const Vector& bias, double scale = 1) {
  std::vector<double> transposed(m.data.size());  // (cols, rows)
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.cols; ++c)
      transposed[static_cast<std::size_t>(c) * m.rows + r] = scale * m(r, c);
  Vector scaled = bias;
  for (double& b : scaled) b *= scale;
  return {m.rows, m.cols, upload(transposed), upload(scaled)};
}

// A panel is (cols, pitch) with zeros after its rows.
DeviceMap upload_map(const simd::Affine& f) {
  const simd::PanelMatrix& m = f.matrix;
  std::vector<double> transposed(static_cast<std::size_t>(m.rows) * m.cols);
  for (int c = 0; c < m.cols; ++c)
    for (int r = 0; r < m.rows; ++r)
      transposed[static_cast<std::size_t>(c) * m.rows + r] = m.data[c * m.pitch + r];
  return {m.rows, m.cols, upload(transposed), upload(f.bias)};
}

DeviceHead fold_head(const Attention& a, Clock clock, int d) {
  const bool narrow = simd::is_narrow(a, d);
  Attention plain = a;
  if (narrow) plain.query = plain.key = {}, plain.query_bias = plain.key_bias = {};
  const simd::Head head = simd::fold(plain, clock, d);
  DeviceHead to{.softmax = head.softmax,
                .relative = head.relative,
                .mask = {head.causal, head.self},
                .isotropic = head.isotropic && !narrow,
                .query_key_scale = head.query_key_scale,
                .k = narrow ? a.query.rows : d,
                .offset_slope = upload(head.offset_slope),
                .offset = head.offset,
                .rate = head.rate,
                .value_scale = head.value_scale,
                .value_bias = upload(head.value_bias)};
  if (narrow) {
    to.query_key = upload_map(a.query, a.query_bias, a.beta * kLog2e);
    to.keys = upload_map(a.key, a.key_bias);
  } else if (!head.isotropic) {
    to.query_key = upload_map(head.query_key);
  }
  if (!head.value_is_scale) to.value = upload_map(head.value);
  return to;
}

int number_of(Perceptron::Activation activation) {
  switch (activation) {
    case Perceptron::relu:
      return 0;
    case Perceptron::gelu:
      return 1;
    case Perceptron::tanh:
      return 2;
  }
  return 0;
}

}  // namespace

Map DeviceMap::map() const {
  return {rows, cols, matrix ? matrix->need(0) : nullptr, bias ? bias->need(0) : nullptr};
}

DeviceForces prepare(const std::vector<Force>& forces, Clock clock, int d) {
  DeviceForces all;
  std::vector<Attention> heads;
  for (const Force& force : forces)
    std::visit(
        Overloaded{[&](const Attention& head) { heads.push_back(head); },
                   [&](const Perceptron& p) {
                     all.layers.push_back({upload_map(p.in, p.in_bias),
                                           upload_map(p.out, p.out_bias), number_of(p.activation)});
                   },
                   [](const ManyHeads&) {}},  // refused by `unsupported_reason`
        force);
  for (const Attention& head : simd::merge_equal_heads(heads, d))
    all.heads.push_back(fold_head(head, clock, d));
  return all;
}

namespace {

// The limits of single and double precision, as in engine/simd/pair_forces.cpp.
constexpr double kDifferenceFloat = 1024, kOpenDouble = 900;
constexpr double kTooSmallFloat = 0x1p-40;
// Weights as halves are at most 2^14, and keep all digits for this many octaves below.
constexpr int kLargestHalf = 14, kOctaves = 17;
// The error of smaller weights is 2^-25 each: that of this many is 10^-6 of a weight of 2^13.
constexpr int kMostSmallWeights = 1 << 18;

// Returns the number of stretches whose sums are kept at once, of `size` bytes each.
int stretches_at_once(int count, std::size_t size) {
  return std::min(count, static_cast<int>(std::max<std::size_t>(kStretchBytes / size, 1)));
}

bool in_registers(int d) { return d >= 2 && d <= 4; }

// The largest | |x|^2 - 1 | of particles for series that assume unit vectors.
constexpr double kOnSphere = 1e-14;

// The error of a mean without a bound.
constexpr double kNoBound = std::numeric_limits<double>::infinity();

// Returns Z e^{-rho} of a uniform swarm on S^2.
double uniform_z(double rho) { return (1 - std::exp(-2 * rho)) / (2 * rho); }

// All rows before it are empty.
int first_nonempty_row(const PairMask& mask, int n) {
  if (mask.self) return 0;
  return mask.causal ? std::min(1, n) : n == 1 ? 1 : 0;
}

}  // namespace

void DevicePairs::add(const DeviceHead& head, const DeviceSwarm& x, const RowTiles& rows,
                      DeviceSwarm& a) {
  const auto [n, d] = x.shape();
  if (n == 0) return;
  const std::size_t stride = x.stride();
  Work w{head, x, rows, n, d, head.k, stride, nullptr, x.data(), {}};
  w.sums = {sums_.need(stride * d), z_.need(stride), stride};
  SumScaling scaling;
  const bool summed = moments_ == GpuSums::moments && sum_by_moments(w, scaling);
  if (!summed) {
    project_queries(w);
    scaling = sum(w);
  }

  Means means{.n = n, .d = d, .stride = stride, .sum = w.sums.n, .z = w.sums.z};
  means.scale = scaling.scale;
  if (scaling.differences)
    means.target = w.u, means.target_scale = std::abs(head.query_key_scale);
  else
    means.origin = scaling.middle;
  if (head.relative) means.own = x.data(), means.own_stride = stride;
  to_means(means);
  ValueMeans values{.mean = w.sums.n, .value_scale = head.value_scale};
  if (head.value.rows > 0) {
    double* value = value_.need(stride * d);
    apply(head.value.map(), {w.sums.n, stride, n, d}, false, value, stride);
    values.mean = value;
  }
  values.bias = head.value_bias ? head.value_bias->need(0) : nullptr;
  Weights weights{.n = n, .d = d, .stride = stride, .softmax = head.softmax};
  weights.rate = head.rate * scaling.largest_mass;
  weights.offset = head.offset;
  weights.z = w.sums.z;
  weights.bound = scaling.bound;
  weights.common_bound = scaling.common_bound;
  weights.u = w.u, weights.origin = scaling.origin, weights.k = head.k;
  weights.offset_slope = head.offset_slope ? head.offset_slope->need(0) : nullptr;
  weights.x = x.data(), weights.x_stride = stride;
  weights.first_row = first_nonempty_row(head.mask, n);
  add_values(weights, values, a.places());
  inspect(cudaGetLastError());
}

// Computes u and, for a narrow head, keys.
void DevicePairs::project_queries(Work& w) {
  double* u = u_.need(w.stride * w.k);
  if (w.head.isotropic)
    scaled(w.x.places(), w.head.query_key_scale, {u, w.stride, w.n, w.d});
  else
    apply(w.head.query_key.map(), w.x.places(), false, u, w.stride);
  w.u = u;
  if (w.head.keys.rows == 0) return;
  double* keys = keys_.need(w.stride * w.k);
  apply(w.head.keys.map(), w.x.places(), false, keys, w.stride);
  w.keys = keys;
}

// Returns the least weight of a row; NaN if one is not positive.
double DevicePairs::least_weight(const Work& w) {
  double* to = numbers_.need(4);
  largest_inverse(w.sums.z, 0, w.n, scratch_.need(reduce_scratch(w.n)), to);
  return 1 / fetch(to, 1)[0];
}

// Sums by a series of degree at most 31, if the error for a uniform swarm is within the promise.
double DevicePairs::sum_by_series(const Work& w, double rho, double promise) {
  if (!(std::abs(rho) > 1e-2 && std::abs(rho) < 50)) return kNoBound;
  const SphereSeries series(rho, promise / 64);
  if (series.mean_bound(uniform_z(std::abs(rho))) > promise) return kNoBound;
  const std::vector<double> coefficients = series.coefficients(moments(w, series));
  sphere_sums(w.x.places(), rho, series.terms(),
              coefficients_.upload(std::span<const double>(coefficients)), w.sums);
  error.orders = std::max(error.orders, series.degree());
  return series.mean_bound(least_weight(w));
}

// The same for u of different lengths between 0.1 and 50: the remainder is largest for the longest.
double DevicePairs::sum_by_lengths(Work& w, double promise) {
  double* scratch = scratch_.need(reduce_scratch(w.n));
  double* to = numbers_.need(4);
  double* bound = bound_.need(w.stride);
  const ConstPlaces u{w.u, w.stride, w.n, 3};
  lengths(u, bound);
  largest_square(u, nullptr, scratch, to);
  largest_inverse(bound, 0, w.n, scratch, to + 1);
  const std::vector<double> found = fetch(to, 2);
  const double longest = std::sqrt(found[0]) * std::numbers::ln2;
  const double shortest = std::numbers::ln2 / found[1];
  if (!(shortest > 0.1 && longest < 50)) return kNoBound;
  const SphereSeries series(longest, promise / 64);
  if (series.mean_bound(uniform_z(longest)) > promise) return kNoBound;
  const std::vector<double> harmonics = series.harmonics(moments(w, series));
  sums_at_targets(u, bound, series.degree(),
                  coefficients_.upload(std::span<const double>(harmonics)), w.sums);
  error.orders = std::max(error.orders, series.degree());
  return series.mean_bound(least_weight(w));
}

std::vector<double> DevicePairs::moments(const Work& w, const SphereSeries& series) {
  const int terms = series.terms();
  const auto size = static_cast<std::size_t>(2 * terms * terms);
  double* to = numbers_.need(std::max<std::size_t>(size, 4));
  sphere_moments(w.x.places(), w.x.mass(), terms, parts_.need(moment_scratch(terms)), to);
  return fetch(to, size);
}

// The same by transforms, for any rho. If query and key are not multiples of the identity, all u
// must have the same length.
double DevicePairs::sum_by_transform(Work& w, double deviation, double promise,
                                     double& common_bound) {
  SphereTransform::Request request{.x = w.x.places(), .mass = w.x.mass()};
  common_bound = std::abs(w.head.query_key_scale);
  if (!w.head.isotropic || w.head.query_key_scale < 0) {
    double* to = numbers_.need(4);
    double* scratch = scratch_.need(reduce_scratch(w.n));
    const Places directions{directions_.need(w.stride * 3), w.stride, w.n, 3};
    if (w.head.isotropic) {
      scaled(w.x.places(), -1, directions);
    } else {
      project_queries(w);
      largest_square({w.u, w.stride, w.n, 3}, nullptr, scratch, to);
      common_bound = std::sqrt(fetch(to, 1)[0]);
      if (!(common_bound > 0)) return kNoBound;
      scaled({w.u, w.stride, w.n, 3}, 1 / common_bound, directions);
      sphere_deviation(directions, scratch, to);
      deviation = std::max(deviation, fetch(to, 1)[0]);
    }
    request.targets = directions;
  }
  request.rho = common_bound * std::numbers::ln2;
  request.tolerance = promise;
  request.off = deviation;
  SphereTransform::Bound bound;
  if (!(deviation < 1e-10) || !(request.rho > 1e-2) || !transform_.sum(request, w.sums, bound))
    return kNoBound;
  error.orders = std::max(error.orders, bound.degree);
  return bound.mean_bound(least_weight(w));
}

bool DevicePairs::sum_by_moments(Work& w, SumScaling& scaling) {
  const double promise =
      precision_ == Precision::f32 ? kGpuMomentsPromiseFloat : kGpuMomentsPromise;
  double worst = kNoBound;
  if (w.d == 3 && w.head.keys.rows == 0 && w.head.mask.empty()) {
    double* to = numbers_.need(4);
    sphere_deviation(w.x.places(), scratch_.need(reduce_scratch(w.n)), to);
    const double deviation = fetch(to, 1)[0];
    if (w.head.isotropic && deviation < kOnSphere)
      worst = sum_by_series(w, w.head.query_key_scale * std::numbers::ln2, promise);
    scaling.common_bound = std::abs(w.head.query_key_scale);
    if (!(worst <= promise)) worst = sum_by_transform(w, deviation, promise, scaling.common_bound);
    if (!(worst <= promise) && !w.head.isotropic && deviation < kOnSphere) {
      worst = sum_by_lengths(w, promise);
      scaling.bound = bound_.need(w.stride);
    }
  }
  if (!(worst <= promise)) {
    scaling = {};
    error.direct += w.n;
    return false;
  }
  error.worst = worst;
  error.worst_ever = std::max(error.worst_ever, worst);
  return true;
}

DevicePairs::SumScaling DevicePairs::sum(const Work& w) {
  SumScaling scaling;
  const bool small = in_registers(w.d) && w.head.keys.rows == 0;
  if (precision_ == Precision::f32 &&
      (small ? sum_small_float(w, scaling) : sum_wide_float(w, scaling)))
    return scaling;
  return small ? sum_small_double(w) : sum_strips_double(w);
}

// Measures the sizes of keys, targets and particles. The centre of the keys stays in origin_.
DevicePairs::Sizes DevicePairs::measure_sizes(const Work& w) {
  double* scratch = scratch_.need(reduce_scratch(w.n));
  double* to = numbers_.need(4);
  const ConstPlaces keys{w.keys, w.stride, w.n, w.k}, u{w.u, w.stride, w.n, w.k};
  double* middle = origin_.need(static_cast<std::size_t>(std::max(w.k, w.d)));
  centre(keys, nullptr, scratch, middle);
  largest_squares(keys, middle, u, w.x.places(), scratch, to);
  const std::vector<double> found = fetch(to, 4);
  return {std::sqrt(found[0]), std::sqrt(found[1]), std::sqrt(found[2]) * std::numbers::ln2,
          found[3]};
}

bool DevicePairs::sum_small_float(const Work& w, SumScaling& scaling) {
  const Sizes f = measure_sizes(w);
  const DeviceHead& head = w.head;
  const double most = f.longest * f.size / std::numbers::ln2;  // bound of |s_ij|
  // Coordinates of about 1 fit into halves. So do all weights, or each particle has the largest
  // weight in its own row, compared with which the errors of the others are negligible.
  const bool halves_suffice =
      f.size > 0.125 && f.size < 8 &&
      (2 * most <= kOctaves ||
       (head.query_key_scale > 0 && f.deviation < 1e-10 && w.n <= kMostSmallWeights));
  const bool symmetric = head.isotropic && head.mask.empty() &&
                         std::abs(head.query_key_scale) > 1e-3 && w.d < 4 && halves_suffice &&
                         w.x.masses->equal && w.n >= kFewestSymmetric && w.n <= kMostSymmetric &&
                         w.rows.count == all_tiles(w.n).count && f.radius > f.size / 2 &&
                         f.longest * f.size <= kOpenFloat;
  double* middle = origin_.need(0);
  if (symmetric)  // scores of differences from a centre are not symmetric
    inspect(cudaMemsetAsync(middle, 0, sizeof(double) * static_cast<std::size_t>(w.d)));
  const double radius = symmetric ? f.size : f.radius;
  scaling.origin = scaling.middle = middle;
  scaling.largest_mass = w.x.masses->largest_mass;
  if (f.longest * radius <= kOpenFloat) {
    const double ratio = radius > 0 && f.longest > 0 ? radius * std::numbers::ln2 / f.longest : 1;
    const double balance = std::exp2(std::round(std::log2(ratio) / 2));
    const int shift = kLargestHalf - static_cast<int>(std::ceil(most));
    sum_open(w, balance, symmetric ? std::optional(shift) : std::nullopt);
    return true;
  }
  if (!head.isotropic || !(f.deviation < 1e-10)) return false;
  return sum_differences(w, f.radius, scaling);
}

void DevicePairs::sum_open(const Work& w, double balance, std::optional<int> shift) {
  const bool symmetric = shift.has_value();
  const Packed packed = lay_out(packed_.need(packed_bytes(w.n)), w.n);
  pack({w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), origin_.need(0), w.x.masses->largest_mass,
        balance, symmetric, shift.value_or(0)},
       packed);
  const std::size_t size = (w.d + 1) * packed.rows;
  const int count = symmetric ? symmetric_stretches(w.n) : plain_stretches(w.n);
  const int some = symmetric ? count : stretches_at_once(count, size * sizeof(float));
  auto* room = reinterpret_cast<float*>(bytes_.need(size * some * sizeof(float)));
  if (symmetric) {
    const Stretches all{count, packed.rows, room};
    symmetric_sums(packed, w.n, w.d, all);
    return add_stretches(all, w.n, w.d, w.rows, false, std::exp2(-*shift), w.sums);
  }
  for (int first = 0; first < count; first += some) {
    const Stretches these{std::min(some, count - first), packed.rows, room};
    plain_sums(packed, w.n, w.d, w.head.mask, w.rows, first, these);
    add_stretches(these, w.n, w.d, w.rows, first > 0, 1, w.sums);
  }
}

// g <x_i, x_j> = |g| - |g| |x_j - t_i|^2 / 2 on the sphere, t_i = sign(g) x_i.
bool DevicePairs::sum_differences(const Work& w, double radius, SumScaling& scaling) {
  const double g = std::abs(w.head.query_key_scale);
  if (!(g * std::numbers::ln2 * radius * radius <= kDifferenceFloat)) return false;
  const auto rows = static_cast<std::size_t>(whole_rows(w.n));
  auto* source = reinterpret_cast<float4*>(packed_.need(rows * 36));
  float4* target = source + rows;
  auto* weight = reinterpret_cast<float*>(target + rows);
  scaling.scale = std::sqrt(g / 2);
  pack_difference({w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), origin_.need(0),
                   w.x.masses->largest_mass, 1},
                  scaling.scale, g, source, target, weight);
  const int count = double_stretches(w.n);
  const std::size_t size = (w.d + 1) * rows;
  const int some = stretches_at_once(count, size * sizeof(float));
  auto* room = reinterpret_cast<float*>(bytes_.need(size * some * sizeof(float)));
  for (int first = 0; first < count; first += some) {
    const Stretches these{std::min(some, count - first), rows, room};
    difference_sums({w.n, w.d, source, target, weight}, w.head.mask, w.rows, first, these);
    add_stretches(these, w.n, w.d, w.rows, first > 0, 1, w.sums);
  }
  scaling.differences = true;
  scaling.common_bound = g;
  scaling.origin = nullptr;
  const int first = std::max(first_nonempty_row(w.head.mask, w.n), w.rows.begin());
  double* worst = numbers_.need(4);
  largest_inverse(w.sums.z, first, w.rows.end(w.n), scratch_.need(0), worst);
  const double inverse = fetch(worst, 1)[0];
  if (inverse <= 1 / kTooSmallFloat) return true;
  scaling = {};
  return false;
}

DevicePairs::SumScaling DevicePairs::sum_small_double(const Work& w) {
  SumScaling scaling;
  scaling.largest_mass = w.x.masses->largest_mass;
  double* scratch = scratch_.need(reduce_scratch(w.n));
  double* to = numbers_.need(4);
  largest_square(w.x.places(), nullptr, scratch, to);
  largest_square({w.u, w.stride, w.n, w.d}, nullptr, scratch, to + 1);
  const std::vector<double> found = fetch(to, 2);
  const bool open = std::sqrt(found[0]) * std::sqrt(found[1]) <= kOpenDouble;
  const auto rows = static_cast<std::size_t>(whole_rows(w.n));
  const int count = double_stretches(w.n);
  const std::size_t size = (w.d + 1) * rows;
  const int some = stretches_at_once(count, size * sizeof(double));
  auto* room = reinterpret_cast<double*>(bytes_.need(size * some * sizeof(double)));
  DoublePairs p{w.n, w.d, w.stride, w.u, w.x.data(), w.x.mass(), scaling.largest_mass};
  if (!open) {
    double* bound = bound_.need(w.stride);
    for (int first = 0; first < count; first += some)
      largest_scores(p, w.head.mask, w.rows, first, {std::min(some, count - first), rows, room},
                     bound);
    p.bound = scaling.bound = bound;
  }
  for (int first = 0; first < count; first += some) {
    const DoubleStretches these{std::min(some, count - first), rows, room};
    double_sums(p, w.head.mask, w.rows, first, these);
    add_double_stretches(these, w.n, w.d, w.rows, first > 0, w.sums);
  }
  return scaling;
}

namespace {

// The summands of a score in one accumulator of the tensor cores, which rounds down, before it is
// added to the others.
constexpr int kCoordinatesAtOnce = 128;

// Returns 2^k such that scale size is at most 2^12: halves reach 2^16.
double scale_to_halves(double size) {
  return size > 0 && std::isfinite(size) ? std::exp2(12 - std::ceil(std::log2(size))) : 1;
}

// A product of halves into floats, c = keep c + op(a) op(b), or several of them.
struct HalfProduct {
  cublasHandle_t handle;
  bool turn_left, turn_right;
  int rows, cols, inner;
  std::size_t left_pitch, right_pitch, pitch;
  int count = 1;  // products, each `step` apart in a, b and c
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

bool DevicePairs::sum_wide_float(const Work& w, SumScaling& scaling) {
  const Sizes f = measure_sizes(w);
  if (!(f.longest * f.radius <= kOpenFloat)) return false;
  double* scratch = scratch_.need(reduce_scratch(w.n));
  scaling.origin = origin_.need(0);
  double* middle = middle_.need(static_cast<std::size_t>(w.d) + 1);
  centre(w.x.places(), nullptr, scratch, middle);
  scaling.middle = middle;
  scaling.largest_mass = w.x.masses->largest_mass;
  if (std::max(w.k, w.d) <= kFusedMost)
    sum_fused(w, f, scaling);
  else
    sum_strips_halves(w, f, scaling);
  return true;
}

void DevicePairs::sum_fused(const Work& w, const Sizes& f, SumScaling& scaling) {
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
  const double u_scale = scale_to_halves(f.longest / std::numbers::ln2);
  const double key_scale = scale_to_halves(f.radius);
  const double value_scale = scale_to_halves(f.size);
  split_rows({w.n, w.k, w.stride, w.u, nullptr, u_scale}, rows, pitch, p.u);
  split_rows({w.n, w.k, w.stride, w.keys, scaling.origin, key_scale}, rows, pitch, p.key);
  split_rows({w.n, w.d, w.stride, w.x.data(), scaling.middle, value_scale}, rows, pitch, p.value);
  split_weights(w.x.mass(), scaling.largest_mass, w.n, rows, weight);
  p.unscale = static_cast<float>(1 / (u_scale * key_scale));
  const int count = fused_stretches(w.n, pitch);
  auto* room = reinterpret_cast<float*>(bytes_.need((w.d + 1) * rows * count * sizeof(float)));
  if (w.head.isotropic && w.head.query_key_scale > 0 && w.head.mask.self && f.deviation < 1e-10)
    fused_own_bounds(p);
  else
    fused_bounds(p, w.head.mask, room);
  const Stretches all{count, rows, room};
  fused_sums(p, w.head.mask, all);
  add_fused(all, w.n, w.d, value_scale, w.sums);
  double* bound = bound_.need(w.stride);
  to_double(p.bound, w.n, bound);
  scaling.bound = bound;
}

// Adds small parts first: low times high and high times low are one product of twice the
// coordinates, since key is (high, low) and u is (low, high).
void DevicePairs::sum_strips_halves(const Work& w, const Sizes& f, SumScaling& scaling) {
  const auto rows = static_cast<std::size_t>(whole_rows(w.n));
  const std::size_t size = rows * static_cast<std::size_t>(w.k), values = rows * w.d;
  std::byte* at = packed_.need(size * 8 + values * 4 + rows * 4);
  const Halves low_first = halves_in(at, size), u{low_first.low, low_first.high};
  const Halves key = halves_in(at + size * 4, size);
  const Halves value = halves_in(at + size * 8, values);
  auto* weight = reinterpret_cast<float*>(at + size * 8 + values * 4);
  const double u_scale = scale_to_halves(f.longest / std::numbers::ln2);
  const double key_scale = scale_to_halves(f.radius), value_scale = scale_to_halves(f.size);
  split_columns({w.n, w.k, w.stride, w.u, nullptr, u_scale}, rows, u);
  split_columns({w.n, w.k, w.stride, w.keys, scaling.origin, key_scale}, rows, key);
  split_columns({w.n, w.d, w.stride, w.x.data(), scaling.middle, value_scale}, rows, value);
  split_weights(w.x.mass(), scaling.largest_mass, w.n, rows, weight);
  const int most = strip_rows(w.n, rows), all = static_cast<int>(rows);
  const int parts = all / kSourcesAtOnce;
  const std::size_t scores = static_cast<std::size_t>(most) * rows;
  const std::size_t part = static_cast<std::size_t>(most) * w.d;
  std::byte* room = bytes_.need(scores * 8 + part * parts * 4);
  auto* s = reinterpret_cast<float*>(room);
  const Halves p = halves_in(room + scores * 4, scores);
  auto* sums = reinterpret_cast<float*>(room + scores * 8);
  double* bound = bound_.need(w.stride);
  const float unscale = static_cast<float>(1 / (u_scale * key_scale));
  for (int first = w.rows.begin(); first < w.rows.end(w.n); first += most) {
    const Strip strip{first, std::min(most, w.rows.end(w.n) - first), w.n, rows};
    HalfProduct score{products_.handle(), false, true, all, strip.count, 2 * w.k, rows, rows, rows};
    score(key.high, u.low + first, 0, s);
    for (int k = 0; k < w.k; k += kCoordinatesAtOnce) {
      score.inner = std::min(kCoordinatesAtOnce, w.k - k);
      score(key.high + k * rows, u.high + k * rows + first, 1, s);
    }
    compute_half_weights(strip, w.head.mask, weight, unscale, s, p, w.sums.z, bound);
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
    write_strip(strip, w.d, parts, sums, value_scale, w.sums.n, w.stride);
  }
  scaling.bound = bound;
}

DevicePairs::SumScaling DevicePairs::sum_strips_double(const Work& w) {
  const auto pitch = static_cast<std::size_t>(whole_rows(w.n));
  const int most = strip_rows(w.n, pitch);
  auto* s = reinterpret_cast<double*>(
      bytes_.need(static_cast<std::size_t>(most) * pitch * sizeof(double)));
  double* bound = bound_.need(w.stride);
  const double one = 1, zero = 0;
  const auto stride = static_cast<int>(w.stride), wide = static_cast<int>(pitch);
  for (int first = w.rows.begin(); first < w.rows.end(w.n); first += most) {
    const Strip strip{first, std::min(most, w.rows.end(w.n) - first), w.n, pitch};
    inspect(cublasDgemm(products_.handle(), CUBLAS_OP_N, CUBLAS_OP_T, w.n, strip.count, w.k, &one,
                        w.keys, stride, w.u + first, stride, &zero, s, wide));
    compute_double_weights(strip, w.head.mask, w.x.mass(), s, w.sums.z, bound);
    inspect(cublasDgemm(products_.handle(), CUBLAS_OP_T, CUBLAS_OP_N, strip.count, w.d, w.n, &one,
                        s, wide, w.x.data(), stride, &zero, w.sums.n + first, stride));
  }
  SumScaling scaling;
  scaling.bound = bound;
  return scaling;
}

ForcesOnDevice::ForcesOnDevice(const Dynamics& dynamics, Shape shape, Precision precision,
                               GpuSums sums)
    : dynamics_(dynamics), pairs_(precision, sums) {
  check(dynamics, shape.d);
  for (const Sublayer& sublayer : dynamics_.sublayers)
    prepared_.push_back(sublayer.forces_end.empty()
                            ? prepare(sublayer.forces, dynamics_.clock, shape.d)
                            : DeviceForces{});
}

void ForcesOnDevice::add(double t, int sublayer, const DeviceSwarm& x, const RowTiles& rows,
                         DeviceSwarm& a) {
  const Sublayer& forces = dynamics_.sublayers[sublayer];
  if (!forces.forces_end.empty())
    prepared_[sublayer] = prepare(forces_at(forces, t), dynamics_.clock, x.shape().d);
  for (const DeviceHead& head : prepared_[sublayer].heads) pairs_.add(head, x, rows, a);
  for (const DeviceLayer& layer : prepared_[sublayer].layers) add_layer(layer, x, a);
}

void ForcesOnDevice::add_layer(const DeviceLayer& layer, const DeviceSwarm& x, DeviceSwarm& a) {
  const int n = x.shape().n, rows = layer.in.rows;
  double* hidden = hidden_.need(x.stride() * rows);
  apply(layer.in.map(), x.places(), false, hidden, x.stride());
  const Places units{hidden, x.stride(), n, rows};
  activate(layer.activation, units);
  apply(layer.out.map(), units, true, a.data(), a.stride());
}

}  // namespace murmur::cuda
