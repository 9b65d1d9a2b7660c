// heads.h: readings of every head of a transformer: its attention, and properties of its maps.
#pragma once

#include <complex>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "murmur/describe.h"
#include "trace/traced.h"

namespace murmur {

// A product of two maps M (d, d), of rank at most the head's width. For any symmetric and positive
// M both symmetry and positivity are 1; for -identity symmetry 1, positivity -1; for an
// antisymmetric M symmetry -1. Identity is 1 only for c I with c > 0, and at most sqrt(w / d).
struct MapReading {
  double symmetry = std::numeric_limits<double>::quiet_NaN();    // tr(M M) / |M|_F^2
  double positivity = std::numeric_limits<double>::quiet_NaN();  // sum Re lambda / sum |lambda|
  double radius = std::numeric_limits<double>::quiet_NaN();      // max |lambda|
  double identity = std::numeric_limits<double>::quiet_NaN();    // tr M / (sqrt(d) |M|_F)
  std::vector<std::complex<double>> spectrum{};  // eigenvalues that may not be 0, largest first
};

// The eigenvalue of O V that is largest in modulus, and whether heads attend along it: the
// conditions of the theorems on V.
struct LeadingValue {
  double re = std::numeric_limits<double>::quiet_NaN();
  double im = std::numeric_limits<double>::quiet_NaN();
  double next = std::numeric_limits<double>::quiet_NaN();  // |lambda_2| / |lambda_1|
  // cos(Q phi, K phi) of its eigenvector phi; NaN if that is complex.
  double heard = std::numeric_limits<double>::quiet_NaN();
};

// The result of the theorems for a head with this O V if it were the only force, the same in all
// layers, without mask, positions and biases:
//   gathers      O V is nearly c I, c > 0. On the sphere tokens of one open hemisphere come
//                together for any Q and K (2312.10794)
//   repels       O V is nearly -c I: the same flow backwards in time, so tokens that are together
//   separate hyperplanes  a good triple: lambda_1 is real, positive and greater than all other
//   |lambda|, and
//                <Q phi, K phi> > 0. In R^d, after multiplication with e^{-tV}, tokens tend to at
//                most three parallel hyperplanes (2305.05465)
//   turns        lambda_1 belongs to a complex pair; no theorem
//   open         none of these; no theorem. This includes a negative lambda_1: with V = diag(-2, 1,
//   1, 1)
//                tokens gather
// Two moduli that differ by a thousandth count as equal. Empty if the maps are not known.
std::string theory_of(const LeadingValue& leading, const MapReading& ov);

// The numbers of attention are means over the texts; NaN if they do not exist.
struct HeadReading {
  int block = 0, head = 0;
  double beta = 0, misfit = 0, uniform = 0;  // as in effective_beta.h
  double entropy = 0;                        // mean over rows, nats
  double entropy_share =
      0;             // divided by the largest possible, mean over rows that see several tokens
  double sink = 0;   // the largest mean attention to one token from the tokens that see it
  int sink_at = 0;   // that token, in the first text
  double first = 0;  // mean attention of the others on the first token
  MapReading qk{};   // Q^T K, with the gain of the norm before it
  MapReading ov{};   // O V, the same
  LeadingValue leading{};  // of O V
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<HeadReading>) {
  using H = HeadReading;
  const auto number = [&](const auto& field, const char* key, const char* meaning) {
    v(field, key, meaning, {.null = Null::nan, .optional = true});
  };
  v(&H::block, "block", "block of the head");
  v(&H::head, "head", "number of the head in its block");
  v(&H::sink_at, "sink_at", "the token with the largest mean attention");
  number(&H::beta, "beta", "inverse temperature that fits the head best");
  number(&H::misfit, "misfit", "distance of its attention from that fit");
  number(&H::uniform, "uniform_misfit", "distance of its attention from uniform attention");
  number(&H::entropy, "entropy", "mean entropy of its rows, nats");
  number(&H::entropy_share, "entropy_share", "entropy divided by the largest possible");
  number(&H::sink, "sink", "largest mean attention to one token");
  number(&H::first, "first", "mean attention of the others to the first token");
  number(
      [](auto& h) -> auto& { return h.qk.symmetry; }, "qk_symmetry",
      "tr(M M) / |M|_F^2, M = Q^T K");
  number(
      [](auto& h) -> auto& { return h.qk.positivity; }, "qk_positivity",
      "sum Re lambda / sum |lambda|, M = Q^T K");
  number(
      [](auto& h) -> auto& { return h.qk.radius; }, "qk_radius", "max |lambda|, M = Q^T K");
  number(
      [](auto& h) -> auto& { return h.qk.identity; }, "qk_identity",
      "tr M / (sqrt(d) |M|_F), M = Q^T K");
  number(
      [](auto& h) -> auto& { return h.ov.symmetry; }, "ov_symmetry", "tr(M M) / |M|_F^2, M = O V");
  number(
      [](auto& h) -> auto& { return h.ov.positivity; }, "ov_positivity",
      "sum Re lambda / sum |lambda|, M = O V");
  number(
      [](auto& h) -> auto& { return h.ov.radius; }, "ov_radius", "max |lambda|, M = O V");
  number(
      [](auto& h) -> auto& { return h.ov.identity; }, "ov_identity",
      "tr M / (sqrt(d) |M|_F), M = O V");
  number(
      [](auto& h) -> auto& { return h.leading.re; }, "ov_leading_re",
      "real part of the leading eigenvalue of O V");
  number(
      [](auto& h) -> auto& { return h.leading.im; }, "ov_leading_im",
      "imaginary part of the leading eigenvalue of O V");
  number(
      [](auto& h) -> auto& { return h.leading.next; }, "ov_leading_next",
      "|lambda_2| / |lambda_1| of O V");
  number(
      [](auto& h) -> auto& { return h.leading.heard; }, "ov_leading_heard",
      "cos(Q phi, K phi) of the leading eigenvector phi of O V");
}

// The readings of all blocks that are run and their heads, by block, then by head. Without `model`
// the maps are not read.
std::vector<HeadReading> head_readings(const Transformer* model, std::span<const TracedText> texts,
                                       const Description& of, int threads);

// The reading of left^T right, both (w, d), row-major. If the largest eigenvalue is real, `leading`
// (d) becomes its eigenvector.
MapReading map_reading(const std::vector<double>& left, const std::vector<double>& right, int w,
                       int d, std::vector<double>* leading = nullptr);

}  // namespace murmur
