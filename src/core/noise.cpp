// noise.cpp: normal draws in tangent spaces, the geodesic steps made of them, and their adjoints.
#include "core/noise.h"

#include <cmath>

#include "core/elementary.h"
#include "core/particle_vectors.h"
#include "murmur/random.h"

namespace murmur {

namespace {

// (n, d) standard normal, in R^d or in the tangent space at x.
HostSwarm normals(const NoiseStep& step, Manifold manifold, const HostSwarm& x, int first) {
  HostSwarm xi(x.shape());
  xi.mass = x.mass;
  for (int i = 0; i < x.n(); ++i) {
    const Draw who{.seed = step.random.seed,
                   .stream = Stream::noise,
                   .particle = static_cast<std::uint32_t>(first + i),
                   .step = static_cast<std::uint32_t>(step.moment),
                   .replica = step.random.replica};
    double along = 0;  // <x_i, xi_i>
    for (int k = 0; k < x.d(); ++k) {
      xi.at(i, k) = who.normal(static_cast<std::uint16_t>(k));
      along += x.at(i, k) * xi.at(i, k);
    }
    if (manifold == Manifold::sphere)
      for (int k = 0; k < x.d(); ++k) xi.at(i, k) -= along * x.at(i, k);
  }
  return xi;
}

//   x <- cos(r) x + sin(r) xi / |xi|,   r = deviation |xi|
void follow_geodesic(double deviation, const HostSwarm& xi, int i, HostSwarm& x) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += xi.at(i, k) * xi.at(i, k);
  if (square == 0) return;
  const double length = std::sqrt(square);
  const double cosine = elementary::cos(deviation * length);
  const double slope = elementary::sin(deviation * length) / length;
  for (int k = 0; k < x.d(); ++k) x.at(i, k) = cosine * x.at(i, k) + slope * xi.at(i, k);
}

}  // namespace

HostSwarm noise_increment(const NoiseStep& step, Manifold manifold, const HostSwarm& x, int first) {
  HostSwarm term = normals(step, manifold, x, first);
  const double deviation = std::sqrt(2 * step.noise * step.h);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) term.at(i, k) *= deviation;
  return term;
}

// A harmonic f of eigenvalue lambda on S^{d-1} obeys E f(X_h) = e^{-lambda D h} f(x). A geodesic
// step of random length r, with E r^2 = (d-1) s and E r^4 = (d^2 - 1) s^2, multiplies it by
//   1 - lambda s/2 + s^2/4 (lambda^2/2 - (d-2) lambda/3) + O(s^3),
// which agrees to second order for every lambda when
//   s = 2 D h (1 - (d-2) D h / 3 + O(h^2)).
// s = 2 D h / (1 + (d-2) D h / 3) satisfies this and is positive for every h.
void brownian_step(const NoiseStep& step, Manifold manifold, HostSwarm& x, int first) {
  const double time = step.noise * step.h;
  const bool sphere = manifold == Manifold::sphere;
  const double deviation = std::sqrt(2 * time / (sphere ? 1 + (x.d() - 2) * time / 3 : 1));
  const HostSwarm xi = normals(step, manifold, x, first);
  if (sphere) {
    for (int i = 0; i < x.n(); ++i) follow_geodesic(deviation, xi, i, x);
    return;
  }
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) x.at(i, k) += deviation * xi.at(i, k);
}

namespace {

//   xi = r - <x, r> x:   dx -= <x, w> r + <x, r> w,   only for particle i
void add_projection(const HostSwarm& x, const HostSwarm& r, const HostSwarm& w, HostSwarm& dx) {
  const std::vector<double> push = dots(x, w), along = dots(x, r);
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i)
      dx.axis(k)[i] -= push[i] * r.axis(k)[i] + along[i] * w.axis(k)[i];
}

double sum(const std::vector<double>& terms) {
  double total = 0;
  for (const double term : terms) total += term;
  return total;
}

// (n, d) standard normal draws, not projected: the increment with D = 1/2 and h = 1.
HostSwarm plain_normals(NoiseStep step, const HostSwarm& x) {
  step.noise = 0.5, step.h = 1;
  return noise_increment(step, Manifold::space, x);
}

}  // namespace

//   term = deviation xi,  deviation = sqrt(2 D h)
void add_increment_adjoint(const NoiseStep& step, Manifold manifold, const HostSwarm& x,
                           const HostSwarm& w, NoisePush to) {
  const HostSwarm term = noise_increment(step, manifold, x);
  to.noise += sum(dots(w, term)) / (2 * step.noise);
  if (manifold == Manifold::sphere)
    add_projection(x, noise_increment(step, Manifold::space, x), w, to.dx);
}

//   y = cos(r) x + sin(r) xi / l,  r = deviation l,  l = |xi|
void through_brownian_step(const NoiseStep& step, Manifold manifold, const HostSwarm& x,
                           NoisePush to) {
  HostSwarm& w = to.dx;
  const double time = step.noise * step.h;
  const bool sphere = manifold == Manifold::sphere;
  const double bend = sphere ? (x.d() - 2) / 3.0 : 0.0;
  const double deviation = std::sqrt(2 * time / (1 + bend * time));
  // d deviation / dD = h deviation / (2 time (1 + bend time))
  const double slope = step.h * deviation / (2 * time * (1 + bend * time));
  const HostSwarm r = plain_normals(step, x);
  if (!sphere) {
    to.noise += slope * sum(dots(w, r));
    return;
  }
  HostSwarm xi = r;
  project(x, xi);
  const std::vector<double> length = lengths(xi), of_x = dots(w, x), of_xi = dots(w, xi);
  HostSwarm d_xi = w;
  for (int i = 0; i < x.n(); ++i) {
    if (length[i] == 0) {
      for (int k = 0; k < x.d(); ++k) d_xi.at(i, k) = 0;
      continue;
    }
    const double angle = deviation * length[i];
    const double cosine = elementary::cos(angle), sine = elementary::sin(angle);
    const double over = sine / length[i];
    to.noise += slope * (cosine * of_xi[i] - length[i] * sine * of_x[i]);
    const double d_length =
        (deviation * cosine - over) / length[i] * of_xi[i] - deviation * sine * of_x[i];
    for (int k = 0; k < x.d(); ++k) {
      d_xi.at(i, k) = over * w.at(i, k) + d_length * xi.at(i, k) / length[i];
      w.at(i, k) *= cosine;
    }
  }
  add_projection(x, r, d_xi, w);
}

}  // namespace murmur
