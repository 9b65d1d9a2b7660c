// heads.h: the part of a training's page that tells its heads apart.
#pragma once

#include "murmur/training.h"
#include "report/report.h"

namespace murmur {

// What each head attends to, what the verdicts lose without it, and its fields; nothing where there
// is one head or none. `samples`: the test set.
void add_heads(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples);

}  // namespace murmur
