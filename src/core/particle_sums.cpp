// particle_sums.cpp: mean, norms and Gram matrix of a swarm: the same bits for any number of
// threads.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/directions.h"
#include "core/pair_kernels.h"
#include "core/parallel.h"
#include "core/sums.h"

namespace murmur {
namespace {

double norm(const HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  return std::sqrt(square);
}

// (n, n): G_ij = <u_i, u_j>, lower triangle.
Matrix gram_of_particles(const HostSwarm& u, int threads) {
  Matrix g = zeros(u.n(), u.n());
  for_blocks(u.n(), threads, [&](int i) {
    std::vector<double> a(static_cast<std::size_t>(u.d()));  // (d)
    double row[tile];
    gather(u, i, a.data());
    for (int j = 0; j <= i; j += tile) {
      const int count = std::min(tile, i + 1 - j);
      inner_products(a.data(), u, j, count, row);
      for (int c = 0; c < count; ++c) g(i, j + c) = row[c];
    }
  });
  return g;
}

// (d, d): G_kl = sum_i u_ik u_il, lower triangle, a block of particles at a time: two levels of
// sums keep the rounding small, and a block stays in cache.
Matrix gram_of_axes(const HostSwarm& u, int threads) {
  constexpr int stretch = 1024;
  Matrix g = zeros(u.d(), u.d());
  for_blocks(u.d(), threads, [&](int k) {
    for (int first = 0; first < u.n(); first += stretch) {
      const int count = std::min(stretch, u.n() - first);
      for (int l = 0; l <= k; ++l) g(k, l) += dot(u.axis(k) + first, u.axis(l) + first, count);
    }
  });
  return g;
}

}  // namespace

std::optional<int> first_unmeasurable(const HostSwarm& x) {
  for (int i = 0; i < x.n(); ++i) {
    for (int k = 0; k < x.d(); ++k) {
      if (!(std::abs(x.at(i, k)) < 1e150)) return i;
    }
  }
  return {};
}

ParticleSums particle_sums(const Dynamics& dynamics, const HostSwarm& x, int threads) {
  ParticleSums sums;
  sums.measurable = !first_unmeasurable(x);
  if (!sums.measurable) return sums;
  for (int i = 0; i < x.n(); ++i) {
    const double length = norm(x, i);
    sums.radius += x.mass[i] * length;
    sums.norm_drift = std::max(sums.norm_drift, std::abs(length - 1));
  }
  const HostSwarm turned = moves_norms(dynamics) ? directions_of(x) : HostSwarm{};
  const HostSwarm& u = moves_norms(dynamics) ? turned : x;
  sums.mean.resize(static_cast<std::size_t>(u.d()));
  for (int k = 0; k < u.d(); ++k)
    for (int i = 0; i < u.n(); ++i) sums.mean[k] += u.mass[i] * u.axis(k)[i];
  sums.gram = u.n() <= u.d() ? gram_of_particles(u, threads) : gram_of_axes(u, threads);
  return sums;
}

}  // namespace murmur
