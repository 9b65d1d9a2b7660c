// passing_pairs.cpp: sums over pairs whose sources pass by in blocks, merged as they come.
#include <algorithm>
#include <cmath>

#include "engine/simd/pair_forces.h"

namespace murmur::simd {

namespace {

ConstColumns columns(const HostSwarm& x) { return {x.axis(0), x.stride()}; }

bool are_unit_vectors(const HostSwarm& x) {
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    if (!(std::abs(square - 1) < 1e-10)) return false;
  }
  return true;
}

}  // namespace

void PairForces::open(const Head& head, const HostSwarm& x, double heaviest) {
  if (x.n() == 0) return;
  meet(x);
  heaviest_ = heaviest;
  team_ = threads_;
  some_ = true;  // no sums at both ends: the other end is another block
  first_ = 0;
  end_ = x.n();
  look(head, x);
  unit_targets_ = are_unit_vectors(x);
  std::fill_n(all_mean_.need(stride_ * x.d()), stride_ * x.d(), 0.0);
  std::fill_n(all_z_.need(stride_), stride_, 0.0);
  std::fill_n(all_offset_.need(stride_), stride_, 0.0);
}

//   z 2^o = z_1 2^o_1 + z_2 2^o_2,   mean = (z_1 2^o_1 mean_1 + z_2 2^o_2 mean_2) / (z 2^o)
void PairForces::take(const Head& head, const HostSwarm& x, const HostSwarm& sources) {
  if (x.n() == 0 || sources.n() == 0) return;
  const int d = x.d();
  const double* u = u_.need(stride_ * d);
  double* mean = mean_.need(stride_ * d);
  Sources s{{u, stride_}, columns(sources), columns(sources), mean, sources.n(), d, d,
            sources.mass};
  if (precision_ == Precision::f64 || !sum_in_float(head, sources, s))
    sum_in_double(head, sources, s);
  const double* z = z_.need(stride_);
  const double* offset = offset_.need(stride_);
  double* all_mean = all_mean_.need(stride_ * d);
  double* all_z = all_z_.need(stride_);
  double* all_offset = all_offset_.need(stride_);
  for (int i = 0; i < x.n(); ++i) {
    if (!(z[i] > 0)) continue;
    const double top = all_z[i] > 0 ? std::max(all_offset[i], offset[i]) : offset[i];
    const double before = all_z[i] > 0 ? all_z[i] * std::exp2(all_offset[i] - top) : 0;
    const double here = z[i] * std::exp2(offset[i] - top);
    all_z[i] = before + here;
    all_offset[i] = top;
    for (int k = 0; k < d; ++k) {
      double& m = all_mean[k * stride_ + i];
      m = (before * m + here * mean[k * stride_ + i]) / all_z[i];
    }
  }
}

void PairForces::close(const Head& head, const HostSwarm& x, HostSwarm& a) {
  if (x.n() == 0) return;
  const int d = x.d();
  double* mean = mean_.need(stride_ * d);
  std::copy_n(all_mean_.need(stride_ * d), stride_ * d, mean);
  std::copy_n(all_z_.need(stride_), stride_, z_.need(stride_));
  std::copy_n(all_offset_.need(stride_), stride_, offset_.need(stride_));
  for (int k = 0; head.relative && k < d; ++k)
    for (int i = 0; i < x.n(); ++i) mean[k * stride_ + i] -= x.axis(k)[i];
  add_values(head, x, a);
}

}  // namespace murmur::simd
