// forces_at.cpp: forces whose matrices change in a line from one time to another.
#include <algorithm>

#include "murmur/dynamics.h"

namespace murmur {

namespace {

//   a + share (b - a); an empty one is zero
Vector between(const Vector& a, const Vector& b, double share) {
  Vector v = a.empty() ? Vector(b.size()) : a;
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += share * ((b.empty() ? 0 : b[k]) - v[k]);
  return v;
}

// The same; an empty one is the identity.
Matrix between(const Matrix& a, const Matrix& b, double share) {
  if (a.empty() && b.empty()) return {};
  Matrix m = a.empty() ? scaled_identity(b.cols, 1) : a;
  const Matrix end = b.empty() ? scaled_identity(a.cols, 1) : b;
  for (std::size_t e = 0; e < m.data.size(); ++e) m.data[e] += share * (end.data[e] - m.data[e]);
  return m;
}

struct Between {
  double share;

  Force operator()(const Attention& a, const Attention& b) const {
    Attention now = a;
    now.query = between(a.query, b.query, share);
    now.key = between(a.key, b.key, share);
    now.value = between(a.value, b.value, share);
    now.query_bias = between(a.query_bias, b.query_bias, share);
    now.key_bias = between(a.key_bias, b.key_bias, share);
    now.value_bias = between(a.value_bias, b.value_bias, share);
    return now;
  }
  Force operator()(const Perceptron& a, const Perceptron& b) const {
    Perceptron now = a;
    now.in = between(a.in, b.in, share);
    now.in_bias = between(a.in_bias, b.in_bias, share);
    now.out = between(a.out, b.out, share);
    now.out_bias = between(a.out_bias, b.out_bias, share);
    return now;
  }
  // A limit has no matrices, and `check` lets no force become one of another kind.
  template <class A, class B>
  Force operator()(const A& a, const B&) const {
    return a;
  }
};

}  // namespace

std::vector<Force> forces_at(const Sublayer& sublayer, double t) {
  if (sublayer.forces_end.empty()) return sublayer.forces;
  const double share = std::clamp((t - sublayer.from) / (sublayer.until - sublayer.from), 0.0, 1.0);
  std::vector<Force> now;
  for (std::size_t f = 0; f < sublayer.forces.size(); ++f)
    now.push_back(std::visit(Between{share}, sublayer.forces[f], sublayer.forces_end[f]));
  return now;
}

}  // namespace murmur
