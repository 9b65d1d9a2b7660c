// deform.cpp: draws the linear map and the bending of one sample and applies them to its points.
#include "experiment/deform.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace murmur {

namespace {

constexpr double kEdge = 10, kSpacing = 5;      // of the plane, of the lattice
constexpr int kCells = 4, kNodes = kCells + 3;  // along one axis
constexpr double kShare = 151.0 / 315.0;        // integral of the square of the B-spline
constexpr std::uint16_t kFirstNode = 4;         // draws before it are the linear map's

struct Bending {
  std::array<double, 2 * kNodes * kNodes> node{};  // (nodes, nodes, 2)
};

Bending draw_bending(const Draw& who, double warp) {
  Bending bending;
  for (std::size_t k = 0; k < bending.node.size(); ++k)
    bending.node[k] = warp / kShare * who.normal(static_cast<std::uint16_t>(kFirstNode + k));
  return bending;
}

// The cell along one axis, and the four B-splines that are not 0 in it.
struct Splines {
  int cell = 0;
  std::array<double, 4> weight{};
};
Splines splines_at(double coordinate) {
  const double along = (std::clamp(coordinate, -kEdge, kEdge) + kEdge) / kSpacing;
  Splines s;
  s.cell = std::min(static_cast<int>(along), kCells - 1);
  const double t = along - s.cell, r = 1 - t;
  s.weight = {r * r * r / 6, (4 - 6 * t * t + 3 * t * t * t) / 6,
              (4 - 6 * r * r + 3 * r * r * r) / 6, t * t * t / 6};
  return s;
}

std::array<double, 2> bent(const Bending& bending, double x, double y) {
  const Splines across = splines_at(x), up = splines_at(y);
  std::array<double, 2> to{x, y};
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      const double weight = up.weight[row] * across.weight[column];
      const int node = 2 * ((up.cell + row) * kNodes + across.cell + column);
      to[0] += weight * bending.node[node];
      to[1] += weight * bending.node[node + 1];
    }
  return to;
}

}  // namespace

void deform(const Deformation& deformation, const Draw& who, std::span<float> x,
            std::span<float> y) {
  std::array<double, 4> map{1, 0, 0, 1};
  for (std::uint16_t k = 0; deformation.affine > 0 && k < 4; ++k)
    map[k] += deformation.affine * who.normal(k);
  const Bending bending = deformation.warp > 0 ? draw_bending(who, deformation.warp) : Bending{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::array<double, 2> p{x[i], y[i]};
    if (deformation.warp > 0) p = bent(bending, p[0], p[1]);
    x[i] = static_cast<float>(map[0] * p[0] + map[1] * p[1]);
    y[i] = static_cast<float>(map[2] * p[0] + map[3] * p[1]);
  }
}

}  // namespace murmur
