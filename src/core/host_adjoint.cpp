// host_adjoint.cpp: the adjoint of each operation of HostField, in plain loops.
#include "core/host_adjoint.h"

#include <algorithm>
#include <cmath>

#include "core/elementary.h"
#include "core/particle_vectors.h"

namespace murmur {

namespace {

// to_i += scale_i a_i
void add(const HostSwarm& a, const std::vector<double>& scale, HostSwarm& to) {
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i) to.axis(k)[i] += scale[i] * a.axis(k)[i];
}

//   v = a - <x, a> x:   dx -= <x, w> a + <x, a> w,   w <- w - <x, w> x
void through_projection(const HostSwarm& x, const HostSwarm& a, HostSwarm& w, HostSwarm& dx) {
  const std::vector<double> push = dots(x, w), along = dots(x, a);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i)
      dx.axis(k)[i] -= push[i] * a.axis(k)[i] + along[i] * w.axis(k)[i];
  project(x, w);
}

//   b = speed a / |a|, u = a / |a|:   w <- speed (w - <u, w> u) / |a|;   returns sum_i <u_i, w_i>
// Zero stays zero and has no cotangent.
double through_lengths(const HostSwarm& a, double speed, HostSwarm& w) {
  const std::vector<double> length = lengths(a), push = dots(a, w);
  double sum = 0;
  for (int i = 0; i < a.n(); ++i) {
    if (length[i] > 0) sum += push[i] / length[i];
    for (int k = 0; k < a.d(); ++k) {
      double& out = w.axis(k)[i];
      const double along = push[i] / length[i] * (a.axis(k)[i] / length[i]);
      out = length[i] > 0 ? speed * (out - along) / length[i] : 0.0;
    }
  }
  return sum;
}

//   b = r a - <x, a> x / r,  r = |x|
void through_turn(const HostSwarm& x, const HostSwarm& a, HostSwarm& w, HostSwarm& dx) {
  const std::vector<double> r = lengths(x), push = dots(x, w), along = dots(x, a),
                            work = dots(w, a);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) {
      const double at = x.axis(k)[i];
      double& out = w.axis(k)[i];
      dx.axis(k)[i] += (work[i] + along[i] * push[i] / (r[i] * r[i])) * at / r[i] -
                       (push[i] * a.axis(k)[i] + along[i] * out) / r[i];
      out = r[i] * out - push[i] * at / r[i];
    }
}

//   y = x / |x|:   w <- (w - <y, w> y) / |x|
void through_normalise(const HostSwarm& x, HostSwarm& w) { through_lengths(x, 1, w); }

void divide(HostSwarm& a, const Vector& g) {
  for (std::size_t k = 0; k < g.size(); ++k)
    for (int i = 0; i < a.n(); ++i) a.axis(static_cast<int>(k))[i] /= g[k];
}

HostSwarm zero_like(const HostSwarm& x) {
  HostSwarm zero = x;
  clear(zero);
  return zero;
}

}  // namespace

HostSwarm HostAdjoint::forces(double t, const std::vector<int>& sublayers,
                              const HostSwarm& points) const {
  HostSwarm a = zero_like(points);
  for (const int sublayer : sublayers) field_.add_forces({t, sublayer, false}, points, a);
  return a;
}

// g(t) = gain + share (gain_end - gain)
void HostAdjoint::add_gain(double t, const Vector& found, Dynamics& to) const {
  const Dynamics& dynamics = field_.dynamics();
  const bool changes = !dynamics.gain_end.empty();
  const double share = changes ? std::clamp(t / dynamics.gain_until, 0.0, 1.0) : 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    to.gain[k] += (1 - share) * found[k];
    if (changes) to.gain_end[k] += share * found[k];
  }
}

//   b = a / g:   dg -= sum_i w_i b_i / g,   w <- w / g
void HostAdjoint::through_gain(double t, const HostSwarm& a, HostSwarm& w, Cotangents to) const {
  const Vector g = gain_at(field_.dynamics(), t);
  Vector found(g.size());
  for (std::size_t k = 0; k < g.size(); ++k)
    for (int i = 0; i < a.n(); ++i)
      found[k] -= w.axis(static_cast<int>(k))[i] * a.axis(static_cast<int>(k))[i] / g[k];
  add_gain(t, found, to.dynamics);
  divide(w, g);
}

