// digits.h: the classes of a trained swarm, and its trajectory on one picture, ready to be drawn.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "murmur/run.h"
#include "murmur/training.h"
#include "picture/digit_pictures.h"
#include "report/report.h"

namespace murmur {

int class_of(const TrainedSwarm& swarm, int label);  // its place among the digits, -1: none of them
std::vector<std::string> class_names(const TrainedSwarm& swarm);

DigitTrajectory trajectory_of_picture(const TrainedSwarm& swarm, const Images& images,
                                      std::size_t index);
// Of two pictures side by side, for a swarm that compares them; label -1: unknown.
DigitTrajectory trajectory_of_pair(const TrainedSwarm& swarm, const Images& images,
                                   const PicturePair& pair, int label);
// Of a sentence: the words, and the one that is asked about.
DigitTrajectory trajectory_of_sentence(const TrainedSwarm& swarm, const SampleSet& samples,
                                       std::size_t sample);
// Of a simulation of a given model, frame by frame. Its start identifies the picture, pair or
// sentence of the test where the data is found; else the ink is made from the tokens, and the true
// class is unknown. `data`: the folder or name that was asked for, which has to exist; empty: the
// data that the swarm learned from. Returns nothing where the sentence cannot be identified.
using FindData = std::function<std::filesystem::path(const std::string& named)>;
std::optional<DigitTrajectory> trajectory_of_run(const RunReader& run, const std::string& data,
                                                 const FindData& find_data);
// Whether the frames of a run are those of a trained swarm in the method `layers`, one a block.
bool moves_trained_swarm(const RunReader& run);
// The section of a page: the film, where films are wanted, and its steps as a picture.
void add_film(RunReport& report, const std::vector<DigitTrajectory>& trajectories,
              const std::string& text);
// The length of a film: eight seconds for each trajectory, three where there are more than three.
double seconds_of_film(std::size_t trajectories);
// Both pictures as one, a column of paper between them.
Picture picture_of_pair(const Images& images, const PicturePair& pair);

}  // namespace murmur
