// sphere_transform.h: sums over the particles on S^2 by non-uniform Fourier transforms: particles
// are spread and summed at on the GPU, waves are those of engine/moments.
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

  // z_i = sum_j m_j e^{rho (<t_i, x_j> - 1)} and n_i with x_j, at directions t. Nothing where rho
  // asks for too high a degree.
  struct Request {
    ConstPlaces x;  // (3, stride), of length 1 but for `off`
    const double* mass = nullptr;
    ConstPlaces targets;   // of any length; at = nullptr: x
    double rho = 0;        // > 0
    double tolerance = 0;  // of a mean, for a uniform swarm
    double off = 0;        // max_j | |x_j|^2 - 1 |, and of the targets' lengths over rho
  };
  // What is known of the sums: eps bounds the error of a z_i, `scores` what all weights may be off
  // by.
  struct Bound {
    int degree = 0;
    double eps = 0, scores = 0, off = 0;
    // Of a mean whose weight is z.
    double of_mean(double z) const;
  };
  bool sum(const Request& request, const Sums& to, Bound& bound);

 private:
  // Points of one kind, tile after tile, and their runs.
  struct Points {
    Room<double> angles{};
    Room<std::uint32_t> from{};
    Room<int> first{};
    Room<Run> runs{};
    SortedPoints sorted{};
    std::vector<Run> list{};
  };
  void sort(const ConstPlaces& x, Points& points);
  int spread(const double* mass);  // onto the tiles; how many numbers were added one by one
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
