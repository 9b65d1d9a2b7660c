// sphere_transform.h: sums over the particles on S^2 by non-uniform Fourier transforms. The GPU
// spreads particles and sums at targets; engine/moments computes the waves.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "engine/cuda/transform_kernels.h"

namespace murmur::moments {
class TransformSums;
}

namespace murmur::cuda {

class SphereTransform {
 public:
  SphereTransform();
  ~SphereTransform();

  // The sums z_i = sum_j m_j e^{rho (<t_i, x_j> - 1)}, and n_i with x_j, at directions t.
  struct Request {
    ConstPlaces x;  // (3, stride), of length 1 up to `off`
    const double* mass = nullptr;
    ConstPlaces targets;   // of any length; at = nullptr: x
    double rho = 0;        // > 0
    double tolerance = 0;  // of a mean, for a uniform swarm
    double off = 0;        // max_j | |x_j|^2 - 1 |, and of the targets' lengths over rho
  };
  // Bounds of the sums: eps on the error of a z_i, `scores` on the relative error of all weights.
  struct Bound {
    int degree = 0;
    double eps = 0, scores = 0, off = 0;
    // Returns a bound on the error of a mean whose weight is z.
    double mean_bound(double z) const;
  };
  // Returns false if rho needs too high a degree.
  bool sum(const Request& request, const Sums& to, Bound& bound);

 private:
  // The sources or the targets, tile after tile, and their runs.
  struct Points {
    Room<double> angles{};
    Room<std::uint32_t> from{};
    Room<int> first{};
    Room<Run> runs{};
    SortedPoints sorted{};
    std::vector<Run> list{};
  };
  void sort(const ConstPlaces& x, Points& points);
  // Spreads the sources onto the tiles. Returns how many numbers were added one by one.
  int spread(const double* mass);
  std::vector<double> fetched_grid();

  std::unique_ptr<moments::TransformSums> waves_;
  double rho_ = 0, cut_ = 0;
  AngleGrid grid_{};
  Points sources_{}, targets_{};
  Room<std::uint32_t> keys_{};
  Room<std::byte> sort_room_{};
  Room<double> parts_[2]{}, tiles_{}, cells_{}, grids_{};
  Room<Added> added_{};
};

}  // namespace murmur::cuda
