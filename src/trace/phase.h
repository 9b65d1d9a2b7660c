// phase.h: the positions of the layers of a traced transformer on the phase diagram of the ideal
// flow.
#pragma once

#include <vector>

#include "murmur/run.h"
#include "trace/trace_file.h"

namespace murmur {

// The mean cosine of n tokens drawn uniformly on S^(d-1), simulated by the ideal flow at every beta
// up to time T.
struct PhaseDiagram {
  int n = 0, d = 0;
  int flights = 0;                 // number of simulations per beta; mean_cos is their mean
  std::vector<double> beta{};      // increasing
  std::vector<double> t{};         // from 0
  std::vector<double> mean_cos{};  // (beta, t)

  double at(double beta, double t) const;  // interpolates in the grid, constant beyond its ends
  double time_of(double beta, double cosine) const;  // the first time with this cosine; NaN: never
};

// The position of a layer: the beta that best fits the heads of the block before it (layer 0: of
// the first block), and the time at which the simulated tokens have the mean cosine of the layer.
struct PhasePlace {
  int layer = 0;
  double beta = 0;
  double t = 0;         // NaN: not within the diagram
  double mean_cos = 0;  // of the layer
  double flown = 0;     // sum of the times tau of the fitted ideal flow up to this layer
  double expected = 0;  // mean cosine of the diagram at (beta, max(flown, 0))
};

struct PhaseReading {
  PhaseDiagram diagram{};
  std::vector<PhasePlace> places{};  // (frames)
};

inline constexpr int kMostPhaseTokens = 64;   // tokens of the diagram, also for longer texts
inline constexpr double kMostPhaseBeta = 20;  // |beta| of a block is limited to this
// For the first text with two tokens or more, with seed 0. Error(input) if there is none.
PhaseReading phase_places(const RunReader& run, const TraceFile& file);

}  // namespace murmur
