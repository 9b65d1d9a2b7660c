// swarm.h: a configuration of particles, on a device (Swarm) or in host memory (HostSwarm).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace murmur {

struct Shape {
  int n = 0;  // particles
  int d = 0;  // coordinates of each
  bool operator==(const Shape&) const = default;
};

// n particles of d coordinates, wherever an engine keeps them.
class Swarm {
 public:
  virtual ~Swarm() = default;
  virtual Shape shape() const = 0;
  virtual std::unique_ptr<Swarm> like() const = 0;  // same place, shape and masses, positions unset
};

// Struct of arrays: coordinate k of particle i is x[k * stride + i]; padding is zero.
class HostSwarm final : public Swarm {
 public:
  HostSwarm() = default;
  explicit HostSwarm(Shape shape);  // at the origin, equal masses

  Shape shape() const override { return shape_; }
  std::unique_ptr<Swarm> like() const override { return std::make_unique<HostSwarm>(*this); }
  int n() const { return shape_.n; }
  int d() const { return shape_.d; }
  std::size_t stride() const { return stride_; }

  double* axis(int k) { return x_.data() + static_cast<std::size_t>(k) * stride_; }
  const double* axis(int k) const { return x_.data() + static_cast<std::size_t>(k) * stride_; }
  double& at(int i, int k) { return axis(k)[i]; }
  double at(int i, int k) const { return axis(k)[i]; }

  void resize(int n);  // fewer particles (merging); rows 0..n-1 stay

  std::vector<double> mass{};  // (n), sums to 1; mass 0 has weight 0 in every sum

 private:
  Shape shape_{};
  std::size_t stride_ = 0;
  std::vector<double> x_{};  // (d, stride)
};

// Border formats: (n, d) in C order.
HostSwarm from_rows(Shape shape, const double* rows);
std::vector<double> to_rows(const HostSwarm& x);

}  // namespace murmur
