// host_field.cpp: moves, compares, projects and sums swarms in host memory, in plain loops.
#include "core/host_field.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/elementary.h"
#include "core/noise.h"
#include "core/particle_vectors.h"
#include "core/sums.h"
#include "murmur/engine.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

ClosePair nearest_pair(const HostSwarm& x, double delta) {
  std::vector<int> order(x.n());
  std::iota(order.begin(), order.end(), 0);
  const double* first = x.axis(0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return first[a] != first[b] ? first[a] < first[b] : a < b; });
  ClosePair best{delta * delta, -1, -1};
  for (int a = 0; a < x.n(); ++a) {
    if (a % 256 == 0) stop_point();
    for (int b = a + 1; b < x.n() && first[order[b]] - first[order[a]] < delta; ++b) {
      double square = 0;
      for (int k = 0; k < x.d(); ++k) {
        const double delta_k = x.at(order[a], k) - x.at(order[b], k);
        square += delta_k * delta_k;
      }
      const ClosePair pair{square, std::min(order[a], order[b]), std::max(order[a], order[b])};
      const bool nearer =
          square < best.square || (square == best.square && best.i >= 0 &&
                                   (pair.i < best.i || (pair.i == best.i && pair.j < best.j)));
      if (nearer) best = pair;
    }
  }
  return best;
}

namespace {

//   x_i <- x_i / |x_i|
void normalise(HostSwarm& x) {
  const std::vector<double> length = lengths(x);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) x.axis(k)[i] /= length[i];
}

//   a_i <- speed a_i / |a_i|; zero stays zero
void set_lengths(HostSwarm& a, double speed) {
  const std::vector<double> length = lengths(a);
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i)
      if (length[i] > 0) a.axis(k)[i] *= speed / length[i];
}

//   a_i <- |x_i| a_i
void scale_by_lengths(const HostSwarm& x, HostSwarm& a) {
  const std::vector<double> length = lengths(x);
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i) a.axis(k)[i] *= length[i];
}

//   a_i <- |x_i| (a_i - <theta_i, a_i> theta_i),   theta = x / |x|: |x| stays
void turn_only(const HostSwarm& x, HostSwarm& a) {
  const std::vector<double> square = dots(x, x), along = dots(x, a);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) {
      const double outward = along[i] / square[i] * x.axis(k)[i];
      a.axis(k)[i] = std::sqrt(square[i]) * (a.axis(k)[i] - outward);
    }
}

}  // namespace

double first_beta(const Dynamics& dynamics) {
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* a = head_of(force)) return a->beta;
  return 0;
}

HostField::HostField(const Dynamics& dynamics, Shape shape) : dynamics_(dynamics), n0_(shape.n) {
  check(dynamics, shape.d);
}

void HostField::drift(double t, int sublayer, const Swarm& x, Swarm& a) {
  // Arc length is along the manifold
  if (kernel_of(dynamics_.clock).arc_length) return velocity(t, x, a);
  clear(host(a));
  if (!active(t, sublayer)) return;
  add_forces({t, sublayer, false}, force_points(t, host(x)), host(a));
  if (turns_only(t)) return scale_by_lengths(host(x), host(a));
  normalise_drift(t, host(x), host(a));
}

void HostField::velocity(double t, const Swarm& x, Swarm& v) {
  const bool sphere = dynamics_.manifold == Manifold::sphere;
  const bool whole = row_of(dynamics_.normalisation).whole_drift;
  const HostSwarm& at = force_points(t, host(x));
  clear(host(v));
  for (int sublayer = 0; sublayer < sublayers(); ++sublayer)
    if (active(t, sublayer)) add_forces({t, sublayer, sphere && !whole}, at, host(v));
  normalise_drift(t, host(x), host(v));
  if (sphere) project(host(x), host(v));
  if (kernel_of(dynamics_.clock).arc_length) to_arc_length(host(v));
}

const HostSwarm& HostField::force_points(double t, const HostSwarm& x) {
  const Vector g = gain_at(dynamics_, t);
  const bool turned = moves_norms(dynamics_);
  if (g.empty() && !turned) return x;
  force_points_ = x;
  if (turned) normalise(force_points_);
  for (std::size_t k = 0; k < g.size(); ++k)
    for (int i = 0; i < x.n(); ++i) force_points_.axis(static_cast<int>(k))[i] *= g[k];
  return force_points_;
}

void HostField::normalise_drift(double t, const HostSwarm& x, HostSwarm& a) const {
  const Vector g = gain_at(dynamics_, t);
  for (std::size_t k = 0; k < g.size(); ++k)
    for (int i = 0; i < a.n(); ++i) a.axis(static_cast<int>(k))[i] /= g[k];
  switch (dynamics_.normalisation) {
    case LayerNorm::post:
    case LayerNorm::pre:
      return;
    case LayerNorm::peri:
      return set_lengths(a, 1);
    case LayerNorm::mix:
      if (turns_only(t)) turn_only(x, a);
      return;
    case LayerNorm::ngpt:
      return set_lengths(a, dynamics_.speed);
    case LayerNorm::sqrt:
      for (int k = 0; k < a.d(); ++k)
        for (int i = 0; i < a.n(); ++i) a.axis(k)[i] /= std::sqrt(t + 1);
  }
}

