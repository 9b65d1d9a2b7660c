// settling.h: the part of a training's page that says whether its tokens come to rest.
#pragma once

#include "murmur/training.h"
#include "report/report.h"

namespace murmur {

// Accuracy, spread and speed at the depth of a swarm and past it; nothing where blocks are free.
// `samples`: the test set.
void add_settling(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples);

}  // namespace murmur
