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

}  // namespace murmur
