// host_field.cpp: moving, comparing and projecting swarms in host memory, in plain loops.
#include "core/host_field.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/elementary.h"

namespace murmur {

namespace {

//   a_i <- a_i - <x_i, a_i> x_i
void project(const HostSwarm& x, HostSwarm& a) {
  for (int i = 0; i < x.n(); ++i) {
    double dot = 0;
    for (int k = 0; k < x.d(); ++k) dot += x.at(i, k) * a.at(i, k);
    for (int k = 0; k < x.d(); ++k) a.at(i, k) -= dot * x.at(i, k);
  }
}

//   x_i <- x_i / |x_i|
void normalise(HostSwarm& x) {
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    const double length = std::sqrt(square);
    for (int k = 0; k < x.d(); ++k) x.at(i, k) /= length;
  }
}

void clear(HostSwarm& a) {
  for (int k = 0; k < a.d(); ++k) std::fill_n(a.axis(k), a.n(), 0.0);
}

double first_beta(const Dynamics& dynamics) {
  for (const Phase& phase : dynamics.phases)
    for (const Force& force : phase.forces)
      if (const auto* a = std::get_if<Attention>(&force)) return a->beta;
  return 0;
}

}  // namespace

HostField::HostField(const Dynamics& dynamics, Shape shape) : dynamics_(dynamics), n0_(shape.n) {
  check(dynamics, shape.d);
}

void HostField::pull(double t, int phase, const Swarm& x, Swarm& a) {
  if (dynamics_.clock == Clock::u4) return velocity(t, x, a);  // arc length is along the habitat
  clear(host(a));
  add_forces({t, phase, false}, host(x), host(a));
}

void HostField::velocity(double t, const Swarm& x, Swarm& v) {
  const bool sphere = dynamics_.habitat == Habitat::sphere;
  clear(host(v));
  for (int phase = 0; phase < phases(); ++phase) add_forces({t, phase, sphere}, host(x), host(v));
  if (sphere) project(host(x), host(v));
  if (dynamics_.clock == Clock::u4) to_arc_length(host(v));
}

//   v <- ln(beta) v / sqrt(n sum_i m_i |v_i|^2)
// With equal masses 1/n this is the length of the whole configuration's velocity; a merged group
// counts as often as it has members.
void HostField::to_arc_length(HostSwarm& v) const {
  double square = 0;
  for (int i = 0; i < v.n(); ++i)
    for (int k = 0; k < v.d(); ++k) square += n0_ * v.mass[i] * v.at(i, k) * v.at(i, k);
  if (square == 0) return;
  const double scale = elementary::log(first_beta(dynamics_)) / std::sqrt(square);
  for (int k = 0; k < v.d(); ++k)
    for (int i = 0; i < v.n(); ++i) v.axis(k)[i] *= scale;
}

void HostField::move(const Swarm& from, std::span<const Push> pushes, Swarm& to) {
  const HostSwarm& x = host(from);
  HostSwarm& y = host(to);
  assert(x.shape() == y.shape());
  for (int k = 0; k < x.d(); ++k) {
    if (&x != &y) std::copy_n(x.axis(k), x.n(), y.axis(k));
    for (const Push& push : pushes) {
      const double* along = host(*push.along).axis(k);
      double* out = y.axis(k);
      for (int i = 0; i < x.n(); ++i) out[i] += push.scale * along[i];
    }
  }
  y.mass = x.mass;
  if (dynamics_.habitat == Habitat::sphere) normalise(y);
}

double HostField::gap(const Swarm& first, const Swarm& second, Tolerance tolerance) {
  const HostSwarm& a = host(first);
  const HostSwarm& b = host(second);
  double sum = 0;
  for (int i = 0; i < a.n(); ++i) {
    double difference = 0, size_a = 0, size_b = 0;  // squared lengths
    for (int k = 0; k < a.d(); ++k) {
      const double delta = a.at(i, k) - b.at(i, k);
      difference += delta * delta;
      size_a += a.at(i, k) * a.at(i, k);
      size_b += b.at(i, k) * b.at(i, k);
    }
    const double scale = tolerance.atol + tolerance.rtol * std::sqrt(std::max(size_a, size_b));
    sum += difference / (scale * scale);
  }
  return std::sqrt(sum / a.n());
}

std::unique_ptr<Swarm> HostEngine::place(const HostSwarm& x) {
  return std::make_unique<HostSwarm>(x);
}

HostSwarm HostEngine::fetch(const Swarm& x) { return host(x); }

}  // namespace murmur
