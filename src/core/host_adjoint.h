// host_adjoint.h: vector-Jacobian products of a field in host memory, through projections, layer
// norms, gains, clocks and retractions.
#pragma once

#include <span>
#include <vector>

#include "core/force_adjoint.h"
#include "core/host_field.h"

namespace murmur {

// Accumulates cotangents of positions, of masses (n), and of every number of a dynamics. The last
// are a dynamics of the same form (`zero_gradient`) that holds derivatives in place of numbers.
struct Cotangents {
  HostSwarm& x;
  Vector& mass;
  Dynamics& dynamics;
};

// w is the cotangent d loss / d y of an operation's result y; each function adds (dy/dx)^T w, and
// the same for the other arguments. Derivatives are those of the forces as dynamics.h writes them:
// a field may leave out the part of a head that its projection removes (Ask::tangential), which
// changes no velocity on the sphere.
class HostAdjoint {
 public:
  HostAdjoint(HostField& field, PairAdjoint& pairs) : field_(field), pairs_(pairs) {}

  // Of v = Field::velocity(t, x).
  void velocity(double t, const HostSwarm& x, const HostSwarm& w, Cotangents to);
  // Of a = Field::drift(t, sublayer, x).
  struct DriftAt {
    double t;
    int sublayer;
  };
  void drift(DriftAt at, const HostSwarm& x, const HostSwarm& w, Cotangents to);
  // Of y = retract(x + sum of terms): w becomes the cotangent of the sum.
  void retract(const HostSwarm& x, std::span<const Term> terms, HostSwarm& w);
  // Of z = keep_lengths(t, x, y): w becomes the cotangent of y; that of x is added to dx.
  struct Pushed {
    HostSwarm &w, &dx;
  };
  void keep_lengths(double t, const HostSwarm& x, const HostSwarm& y, Pushed pushed);

 private:
  // The drift before layer norm: the sum of the forces of the sublayers that act.
  HostSwarm forces(double t, const std::vector<int>& sublayers, const HostSwarm& points) const;
  // The cotangent w of layer norm's output becomes that of its input `raw`.
  struct Normed {
    double t;
    const HostSwarm &x, &raw;
  };
  void through_norm(const Normed& at, HostSwarm& w, Cotangents to) const;
  void through_gain(double t, const HostSwarm& a, HostSwarm& w, Cotangents to) const;
  void through_clock(const HostSwarm& v, HostSwarm& w, Cotangents to) const;
  // Of the forces at their points, and of the points; also computes the sum of the forces if
  // wanted.
  struct Sums {
    double t;
    const std::vector<int>& sublayers;
    bool asked = false;
  };
  HostSwarm through_forces(Sums sums, const HostSwarm& x, const HostSwarm& w, Cotangents to);
  // Whether w of the forces depends on their sum.
  bool forces_first(double t) const;
  void velocity_after(double t, const std::vector<int>& acting, const HostSwarm& x,
                      const HostSwarm& w, Cotangents to);
  void add_gain(double t, const Vector& found, Dynamics& to) const;

  HostField& field_;
  PairAdjoint& pairs_;
};

// Returns a dynamics of the same form with every number 0. Each matrix and bias of a force has its
// full shape, also if it was left out (then the derivative is taken at the identity, or at zero).
Dynamics zero_gradient(const Dynamics& dynamics, int d);

}  // namespace murmur
