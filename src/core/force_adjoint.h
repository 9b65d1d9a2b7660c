// force_adjoint.h: adjoints of forces, except for the sums over pairs, which each engine adds.
#pragma once

#include <span>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/swarm.h"

namespace murmur {

// Inputs of the pair sums of one head that is not rescaled, as rows.
struct HeadRows {
  const Attention& head;
  Clock clock;
  int n, k, d;
  std::span<const double> mass;    // (n)
  std::vector<double> query, key;  // (n, k) Q x_i + b_Q, K x_j + b_K
  std::vector<double> value;       // (n, d) V x_j + b_V
  std::vector<double> own;         // (n, d) V x_i, which a relative head subtracts; else empty
  std::vector<double> cotangent;   // (n, d) w_i of A_i
};

// Cotangents of the same rows and of the numbers that only pairs depend on; added to.
struct HeadCotangents {
  std::vector<double> query, key, value, own;
  Vector& mass;                // (n)
  std::vector<double>* drift;  // (n, d) A_i itself, a by-product of the sums; null: not wanted
  double beta = 0, alibi = 0;
};

// The sums over pairs, implemented by each engine.
class PairAdjoint {
 public:
  virtual ~PairAdjoint() = default;
  virtual void add(const HeadRows& rows, HeadCotangents& to) = 0;
};

// Cotangents of one force: positions as rows (n, d), masses (n), and numbers. Added to.
struct ForceCotangents {
  std::vector<double>& x;
  Vector& mass;
  Force& force;
  std::vector<double>* drift = nullptr;  // (n, d) what the force adds to A; null: not wanted
};

// The forces of a sublayer at rows x (n, d), with cotangents w (n, d) of what they add.
struct ForceRows {
  double t;
  Clock clock;
  int n, d;
  std::span<const double> mass;  // (n)
  const std::vector<double>&x, &w;
};
void add_force_adjoint(const Force& force, const ForceRows& at, PairAdjoint& pairs,
                       ForceCotangents to);

// Adds a gradient of forces_at(sublayer, t) to that of the sublayer.
void add_at_time(const Sublayer& sublayer, double t, const std::vector<Force>& now, Sublayer& to);

// The same force with every number 0 and every shape filled in.
Force zero_force(const Force& force, int d);

// Maps of rows, their adjoints, and that of softmax.
struct AffineMap {
  const double* matrix = nullptr;  // (out, in); null: the identity
  const double* bias = nullptr;    // (out); null: zero
  int out = 0, in = 0;
};

//   y_i = W x_i + b                                               x (n, in) -> y (n, out)
std::vector<double> applied(const AffineMap& map, const std::vector<double>& x);

struct AffineGradient {  // added to; null: not wanted
  double *matrix = nullptr, *bias = nullptr;
};
struct AffinePushes {
  const std::vector<double>& dy;  // (n, out)
  std::vector<double>& dx;        // (n, in), added to
};

//   dW += sum_i dy_i x_i^T,  db += sum_i dy_i,  dx_i += W^T dy_i
void add_adjoint(const AffineMap& map, const AffineGradient& gradient, const std::vector<double>& x,
                 const AffinePushes& pushes);

//   ds_j = scale a_j (da_j - sum_k a_k da_k)
// The adjoint of weights a_j = e^{s_j} / sum_k e^{s_k}, of n tokens. ds may be da.
void softmax_adjoint(int n, double scale, const double* a, const double* da, double* ds);

}  // namespace murmur
