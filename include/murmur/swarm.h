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

// n particles of d coordinates in the memory of an engine.
class Swarm {
 public:
  virtual ~Swarm() = default;
  virtual Shape shape() const = 0;
  // Same memory, shape and masses; positions unset
  virtual std::unique_ptr<Swarm> like() const = 0;
};

// Positions in memory of another owner: coordinate k of particle i is x[k * stride + i].
struct BorrowedMemory {
  double* x = nullptr;
  std::size_t stride = 0;  // n at least
  // Held as long as the swarm exists; null: the caller keeps the memory
  std::shared_ptr<const void> owner{};
  bool read_only = false;  // the swarm must then be const
};

// Struct of arrays: coordinate k of particle i is x[k * stride + i]. The first n values of an axis
// belong to the swarm; the padding after them must not be read or written.
class HostSwarm final : public Swarm {
 public:
  HostSwarm() = default;
  explicit HostSwarm(Shape shape);  // at the origin, equal masses
  // Uses the given memory without a copy; accesses only the n values of each axis.
  HostSwarm(Shape shape, BorrowedMemory memory, std::vector<double> masses);
  // A copy owns its memory, also if the original borrows; a move keeps the memory.
  HostSwarm(const HostSwarm& other);
  HostSwarm(HostSwarm&& other) noexcept;
  HostSwarm& operator=(const HostSwarm& other);
  HostSwarm& operator=(HostSwarm&& other) noexcept;

  Shape shape() const override { return shape_; }
  std::unique_ptr<Swarm> like() const override { return std::make_unique<HostSwarm>(*this); }
  int n() const { return shape_.n; }
  int d() const { return shape_.d; }
  std::size_t stride() const { return stride_; }
  bool borrows() const { return own_.empty() && x_ != nullptr; }
  bool read_only() const { return read_only_; }

  double* axis(int k) { return x_ + static_cast<std::size_t>(k) * stride_; }
  const double* axis(int k) const { return x_ + static_cast<std::size_t>(k) * stride_; }
  double& at(int i, int k) { return axis(k)[i]; }
  double at(int i, int k) const { return axis(k)[i]; }

  void resize(int n);  // fewer particles (merging); rows 0..n-1 stay

  std::vector<double> mass{};  // (n), sums to 1; mass 0 has weight 0 in every sum

 private:
  Shape shape_{};
  std::size_t stride_ = 0;
  double* x_ = nullptr;                  // (d, stride): own_, or borrowed
  std::vector<double> own_{};            // empty if it borrows
  std::shared_ptr<const void> owner_{};  // of borrowed memory
  bool read_only_ = false;
};

// Border formats: (n, d) in C order.
HostSwarm from_rows(Shape shape, const double* rows);
std::vector<double> to_rows(const HostSwarm& x);

}  // namespace murmur
