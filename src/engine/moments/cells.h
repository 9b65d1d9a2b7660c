// cells.h: sums of exponentials for any targets, through tilted moments of cells of sources.
#pragma once

#include "engine/moments/sums.h"

namespace murmur::moments {

// How a request is cut up. 0: chosen by what it costs.
struct CellsChoice {
  int degree = 0;
  int leaf_sources = 0, leaf_targets = 0;
  bool eager = false;  // moments wherever they can be, also where pairs cost less
};

// Every target of the request gets its sums and the bounds on their errors, whatever beta, query,
// key and the signs of scores are; see cells.cpp for how.
SumsCost cell_sums(const SumsRequest& request, const SumsResult& result,
                   const CellsChoice& choice = {});

// What a request is like, for a guess at its cost.
struct CellsLoad {
  double sources = 0, targets = 0;
  int d = 3;
  bool sphere = true;   // sources on the unit sphere; false: anywhere
  double exponent = 1;  // max_i |u_i| max_j |y_j|, or more
  double tolerance = 1e-12;
};

// Nanoseconds of one core, from times that bench/results/cells.md has: right to a factor of about 3
// for points spread evenly, and too much for others.
double cells_cost(const CellsLoad& load);

}  // namespace murmur::moments
