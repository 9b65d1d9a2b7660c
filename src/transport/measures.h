// measures.h: ground costs between particles, and quantile functions of measures on a line or
// circle.
#pragma once

#include <span>
#include <vector>

#include "murmur/transport.h"

namespace murmur::transport {

// (n, m) d(x_i, y_j)^p, row by row. Throws Error(input) if coordinates differ in number or are not
// finite, or if an arc is requested for a particle at 0.
struct Costs {
  int rows = 0, cols = 0;
  std::vector<double> at{};
  const double* row(int i) const { return at.data() + static_cast<std::size_t>(i) * cols; }
};
struct CostRequest {
  Ground ground = Ground::chord;
  int p = 2;
  int threads = 0;
};
Costs costs_of(const HostSwarm& x, const HostSwarm& y, const CostRequest& request);

void check_pair(const HostSwarm& x, const HostSwarm& y, Ground ground);

inline constexpr double kSameMass = 1e-15;  // ranks closer than this count as equal

// Piece k covers the ranks from end[k - 1] (0 for the first) to end[k] and goes from `from[k]` to
// `to[k]`; the last end is 1.
struct Quantiles {
  std::vector<double> end{}, from{}, to{};
  std::size_t size() const { return end.size(); }
};

// end[k] = (m_0 + ... + m_k) / (m_0 + ... + m_last), each rounded about once.
std::vector<double> ranks(std::span<const double> mass);

// Returns atoms at sorted places; `mass` (as many, or none) belongs to the places in the given
// order.
Quantiles sorted_atoms(std::span<const double> place, std::span<const double> mass);

//   C(a) = int_0^1 |f(s) - g(s + a)|^p ds,   g(s + 1) = g(s) + turn;   slope: C'(a) from the right
struct CostAt {
  double cost = 0, slope = 0;
};
struct Shifted {
  double by = 0;    // a
  double turn = 0;  // increase of g over one period
};
CostAt cost_at(const Quantiles& f, const Quantiles& g, Shifted shifted, int p);

void check_power(int p);  // Error(input) unless 1 or 2

}  // namespace murmur::transport
