// swarm_kernels.h: operations on particles one by one: moving, projecting, normalising, noise, and
// the values of heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace murmur::cuda {

// Coordinate k of particle i is at[k * stride + i], in the GPU's memory.
struct Places {
  double* at = nullptr;
  std::size_t stride = 0;
  int n = 0, d = 0;
};
struct ConstPlaces {
  const double* at = nullptr;
  std::size_t stride = 0;
  int n = 0, d = 0;
  ConstPlaces() = default;
  ConstPlaces(const Places& p) : at(p.at), stride(p.stride), n(p.n), d(p.d) {}
  ConstPlaces(const double* a, std::size_t s, int count, int dimension)
      : at(a), stride(s), n(count), d(dimension) {}
};

void clear(const Places& a);
//   y_i = x_i / |x_i| if `normalised`, else x_i; then times the gains (d), if given
void to_force_points(const ConstPlaces& x, bool normalised, const double* gain, const Places& y);

// y_i = x_i / |x_i|; a particle at the origin stays there.
void to_directions(const ConstPlaces& x, const Places& y);

// The effect of a layer norm on a drift, as in HostField.
struct DriftNorm {
  const double* gain = nullptr;  // (d): the drift is divided by it
  enum { none, set_lengths, tangential, scale } norm = none;
  double amount = 1;        // of set_lengths: the speed; of scale: the divisor
  bool by_lengths = false;  // times |x_i|
  bool project = false;     // onto the sphere's tangent space at x
};
void normalise_drift(const DriftNorm& f, const ConstPlaces& x, const Places& a);

// v <- factor v / sqrt(square), square one number in the GPU's memory; zero remains zero.
void scale_to_arc_length(double factor, const double* square, const Places& v);

struct StepTerm {
  double scale;
  const double* along;
  std::size_t stride;
};
inline constexpr int kMostTerms = 24;
struct StepTerms {
  StepTerm term[kMostTerms];
  int count = 0;
};
void retract(const ConstPlaces& x, const StepTerms& push, bool sphere, const Places& y);
void keep_lengths(const ConstPlaces& x, const Places& y);

// The key of the draws of stream `noise` (random.h).
struct NoiseKey {
  std::uint64_t seed;
  std::uint32_t replica, step;
};
//   out_i = deviation xi_i;   y_i = carried along the geodesic of deviation xi_i, or moved by it
void noise_increment(const NoiseKey& key, double deviation, bool sphere, const ConstPlaces& x,
                     const Places& out);
void diffuse(const NoiseKey& key, double deviation, bool sphere, const ConstPlaces& x,
             const Places& y);

// y (rows, n) = M x + b, or += if `add`: M transposed (d, rows) and b (rows) in the GPU's memory.
struct Map {
  int rows = 0, cols = 0;
  const double* matrix = nullptr;  // (cols, rows)
  const double* bias = nullptr;    // (rows); nullptr: zero
};
void apply(const Map& map, const ConstPlaces& x, bool add, double* y, std::size_t stride);
// z <- s(z), s: 0 relu, 1 gelu, 2 tanh
void activate(int kind, const Places& z);

//   y_ki = scale x_ki
void scaled(const ConstPlaces& x, double scale, const Places& y);

// The mean value of a row and its weight, from the sums of a head:
//   mean_k = n_k / (scale z) + origin_k + t_k - [relative] own_k
//   weight = 1 for softmax; else rate z 2^{bound_i + offset + <offset_slope, x_i>}
struct Means {
  int n = 0, d = 0;
  std::size_t stride = 0;
  double* sum = nullptr;      // (d, stride): n, and then the means
  const double* z = nullptr;  // (stride)
  double scale = 1;
  const double* origin = nullptr;  // (d); nullptr: zero
  const double* target =
      nullptr;  // (d, stride): t = target / target_scale, of differences; nullptr: zero
  double target_scale = 1;
  const double* own = nullptr;  // (d, own_stride); nullptr: values are not relative
  std::size_t own_stride = 0;
};
void to_means(const Means& m);

struct Weights {
  int n = 0, d = 0;
  std::size_t stride = 0;
  bool softmax = true;
  double rate = 1, offset = 0;
  const double* z = nullptr;  // (stride)
  const double* bound =
      nullptr;  // (stride) subtracted from the scores; nullptr: `common_bound` was
  double common_bound = 0;
  const double* u = nullptr;       // (k, stride); <u_i, origin> was subtracted from the scores
  const double* origin = nullptr;  // (k); nullptr: nothing was
  int k = 0;
  const double* offset_slope = nullptr;  // (d); nullptr: zero
  const double* x = nullptr;             // (d, x_stride)
  std::size_t x_stride = 0;
  int first_row = 0;  // rows before it are empty
};
// a_i += weight_i (value_scale mean_i + bias)
struct ValueMeans {
  const double* mean = nullptr;  // (d, stride)
  double value_scale = 1;
  const double* bias = nullptr;  // (d); nullptr: zero
};
void add_values(const Weights& w, const ValueMeans& said, const Places& a);

}  // namespace murmur::cuda
