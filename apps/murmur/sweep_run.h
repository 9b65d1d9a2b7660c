// sweep_run.h: how commands that look at the frames of a run refuse a sweep, which keeps none.
#pragma once

#include "murmur/error.h"
#include "murmur/run.h"

namespace murmur::app {

inline void refuse_sweep(const RunReader& run) {
  if (run.command() == "sweep")
    throw Error(Fault::input, "this run is a sweep: it keeps tables of its cells, and no frames",
                run.directory().string(),
                "see its sweep.csv and figures/; murmur simulate flies one cell of it with frames");
}

}  // namespace murmur::app
