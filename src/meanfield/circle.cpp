// circle.cpp: densities on the circle by their Fourier coefficients.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/forces.h"
#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "murmur/theory.h"

namespace murmur::meanfield {

using Complex = std::complex<double>;

Wave grid_waves(const Measure& measure) {
  Wave waves = spectrum({measure.density.begin(), measure.density.end()});
  waves.resize(measure.density.size() / 2 + 1);
  for (std::size_t k = waves.size(); k-- > 0;) waves[k] /= waves[0].real();
  return waves;
}

std::vector<Complex> circle_coefficients(const Measure& measure, int modes) {
  std::vector<Complex> m(modes + 1);
  const Shares shares = shares_of(measure);
  m[0] = 1;
  if (!measure.density.empty()) {
    const Wave all = grid_waves(measure);
    for (std::size_t k = 1; k < m.size() && 2 * k < measure.density.size(); ++k) m[k] = all[k];
    return m;
  }
  for (const Measure::Wave& w : measure.waves)
    if (w.k <= modes) m[w.k] += 0.5 * w.eps * shares.uniform;
  for (std::size_t b = 0; b < measure.bumps.size(); ++b) {
    const Measure::Bump& bump = measure.bumps[b];
    const double angle = std::atan2(bump.centre[1], bump.centre[0]);
    double height = shares.bumps[b];  // I_k / I_0
    for (int k = 1; k <= modes; ++k) {
      height *= bump.kappa > 0 ? theory::bessel_ratio(k - 1, bump.kappa) : 0;
      m[k] += std::polar(height, k * angle);
    }
  }
  for (std::size_t a = 0; a < measure.atoms.size(); ++a) {
    const Measure::Atom& atom = measure.atoms[a];
    const double angle = std::atan2(atom.place[1], atom.place[0]);
    for (int k = 1; k <= modes; ++k) m[k] += std::polar(shares.atoms[a], k * angle);
  }
  return m;
}

namespace {

// State: Re m_1, Im m_1, ..., Im m_M. With z = e^{i theta} and relative to the density 1 / 2 pi,
//   density = sum_k conj(m_k) z^k                    (k of both signs, m_{-k} = conj m_k)
//   Z       = sum_k value_k conj(m_k) z^k            e^{-beta} W * mu
//   T       = sum_k i k slope_k conj(m_k) z^k        e^{-beta} (W * mu)' / beta
//   m_k'    = i k mean of density v z^k,   v = sign T / Z (SA), sign clock T (USA), plus the
//             perceptron's
class Circle final : public Continuum {
 public:
  Circle(const MeanField& field, int modes)
      : field_(field),
        modes_(modes),
        kernel_(kernel_of(2, field.beta, modes + 1)),
        fourier_(power_of_two(3 * modes + 1)),
        first_(fourier_.size()),
        second_(fourier_.size()),
        perceptron_(fourier_.size()) {
    for (int k = 1; k <= modes; ++k)
      laplacian_.insert(laplacian_.end(), 2, static_cast<double>(k) * k);
    if (!field.perceptron) return;
    if (const auto potential = meanfield::potential_of(field))
      potential_ = values_of(*potential, cells());
    for (int g = 0; g < fourier_.size(); ++g) {
      const double theta = 2 * std::numbers::pi * g / fourier_.size();
      const double x[] = {std::cos(theta), std::sin(theta)};
      double drift[] = {0, 0};
      add_perceptron_at(*field.perceptron, x, drift);
      perceptron_[g] = x[0] * drift[1] - x[1] * drift[0];
    }
    Wave waves(perceptron_.begin(), perceptron_.end());
    fourier_.transform(waves.data());
    const auto weaker = [](Complex a, Complex b) { return std::abs(a) < std::abs(b); };
    const auto strongest = std::max_element(waves.begin() + 1, waves.begin() + modes + 1, weaker);
    if (std::abs(*strongest) > 1e-9 * std::abs(waves[0]))
      spacing_ = static_cast<int>(strongest - waves.begin());
  }

  State start(const Measure& measure) const override {
    const std::vector<Complex> m = circle_coefficients(measure, modes_);
    State y;
    for (int k = 1; k <= modes_; ++k) y.insert(y.end(), {m[k].real(), m[k].imag()});
    return y;
  }

