// spectrum.cpp: histograms of cosines, and the powers of Fourier modes and spherical harmonics.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/axes.h"
#include "core/sums.h"
#include "engine/moments/head_sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "observe/visit_pairs.h"

namespace murmur {

CosineHistogram cosine_histogram(const HostSwarm& x, int bins, const ObserveSettings& settings) {
  if (bins < 1 || bins > 1'000'000)
    throw Error(Fault::input, "a histogram has 1 to 1,000,000 bins",
                "bins = " + std::to_string(bins), "give such a number, for example bins=50");
  require_measurable(x);
  CosineHistogram found;
  for (int b = 0; b <= bins; ++b) found.edge.push_back(-1 + 2.0 * b / bins);
  found.count.assign(static_cast<std::size_t>(bins), 0);
  if (x.n() < 2) return found;

  const double scale = bins / 2.0;
  const auto count = [&](const PairTile& pairs, std::vector<std::int64_t>& part) {
    for (int c = 0; c < pairs.count; ++c) {
      const double place = std::floor((pairs.cosine[c] + 1) * scale);
      ++part[static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1.0))];
    }
  };
  for (const auto& part : visit_pairs(directions_of(x), settings, found.count, count))
    for (int b = 0; b < bins; ++b) found.count[b] += part[b];
  for (const std::int64_t c : found.count) found.pairs += c;
  return found;
}

