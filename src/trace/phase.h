// phase.h: where the layers of a traced transformer lie on the phase diagram of the ideal flow.
#pragma once

#include <vector>

#include "murmur/run.h"
#include "trace/trace_file.h"

namespace murmur {

// The ideal flow from n tokens drawn uniformly on S^(d-1), simulated at every beta up to time T:
// how far they have gathered.
struct PhaseDiagram {
  int n = 0, d = 0, flights = 0;   // flights at each beta, of which the mean is taken
  std::vector<double> beta{};      // increasing
  std::vector<double> t{};         // from 0
  std::vector<double> mean_cos{};  // (beta, t)

  double at(double beta, double t) const;  // between the points of the grid, held at its ends
  double time_of(double beta, double cosine) const;  // first at which it is reached; NaN: never
};

// A layer's place: the beta that fits the heads of the block before it best (of layer 0: of the
// first block), and the time at which the simulated tokens have the layer's mean cosine.
struct PhasePlace {
  int layer = 0;
  double beta = 0;
  double t = 0;         // NaN: nowhere within the diagram
  double mean_cos = 0;  // of the layer
  double flown = 0;     // sum of the times tau of the ideal flow beside it, up to this layer
  double expected = 0;  // mean cosine of the diagram at (beta, flown), flown < 0 held at 0
};

struct PhaseReading {
  PhaseDiagram diagram{};
  std::vector<PhasePlace> places{};  // (frames)
};

inline constexpr int kMostPhaseTokens = 64;   // of the diagram: longer texts are stood for by these
inline constexpr double kMostPhaseBeta = 20;  // |beta| of a block is cut there
// Of the first text that has two tokens or more; draws with seed 0. Error(input) where there is
// none.
PhaseReading phase_places(const RunReader& run, const TraceFile& file);

}  // namespace murmur
