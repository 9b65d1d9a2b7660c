// energy.cpp: recognises the forces that are gradients of an interaction energy.
#include "observe/energy.h"

#include <algorithm>
#include <cmath>

namespace murmur {
namespace {

bool is_identity(const Matrix& m) { return m.empty() || m == scaled_identity(m.rows, 1); }

// Q^T K, empty where both are the identity.
Matrix score_matrix(const Matrix& query, const Matrix& key) {
  if (is_identity(query)) return is_identity(key) ? Matrix{} : key;
  Matrix d = zeros(query.cols, key.empty() ? query.rows : key.cols);
  for (int i = 0; i < d.rows; ++i) {
    for (int j = 0; j < d.cols; ++j) {
      if (key.empty()) {
        d(i, j) = query(j, i);
      } else {
        for (int k = 0; k < query.rows; ++k) d(i, j) += query(k, i) * key(k, j);
      }
    }
  }
  return d;
}

// Whether max |a - sign b| <= 1e-12 max |b|, entry by entry.
bool agree(const Matrix& a, const Matrix& b, double sign) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  double off = 0, size = 0;
  for (std::size_t e = 0; e < b.data.size(); ++e) {
    off = std::max(off, std::abs(a.data[e] - sign * b.data[e]));
    size = std::max(size, std::abs(b.data[e]));
  }
  return off <= 1e-12 * size;
}

Matrix transpose(const Matrix& m) {
  Matrix t = zeros(m.cols, m.rows);
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.cols; ++j) t(j, i) = m(i, j);
  }
  return t;
}

bool zero(const Vector& v) {
  return std::all_of(v.begin(), v.end(), [](double value) { return value == 0; });
}

}  // namespace

const Attention* first_attention(const Dynamics& dynamics) {
  for (const Phase& phase : dynamics.phases) {
    for (const Force& force : phase.forces) {
      if (const auto* attention = std::get_if<Attention>(&force)) return attention;
    }
  }
  return nullptr;
}

std::optional<Interaction> interaction(const Dynamics& dynamics) {
  std::size_t forces = 0;
  for (const Phase& phase : dynamics.phases) forces += phase.forces.size();
  const Attention* head = first_attention(dynamics);
  if (forces != 1 || head == nullptr || head->beta == 0) return {};
  if (head->relative || head->reach != Attention::all) return {};
  if (!zero(head->query_bias) || !zero(head->key_bias) || !zero(head->value_bias)) return {};

  Matrix scores = score_matrix(head->query, head->key);
  if (!head->self && (!scores.empty() || dynamics.habitat == Habitat::space))
    return {};  // without j = i only P_x x = 0 saves the energy
  const int size = scores.empty() ? head->value.rows : scores.rows;
  const Matrix identity = scaled_identity(size, 1);
  const Matrix& d = scores.empty() ? identity : scores;
  const Matrix& value = head->value.empty() ? identity : head->value;
  if (!agree(d, transpose(d), 1)) return {};
  if (!agree(value, d, 1) && !agree(value, d, -1)) return {};
  return Interaction{head->beta, std::move(scores)};
}

}  // namespace murmur
