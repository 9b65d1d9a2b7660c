// pair_forces.h: the drift of heads on the GPU: which sum is both right and fast for the particles
// at hand.
#pragma once

#include "device/device.h"
#include "engine/cuda/cuda.h"
#include "engine/cuda/device_head.h"
#include "engine/cuda/device_swarm.h"
#include "engine/cuda/small_pairs.h"
#include "engine/cuda/sphere_series.h"
#include "engine/cuda/sphere_transform.h"
#include "murmur/engine.h"

namespace murmur::cuda {

// Largest scores, in natural units, that sums of single precision are made of as they are.
inline constexpr double kOpenFloat = 16;

class DevicePairs {
 public:
  DevicePairs(Precision precision, GpuSums sums) : precision_(precision), moments_(sums) {}

  // a_i += A_i of one head at x, of the rows that are wanted; of others a_i means nothing then.
  void add(const DeviceHead& head, const DeviceSwarm& x, const RowTiles& rows, DeviceSwarm& a);

  // What is known of the error where sums are made through moments.
  ErrorBound error{};

 private:
  // One head and one swarm: what the sums read, and where they go.
  struct Work {
    const DeviceHead& head;
    const DeviceSwarm& x;
    RowTiles rows;
    int n, d, k;
    std::size_t stride;
    const double *u, *keys;  // (k, stride)
    Sums sums;               // (d, stride), (stride)
  };
  // What kind of sum was made, for the weights.
  struct Done {
    const double* bound = nullptr;   // (stride)
    double flat = 0;                 // natural for all rows
    const double* origin = nullptr;  // of the keys
    const double* middle = nullptr;  // of the values
    bool differences = false;        // sums are of y - t
    double scale = 1;                // of the values
    double heaviest = 1;             // masses were divided by it
  };
  struct Facts {
    double radius, size, gaze, off;
  };

  // Sums over a particle's weights within `promise`, or nothing.
  bool sum_by_moments(Work& w, Done& done);
  double by_series(const Work& w, double rho, double promise);
  double by_transform(Work& w, double off, double promise, double& gaze);
  double by_lengths(Work& w, double promise);
  std::vector<double> moments(const Work& w, const SphereSeries& series);
  double lightest(const Work& w);
  void look(Work& w);
  Facts facts(const Work& w);
  Done sum(const Work& w);
  bool sum_small_float(const Work& w, Done& done);
  // Where each exponential is used twice, `shift` is what is added to the scores.
  void sum_open(const Work& w, double balance, std::optional<int> shift);
  bool sum_differences(const Work& w, double radius, Done& done);
  Done sum_small_double(const Work& w);
  bool sum_wide_float(const Work& w, Done& done);
  void sum_fused(const Work& w, const Facts& facts, Done& done);
  void sum_strips_halves(const Work& w, const Facts& facts, Done& done);
  Done sum_strips_double(const Work& w);

  const Precision precision_;
  const GpuSums moments_;
  Products products_{};
  Room<double> u_{}, keys_{}, sums_{}, z_{}, bound_{}, value_{};
  Room<double> origin_{}, middle_{}, facts_{}, scratch_{};
  Room<double> parts_{}, coefficients_{}, directions_{};  // of moments
  SphereTransform transform_{};
  Room<std::byte> room_{}, packed_{};
};

}  // namespace murmur::cuda
