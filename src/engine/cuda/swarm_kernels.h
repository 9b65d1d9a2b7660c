// swarm_kernels.h: what is done to particles one by one: moving, projecting, normalising, noise.
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
//   y_i = x_i / |x_i| where `turned`, else x_i; then times the gains (d), where there are any
void to_force_points(const ConstPlaces& x, bool turned, const double* gain, const Places& y);

// y_i = x_i / |x_i|; a particle at the origin stays there.
void to_directions(const ConstPlaces& x, const Places& y);

// What a layer norm does to a drift, as HostField does it.
struct Finish {
  const double* gain = nullptr;  // (d): the drift is divided by it
  enum { none, set_lengths, turn_only, scale } norm = none;
  double amount = 1;        // of set_lengths: the speed; of scale: what is divided by
  bool by_lengths = false;  // times |x_i|
  bool project = false;     // onto the sphere's tangent space at x
};
void finish(const Finish& f, const ConstPlaces& x, const Places& a);

// v <- factor v / sqrt(square), square one number in the GPU's memory; zero stays.
void to_arc_length(double factor, const double* square, const Places& v);

struct PushTerm {
  double scale;
  const double* along;
  std::size_t stride;
};
inline constexpr int kMostTerms = 24;
struct Push {
  PushTerm term[kMostTerms];
  int count = 0;
};
void retract(const ConstPlaces& x, const Push& push, bool sphere, const Places& y);
void keep_lengths(const ConstPlaces& x, const Places& y);

// Draws of stream `noise` of random.h.
struct NoiseKey {
  std::uint64_t seed;
  std::uint32_t replica, step;
};
//   out_i = deviation xi_i;   y_i = carried along the geodesic of deviation xi_i, or moved by it
void noise_increment(const NoiseKey& key, double deviation, bool sphere, const ConstPlaces& x,
                     const Places& out);
void diffuse(const NoiseKey& key, double deviation, bool sphere, const ConstPlaces& x,
             const Places& y);

// y (rows, n) = M x + b, or += where `add`: M transposed (d, rows) and b (rows) in the GPU's
// memory.
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

// What a head makes of its sums: the mean value of a row, and the weight that it has.
//   mean_k = n_k / (scale z) + origin_k + t_k - [relative] own_k
//   weight = 1 for softmax; else rate z 2^{offset_i + level + <tilt, x_i>}
struct Means {
  int n = 0, d = 0;
  std::size_t stride = 0;
  double* sum = nullptr;      // (d, stride): n, and then the means
  const double* z = nullptr;  // (stride)
  double scale = 1;
  const double* origin = nullptr;  // (d); nullptr: zero
  const double* aim = nullptr;     // (d, stride): t = aim / gaze, of differences; nullptr: zero
  double gaze = 1;
  const double* own = nullptr;  // (d, own_stride); nullptr: values are not relative
  std::size_t own_stride = 0;
};
void to_means(const Means& m);

struct Weights {
  int n = 0, d = 0;
  std::size_t stride = 0;
  bool softmax = true;
  double rate = 1, level = 0;
  const double* z = nullptr;      // (stride)
  const double* bound = nullptr;  // (stride) taken off the scores; nullptr: `flat` was
  double flat = 0;
  const double* aim = nullptr;     // u (k, stride) whose <u_i, origin> was taken off
  const double* origin = nullptr;  // (k); nullptr: nothing was
  int k = 0;
  const double* tilt = nullptr;  // (d); nullptr: zero
  const double* x = nullptr;     // (d, x_stride)
  std::size_t x_stride = 0;
  int sighted = 0;  // rows before it see nobody
};
// a_i += weight_i (value_scale mean_i + bias)
struct Said {
  const double* mean = nullptr;  // (d, stride)
  double value_scale = 1;
  const double* bias = nullptr;  // (d); nullptr: zero
};
void add_said(const Weights& w, const Said& said, const Places& a);

}  // namespace murmur::cuda
