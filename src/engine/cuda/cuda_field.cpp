// cuda_field.cpp: drifts and velocities on the GPU, and the moves between two of them.
#include "engine/cuda/cuda_field.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/elementary.h"
#include "engine/cuda/sums_kernels.h"
#include "murmur/stop.h"

namespace murmur::cuda {

namespace {

double first_beta(const Dynamics& dynamics) {
  for (const Attention* head : by_kind(dynamics).heads) return head->beta;
  return 0;
}

}  // namespace

CudaField::CudaField(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums)
    : dynamics_(dynamics), n0_(shape.n), sums_(sums), forces_(dynamics_, shape, precision, sums) {}

void CudaField::drift(double t, int sublayer, const Swarm& x, Swarm& a) {
  if (kernel_of(dynamics_.clock).arc_length) return velocity(t, x, a);
  stop_point();
  clear(device(a).places());
  if (!active(t, sublayer)) return;
  forces_.add(t, sublayer, force_points(t, device(x)), all_tiles(x.shape().n), device(a));
  if (turns_only(t)) {
    Finish lengths;
    lengths.by_lengths = true;
    return cuda::finish(lengths, device(x).places(), device(a).places());
  }
  finish(t, {}, device(x), device(a));
}

void CudaField::velocity(double t, const Swarm& x, Swarm& v) {
  stop_point();
  const DeviceSwarm& at = force_points(t, device(x));
  clear(device(v).places());
  for (int sublayer = 0; sublayer < sublayers(); ++sublayer)
    if (active(t, sublayer)) forces_.add(t, sublayer, at, all_tiles(x.shape().n), device(v));
  Finish f;
  f.project = on_sphere();
  finish(t, f, device(x), device(v));
  if (kernel_of(dynamics_.clock).arc_length) to_arc_length(device(v));
}

bool CudaField::turns_only(double t) const {
  return dynamics_.normalisation == LayerNorm::mix && t <= dynamics_.mix_until;
}

const double* CudaField::gain(double t) {
  const Vector g = gain_at(dynamics_, t);
  return g.empty() ? nullptr : gain_.upload(std::span<const double>(g));
}

const DeviceSwarm& CudaField::force_points(double t, const DeviceSwarm& x) {
  const double* g = gain(t);
  const bool turned = moves_norms(dynamics_);
  if (g == nullptr && !turned) return x;
  if (!force_points_ || force_points_->shape() != x.shape())
    force_points_ = std::make_unique<DeviceSwarm>(x.shape(), x.masses);
  force_points_->masses = x.masses;
  to_force_points(x.places(), turned, g, force_points_->places());
  return *force_points_;
}

// What the layer norm makes of a drift; see HostField::normalise_drift.
void CudaField::finish(double t, Finish f, const DeviceSwarm& x, DeviceSwarm& a) {
  f.gain = gain(t);
  switch (dynamics_.normalisation) {
    case LayerNorm::post:
    case LayerNorm::pre:
      break;
    case LayerNorm::peri:
      f.norm = Finish::set_lengths;
      break;
    case LayerNorm::mix:
      if (turns_only(t)) f.norm = Finish::turn_only;
      break;
    case LayerNorm::ngpt:
      f.norm = Finish::set_lengths;
      f.amount = dynamics_.speed;
      break;
    case LayerNorm::sqrt:
      f.norm = Finish::scale;
      f.amount = std::sqrt(t + 1);
  }
  cuda::finish(f, x.places(), a.places());
}

//   v <- ln(beta) v / sqrt(n sum_i m_i |v_i|^2)
void CudaField::to_arc_length(DeviceSwarm& v) {
  double* square = result_.need(1);
  speed_square(v.places(), v.mass(), n0_ - v.masses->weightless,
               scratch_.need(reduce_scratch(v.shape().n)), square);
  cuda::to_arc_length(elementary::log(first_beta(dynamics_)), square, v.places());
}

void CudaField::retract(const Swarm& from, std::span<const Term> terms, Swarm& to) {
  const DeviceSwarm& x = device(from);
  DeviceSwarm& y = device(to);
  assert(x.shape() == y.shape());
  Push push;
  assert(terms.size() <= kMostTerms);
  for (const Term& term : terms)
    push.term[push.count++] = {term.scale, device(*term.along).data(),
                               device(*term.along).stride()};
  cuda::retract(x.places(), push, on_sphere(), y.places());
  y.masses = x.masses;
}

void CudaField::keep_lengths(double t, const Swarm& x, Swarm& y) {
  if (turns_only(t)) cuda::keep_lengths(device(x).places(), device(y).places());
}

double CudaField::error_norm(const Swarm& a, const Swarm& b, Tolerance tolerance) {
  const int n = a.shape().n;
  double* sum = result_.need(1);
  error_square(device(a).places(), device(b).places(), tolerance.rtol, tolerance.atol,
               scratch_.need(reduce_scratch(n)), sum);
  return std::sqrt(fetch(sum, 1)[0] / n);
}

void CudaField::noise_increment(const NoiseStep& step, const Swarm& x, Swarm& out) {
  cuda::noise_increment(
      {step.random.seed, step.random.replica, static_cast<std::uint32_t>(step.moment)},
      std::sqrt(2 * step.noise * step.h), on_sphere(), device(x).places(), device(out).places());
  device(out).masses = device(x).masses;
}

// The length of a step: see brownian_step of core/noise.cpp.
void CudaField::diffuse(const NoiseStep& step, const Swarm& x, Swarm& y) {
  const double time = step.noise * step.h;
  const int d = x.shape().d;
  const double deviation = std::sqrt(2 * time / (on_sphere() ? 1 + (d - 2) * time / 3 : 1));
  cuda::diffuse({step.random.seed, step.random.replica, static_cast<std::uint32_t>(step.moment)},
                deviation, on_sphere(), device(x).places(), device(y).places());
  device(y).masses = device(x).masses;
}

}  // namespace murmur::cuda