void HostAdjoint::through_norm(const Normed& at, HostSwarm& w, Cotangents to) const {
  const double t = at.t;
  const Dynamics& dynamics = field_.dynamics();
  HostSwarm a = at.raw;
  divide(a, gain_at(dynamics, t));
  switch (dynamics.normalisation) {
    case LayerNorm::post:
    case LayerNorm::pre:
      break;
    case LayerNorm::peri:
      through_lengths(a, 1, w);
      break;
    case LayerNorm::mix:
      if (field_.turns_only(t)) through_turn(at.x, a, w, to.x);
      break;
    case LayerNorm::ngpt:
      to.dynamics.speed += through_lengths(a, dynamics.speed, w);
      break;
    case LayerNorm::sqrt:
      for (int k = 0; k < w.d(); ++k)
        for (int i = 0; i < w.n(); ++i) w.axis(k)[i] /= std::sqrt(t + 1);
  }
  through_gain(t, a, w, to);
}

//   u = c v / sqrt(S),  S = n sum_i m_i |v_i|^2,  c = ln(beta)
void HostAdjoint::through_clock(const HostSwarm& v, HostSwarm& w, Cotangents to) const {
  const int n = field_.n0_ - static_cast<int>(std::count(v.mass.begin(), v.mass.end(), 0.0));
  const std::vector<double> square = dots(v, v), push = dots(v, w);
  double all = 0, work = 0;
  for (int i = 0; i < v.n(); ++i) {
    all += n * v.mass[i] * square[i];
    work += push[i];
  }
  if (all == 0) return;
  const double beta = first_beta(field_.dynamics()), c = elementary::log(beta);
  const double scale = c / std::sqrt(all), slope = c * work / (all * std::sqrt(all));
  for (int k = 0; k < v.d(); ++k)
    for (int i = 0; i < v.n(); ++i)
      w.axis(k)[i] = scale * w.axis(k)[i] - slope * n * v.mass[i] * v.axis(k)[i];
  for (int i = 0; i < v.n(); ++i) to.mass[i] -= 0.5 * slope * n * square[i];
  for (Sublayer& sublayer : to.dynamics.sublayers)
    for (Force& force : sublayer.forces)
      if (head_of(force) != nullptr) {
        std::get<Attention>(force).beta += work / (std::sqrt(all) * beta);
        return;
      }
}

HostSwarm HostAdjoint::through_forces(Sums sums, const HostSwarm& x, const HostSwarm& w,
                                      Cotangents to) {
  const Dynamics& dynamics = field_.dynamics();
  const HostSwarm points = field_.force_points(sums.t, x);
  const std::vector<double> rows = to_rows(points), pushes = to_rows(w);
  std::vector<double> d_rows(rows.size()), drift(sums.asked ? rows.size() : 0);
  const ForceRows at{sums.t, dynamics.clock, x.n(), x.d(), x.mass, rows, pushes};
  for (const int s : sums.sublayers) {
    const Sublayer& sublayer = dynamics.sublayers[s];
    const std::vector<Force> now = forces_at(sublayer, sums.t);
    std::vector<Force> found;
    for (const Force& force : now) {
      found.push_back(zero_force(force, x.d()));
      add_force_adjoint(force, at, pairs_,
                        {d_rows, to.mass, found.back(), sums.asked ? &drift : nullptr});
    }
    add_at_time(sublayer, sums.t, found, to.dynamics.sublayers[s]);
  }
  //   points = g o theta,  theta = x or x / |x|
  HostSwarm d_points = from_rows(x.shape(), d_rows.data());
  const Vector g = gain_at(dynamics, sums.t);
  Vector d_gain(g.size());
  for (int k = 0; k < static_cast<int>(g.size()); ++k)
    for (int i = 0; i < x.n(); ++i) {
      d_gain[k] += d_points.axis(k)[i] * points.axis(k)[i] / g[k];
      d_points.axis(k)[i] *= g[k];
    }
  add_gain(sums.t, d_gain, to.dynamics);
  if (moves_norms(dynamics)) through_normalise(x, d_points);
  add(d_points, std::vector<double>(x.n(), 1.0), to.x);
  if (!sums.asked) return {};
  HostSwarm sum = from_rows(x.shape(), drift.data());
  sum.mass = x.mass;
  return sum;
}

bool HostAdjoint::forces_first(double t) const {
  const Dynamics& dynamics = field_.dynamics();
  if (kernel_of(dynamics.clock).arc_length) return true;
  switch (dynamics.normalisation) {
    case LayerNorm::post:
    case LayerNorm::pre:
    case LayerNorm::sqrt:
      return false;
    case LayerNorm::mix:
      return field_.turns_only(t);
    case LayerNorm::peri:
    case LayerNorm::ngpt:
      break;
  }
  return true;
}

