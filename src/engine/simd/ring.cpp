// ring.cpp: every rank hands the block that it has to the next one, until all have seen all.
#include "engine/simd/ring.h"

#include <algorithm>
#include <vector>

namespace murmur::simd {

namespace {

// Axis after axis, then the masses.
std::vector<double> packed(const HostSwarm& x) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(x.n()) * (x.d() + 1));
  for (int k = 0; k < x.d(); ++k) all.insert(all.end(), x.axis(k), x.axis(k) + x.n());
  all.insert(all.end(), x.mass.begin(), x.mass.end());
  return all;
}

HostSwarm unpacked(const std::vector<double>& all, Shape shape) {
  HostSwarm x(shape);
  for (int k = 0; k < shape.d; ++k)
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(shape.n) * k, shape.n, x.axis(k));
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(shape.n) * shape.d, shape.n,
              x.mass.begin());
  return x;
}

}  // namespace

void pass_around(Share& share, const HostSwarm& own,
                 const std::function<void(const HostSwarm& block)>& take) {
  Ranks& ranks = share.ranks();
  const int size = ranks.size(), d = own.d();
  std::vector<double> here = packed(own), next;
  for (int step = 0; step < size; ++step) {
    const int owner = (ranks.rank() + size - step) % size;
    const HostSwarm block = unpacked(here, {share.counts()[owner], d});
    if (step + 1 == size) return take(block);
    const int coming = share.counts()[(owner + size - 1) % size];
    next.resize(static_cast<std::size_t>(coming) * (d + 1));
    ranks.pass(here, next, [&] { take(block); });
    std::swap(here, next);
  }
}

}  // namespace murmur::simd
