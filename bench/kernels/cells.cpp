// cells.cpp: tilted cells beside sums pair by pair, on S^2 and in R^3, one thread.
//
// usage: bench_cells [MOST_PARTICLES [d [LEAST_PARTICLES]]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/elementary.h"
#include "engine/moments/direct_sums.h"
#include "engine/moments/sums.h"
#include "kernels/drawn.h"
#include "peers/processor_time.h"

namespace murmur::bench {
namespace {

constexpr int kMostPairs = 40'000;  // particles up to which all pairs are summed

struct Setting {
  const char* name;
  bool sphere, random;  // random: Q and K have normal entries over sqrt(d)
  double sign, beta, tolerance;
};

HostSwarm cloud(int n, int d, bool sphere) {
  return sphere ? on_sphere({n, d}, 1) : in_space({n, d}, 1);
}

// u_i = beta K^T Q x_i
std::vector<double> targets(const HostSwarm& x, const Setting& s) {
  const int n = x.n(), d = x.d();
  const auto entry = [&](Stream stream, int a, int b) {
    const Draw draw{.seed = 2, .stream = stream};
    return draw.normal(static_cast<std::uint16_t>(a * d + b)) / std::sqrt(d);
  };
  std::vector<double> map(d * d, 0.0), u(static_cast<std::size_t>(d) * n);
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < d; ++b) {
      map[a * d + b] = !s.random && a == b ? 1 : 0;
      for (int e = 0; e < d && s.random; ++e)
        map[a * d + b] += entry(Stream::key, e, a) * entry(Stream::query, e, b);
    }
  for (int a = 0; a < d; ++a)
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int b = 0; b < d; ++b) sum += map[a * d + b] * x.at(i, b);
      u[static_cast<std::size_t>(a) * n + i] = s.sign * s.beta * sum;
    }
  return u;
}

struct Sums {
  std::vector<double> weight, shift, mean, weight_bound, mean_bound;
  double seconds = 0;
  moments::SumsCost cost{};

  Sums(int n, int d)
      : weight(n),
        shift(n),
        mean(static_cast<std::size_t>(n) * d),
        weight_bound(n),
        mean_bound(n) {}
  double worst() const { return *std::max_element(mean_bound.begin(), mean_bound.end()); }
};

template <class Sum>
Sums timed(const HostSwarm& x, const std::vector<double>& u, double tolerance, Sum&& sum) {
  const std::size_t n = x.n();
  Sums out(x.n(), x.d());
  const moments::SumsRequest request{
      .x = x, .u = {u.data(), n, x.n(), x.d()}, .tolerance = tolerance, .threads = 1};
  const double began = processor_seconds();
  out.cost = sum(request, moments::SumsResult{out.weight.data(), out.shift.data(), out.mean.data(),
                                              n, out.weight_bound.data(), out.mean_bound.data()});
  out.seconds = processor_seconds() - began;
  return out;
}

// The direct sums' time for n particles, from those of as many as are summed.
void row(const Setting& s, int n, int d) {
  const HostSwarm x = cloud(n, d, s.sphere);
  const std::vector<double> u = targets(x, s);
  const Sums cells = timed(x, u, s.tolerance,
                           [](const auto& q, const auto& r) { return moments::cell_sums(q, r); });
  const int few = std::min(n, kMostPairs);
  const HostSwarm some = cloud(few, d, s.sphere);
  const Sums pairs = timed(some, targets(some, s), s.tolerance,
                           [](const auto& q, const auto& r) { return moments::direct_sums(q, r); });
  const double all =
      pairs.seconds * (static_cast<double>(n) / few) * (static_cast<double>(n) / few);
  std::printf("| %s | %g | %.0e | %d | %.4g | %.4g%s | %.1f | %.1e | %.2f |\n", s.name, s.beta,
              s.tolerance, n, cells.seconds, all, few < n ? " (from 40,000)" : "",
              all / cells.seconds, cells.worst(), cells.cost.pairs / n / n);
  std::fflush(stdout);
}

}  // namespace
}  // namespace murmur::bench

int main(int argc, char** argv) {
  using namespace murmur::bench;
  const int most = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  const int d = argc > 2 ? std::atoi(argv[2]) : 3;
  const int least = argc > 3 ? std::atoi(argv[3]) : 1000;
  std::printf("d = %d, one thread, processor seconds of one evaluation with means\n\n", d);
  std::printf(
      "| points | beta | tolerance | n | cells | all pairs | ratio | largest bound | pairs / n^2 "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  const Setting settings[] = {{"sphere", true, false, 1, 1, 1e-6},
                              {"sphere", true, false, 1, 9, 1e-6},
                              {"sphere", true, false, 1, 9, 1e-12},
                              {"sphere, random Q K", true, true, 1, 9, 1e-12},
                              {"sphere, Q K = -1", true, false, -1, 9, 1e-12},
                              {"sphere", true, false, 1, 100, 1e-6},
                              {"sphere", true, false, 1, 1000, 1e-6},
                              {"space, random Q K", false, true, 1, 1, 1e-6}};
  for (const Setting& s : settings)
    for (int n = least; n <= most; n *= 10) row(s, n, d);
}
