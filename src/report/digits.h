// digits.h: the classes of a trained swarm, and its trajectory on one picture, ready to be drawn.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "murmur/training.h"
#include "picture/digit_pictures.h"

namespace murmur {

int class_of(const TrainedSwarm& swarm, int label);  // its place among the digits, -1: none of them
std::vector<std::string> class_names(const TrainedSwarm& swarm);

DigitTrajectory trajectory_of_picture(const TrainedSwarm& swarm, const Images& images,
                                      std::size_t index);
// Of two pictures side by side, for a swarm that compares them; label -1: unknown.
DigitTrajectory trajectory_of_pair(const TrainedSwarm& swarm, const Images& images,
                                   const PicturePair& pair, int label);
// Both pictures as one, a column of paper between them.
Picture picture_of_pair(const Images& images, const PicturePair& pair);

}  // namespace murmur
