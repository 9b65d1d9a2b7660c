// shared_simulation.h: a simulation that ranks run and store together.
#pragma once

#include "murmur/experiment.h"
#include "run/shared_run.h"

namespace murmur {

// Like `simulate`, on every rank at once; `engine` is one of share_engine. All ranks have the same
// outcome. Error(input) for bdf, which reads its own frames.
Outcome simulate_shared(const Experiment& experiment, Engine& engine, SharedRun& run,
                        const ProcessControl& control);
// Makes only this check, before a run is made.
void require_shareable(const Experiment& experiment);

}  // namespace murmur