  const std::vector<double>& laplacian() const override { return laplacian_; }

  void flow(const State& y, const State& seen, State& change) override {
    const bool divided = field_.weighting == Attention::softmax;
    const double scale = (field_.repulsive ? -1 : 1) * clock_scale(field_);
    fill(y, seen, divided);
    fourier_.transform(first_.data());
    if (divided) fourier_.transform(second_.data());
    for (int g = 0; g < fourier_.size(); ++g) {
      const double turn = first_[g].imag() * scale / (divided ? second_[g].real() : 1);
      first_[g] = first_[g].real() * (turn + perceptron_[g]);
    }
    fourier_.transform(first_.data());
    change.resize(y.size());
    for (int k = 1; k <= modes_; ++k) {
      const Complex flux = first_[k] / static_cast<double>(fourier_.size());
      change[2 * k - 2] = -k * flux.imag();
      change[2 * k - 1] = k * flux.real();
    }
  }

  MeanFieldFrame read(const State& y) override {
    fill(y, y, false);
    fourier_.transform(first_.data());
    MeanFieldFrame frame;
    const int cells = fourier_.size();
    for (int g = 0; g < cells; ++g) frame.density.push_back(first_[g].real());
    MeanFieldReading& r = frame.reading;
    const auto ends = std::minmax_element(frame.density.begin(), frame.density.end());
    r.min = *ends.first;
    r.max = *ends.second;
    std::vector<double> amplitude = {1};
    for (int k = 1; k <= modes_; ++k) amplitude.push_back(std::hypot(y[2 * k - 2], y[2 * k - 1]));
    r.tail = tail_of(kernel_, amplitude, spacing_);
    const std::vector<double> weight(cells, 1.0 / cells);
    set_energies(field_,
                 {pairs_of(field_, kernel_, amplitude), mean_of(potential_, frame.density, weight),
                  entropy_of(frame.density, weight)},
                 r);
    r.mean = {y[0], y[1]};
    r.order = amplitude[1];
    amplitude.resize(kModesRead + 1);
    r.amplitude = amplitude;
    return frame;
  }

  std::vector<double> cells() const override {
    std::vector<double> x;
    for (int g = 0; g < fourier_.size(); ++g) {
      const double theta = 2 * std::numbers::pi * g / fourier_.size();
      x.insert(x.end(), {std::cos(theta), std::sin(theta)});
    }
    return x;
  }

 private:
  // Spectra of density + i T, and of Z; Z and T are those of the law seen.
  void fill(const State& y, const State& seen, bool weight) {
    const int size = fourier_.size();
    std::fill(first_.begin(), first_.end(), 0);
    first_[0] = 1;
    for (int k = 1; k <= modes_; ++k) {
      const Complex c(y[2 * k - 2], -y[2 * k - 1]);
      const Complex t = k * kernel_.slope[k] * Complex(seen[2 * k - 2], -seen[2 * k - 1]);
      first_[k] = c - t;  // i (i t) = -t
      first_[size - k] = std::conj(c) + std::conj(t);
    }
    if (!weight) return;
    std::fill(second_.begin(), second_.end(), 0);
    second_[0] = kernel_.value[0];
    for (int k = 1; k <= modes_; ++k) {
      const Complex c(seen[2 * k - 2], -seen[2 * k - 1]);
      second_[k] = kernel_.value[k] * c;
      second_[size - k] = kernel_.value[k] * std::conj(c);
    }
  }

  MeanField field_;
  int modes_;
  Kernel kernel_;
  Fourier fourier_;
  Wave first_, second_;             // (grid)
  std::vector<double> perceptron_;  // (grid) angular velocity of the perceptron
  int spacing_ = 1;                 // degree of its largest Fourier coefficient
  std::vector<double> potential_;   // (grid) V; empty: none
  std::vector<double> laplacian_;
};

}  // namespace

std::unique_ptr<Continuum> make_circle(const MeanField& field, int modes) {
  return std::make_unique<Circle>(field, modes);
}

}  // namespace murmur::meanfield
