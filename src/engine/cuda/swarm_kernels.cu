// swarm_kernels.cu: operations with one thread per particle, or per particle and row, in double.
#include <cmath>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/swarm_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 128;

template <class Work>
__global__ void each_particle(int n, Work work) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) work(i);
}

template <class Work>
void for_particles(int n, Work work) {
  if (n > 0)
    each_particle<<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads>>>(n, work);
}

template <class Work>
__global__ void each_entry(int n, Work work) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) work(i, static_cast<int>(blockIdx.y));
}

// work(i, k) for every particle and row k.
template <class Work>
void for_entries(int n, int rows, Work work) {
  const dim3 grid(static_cast<unsigned>((n + kThreads - 1) / kThreads),
                  static_cast<unsigned>(rows));
  if (n > 0 && rows > 0) each_entry<<<grid, kThreads>>>(n, work);
}

template <class A, class B>
__device__ double dot(const A& a, const B& b, int i) {
  double sum = 0;
  for (int k = 0; k < a.d; ++k) sum += a.at[k * a.stride + i] * b.at[k * b.stride + i];
  return sum;
}

__device__ double open_unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t k = (static_cast<std::uint64_t>(high) << 32 | low) >> 11;
  return k == 0 ? 0x1p-54 : static_cast<double>(k) * 0x1p-53;
}

// Draw::normal of stream `noise` (12).
__device__ double normal(const NoiseKey& key, int i, int k) {
  const uint4 word = philox(
      make_uint4(static_cast<std::uint32_t>(i), key.step, key.replica,
                 12u << 16 | static_cast<std::uint32_t>(k)),
      make_uint2(static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)));
  const double u = open_unit(word.x, word.y), v = open_unit(word.z, word.w);
  return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v);
}

// Returns <x_i, xi_i>, the part along x to be removed on the sphere; 0 in space.
__device__ double radial_noise(const NoiseKey& key, bool sphere, const ConstPlaces& x, int i) {
  double along = 0;
  for (int k = 0; k < x.d && sphere; ++k) along += x.at[k * x.stride + i] * normal(key, i, k);
  return along;
}

}  // namespace

void clear(const Places& a) {
  for_entries(a.n, a.d, [=] __device__(int i, int k) { a.at[k * a.stride + i] = 0; });
}

void scaled(const ConstPlaces& x, double scale, const Places& y) {
  for_entries(x.n, x.d, [=] __device__(int i, int k) {
    y.at[k * y.stride + i] = scale * x.at[k * x.stride + i];
  });
}

void to_force_points(const ConstPlaces& x, bool normalised, const double* gain, const Places& y) {
  for_particles(x.n, [=] __device__(int i) {
    const double length = normalised ? sqrt(dot(x, x, i)) : 1;
    for (int k = 0; k < x.d; ++k) {
      const double at = x.at[k * x.stride + i];
      y.at[k * y.stride + i] = (normalised ? at / length : at) * (gain != nullptr ? gain[k] : 1);
    }
  });
}

void to_directions(const ConstPlaces& x, const Places& y) {
  for_particles(x.n, [=] __device__(int i) {
    const double length = sqrt(dot(x, x, i));
    for (int k = 0; k < x.d; ++k) {
      const double at = x.at[k * x.stride + i];
      y.at[k * y.stride + i] = length > 0 ? at / length : at;
    }
  });
}

void normalise_drift(const DriftNorm& f, const ConstPlaces& x, const Places& a) {
  for_particles(a.n, [=] __device__(int i) {
    for (int k = 0; k < a.d && f.gain != nullptr; ++k) a.at[k * a.stride + i] /= f.gain[k];
    if (f.norm == DriftNorm::set_lengths) {
      const double length = sqrt(dot(a, a, i));
      for (int k = 0; k < a.d && length > 0; ++k) a.at[k * a.stride + i] *= f.amount / length;
    } else if (f.norm == DriftNorm::tangential) {
      const double square = dot(x, x, i), along = dot(x, a, i);
      for (int k = 0; k < a.d; ++k) {
        double& to = a.at[k * a.stride + i];
        to = sqrt(square) * (to - along / square * x.at[k * x.stride + i]);
      }
    } else if (f.norm == DriftNorm::scale) {
      for (int k = 0; k < a.d; ++k) a.at[k * a.stride + i] /= f.amount;
    }
    if (f.by_lengths) {
      const double length = sqrt(dot(x, x, i));
      for (int k = 0; k < a.d; ++k) a.at[k * a.stride + i] *= length;
    }
    if (f.project) {
      const double along = dot(x, a, i);
      for (int k = 0; k < a.d; ++k) a.at[k * a.stride + i] -= along * x.at[k * x.stride + i];
    }
  });
}

void scale_to_arc_length(double factor, const double* square, const Places& v) {
  for_entries(v.n, v.d, [=] __device__(int i, int k) {
    if (*square != 0) v.at[k * v.stride + i] *= factor / sqrt(*square);
  });
}

