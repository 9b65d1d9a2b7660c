// heads.h: what is read off every head of a transformer: how it attends, and what its maps are
// like.
#pragma once

#include <complex>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "trace/traced.h"

namespace murmur {

// A product of two maps M (d, d), of rank at most the head's width. For any symmetric and positive
// M both symmetry and positivity are 1; for -identity symmetry 1, positivity -1; for an
// antisymmetric M symmetry -1. Identity is 1 for c I alone, c > 0, and at most sqrt(w / d).
struct MapReading {
  double symmetry = std::numeric_limits<double>::quiet_NaN();    // tr(M M) / |M|_F^2
  double positivity = std::numeric_limits<double>::quiet_NaN();  // sum Re lambda / sum |lambda|
  double radius = std::numeric_limits<double>::quiet_NaN();      // max |lambda|
  double identity = std::numeric_limits<double>::quiet_NaN();    // tr M / (sqrt(d) |M|_F)
  std::vector<std::complex<double>> spectrum{};  // eigenvalues that may not be 0, largest first
};

// The eigenvalue of O V that is largest in modulus, and whether heads attend along it: what the
// theorems ask of V.
struct LeadingValue {
  double re = std::numeric_limits<double>::quiet_NaN();
  double im = std::numeric_limits<double>::quiet_NaN();
  double next = std::numeric_limits<double>::quiet_NaN();  // |lambda_2| / |lambda_1|
  // cos(Q phi, K phi) of its eigenvector phi; NaN where that is complex.
  double heard = std::numeric_limits<double>::quiet_NaN();
};

// What the theorems say of a head with such an O V, were it the only force, alone and the same in
// all layers, without mask, positions and biases:
//   gathers      O V is nearly c I, c > 0. On the sphere tokens of one open hemisphere come
//                together, whatever Q and K are (2312.10794)
//   repels       O V is nearly -c I: that flow backwards in time, so tokens that are together part
//   hyperplanes  a good triple: lambda_1 is real, positive and greater than all other |lambda|, and
//                <Q phi, K phi> > 0. In R^d, seen through e^{-tV}, tokens tend to at most three
//                parallel hyperplanes (2305.05465)
//   turns        lambda_1 is one of a complex pair; no theorem
//   open         none of these; no theorem. A negative lambda_1 is here: of V = diag(-2, 1, 1, 1)
//                tokens gather
// Two moduli count as one where they differ by a thousandth. Empty where the maps are not known.
std::string theory_of(const LeadingValue& leading, const MapReading& ov);

// Numbers of attention are means over the texts; NaN where they do not exist.
struct HeadReading {
  int block = 0, head = 0;
  double beta = 0, misfit = 0, uniform = 0;  // as in effective_beta.h
  double entropy = 0;                        // mean over rows, nats
  double entropy_share = 0;  // of the greatest there could be, over rows that see several
  double sink = 0;           // the largest mean attention that one token gets of those who see it
  int sink_at = 0;           // that token, in the first text
  double first = 0;          // mean attention of the others on the first token
  MapReading qk{};           // Q^T K, with the gain of the norm before it
  MapReading ov{};           // O V, the same
  LeadingValue leading{};    // of O V
};

// (blocks run x heads), by block, then by head. Without `model` the maps are not read.
std::vector<HeadReading> head_readings(const Transformer* model, std::span<const TracedText> texts,
                                       const Description& of, int threads);

// Of left^T right, both (w, d), row-major. `leading` (d) takes the eigenvector of the largest
// eigenvalue where that is real; it is empty otherwise.
MapReading map_reading(const std::vector<double>& left, const std::vector<double>& right, int w,
                       int d, std::vector<double>* leading = nullptr);

}  // namespace murmur
