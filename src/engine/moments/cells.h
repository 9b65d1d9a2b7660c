// cells.h: sums of exponentials for any targets, through tilted moments of cells of sources.
#pragma once

#include "engine/moments/sums.h"

namespace murmur::moments {

// How a request is divided. 0: chosen by cost.
struct CellsChoice {
  int degree = 0;
  int leaf_sources = 0, leaf_targets = 0;
  bool eager = false;  // moments wherever they are possible, even where pairs cost less
};

// Computes the sums at every target of the request and bounds on their errors, for any beta, query,
// key and signs of scores. The method is described in cells.cpp.
SumsCost cell_sums(const SumsRequest& request, const SumsResult& result,
                   const CellsChoice& choice = {});

// The properties of a request that cells_cost needs.
struct CellsLoad {
  double sources = 0, targets = 0;
  int d = 3;
  bool sphere = true;   // sources on the unit sphere; false: anywhere
  double exponent = 1;  // max_i |u_i| max_j |y_j|, or more
  double tolerance = 1e-12;
};

// Returns an estimate in nanoseconds of one core, from the times in bench/results/cells.md: right
// within a factor of about 3 for evenly spread points, and too large for others.
double cells_cost(const CellsLoad& load);

}  // namespace murmur::moments
