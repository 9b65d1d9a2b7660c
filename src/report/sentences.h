// sentences.h: the part of a training's page that is of sentences.
#pragma once

#include "murmur/training.h"
#include "picture/digit_pictures.h"
#include "report/report.h"

namespace murmur {

// Whom the asked word of a sentence listens to. Error(input) for swarms without selected messages,
// and for rotary ones.
SentencePicture picture_of_sentence(const TrainedSwarm& swarm, const SampleSet& samples,
                                    std::size_t sample);

// Facts, one sentence block by block, the test by distance, and mistakes.
void report_sentences(RunReport& report, const TrainedSwarm& swarm);

}  // namespace murmur
