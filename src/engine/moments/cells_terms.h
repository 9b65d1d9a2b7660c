// cells_terms.h: the monomials of total degree at most p in d coordinates, as the kernels walk
// them.
#pragma once

#include <vector>

namespace murmur::moments {

inline constexpr int kMaxDegree = 24;
inline constexpr int kMaxCoordinates = 32;

// Term e is the monomial z^b of a multi-index b = (b_1 .. b_d), |b| <= p, in lexicographic order
// with the last coordinate fastest. Terms that differ in the last coordinate alone make a row.
struct Terms {
  Terms(int d, int p);

  // Of one row: its terms are first .. first + length - 1, with b_d = 0 .. length - 1. Without the
  // last coordinate it is the monomial of `parent` times coordinate `axis`; the first row is 1.
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
  std::vector<int> lowers_of{};     // (rows + 1): where the lowers of a row begin
  std::vector<int> degree{};        // (count) |b|
  std::vector<double> factorial{};  // (count) b!
  std::vector<double> inverse{};    // (count) 1 / b!
  std::vector<double> norm{};       // (count) 1 / (b! |b|!)
  std::vector<int> line_of_axis{};  // (d + 1): which lines run along an axis
  std::vector<int> line_begin{};    // (lines + 1)
  std::vector<int> line_terms{};    // the terms of each line, b_axis = 0, 1, ..
};

// How many monomials there are: (p + d choose d), or more than `most`.
double terms_count(int d, int p);

}  // namespace murmur::moments
