// landscape.cpp: times the search for critical points, and counts atoms against tokens on a circle.
#include "murmur/landscape.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "murmur/random.h"

namespace {

using namespace murmur;

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Units uniform on the sphere, omega_m standard normal.
Landscape with_units(Landscape l, int units, std::uint64_t seed) {
  l.a = zeros(units, l.d);
  for (int m = 0; m < units; ++m) {
    const Draw draw{seed, Stream::perceptron, static_cast<std::uint32_t>(m)};
    double square = 0;
    for (int k = 0; k < l.d; ++k) {
      l.a(m, k) = draw.normal(static_cast<std::uint16_t>(k));
      square += l.a(m, k) * l.a(m, k);
    }
    for (int k = 0; k < l.d; ++k) l.a(m, k) /= std::sqrt(square);
    l.omega.push_back(draw.normal(1000));
  }
  return l;
}

void time_searches() {
  std::printf("100 starts, n = 64, d = 3, beta = 4, two threads\n");
  for (const int units : {0, 4})
    for (const auto direction : {Landscape::ascent, Landscape::descent})
      for (const Masses masses : {Masses::equal, Masses::free}) {
        if (units == 0 && direction == Landscape::descent && masses == Masses::free) continue;
        Landscape l = with_units({.d = 3, .kernel = Landscape::scaled}, units, 1);
        l.direction = direction;
        const auto began = std::chrono::steady_clock::now();
        const Search search = critical_points(l, {.masses = masses, .threads = 2});
        int certified = 0;
        for (const CriticalPoint& point : search.points) certified += point.certificate.holds;
        std::printf("%d units, %-7s, %s masses: %6.2f s, %zu points, %d certified, %d lost\n",
                    units, direction == Landscape::ascent ? "ascent" : "descent",
                    masses == Masses::equal ? "equal" : "free ", seconds_since(began),
                    search.points.size(), certified, search.lost);
      }
}

// How many atoms minimisers have, the heaviest, and crowds against their bound, as beta grows.
void localise_over_beta(Landscape::Kernel kernel) {
  std::printf("%s kernel, d = 2, two ReLU units, descent, free masses: mean over 8 weights\n",
              kernel == Landscape::plain ? "plain" : "scaled");
  for (const double beta : {0.5, 1.0, 2.0, 5.0, 15.0, 25.0, 50.0}) {
    if (kernel == Landscape::plain && beta > 5) continue;  // the units no longer matter
    double atoms = 0, heaviest = 0, arc_mass = 0, bound = 0;
    int certified = 0;
    for (int trial = 0; trial < 8; ++trial) {
      Landscape l = with_units({.d = 2, .beta = beta, .kernel = kernel}, 2, 42 + trial);
      l.direction = Landscape::descent;
      const CriticalPoint point = best_measure(l, {.masses = Masses::free, .threads = 1});
      const Localisation where = localise(l, point.mu);
      certified += point.certificate.holds;
      atoms += point.mu.count() / 8.0;
      heaviest += where.heaviest / 8;
      arc_mass = std::fmax(arc_mass, where.arc_mass);
      bound += std::fmin(1, where.arc_mass_bound) / 8;
    }
    std::printf(
        "beta %4g: %6.2f atoms, heaviest %.4f, greatest crowd %.4f, bound %.4f, %d of 8 "
        "certified\n",
        beta, atoms, heaviest, arc_mass, bound, certified);
  }
}

// 2601.21366: the minimiser beside ReLU units on the circle is a finite sum of Diracs.
void count_atoms(int weights, Landscape::Kernel kernel, double beta) {
  int same = 0, certified = 0;
  const auto began = std::chrono::steady_clock::now();
  for (int trial = 0; trial < weights; ++trial) {
    Landscape l = with_units({.d = 2, .beta = beta, .kernel = kernel}, 2 + trial % 4, trial);
    l.direction = Landscape::descent;
    int counts[4], k = 0;
    bool holds = true;
    for (const int n : {64, 128, 256, 512}) {
      const CriticalPoint point = best_measure(l, {.masses = Masses::free, .n = n, .threads = 1});
      counts[k++] = point.mu.count();
      holds = holds && point.certificate.holds && point.gradient_norm <= 1e-12;
    }
    const bool equal = counts[0] == counts[1] && counts[1] == counts[2] && counts[2] == counts[3];
    same += equal;
    certified += holds;
    if (!equal || !holds)
      std::printf("  weights %d: %d, %d, %d, %d atoms, certificate %s\n", trial, counts[0],
                  counts[1], counts[2], counts[3], holds ? "holds" : "fails");
  }
  std::printf(
      "%s kernel, beta = %g: %d of %d weights give the same atoms from 64 to 512 tokens, %d "
      "certified, %.1f s\n",
      kernel == Landscape::plain ? "plain" : "scaled", beta, same, weights, certified,
      seconds_since(began));
}

// The same from tokens of equal mass that start evenly spread and never merge until they meet: how
// many share a valley is then a matter of where they started.
void count_groups(int weights, double beta) {
  int same = 0, rest = 0;
  for (int trial = 0; trial < weights; ++trial) {
    Landscape l =
        with_units({.d = 2, .beta = beta, .kernel = Landscape::scaled}, 2 + trial % 4, trial);
    l.direction = Landscape::descent;
    int counts[4], k = 0;
    bool second = true;
    for (const int n : {64, 128, 256, 512}) {
      const Search search = critical_points(l, {.n = n, .starts = 1, .threads = 1});
      counts[k++] = search.points.empty() ? 0 : search.points[0].mu.count();
      second = second && !search.points.empty() && search.points[0].second_order;
    }
    const bool equal = counts[0] == counts[1] && counts[1] == counts[2] && counts[2] == counts[3];
    same += equal;
    rest += second;
    if (!equal)
      std::printf("  weights %d: %d, %d, %d, %d groups\n", trial, counts[0], counts[1], counts[2],
                  counts[3]);
  }
  std::printf(
      "scaled kernel, beta = %g, equal masses: %d of %d weights give the same groups from 64 to "
      "512 "
      "tokens, %d at second-order points\n",
      beta, same, weights, rest);
}

}  // namespace

// bench_landscape [WEIGHTS]
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  time_searches();
  localise_over_beta(Landscape::scaled);
  localise_over_beta(Landscape::plain);
  const int weights = argc > 1 ? std::atoi(argv[1]) : 200;
  count_atoms(weights, Landscape::scaled, 5);
  count_atoms(weights / 10, Landscape::plain, 3);
  count_groups(weights / 5, 5);
}