// v = a - <x, a> x; a is linear in the forces, and their adjoint also gives their sum.
void HostAdjoint::velocity_after(double t, const std::vector<int>& acting, const HostSwarm& x,
                                 const HostSwarm& pushed, Cotangents to) {
  const Dynamics& dynamics = field_.dynamics();
  const bool sphere = dynamics.manifold == Manifold::sphere;
  HostSwarm w = pushed;
  if (sphere) project(x, w);
  HostSwarm onto_forces = w;
  field_.normalise_drift(t, x, onto_forces);  // a multiple of each coordinate is its own adjoint
  HostSwarm a = through_forces({t, acting, sphere}, x, onto_forces, to);
  if (!sphere) return;
  field_.normalise_drift(t, x, a);
  through_gain(t, a, w, to);
  const std::vector<double> push = dots(x, pushed), along = dots(x, a);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i)
      to.x.axis(k)[i] -= push[i] * a.axis(k)[i] + along[i] * pushed.axis(k)[i];
}

void HostAdjoint::velocity(double t, const HostSwarm& x, const HostSwarm& pushed, Cotangents to) {
  const Dynamics& dynamics = field_.dynamics();
  std::vector<int> acting;
  for (int s = 0; s < field_.sublayers(); ++s)
    if (field_.active(t, s)) acting.push_back(s);
  if (!forces_first(t)) return velocity_after(t, acting, x, pushed, to);
  const HostSwarm raw = forces(t, acting, field_.force_points(t, x));
  HostSwarm a = raw, w = pushed;
  field_.normalise_drift(t, x, a);
  const bool sphere = dynamics.manifold == Manifold::sphere;
  if (kernel_of(dynamics.clock).arc_length) {
    HostSwarm v = a;
    if (sphere) project(x, v);
    through_clock(v, w, to);
  }
  if (sphere) through_projection(x, a, w, to.x);
  through_norm({t, x, raw}, w, to);
  through_forces({t, acting}, x, w, to);
}

void HostAdjoint::drift(DriftAt at, const HostSwarm& x, const HostSwarm& pushed, Cotangents to) {
  if (kernel_of(field_.dynamics().clock).arc_length) return velocity(at.t, x, pushed, to);
  if (!field_.active(at.t, at.sublayer)) return;
  const std::vector<int> acting{at.sublayer};
  if (!forces_first(at.t)) {
    HostSwarm w = pushed;
    field_.normalise_drift(at.t, x, w);
    const bool gains = !gain_at(field_.dynamics(), at.t).empty();
    HostSwarm a = through_forces({at.t, acting, gains}, x, w, to);
    if (!gains) return;
    field_.normalise_drift(at.t, x, a);
    w = pushed;
    return through_gain(at.t, a, w, to);
  }
  const HostSwarm raw = forces(at.t, acting, field_.force_points(at.t, x));
  HostSwarm w = pushed;
  if (field_.turns_only(at.t)) {  //   b = |x| a
    const std::vector<double> r = lengths(x), work = dots(w, raw);
    for (int k = 0; k < x.d(); ++k)
      for (int i = 0; i < x.n(); ++i) {
        to.x.axis(k)[i] += work[i] * x.axis(k)[i] / r[i];
        w.axis(k)[i] *= r[i];
      }
  } else {
    through_norm({at.t, x, raw}, w, to);
  }
  through_forces({at.t, acting}, x, w, to);
}

void HostAdjoint::retract(const HostSwarm& x, std::span<const Term> terms, HostSwarm& w) {
  if (field_.dynamics().manifold != Manifold::sphere) return;
  HostSwarm sum = x;
  for (const Term& term : terms)
    add(host(*term.along), std::vector<double>(x.n(), term.scale), sum);
  through_normalise(sum, w);
}

//   z = |x| y / |y|
void HostAdjoint::keep_lengths(double t, const HostSwarm& x, const HostSwarm& y, Pushed pushed) {
  if (!field_.turns_only(t)) return;
  const std::vector<double> r = lengths(x), length = lengths(y), push = dots(y, pushed.w);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i)
      pushed.dx.axis(k)[i] += push[i] / length[i] * x.axis(k)[i] / r[i];
  through_normalise(y, pushed.w);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) pushed.w.axis(k)[i] *= r[i];
}

Dynamics zero_gradient(const Dynamics& dynamics, int d) {
  Dynamics zero = dynamics;
  for (Sublayer& sublayer : zero.sublayers)
    for (auto* all : {&sublayer.forces, &sublayer.forces_end})
      for (Force& force : *all) force = zero_force(force, d);
  const bool gains = !dynamics.gain.empty() || !dynamics.gain_end.empty();
  zero.gain = Vector(gains ? d : 0);
  zero.gain_end = Vector(dynamics.gain_end.empty() ? 0 : d);
  zero.speed = zero.noise = 0;
  return zero;
}

}  // namespace murmur