void retract(const ConstPlaces& x, const StepTerms& push, bool sphere, const Places& y) {
  for_particles(x.n, [=] __device__(int i) {
    double square = 0;
    for (int k = 0; k < x.d; ++k) {
      double at = x.at[k * x.stride + i];
      for (int t = 0; t < push.count; ++t)
        at += push.term[t].scale * push.term[t].along[k * push.term[t].stride + i];
      y.at[k * y.stride + i] = at;
      square += at * at;
    }
    const double length = sqrt(square);
    for (int k = 0; k < x.d && sphere; ++k) y.at[k * y.stride + i] /= length;
  });
}

void keep_lengths(const ConstPlaces& x, const Places& y) {
  for_particles(x.n, [=] __device__(int i) {
    const double length = sqrt(dot(y, y, i)), wanted = sqrt(dot(x, x, i));
    for (int k = 0; k < y.d; ++k) {
      double& to = y.at[k * y.stride + i];
      to = to / length * wanted;
    }
  });
}

void noise_increment(const NoiseKey& key, double deviation, bool sphere, const ConstPlaces& x,
                     const Places& out) {
  for_particles(x.n, [=] __device__(int i) {
    const double along = radial_noise(key, sphere, x, i);
    for (int k = 0; k < x.d; ++k)
      out.at[k * out.stride + i] = (normal(key, i, k) - along * x.at[k * x.stride + i]) * deviation;
  });
}

void diffuse(const NoiseKey& key, double deviation, bool sphere, const ConstPlaces& x,
             const Places& y) {
  for_particles(x.n, [=] __device__(int i) {
    const double along = radial_noise(key, sphere, x, i);
    if (!sphere) {
      for (int k = 0; k < x.d; ++k)
        y.at[k * y.stride + i] = x.at[k * x.stride + i] + deviation * normal(key, i, k);
      return;
    }
    double square = 0;
    for (int k = 0; k < x.d; ++k) {
      const double xi = normal(key, i, k) - along * x.at[k * x.stride + i];
      square += xi * xi;
    }
    const double length = sqrt(square);
    const double cosine = square > 0 ? cos(deviation * length) : 1;
    const double slope = square > 0 ? sin(deviation * length) / length : 0;
    for (int k = 0; k < x.d; ++k) {
      const double at = x.at[k * x.stride + i];
      y.at[k * y.stride + i] = cosine * at + slope * (normal(key, i, k) - along * at);
    }
  });
}

void apply(const Map& map, const ConstPlaces& x, bool add, double* y, std::size_t stride) {
  for_entries(x.n, map.rows, [=] __device__(int i, int row) {
    double sum = 0;
    for (int k = 0; k < map.cols; ++k)
      sum += map.matrix[static_cast<std::size_t>(k) * map.rows + row] * x.at[k * x.stride + i];
    if (map.bias != nullptr) sum += map.bias[row];
    double& to = y[row * stride + i];
    to = add ? to + sum : sum;
  });
}

void activate(int kind, const Places& z) {
  for_entries(z.n, z.d, [=] __device__(int i, int k) {
    double& at = z.at[k * z.stride + i];
    if (kind == 0)
      at = at > 0 ? at : 0.0;
    else if (kind == 1)
      at = 0.5 * at * (1 + erf(at * 0.70710678118654752440));
    else
      at = tanh(at);
  });
}

void to_means(const Means& m) {
  for_entries(m.n, m.d, [=] __device__(int i, int k) {
    double& to = m.sum[k * m.stride + i];
    double mean = to / (m.scale * m.z[i]);
    if (m.target != nullptr)
      mean += m.target[k * m.stride + i] / m.target_scale;
    else if (m.origin != nullptr)
      mean += m.origin[k];
    to = m.own != nullptr ? mean - m.own[k * m.own_stride + i] : mean;
  });
}

void add_values(const Weights& w, const ValueMeans& values, const Places& a) {
  for_particles(w.n, [=] __device__(int i) {
    if (i < w.first_row || w.z[i] == 0) return;  // the row is empty
    double weight = 1;
    if (!w.softmax) {
      double exponent = w.offset + (w.bound != nullptr ? w.bound[i] : w.common_bound);
      for (int k = 0; k < w.k && w.origin != nullptr; ++k)
        exponent += w.u[k * w.stride + i] * w.origin[k];
      for (int k = 0; k < w.d && w.offset_slope != nullptr; ++k)
        exponent += w.offset_slope[k] * w.x[k * w.x_stride + i];
      const double half = exp2(exponent / 2);  // in two factors, so that it does not overflow
      weight = w.rate * w.z[i] * half * half;
    }
    for (int k = 0; k < a.d; ++k) {
      const double bias = values.bias != nullptr ? values.bias[k] : 0;
      a.at[k * a.stride + i] +=
          weight * (values.value_scale * values.mean[k * w.stride + i] + bias);
    }
  });
}

}  // namespace murmur::cuda
