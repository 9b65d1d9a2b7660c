// training.h: the parts of the page of a trained swarm.
#pragma once

#include "murmur/training.h"
#include "picture/digit_pictures.h"
#include "report/report.h"

namespace murmur {

// The attention of the asked word, block by block. Error(input) for swarms without selected
// messages, and for rotary ones.
SentencePicture picture_of_sentence(const TrainedSwarm& swarm, const SampleSet& samples,
                                    std::size_t sample);

// Fills the page of a swarm that reads sentences: facts, one sentence block by block, the test by
// distance, and mistakes.
void report_sentences(RunReport& report, const TrainedSwarm& swarm);

// Adds accuracy, spread and speed at the depth of a swarm and past it; nothing where blocks are not
// shared. `samples`: the test set.
void add_settling(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples);

}  // namespace murmur
