// sphere_series.cpp: spherical Bessel functions downward, associated Legendre functions upward.
#include "engine/cuda/sphere_series.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace murmur::cuda {

namespace {

constexpr double kUnit = 0x1p-53;

// Returns (count + 1) (2l+1) i_l(r) e^{-r}, r > 0: Miller's recurrence i_{l-1} = i_{l+1} + (2l+1)/r
// i_l, downward from far beyond, normalised to the sum 1.
std::vector<double> bessel_weights(double r, int count) {
  const int start = count + 40 + static_cast<int>(2 * std::sqrt(r) * 6 + r / 4);
  std::vector<double> i(static_cast<std::size_t>(start) + 2);
  i[start] = 1e-280;
  double sum = (2 * start + 1) * i[start];
  for (int l = start; l > 0; --l) {
    i[l - 1] = i[l + 1] + (2 * l + 1) / r * i[l];
    sum += (2 * l - 1) * i[l - 1];
    if (i[l - 1] < 1e250) continue;
    for (double& value : i) value *= 1e-300;
    sum *= 1e-300;
  }
  std::vector<double> weight(static_cast<std::size_t>(count) + 1);
  for (int l = 0; l <= count; ++l) weight[l] = (2 * l + 1) * i[l] / sum;
  return weight;
}

// q_{l+1,m} = a z q_lm - b q_{l-1,m}
struct Upward {
  double a, b;
  Upward(int l, int m) {
    const double scale = std::sqrt((l + 1.0 - m) * (l + 1.0 + m));
    a = (2 * l + 1) / scale;
    b = l > m ? std::sqrt((l - m) * (static_cast<double>(l) + m)) / scale : 0;
  }
};

}  // namespace

// The sum of all terms beyond p is at most T_p = r (i_p + i_{p+1}) e^{-r}.
SphereSeries::SphereSeries(double rho, double remainder) {
  const double r = std::fabs(rho);
  const std::vector<double> weight = bessel_weights(r, kMostDegree + 2);
  const auto i = [&](int l) { return weight[l] / (2 * l + 1); };
  double tail = 0;
  for (p_ = 1; p_ <= kMostDegree; ++p_) {
    tail = r * (i(p_) + i(p_ + 1));
    if (tail <= remainder) break;
  }
  p_ = std::min(p_, kMostDegree);
  terms_ = p_ < 16 ? 16 : 32;
  bound_ = tail + 16 * (p_ + 8) * kUnit + 2 * r * kUnit;
  for (int l = 0; l <= p_; ++l) {
    const double before = l > 0 ? l * i(l - 1) : 0, after = (l + 1) * i(l + 1);
    const double sign = rho < 0 && l % 2 == 1 ? -1 : 1;
    weight_.push_back(sign * weight[l]);
    slope_.push_back((rho < 0 ? -sign : sign) * (before + after));
  }

  const auto size = static_cast<std::size_t>(p_) + 1;
  polynomials_.resize(size * size * terms_);
  const auto q = [&](int l, int m) { return &polynomials_[(m * size + l) * terms_]; };
  double first = 1;  // q_mm
  for (int m = 0; m <= p_; ++m) {
    if (m > 0) first *= std::sqrt((2.0 * m - 1) / (2.0 * m)) * (m == 1 ? std::sqrt(2.0) : 1);
    q(m, m)[0] = first;
    for (int l = m; l < p_; ++l) {
      const Upward up(l, m);
      for (int k = 0; k <= l - m; ++k) {  // z T_k = (T_{k+1} + T_{|k-1|}) / 2
        q(l + 1, m)[k + 1] += up.a * q(l, m)[k] * (k == 0 ? 1 : 0.5);
        if (k > 0) q(l + 1, m)[k - 1] += up.a * q(l, m)[k] * 0.5;
      }
      for (int k = 0; k < l - m && l > m; ++k) q(l + 1, m)[k] -= up.b * q(l - 1, m)[k];
    }
  }
}

double SphereSeries::moment(const std::vector<double>& moments, int l, int m, int part) const {
  double sum = 0;
  for (int k = 0; k <= l - m; ++k)
    sum += polynomial(l, m, k) * moments[(static_cast<std::size_t>(k) * terms_ + m) * 2 + part];
  return sum;
}

std::vector<double> SphereSeries::harmonics(const std::vector<double>& moments) const {
  std::vector<double> all;
  for (int m = 0; m <= p_; ++m)
    for (int l = m; l <= p_; ++l) {
      const Upward up(l, m);
      const double first = polynomial(m, m, 0);
      all.insert(all.end(),
                 {up.a, up.b, first * moment(moments, l, m, 0), first * moment(moments, l, m, 1)});
    }
  return all;
}

std::vector<double> SphereSeries::coefficients(const std::vector<double>& moments) const {
  std::vector<double> all;
  std::vector<double> value[2], slope[2], derivative[2];
  for (int m = 0; m < terms_; ++m) {
    for (int part = 0; part < 2; ++part) {
      value[part].assign(static_cast<std::size_t>(terms_) + 2, 0.0);
      slope[part] = derivative[part] = value[part];
      for (int l = m; l <= p_; ++l) {
        const double sum = moment(moments, l, m, part);
        for (int k = 0; k <= l - m; ++k) {
          value[part][k] += weight_[l] * sum * polynomial(l, m, k);
          slope[part][k] += slope_[l] * sum * polynomial(l, m, k);
        }
      }
      for (int k = terms_ - 1; k > 0; --k)
        derivative[part][k - 1] = derivative[part][k + 1] + 2 * k * value[part][k];
      derivative[part][0] *= 0.5;
    }
    for (int k = 0; k < terms_ - m; ++k)
      all.insert(all.end(), {value[0][k], value[1][k], derivative[0][k], derivative[1][k],
                             slope[0][k], slope[1][k]});
  }
  return all;
}

}  // namespace murmur::cuda
