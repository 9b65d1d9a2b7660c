// cells_kernels.h: the monomials of total degree at most p, and the vector loops of tilted cells
// over them: moments of sources, shifts and merges, values at targets.
#pragma once

#include <vector>

namespace murmur::moments {

inline constexpr int kMaxDegree = 24;
inline constexpr int kMaxCoordinates = 32;

// Term e is the monomial z^b of a multi-index b = (b_1 .. b_d), |b| <= p, in lexicographic order
// with the last coordinate fastest. Terms that differ only in the last coordinate are a row.
struct Terms {
  Terms(int d, int p);

  // The terms of a row are first .. first + length - 1, with b_d = 0 .. length - 1. Without the
  // last coordinate they are the monomial of `parent` times coordinate `axis`; the first row is 1.
  struct Row {
    int first = 0, length = 0, parent = 0, axis = 0;
  };
  // For the derivative along `axis`: power times the monomial of row `lower`.
  struct Lower {
    int row = 0, axis = 0, lower = 0;
    double power = 0;
  };

  int d = 0, p = 0;
  int count = 0;
  std::vector<int> linear{};  // (d): the terms of degree 1, by coordinate
  std::vector<Row> rows{};
  std::vector<Lower> lowers{};      // sorted by row
  std::vector<int> lowers_of{};     // (rows + 1): the first of the lowers of a row
  std::vector<int> degree{};        // (count) |b|
  std::vector<double> factorial{};  // (count) b!
  std::vector<double> inverse{};    // (count) 1 / b!
  std::vector<double> norm{};       // (count) 1 / (b! |b|!)
  std::vector<int> line_of_axis{};  // (d + 1): the first line along an axis
  std::vector<int> line_begin{};    // (lines + 1)
  std::vector<int> line_terms{};    // the terms of each line, b_axis = 0, 1, ..
};

// Returns the number of monomials, (p + d choose d).
double terms_count(int d, int p);

// Moments of kTogetherCells source cells are interleaved, one lane each: (count, kTogetherCells).
inline constexpr int kTogetherCells = 8;
// Arrays of targets and of sources are padded up to a multiple of it.
inline constexpr int kPadded = 32;
// Pairs, or sources, that one lane adds up one after another before it adds them to the total.
inline constexpr int kFlush = 256;

// Replaces m_b = sum_j w_j y_j^b in each lane by those of the weights w_j e^{<delta, y_j>}, cut at
// degree p: the polynomial sum_b m_b v^b / b! becomes itself at delta + v.
void shift_moments(const Terms& terms, const double* delta, double* block);

// Replaces m_b = sum_j w_j y_j^b in each lane by those of y_j + gamma; gamma is (d,
// kTogetherCells).
void move_moments(const Terms& terms, const double* gamma, double* block);

// Computes h_k = |H_k|, the Frobenius norm of the symmetric form sum_{|b| = k} m_b v^b / b!, k = 0
// .. p, so that |H_k(v)| <= h_k |v|^k; norms is (p + 1, kTogetherCells).
void norms_of(const Terms& terms, const double* block, double* norms);

// Sources of a cell, struct of arrays: coordinate k of source j is y[k * stride + j].
struct CellSources {
  const double* y;
  long stride;
  int count;
};

// out[e * kTogetherCells] += sum_j w_j (y_j - centre)^b; w is padded with zeros, y is not.
// scratch: moments_scratch_size(terms) doubles.
void add_moments(const Terms& terms, const CellSources& at, const double* w, const double* centre,
                 double* scratch, double* out);
long moments_scratch_size(const Terms& terms);

// t_j = <u, y_j> - high - low with products and sums to twice the digits, and the square of the
// distance of y_j from `centre`.
struct Tilt {
  const double *u, *centre;
  double high, low;
};
void tilt_sources(int d, const CellSources& at, const Tilt& tilt, double* t, double* square);

// w_j = m_j e^{t_j - top}
void weigh_sources(const double* mass, const double* t, double top, int count, double* w);

// Targets of a cell, padded: v_i = u_i - u_T, and their sums: row 0 the weight, row 1 + k
// coordinate k of sum e (y - origin).
struct CellTargets {
  const double* v;  // (d, stride)
  double* sums;     // (1 + d, stride)
  long stride;
  int count;
};

//   weight_i += e_i P(v_i),  sum_i += e_i (offset P(v_i) + grad P(v_i)),
//   e_i = e^{log_weight + <v_i, offset>}
struct CellSeries {
  const double* c;       // (count) coefficients of P
  const double* offset;  // (d)
  double log_weight;
  double* scratch;  // series_scratch_size(terms) doubles
};
void add_series(const Terms& terms, const CellTargets& at, const CellSeries& series);
long series_scratch_size(const Terms& terms);

//   weight_i += sum_j w_j e^{<v_i, y_j>},  sum_i += sum_j w_j e^{<v_i, y_j>} y_j
// pairs: (count, d + 1), y_j and then w_j.
void add_pairs(int d, const CellTargets& at, const double* pairs, int count);

}  // namespace murmur::moments
