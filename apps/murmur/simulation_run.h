// simulation_run.h: how commands that look at frames of a swarm refuse runs that keep none.
#pragma once

#include "murmur/error.h"
#include "murmur/run.h"

namespace murmur::app {

inline void require_simulation(const RunReader& run) {
  const auto refuse = [&](const char* what, const char* remedy) {
    throw Error(Fault::input, what, run.directory().string(), remedy);
  };
  if (run.command() == "sweep")
    refuse("this run is a sweep: it keeps tables of its cells, and no frames",
           "see its sweep.csv and figures/; murmur simulate flies one cell of it with frames");
  if (run.command() == "meanfield")
    refuse("this run is a mean field: it keeps densities, and no swarm",
           "see its density.npy and figures/, or use murmur report; murmur measure SWARM "
           "show=distance to=RUN compares");
  if (run.command() == "landscape")
    refuse("this run is a landscape: it keeps critical points, and no frames",
           "see its atoms.npy, points.json and figures/, or use murmur report");
}

}  // namespace murmur::app
