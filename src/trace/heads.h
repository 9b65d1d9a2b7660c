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

// A product of two maps M (d, d), of rank at most the head's width. For the identity, and for any
// symmetric and positive M, both numbers are 1; for -identity symmetry 1, positivity -1; for an
// antisymmetric M symmetry -1.
struct MapReading {
  double symmetry = std::numeric_limits<double>::quiet_NaN();    // tr(M M) / |M|_F^2
  double positivity = std::numeric_limits<double>::quiet_NaN();  // sum Re lambda / sum |lambda|
  double radius = std::numeric_limits<double>::quiet_NaN();      // max |lambda|
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

// What the theory of one head under one law says of such a V:
//   gathers      O V is nearly symmetric and positive, as V = I: clusters (2312.10794)
//   hyperplanes  lambda_1 is real, positive and alone, and <Q phi, K phi> > 0: tokens tend to at
//                most three parallel hyperplanes (2305.05465)
//   repels       lambda_1 is real and negative, as V = -I
//   turns        lambda_1 is one of a complex pair; no theorem
//   open         lambda_1 is real and positive, but not alone or not attended to; no theorem
// Empty where the maps are not known.
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
