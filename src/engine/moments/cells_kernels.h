// cells_kernels.h: the vector loops of tilted cells: moments up, shifts and merges, values down.
#pragma once

#include "engine/moments/cells_terms.h"

namespace murmur::moments {

// Moments of kTogetherCells source cells lie side by side, a lane each: (count, kTogetherCells).
inline constexpr int kTogetherCells = 8;
// Arrays of targets and of sources are padded up to a multiple of it.
inline constexpr int kPadded = 32;
// Pairs, or sources, that one lane adds up one after another before the sum goes to the rest.
inline constexpr int kFlush = 256;

// With m_b = sum_j w_j y_j^b in each lane, those of the weights w_j e^{<delta, y_j>}, cut at degree
// p: the polynomial sum_b m_b v^b / b! becomes itself at delta + v.
void shift_moments(const Terms& terms, const double* delta, double* block);

// With m_b = sum_j w_j y_j^b in each lane, those of y_j + gamma; gamma is (d, kTogetherCells).
void move_moments(const Terms& terms, const double* gamma, double* block);

// h_k = |H_k|, the Frobenius norm of the symmetric form sum_{|b| = k} m_b v^b / b!, k = 0 .. p, so
// that |H_k(v)| <= h_k |v|^k; norms is (p + 1, kTogetherCells).
void norms_of(const Terms& terms, const double* block, double* norms);

// Sources of a cell, struct of arrays: coordinate k of source j is y[k * stride + j].
struct CellSources {
  const double* y;
  long stride;
  int count;
};

// out[e * kTogetherCells] += sum_j w_j (y_j - centre)^b; w is padded with zeros, y is not.
// room: moments_room(terms) doubles.
void add_moments(const Terms& terms, const CellSources& at, const double* w, const double* centre,
                 double* room, double* out);
long moments_room(const Terms& terms);

// t_j = <u, y_j> - high - low with products and sums to twice the digits, and the square of the
// distance of y_j from `centre`.
struct Tilt {
  const double *u, *centre;
  double high, low;
};
void tilt_sources(int d, const CellSources& at, const Tilt& tilt, double* t, double* square);

// w_j = m_j e^{t_j - top}
void weigh_sources(const double* mass, const double* t, double top, int count, double* w);

// Targets of a cell, padded: v_i = u_i - u_T, and what is summed for them: row 0 the weight, row
// 1 + k coordinate k of sum e (y - origin).
struct CellTargets {
  const double* v;  // (d, room)
  double* sums;     // (1 + d, room)
  long room;
  int count;
};

//   weight_i += e_i P(v_i),  sum_i += e_i (offset P(v_i) + grad P(v_i)),
//   e_i = e^{log_weight + <v_i, offset>}
struct CellSeries {
  const double* c;       // (count) coefficients of P
  const double* offset;  // (d)
  double log_weight;
  double* room;  // series_room(terms) doubles
};
void add_series(const Terms& terms, const CellTargets& at, const CellSeries& series);
long series_room(const Terms& terms);

//   weight_i += sum_j w_j e^{<v_i, y_j>},  sum_i += sum_j w_j e^{<v_i, y_j>} y_j
// pairs: (count, d + 1), y_j and then w_j.
void add_pairs(int d, const CellTargets& at, const double* pairs, int count);

}  // namespace murmur::moments
