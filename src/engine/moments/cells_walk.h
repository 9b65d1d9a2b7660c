// cells_walk.h: trees of cells over points, and the walk that carries the moments of source cells
// down the tree of targets, with their errors.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/buffer.h"
#include "engine/moments/sums.h"

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

// Points in the order of the input: coordinate k of point i is x[k * stride + i].
struct Points {
  const double* x = nullptr;
  std::size_t stride = 0;
  int n = 0, d = 0;
};

// A binary tree of cells over points. Cells are numbered in depth-first order, cell 0 has all
// points, and the points of a cell are adjacent in the order of the tree.
class CellTree {
 public:
  struct Cell {
    int first = 0, count = 0;   // points first .. first + count - 1 of the tree's order
    int left = -1, right = -1;  // cells; -1: none
    int parent = -1;
    double radius = 0;  // of a ball around `centre` that holds the points
  };

  // Splits cells with more than `leaf` points or a radius above `widest`, unless all their points
  // are equal.
  CellTree(const Points& points, int leaf, double widest);

  int n() const { return n_; }
  int d() const { return d_; }
  const std::vector<Cell>& cells() const { return cells_; }
  const Cell& cell(int c) const { return cells_[c]; }
  const double* centre(int c) const { return centres_.data() + static_cast<std::size_t>(c) * d_; }
  int depth() const { return depth_; }
  std::array<int, 2> halves(int c) const { return {cells_[c].left, cells_[c].right}; }

  // Returns coordinate k of the points in the order of the tree, padded for a vector.
  const double* axis(int k) const { return x_ + static_cast<std::size_t>(k) * stride_; }
  std::size_t stride() const { return stride_; }
  int original(int p) const { return original_[p]; }

 private:
  struct Build;
  int n_, d_;
  int depth_ = 0;
  std::size_t stride_;
  std::vector<Cell> cells_{};
  std::vector<double> centres_{};  // (cells, d)
  std::vector<int> original_{};    // (n)
  simd::Buffer<double> memory_{};
  double* x_ = nullptr;  // (d, stride)
};

// The error of a truncated series: of its value, and of the length of its gradient.
struct Truncation {
  double value = 0, slope = 0;
};

// Returns the error of e^{<v, y_j - c>}, |v| <= r, cut at degree p and summed with weights w_j that
// add up to 1:
//   sum_j w_j tau_j^{p+1} / (p+1)! e^{tau_j},   sum_j w_j |y_j - c| tau_j^p / p! e^{tau_j},
//   tau_j = r |y_j - c|.
// Of the powers of |y_j - c| four are summed, fourth = sum_j w_j |y_j - c|^4, and the others are
// replaced by powers of widest = max_j |y_j - c|. p >= 3.
Truncation truncate_sources(int p, double r, double fourth, double widest);

// Returns the error of the product of e^{<v, gamma>} with a polynomial of degree p, cut at degree
// p. Its homogeneous parts have |H_k(v)| <= h_k |v|^k, as symmetric forms too, so that with g = r
// |gamma|
//   sum_k h_k r^k E_{p-k+1}(g),   1/r sum_k h_k r^k (k E_{p-k+1}(g) + g E_{p-k}(g)),
//   E_m(g) = sum_{i >= m} g^i / i! <= e^g g^m / m!.
// h_k is norms[k * stride].
Truncation truncate_product(const double* norms, int stride, int p, double r, double gamma);

// The constants of a walk.
struct CellProblem {
  const CellTree& sources;
  const CellTree& targets;
  const Terms& terms;
  const double* mass;               // (n) of the sources in the order of their tree, padded
  double tolerance = 0;             // of weights, relative
  double mean_tolerance = 0;        // of means
  double reach = 0;                 // the largest distance between sources or means of them
  std::vector<double> cell_mass{};  // (source cells)
  std::vector<double> cell_mean{};  // (source cells, d) their centre of mass
  double log_drop = 0;              // log of the share of Z that may be left out for a mass 1
  double largest_norm = 0;          // max_j |y_j|
  double widest = 0;                // r_T r_S above which no moments are tried
  bool eager = false;               // moments wherever they are possible
  // Costs in vector operations, for the choice between pairs and moments.
  double pair_cost = 0, series_cost = 0, moments_cost = 0, shift_cost = 0;

  const double* mean_of(int cell) const {
    return cell_mean.data() + static_cast<std::size_t>(cell) * sources.d();
  }
};

// Sources that a target cell holds: as moments in a lane, or one by one.
struct HeldSources {
  int cell = 0;   // of the source tree; moments may be of a part of it, if the rest is left out
  int lane = -1;  // of the moments; -1: none, sum them one by one
  double mass = 0;
  double local_error = 0;  // of cuts that are large relative to these sources, small relative to Z
  double log_weight = 0;   // with moments: log of sum_j m_j e^{<u_T, y_j>}, minus the reference
};

// A target cell T with the sources in the form that it uses. The reference is a line below log Z,
// by Jensen:
//   log Z(u) >= high + low + <u - u_T, mean>
struct HeldCell {
  int cell = 0, depth = 0;
  double radius = 0;  // of a ball around u_T with all targets and the centres of both halves
  const double* u = nullptr;  // (d) u_T
  double high = 0, low = 0;
  double mean[kMaxCoordinates] = {};
  std::vector<HeldSources> held{};  // in the order of the source tree
  simd::Buffer<double> memory{};
  double* moments = nullptr;      // (blocks, terms, kTogetherCells), m_0 = 1 in each lane
  std::vector<double> norms{};    // (blocks, p + 1, kTogetherCells)
  std::vector<double> centres{};  // (lanes, d)
  int lanes = 0;
  bool weighed = false;         // log_weight and means are known for sources without moments too
  std::vector<double> means{};  // (held, d) if weighed: Gibbs means of sources without moments
  double spent = 0;             // the share of the tolerance used by cuts
  double weight_error = 0;      // bound so far, relative to Z(u) for every target u of the cell
  double mean_error = 0;        // the same of |N - mean Z| / Z
  double rounding = 0;          // of the steps so far, in units of 2^-53
};

class CellWalk {
 public:
  CellWalk(const CellProblem& problem, const SumsResult& result)
      : problem_(problem), result_(result) {}

  void start(HeldCell& root, int threads) const;
  // Returns whether a cell is to be evaluated, and not split.
  bool finished(const HeldCell& at) const;
  void descend(const HeldCell& from, int cell, HeldCell& to, int threads) const;
  SumsCost evaluate(HeldCell& at) const;

 private:
  void update_sources(HeldCell& at, int threads) const;
  void update_reference(HeldCell& at) const;
  void refine_sources(HeldCell& at) const;
  void shift_lanes(HeldCell& to, const double* delta, int threads) const;
  bool moments_are_cheaper(double targets, double sources) const;
  void make_moments(HeldCell& at, double budget, int threads) const;
  void raise_to_parents(HeldCell& at) const;
  bool merge_sisters(HeldCell& at, double budget, int threads) const;
  void compact_lanes(HeldCell& at) const;
  void update_norms(HeldCell& at, int threads) const;
  void drop_negligible(HeldCell& at) const;
  void add_series_of(const HeldCell& at, const CellTargets& to) const;
  int gather_pairs(HeldCell& at, std::vector<double>& pairs) const;
  void store_results(const HeldCell& at, const CellTargets& from, int pairs) const;

  const CellProblem& problem_;
  const SumsResult& result_;
};

}  // namespace murmur::moments
