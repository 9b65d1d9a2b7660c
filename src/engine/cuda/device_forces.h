// device_forces.h: a swarm in the GPU's memory, and the forces of a dynamics on it: heads with
// their matrices folded, by the sum over pairs that is both right and fast, and perceptrons.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "engine/cuda/cuda.h"
#include "engine/cuda/pair_kernels.h"
#include "engine/cuda/sphere_series.h"
#include "engine/cuda/sphere_transform.h"
#include "engine/cuda/swarm_kernels.h"
#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/swarm.h"

namespace murmur::cuda {

// The masses, which swarms share: when particles merge, the swarm is placed again.
struct Masses {
  explicit Masses(const std::vector<double>& mass);
  const std::vector<double> host;  // (n)
  Room<double> device{};
  double largest_mass = 0;
  bool equal = true;
  int massless = 0;  // particles of mass 0
};

// As HostSwarm: coordinate k of particle i is x[k * stride + i].
class DeviceSwarm final : public Swarm {
 public:
  DeviceSwarm(Shape shape, std::shared_ptr<Masses> mass);

  Shape shape() const override { return shape_; }
  std::unique_ptr<Swarm> like() const override {
    return std::make_unique<DeviceSwarm>(shape_, masses);
  }
  std::size_t stride() const { return stride_; }
  double* data() { return x_.need(0); }
  const double* data() const { return const_cast<Room<double>&>(x_).need(0); }
  Places places() { return {data(), stride_, shape_.n, shape_.d}; }
  ConstPlaces places() const { return {data(), stride_, shape_.n, shape_.d}; }
  double* mass() const { return masses->device.need(0); }

  std::shared_ptr<Masses> masses;

 private:
  Shape shape_{};
  std::size_t stride_ = 0;
  Room<double> x_{};
};

inline const DeviceSwarm& device(const Swarm& x) { return static_cast<const DeviceSwarm&>(x); }
inline DeviceSwarm& device(Swarm& x) { return static_cast<DeviceSwarm&>(x); }

// y_i = M x_i + b with M and b in the GPU's memory.
struct DeviceMap {
  int rows = 0, cols = 0;  // 0: none
  std::shared_ptr<Room<double>> matrix{}, bias{};
  Map map() const;
};

// A head as engine/simd/head.h folds it: scores in powers of two are <u_i, key_j> + c_i.
struct DeviceHead {
  bool softmax = true, relative = false;
  PairMask mask{};
  bool isotropic = true;  // u = query_key_scale x, keys are the particles
  double query_key_scale = 0;
  DeviceMap query_key{};  // u = query_key(x) otherwise
  DeviceMap keys{};       // of a narrow head; none: keys are the particles
  int k = 0;              // coordinates of u and of the keys
  std::shared_ptr<Room<double>> offset_slope{};
  double offset = 0, rate = 1;
  double value_scale = 1;
  DeviceMap value{};  // none: value_scale only
  std::shared_ptr<Room<double>> value_bias{};
};

struct DeviceLayer {
  DeviceMap in{}, out{};
  int activation = 0;
};

struct DeviceForces {
  std::vector<DeviceHead> heads{};
  std::vector<DeviceLayer> layers{};
};

// Folds the heads as the simd engine does, and copies all matrices to the GPU.
DeviceForces prepare(const std::vector<Force>& forces, Clock clock, int d);

// The largest scores, in natural units, for open sums in single precision.
inline constexpr double kOpenFloat = 16;

// Sums over the pairs of heads on the GPU.
class DevicePairs {
 public:
  DevicePairs(Precision precision, GpuSums sums) : precision_(precision), moments_(sums) {}

  // a_i += A_i of one head at x for the selected rows. The other rows of a are undefined after it.
  void add(const DeviceHead& head, const DeviceSwarm& x, const RowTiles& rows, DeviceSwarm& a);

  // The error bound of sums by moments.
  ErrorBound error{};

 private:
  // One head and one swarm: the input and output of the sums.
  struct Work {
    const DeviceHead& head;
    const DeviceSwarm& x;
    RowTiles rows;
    int n, d, k;
    std::size_t stride;
    const double *u, *keys;  // (k, stride)
    Sums sums;               // (d, stride), (stride)
  };
  // The offsets and scales that a sum was computed with, for the weights.
  struct SumScaling {
    const double* bound = nullptr;   // (stride)
    double common_bound = 0;         // of all rows
    const double* origin = nullptr;  // of the keys
    const double* middle = nullptr;  // of the values
    bool differences = false;        // sums are of y - t
    double scale = 1;                // of the values
    double largest_mass = 1;         // divisor of the masses
  };
  struct Sizes {
    double radius;     // max |key - centre|
    double size;       // max |key|
    double longest;    // max |u|, in natural units
    double deviation;  // max | |x|^2 - 1 |
  };

  // Sums by moments, if the error is within the promise of the engine; else returns false.
  bool sum_by_moments(Work& w, SumScaling& scaling);
  // Each of these returns a bound on the error of a mean, or kNoBound if it did not sum.
  double sum_by_series(const Work& w, double rho, double promise);
  double sum_by_transform(Work& w, double deviation, double promise, double& common_bound);
  double sum_by_lengths(Work& w, double promise);
  std::vector<double> moments(const Work& w, const SphereSeries& series);
  double least_weight(const Work& w);
  void project_queries(Work& w);
  Sizes measure_sizes(const Work& w);
  SumScaling sum(const Work& w);
  bool sum_small_float(const Work& w, SumScaling& scaling);
  // With `shift`, which is added to the scores, each exponential is used twice.
  void sum_open(const Work& w, double balance, std::optional<int> shift);
  bool sum_differences(const Work& w, double radius, SumScaling& scaling);
  SumScaling sum_small_double(const Work& w);
  bool sum_wide_float(const Work& w, SumScaling& scaling);
  void sum_fused(const Work& w, const Sizes& sizes, SumScaling& scaling);
  void sum_strips_halves(const Work& w, const Sizes& sizes, SumScaling& scaling);
  SumScaling sum_strips_double(const Work& w);

  const Precision precision_;
  const GpuSums moments_;
  Products products_{};
  Room<double> u_{}, keys_{}, sums_{}, z_{}, bound_{}, value_{};
  Room<double> origin_{}, middle_{}, numbers_{}, scratch_{};
  Room<double> parts_{}, coefficients_{}, directions_{};  // of moments
  SphereTransform transform_{};
  Room<std::byte> bytes_{}, packed_{};
};

// The forces of a dynamics, sublayer by sublayer.
class ForcesOnDevice {
 public:
  ForcesOnDevice(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums);

  // a_i += the forces of one sublayer at x, for the selected rows.
  void add(double t, int sublayer, const DeviceSwarm& x, const RowTiles& rows, DeviceSwarm& a);
  const ErrorBound& error_bound() const { return pairs_.error; }

 private:
  void add_layer(const DeviceLayer& layer, const DeviceSwarm& x, DeviceSwarm& a);

  const Dynamics& dynamics_;
  DevicePairs pairs_;
  std::vector<DeviceForces> prepared_{};  // by sublayer
  Room<double> hidden_{};
};

}  // namespace murmur::cuda
