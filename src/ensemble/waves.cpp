// waves.cpp: the Fourier series of e^{beta (cos t - 1)}, cut where its tail no longer shows.
#include "ensemble/waves.h"

#include <cstdlib>

#include "core/attention.h"
#include "core/bessel_series.h"

namespace murmur::ensemble {

namespace {

// Most that the cut adds to a sum over j of w_ij = e^{beta (<x_i, x_j> - 1)}, or of w_ij x_j. In SA
// that sum is at least w_ii = 1, so a velocity is off by no more than twice as much.
constexpr double kTail = 1e-13;

// Orders that cost as much as one more particle to pair with; measured with AVX-512.
constexpr double kOrdersPerPartner = 1.2;

// The least p whose tails are small enough, 0 where none below s.a.size() - 1 is. The series are
//   w: 2 a_k,   w cos t: a_{k-1} + a_{k+1},   w sin t: a_{k-1} - a_{k+1}
// and n (a_p + 2 (a_{p+1} + a_{p+2} + ...)) bounds n particles' tails of all three.
int enough_orders(const BesselSeries& s, int n) {
  for (int p = 1; p + 1 < static_cast<int>(s.a.size()); ++p)
    if (n * (s.a[p] + 2 * s.beyond[p]) <= kTail) return p;
  return 0;
}

}  // namespace

// With Z = sum_j w_ij, R + i T = sum_j w_ij e^{i (theta_j - theta_i)}, and u = clock / n:
//   layers:    SA (Z + dt R) x + dt T x',   USA (1 + dt u R) x + dt u T x'
//   velocity:  SA T / Z x',                 USA u T x'
Waves::Waves(const ReplicasSetting& setting, Shape stored) {
  const double beta = setting.beta;
  const int n = stored.n, most = static_cast<int>(kOrdersPerPartner * (n - 1));
  if (stored.d != 2 || !(beta >= 0) || beta > static_cast<double>(most) * most) return;
  const BesselSeries s = bessel_series(beta, most + 2);
  const int orders = enough_orders(s, n);
  if (orders == 0) return;
  const bool softmax = setting.weighting == Attention::softmax;
  const bool layers = setting.method == Method::layers;
  const double term =
      (layers ? setting.dt : 1) * (softmax ? 1 : clock_scale(setting.clock, beta) / n);
  along_.resize(orders + 1);
  across_.resize(orders + 1);
  for (int k = 0; k <= orders; ++k) {
    const double below = s.a[std::abs(k - 1)], above = s.a[k + 1];
    along_[k] = (softmax ? 2 * s.a[k] : 0) + (layers ? term * (below + above) : 0);
    across_[k] = term * (below - above);
  }
  along_[0] *= 0.5 * n;  // C_0 = n
  if (!softmax) along_[0] += 1;
  terms_ = zeros(static_cast<std::size_t>(orders + 1) * 4 * kSwarms);
  sums_ = {.shape = stored,
           .orders = orders,
           .divided = softmax,
           .along = along_.data(),
           .across = across_.data(),
           .terms = terms_.get()};
}

}  // namespace murmur::ensemble
