// swarm.cpp: configurations in host memory, and their border formats.
#include "murmur/swarm.h"

#include <algorithm>
#include <cassert>

namespace murmur {

namespace {
constexpr std::size_t kLanes = 16;  // stride is a whole number of the widest float vector
}

HostSwarm::HostSwarm(Shape shape)
    : mass(shape.n, shape.n > 0 ? 1.0 / shape.n : 0.0),
      shape_(shape),
      stride_((static_cast<std::size_t>(shape.n) + kLanes - 1) / kLanes * kLanes),
      x_(stride_ * shape.d) {}

void HostSwarm::resize(int n) {
  assert(n <= shape_.n);
  for (int k = 0; k < shape_.d; ++k) std::fill(axis(k) + n, axis(k) + shape_.n, 0.0);
  shape_.n = n;
  mass.resize(n);
}

HostSwarm from_rows(Shape shape, const double* rows) {
  HostSwarm x(shape);
  for (int i = 0; i < shape.n; ++i)
    for (int k = 0; k < shape.d; ++k) x.at(i, k) = rows[static_cast<std::size_t>(i) * shape.d + k];
  return x;
}

std::vector<double> to_rows(const HostSwarm& x) {
  std::vector<double> rows(static_cast<std::size_t>(x.n()) * x.d());  // (n, d)
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) rows[static_cast<std::size_t>(i) * x.d() + k] = x.at(i, k);
  return rows;
}

}  // namespace murmur
