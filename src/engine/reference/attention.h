// attention.h: the drift of one attention head, by definition.
#pragma once

#include <vector>

#include "murmur/dynamics.h"
#include "murmur/swarm.h"

namespace murmur::reference {

// rows y_i = M x_i + b, (n, rows); an empty matrix is the identity, an empty bias zero.
std::vector<double> affine(const Matrix& m, const Vector& bias, const HostSwarm& x);

double dot(const double* a, const double* b, int k);

struct Moment {
  double t;
  Clock clock;
};

// out_i += A_i
void add_attention(const Attention& a, Moment at, const HostSwarm& x, HostSwarm& out);

}  // namespace murmur::reference
