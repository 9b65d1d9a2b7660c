// swarm.cpp: swarms in host memory, arrays of any shape, and their border formats.
#include "murmur/swarm.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "murmur/matrix.h"

namespace murmur {

namespace {

// The distance between two axes of a swarm that owns its memory is a multiple of the widest float
// vector.
std::size_t padded(int n) {
  constexpr std::size_t kLanes = 16;
  return (static_cast<std::size_t>(n) + kLanes - 1) / kLanes * kLanes;
}

}  // namespace

HostSwarm::HostSwarm(Shape shape)
    : shape_(shape), stride_(padded(shape.n)), own_(stride_ * shape.d) {
  mass.assign(shape.n, shape.n > 0 ? 1.0 / shape.n : 0.0);  // after the larger allocation
  x_ = own_.data();
}

HostSwarm::HostSwarm(Shape shape, BorrowedMemory memory, std::vector<double> masses)
    : mass(std::move(masses)),
      shape_(shape),
      stride_(memory.stride),
      x_(memory.x),
      owner_(std::move(memory.owner)),
      read_only_(memory.read_only) {
  assert(stride_ >= static_cast<std::size_t>(shape.n) || shape.d <= 1);
  assert(mass.size() == static_cast<std::size_t>(shape.n));
}

HostSwarm::HostSwarm(const HostSwarm& other) { *this = other; }

HostSwarm::HostSwarm(HostSwarm&& other) noexcept { *this = std::move(other); }

HostSwarm& HostSwarm::operator=(const HostSwarm& other) {
  if (this == &other) return *this;
  mass = other.mass;
  shape_ = other.shape_;
  if (other.borrows()) {
    const std::size_t stride = padded(shape_.n);
    std::vector<double> own(stride * shape_.d);  // the borrowed memory may belong to this swarm
    for (int k = 0; k < shape_.d; ++k)
      std::copy_n(other.axis(k), shape_.n, own.data() + static_cast<std::size_t>(k) * stride);
    own_ = std::move(own);
    stride_ = stride;
  } else {
    stride_ = other.stride_;
    own_ = other.own_;
  }
  x_ = own_.data();
  owner_.reset();  // last: the other swarm may borrow from the same owner
  read_only_ = false;
  return *this;
}

HostSwarm& HostSwarm::operator=(HostSwarm&& other) noexcept {
  if (this == &other) return *this;
  mass = std::move(other.mass);
  shape_ = std::exchange(other.shape_, {});
  stride_ = std::exchange(other.stride_, 0);
  x_ = std::exchange(other.x_, nullptr);
  own_ = std::move(other.own_);
  owner_ = std::move(other.owner_);
  read_only_ = std::exchange(other.read_only_, false);
  return *this;
}

void HostSwarm::resize(int n) {
  assert(n <= shape_.n);
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

std::size_t Array::size() const {
  std::size_t product = 1;
  for (std::size_t extent : shape) product *= extent;
  return product;
}

std::vector<double> Array::doubles() const {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, values);
}

Array array_of(double value) { return {{}, std::vector<double>{value}}; }

Array array_of(std::int64_t value) { return {{}, std::vector<std::int64_t>{value}}; }

Array array_of(std::vector<double> values) {
  const std::size_t size = values.size();
  return {{size}, std::move(values)};
}

Array array_of(std::vector<std::int64_t> values) {
  const std::size_t size = values.size();
  return {{size}, std::move(values)};
}

}  // namespace murmur
