// heads.h: what is read off every head of a transformer: how it attends, and what its maps are
// like.
#pragma once

#include <limits>
#include <span>
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
};

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
};

// (blocks run x heads), by block, then by head. Without `model` the maps are not read.
std::vector<HeadReading> head_readings(const Transformer* model, std::span<const TracedText> texts,
                                       const Description& of, int threads);

// Of left^T right, both (w, d), row-major.
MapReading map_reading(const std::vector<double>& left, const std::vector<double>& right, int w,
                       int d);

}  // namespace murmur
