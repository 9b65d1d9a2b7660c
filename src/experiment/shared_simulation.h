// shared_simulation.h: a simulation that ranks carry and keep together.
#pragma once

#include "murmur/experiment.h"
#include "run/shared_run.h"

namespace murmur {

// As `simulate`, on every rank at once; `engine` is one of share_engine. All ranks have the same
// outcome. Error(input) where the method reads back what it wrote: bdf.
Outcome simulate_shared(const Experiment& experiment, Engine& engine, SharedRun& run,
                        const ProcessControl& control);
// The refusal by itself, before a run is made.
void require_shareable(const Experiment& experiment);

}  // namespace murmur
