// noise_adjoint.cpp: the formulas of noise.cpp backwards, with the same draws.
#include "core/noise_adjoint.h"

#include <cmath>

#include "core/elementary.h"
#include "core/noise.h"
#include "core/particle_vectors.h"

namespace murmur {

namespace {

//   xi = r - <x, r> x:   dx -= <x, w> r + <x, r> w,   of particle i alone
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

// (n, d) standard normal draws, not projected: the increment of strength 1/2 for a time of 1.
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