//   v <- ln(beta) v / sqrt(n sum_i m_i |v_i|^2)
// With equal masses 1/n this is the length of the whole configuration's velocity. A merged group
// counts as often as it has members; a particle without mass does not count.
void HostField::to_arc_length(HostSwarm& v) {
  std::vector<double> terms(v.n());
  for (int i = 0; i < v.n(); ++i) terms[i] = v.mass[i] == 0 ? 1 : 0;
  const int n = n0_ - static_cast<int>(sum_over_particles(terms, 1));
  terms.assign(static_cast<std::size_t>(v.n()) * v.d(), 0.0);
  for (int i = 0; i < v.n(); ++i) {
    if (v.mass[i] == 0) continue;
    for (int k = 0; k < v.d(); ++k)
      terms[static_cast<std::size_t>(i) * v.d() + k] = n * v.mass[i] * v.at(i, k) * v.at(i, k);
  }
  const double square = sum_over_particles(terms, v.d());
  if (square == 0) return;
  const double scale = elementary::log(first_beta(dynamics_)) / std::sqrt(square);
  for (int k = 0; k < v.d(); ++k)
    for (int i = 0; i < v.n(); ++i) v.axis(k)[i] *= scale;
}

void HostField::retract(const Swarm& from, std::span<const Term> terms, Swarm& to) {
  const HostSwarm& x = host(from);
  HostSwarm& y = host(to);
  assert(x.shape() == y.shape());
  for (int k = 0; k < x.d(); ++k) {
    if (&x != &y) std::copy_n(x.axis(k), x.n(), y.axis(k));
    for (const Term& term : terms) {
      const double* along = host(*term.along).axis(k);
      double* out = y.axis(k);
      for (int i = 0; i < x.n(); ++i) out[i] += term.scale * along[i];
    }
  }
  y.mass = x.mass;
  if (dynamics_.manifold == Manifold::sphere) normalise(y);
}

bool HostField::turns_only(double t) const {
  return dynamics_.normalisation == LayerNorm::mix && t <= dynamics_.mix_until;
}

//   y_i <- |x_i| y_i / |y_i|
void HostField::keep_lengths(double t, const Swarm& x, Swarm& y) {
  if (!turns_only(t)) return;
  normalise(host(y));
  scale_by_lengths(host(x), host(y));
}

double HostField::error_norm(const Swarm& first, const Swarm& second, Tolerance tolerance) {
  const HostSwarm& a = host(first);
  const HostSwarm& b = host(second);
  const std::vector<double> size_a = dots(a, a), size_b = dots(b, b);  // (n), squared lengths
  std::vector<double> difference(a.n());                               // (n), squared
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i) {
      const double delta = a.axis(k)[i] - b.axis(k)[i];
      difference[i] += delta * delta;
    }
  for (int i = 0; i < a.n(); ++i) {
    const double size = std::sqrt(std::max(size_a[i], size_b[i]));
    const double scale = tolerance.atol + tolerance.rtol * size;
    difference[i] /= scale * scale;
  }
  return std::sqrt(sum_over_particles(difference, 1) / particles(a.n()));
}

std::vector<double> block_sums(std::span<const double> terms, int each, int block) {
  const std::size_t together = static_cast<std::size_t>(block) * each;
  std::vector<double> sums;
  for (std::size_t first = 0; first < terms.size(); first += together) {
    double sum = 0;
    for (std::size_t e = first; e < std::min(first + together, terms.size()); ++e) sum += terms[e];
    sums.push_back(sum);
  }
  return sums;
}

double HostField::sum_over_particles(std::span<const double> terms, int each) {
  double total = 0;
  for (const double sum : block_sums(terms, each, kSummedTogether)) total += sum;
  return total;
}

void Share::agree() {
  if (all() < kLarge) return;
  std::int64_t any[] = {stopped_ ? 1 : 0};
  ranks().largest(any);
  stopped_ = false;
  if (any[0] != 0) throw Stopped();
}

void HostField::add_shared_forces(const Ask& ask, Share& share, const HostSwarm& x, HostSwarm& a) {
  const HostSwarm& all = share.everybody(x);
  HostSwarm forces = all;
  clear(forces);
  share.alone([&] { add_forces(ask, all, forces); });
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) a.axis(k)[i] += forces.axis(k)[share.first() + i];
}

void HostField::noise_increment(const NoiseStep& step, const Swarm& x, Swarm& out) {
  host(out) = murmur::noise_increment(step, dynamics_.manifold, host(x), first_of(host(x).n()));
}

void HostField::diffuse(const NoiseStep& step, const Swarm& x, Swarm& y) {
  if (&x != &y) host(y) = host(x);
  brownian_step(step, dynamics_.manifold, host(y), first_of(host(y).n()));
}

ClosePair HostField::nearest_pair(const Swarm& x, double delta) {
  return murmur::nearest_pair(host(x), delta);
}

ParticleSums HostField::particle_sums(const Swarm& x, int threads) {
  return murmur::particle_sums(dynamics_, host(x), threads);
}

PairSums HostField::pair_sums(const Swarm& x, const PairRequest& request) {
  return murmur::pair_sums(dynamics_, host(x), request);
}

std::unique_ptr<Swarm> HostEngine::place(const HostSwarm& x) {
  return std::make_unique<HostSwarm>(x);
}

HostSwarm HostEngine::fetch(const Swarm& x) { return host(x); }

std::unique_ptr<Field> Engine::prepare(const Dynamics& dynamics, Shape shape) {
  if (const auto unknown = unsupported_reason(dynamics, shape))
    throw Error(Fault::input, unknown->what, "engine = " + name().substr(0, name().find(' ')),
                unknown->remedy);
  return prepare_known(dynamics, shape);
}

std::unique_ptr<Field> Engine::prepare_known(const Dynamics& dynamics, Shape shape) {
  return make_field(dynamics, shape);
}

}  // namespace murmur