namespace {

void check(const HostSwarm& x, int modes) {
  if (modes < 1 || modes > 10'000)
    throw Error(Fault::input, "modes are counted from 1 to 10,000",
                "modes = " + std::to_string(modes), "give such a number, for example modes=8");
  if (x.d() < 2)
    throw Error(Fault::input, "directions on a line have no modes", "d = " + std::to_string(x.d()),
                "ask a swarm of two or more coordinates");
  require_measurable(x);
  for (int i = 0; i < x.n(); ++i) {
    double most = 0;
    for (int k = 0; k < x.d(); ++k) most = std::max(most, std::abs(x.at(i, k)));
    if (most == 0)
      throw Error(Fault::input, "a particle at the origin has no direction",
                  "particle " + std::to_string(i), "look at another frame");
  }
}

// With |Y_lm|^2 normalised to integral 1, and m > 0 counted twice:
//   4 pi / (2 l + 1) sum_m |sum_i m_i Y_lm(x_i)|^2 = sum_{m>=0} (2 - [m = 0]) |c_lm|^2,
//   c_lm = sum_i m_i q_lm(z_i) ((x + i y) of particle i)^m,
// q_lm = sqrt((l - m)! / (l + m)!) P_lm / sin^m: q_mm = prod_{s<=m} sqrt((2 s - 1) / (2 s)) and
//   sqrt((l - m)(l + m)) q_lm = (2 l - 1) z q_{l-1,m} - sqrt((l - 1 - m)(l - 1 + m)) q_{l-2,m}
std::vector<double> sphere_powers(const HostSwarm& u, int modes) {
  std::vector<double> power(static_cast<std::size_t>(modes) + 1, 0.0);
  std::vector<std::complex<double>> wave(static_cast<std::size_t>(u.n()));  // (n) m_i (x + i y)^m
  for (int i = 0; i < u.n(); ++i) wave[i] = u.mass[i];
  double corner = 1;  // q_mm
  for (int m = 0; m <= modes; ++m) {
    std::vector<std::complex<double>> sum(static_cast<std::size_t>(modes) + 1);  // c_lm
    for (int i = 0; i < u.n(); ++i) {
      const double z = u.at(i, 2);
      double before = 0, now = corner;
      for (int l = m; l <= modes; ++l) {
        sum[l] += now * wave[i];
        const double lower = std::sqrt(static_cast<double>(l - m) * (l + m));
        const double upper = std::sqrt(static_cast<double>(l + 1 - m) * (l + 1 + m));
        before = std::exchange(now, ((2 * l + 1) * z * now - lower * before) / upper);
      }
      wave[i] *= std::complex<double>(u.at(i, 0), u.at(i, 1));
    }
    for (int l = m; l <= modes; ++l) power[l] += (m == 0 ? 1 : 2) * std::norm(sum[l]);
    corner *= std::sqrt((2.0 * m + 1) / (2.0 * m + 2));
  }
  return power;
}

// With P_k = C_k / C_k(1) and index nu = d/2 - 1:
//   (2 nu + k - 1) P_k = 2 (k + nu - 1) c P_{k-1} - (k - 1) P_{k-2},   P_0 = 1, P_1 = c
void add_polynomials(const PairTile& pairs, double nu, std::vector<double>& sum) {
  const int modes = static_cast<int>(sum.size()) - 1;
  for (int c = 0; c < pairs.count; ++c) {
    const double cosine = pairs.cosine[c], weight = pairs.weight[c];
    double before = 1, now = cosine;
    sum[0] += weight;
    for (int k = 1; k <= modes; ++k) {
      sum[k] += weight * now;
      before = std::exchange(now, (2 * (k + nu) * cosine * now - k * before) / (2 * nu + k));
    }
  }
}

// The pairs i != j have the weight 1 - sum_i m_i^2: a sample is scaled to that weight.
std::vector<double> pair_powers(const HostSwarm& u, int modes, const ObserveSettings& settings) {
  const double nu = u.d() / 2.0 - 1;
  std::vector<double> zero(static_cast<std::size_t>(modes) + 1, 0.0), off = zero, power = zero;
  if (u.n() > 1) {
    for (const auto& part : visit_pairs(u, settings, zero, [&](const PairTile&pairs, auto&sum) {
           add_polynomials(pairs, nu, sum);
         }))
      for (int k = 0; k <= modes; ++k) off[k] += part[k];
  }
  PairTile self;
  self.count = 1;
  double own = 0;
  for (int i = 0; i < u.n(); ++i) {  // |u_i|^2 is 1, or 0 at the origin
    self.cosine[0] = 0;
    for (int k = 0; k < u.d(); ++k) self.cosine[0] += u.at(i, k) * u.at(i, k);
    self.weight[0] = u.mass[i] * u.mass[i];
    own += self.weight[0];
    add_polynomials(self, nu, power);
  }
  const double scale = off[0] > 0 ? (1 - own) / off[0] : 0;
  for (int k = 0; k <= modes; ++k) power[k] += scale * off[k];
  return power;
}

// Nanoseconds on one core for the two forms above (bench/results/moments.md). A sample of pairs is
// rated as all of them, because it is less accurate.
double plain_cost(Shape shape, int modes) {
  constexpr double kFunction = 7.7, kPolynomial = 4.8;
  const double n = shape.n, k = modes;
  return shape.d == 3 ? kFunction * n * k * k / 2 : kPolynomial * n * n / 2 * k;
}

}  // namespace

std::vector<std::complex<double>> fourier_amplitudes(const HostSwarm& x, int modes) {
  check(x, modes);
  if (x.d() != 2)
    throw Error(Fault::input, "Fourier modes belong to the circle", "d = " + std::to_string(x.d()),
                "use mode_amplitudes, which knows every d");
  std::vector<std::complex<double>> sum(static_cast<std::size_t>(modes) + 1);
  for (int i = 0; i < x.n(); ++i) {
    const double theta = std::atan2(x.at(i, 1), x.at(i, 0));
    for (int k = 0; k <= modes; ++k) sum[k] += std::polar(x.mass[i], k * theta);
  }
  return sum;
}

std::vector<double> mode_powers(const HostSwarm& x, int modes, const ObserveSettings& settings) {
  check(x, modes);
  if (x.d() == 2) {
    std::vector<double> power;
    for (const auto& m : fourier_amplitudes(x, modes)) power.push_back(std::norm(m));
    return power;
  }
  const HostSwarm u = directions_of(x);
  if (moments::mode_sums_cost(x.shape(), modes) < plain_cost(x.shape(), modes))
    if (auto sums = moments::mode_sums(u, modes, settings.threads)) return std::move(sums->power);
  return x.d() == 3 ? sphere_powers(u, modes) : pair_powers(u, modes, settings);
}

std::vector<double> mode_amplitudes(const HostSwarm& x, int modes,
                                    const ObserveSettings& settings) {
  std::vector<double> amplitude = mode_powers(x, modes, settings);
  for (double& a : amplitude) a = std::sqrt(std::max(a, 0.0));
  return amplitude;
}

}  // namespace murmur
