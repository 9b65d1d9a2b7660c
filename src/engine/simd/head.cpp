// head.cpp: folds query, key and biases together, and merges heads that have the same weights, once
// per field.
#include "engine/simd/head.h"

#include <algorithm>
#include <cmath>

namespace murmur::simd {

namespace {

constexpr double kLog2e = 1.44269504088896340736;

// Returns A^T B, where an empty matrix is the identity.
Matrix transpose_times(const Matrix& a, const Matrix& b, int d) {
  if (a.empty() && b.empty()) return scaled_identity(d, 1);
  if (a.empty()) return b;
  Matrix product = zeros(a.cols, b.empty() ? a.rows : b.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int i = 0; i < a.cols; ++i) {
      if (b.empty()) {
        product(i, r) = a(r, i);
        continue;
      }
      for (int j = 0; j < b.cols; ++j) product(i, j) += a(r, i) * b(r, j);
    }
  return product;
}

// Returns scale A^T b; empty if b is empty.
Vector transpose_times(const Matrix& a, const Vector& b, double scale) {
  Vector product(b.empty() ? 0 : a.empty() ? b.size() : a.cols);
  for (std::size_t r = 0; r < b.size(); ++r) {
    if (a.empty()) {
      product[r] = scale * b[r];
      continue;
    }
    for (int i = 0; i < a.cols; ++i) product[i] += scale * a(static_cast<int>(r), i) * b[r];
  }
  return product;
}

bool is_scaled_identity(const Matrix& m) {
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j)
      if (m(i, j) != (i == j ? m(0, 0) : 0.0)) return false;
  return true;
}

bool equal(const Matrix& a, const Matrix& b) {
  return a.rows == b.rows && a.cols == b.cols && a.data == b.data;
}

// Returns whether two heads have the same weights a_ij at all times.
bool have_same_weights(const Attention& a, const Attention& b) {
  return a.beta == b.beta && equal(a.query, b.query) && equal(a.key, b.key) &&
         a.query_bias == b.query_bias && a.key_bias == b.key_bias && a.relative == b.relative &&
         a.self == b.self && a.mask == b.mask && a.weighting == b.weighting && a.alibi == b.alibi &&
         a.rescaled == b.rescaled;
}

double dot(const double* a, const double* b, int size) {
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

// Returns orthonormal rows B (r, d) that span those of V (d, d), by Gram-Schmidt with pivots, each
// twice; empty if there are more than `most`. V B^T B equals V up to 1e-14 of its largest row.
Matrix row_space(const Matrix& v, int most) {
  const int d = v.cols;
  Matrix rest = v, basis = zeros(most, d);
  double largest = 0;
  for (int rank = 0;; ++rank) {
    int pivot = 0;
    double square = -1;
    for (int row = 0; row < v.rows; ++row) {
      const double length = dot(&rest(row, 0), &rest(row, 0), d);
      if (length > square) square = length, pivot = row;
    }
    if (rank == 0) largest = square;
    if (square <= 1e-28 * largest) {
      basis.rows = rank;
      basis.data.resize(static_cast<std::size_t>(rank) * d);
      return basis;
    }
    if (rank == most) return {};
    double* b = &basis(rank, 0);
    std::copy_n(&rest(pivot, 0), d, b);
    for (int again = 0; again < 2; ++again)
      for (int before = 0; before < rank; ++before) {
        const double along = dot(b, &basis(before, 0), d);
        for (int k = 0; k < d; ++k) b[k] -= along * basis(before, k);
      }
    const double length = std::sqrt(dot(b, b, d));
    for (int k = 0; k < d; ++k) b[k] /= length;
    for (int row = 0; row < v.rows; ++row) {
      const double along = dot(&rest(row, 0), b, d);
      for (int k = 0; k < d; ++k) rest(row, k) -= along * b[k];
    }
  }
}

// Appends rows (m.rows, d) and their bias to those of f.
void append_rows(const Matrix& m, const Vector& bias, double scale, Matrix& f, Vector& f_bias) {
  for (const double entry : m.data) f.data.push_back(scale * entry);
  for (int r = 0; r < m.rows; ++r) f_bias.push_back(bias.empty() ? 0 : scale * bias[r]);
  f.rows += m.rows;
}

// Returns a head with the fields that need no matrices.
Head start_head(const Attention& a, Clock clock) {
  Head head{.softmax = a.weighting == Attention::softmax,
            .relative = a.relative,
            .self = a.self,
            .causal = a.mask == Attention::causal,
            .value_bias = a.value_bias};
  if (kernel_of(clock).over_max) head.offset -= a.beta * kLog2e;
  if (kernel_of(clock).times_beta) head.rate = a.beta;
  return head;
}

}  // namespace

// In d = 2, 3, 4 the kernels hold all coordinates in registers anyway.
bool is_narrow(const Attention& a, int d) {
  return d > 4 && !a.query.empty() && !a.key.empty() && 2 * a.query.rows <= d;
}

std::vector<Attention> merge_equal_heads(const std::vector<Attention>& heads, int d) {
  std::vector<Attention> all;
  for (const Attention& head : heads) {
    const auto like = std::find_if(all.begin(), all.end(),
                                   [&](const Attention& a) { return have_same_weights(a, head); });
    if (like == all.end()) {
      all.push_back(head);
      continue;
    }
    Matrix sum = like->value.empty() ? scaled_identity(d, 1) : like->value;
    const Matrix more = head.value.empty() ? scaled_identity(d, 1) : head.value;
    for (std::size_t e = 0; e < sum.data.size(); ++e) sum.data[e] += more.data[e];
    like->value = std::move(sum);
    if (!head.value_bias.empty()) like->value_bias.resize(d);
    for (std::size_t k = 0; k < head.value_bias.size(); ++k)
      like->value_bias[k] += head.value_bias[k];
  }
  return all;
}

// Query and key stay separate: k products per pair instead of d.
NarrowHeads fold_narrow(const std::vector<Attention>& heads, Clock clock, int d) {
  NarrowHeads all;
  Matrix projections = zeros(0, d), values_transposed = zeros(0, d);
  Vector bias, none;
  bool biased = false;
  for (const Attention& a : heads) {
    Head head = start_head(a, clock);
    head.isotropic = false;
    head.k = a.query.rows;
    const Matrix value = a.value.empty() ? scaled_identity(d, 1) : a.value;
    Matrix basis = row_space(value, head.k);  // B; V = A B, A = V B^T
    head.r = basis.rows;
    append_rows(a.query, a.query_bias, a.beta * kLog2e, projections, bias);
    append_rows(a.key, a.key_bias, 1, projections, bias);
    append_rows(basis, {}, 1, projections, bias);
    biased = biased || !a.query_bias.empty() || !a.key_bias.empty();
    if (basis.empty()) basis = scaled_identity(d, 1);
    Matrix out = zeros(basis.rows, d);
    for (int c = 0; c < basis.rows; ++c)
      for (int i = 0; i < d; ++i) out(c, i) = dot(&value.data[i * d], &basis.data[c * d], d);
    append_rows(out, {}, 1, values_transposed, none);
    all.heads.push_back(std::move(head));
  }
  Matrix values = zeros(d, values_transposed.rows);
  for (int i = 0; i < d; ++i)
    for (int c = 0; c < values.cols; ++c) values(i, c) = values_transposed(c, i);
  all.projections = {panel_matrix(projections), biased ? std::move(bias) : Vector{}};
  all.values = {panel_matrix(values), {}};
  return all;
}

Head fold(const Attention& a, Clock clock, int d) {
  Head head = start_head(a, clock);
  const double scale = a.beta * kLog2e;
  Matrix query_key = transpose_times(a.key, a.query, d);
  for (double& entry : query_key.data) entry *= scale;
  Vector query_key_bias = transpose_times(a.key, a.query_bias, scale);
  head.query_key_scale = query_key(0, 0);
  head.isotropic = is_scaled_identity(query_key);
  for (const double b : query_key_bias) head.isotropic = head.isotropic && b == 0;
  if (!head.isotropic) head.query_key = {panel_matrix(query_key), std::move(query_key_bias)};

  head.offset_slope = transpose_times(a.query, a.key_bias, scale);
  if (!a.query_bias.empty() && !a.key_bias.empty())
    for (std::size_t r = 0; r < a.key_bias.size(); ++r)
      head.offset += scale * a.query_bias[r] * a.key_bias[r];
  if (a.value.empty()) return head;
  head.value_is_scale = is_scaled_identity(a.value);
  if (head.value_is_scale)
    head.value_scale = a.value(0, 0);
  else
    head.value = {panel_matrix(a.value), {}};
  return head;
}

const char* unsupported_attention(const Attention& a) {
  switch (a.weighting) {
    case Attention::softmax:
    case Attention::unnormalised:
      break;
    case Attention::hard:
      return "to the greatest score only (hardmax)";
    case Attention::sinkhorn:
      return "with doubly stochastic weights (sinkhorn)";
  }
  if (a.alibi != 0) return "with alibi";
  return a.rescaled ? "rescaled by e^{tV}" : nullptr;
}

}  // namespace murmur::simd
