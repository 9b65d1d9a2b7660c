// perceptrons.h: the feed-forward force that settings describe.
#pragma once

#include <vector>

#include "experiment/forces.h"
#include "murmur/experiment.h"

namespace murmur {

bool is_random(const PerceptronChoice& perceptron);

// How many numbers one random perceptron holds; 0 for one that is not random.
double numbers_of(const PerceptronChoice& perceptron, int d);

// How many layers each of its arrays that has an axis for them holds; all are read into `inputs`.
std::vector<std::size_t> layers_in_perceptron(const DynamicsRequest& request, Record& inputs);

// Parameters that came from files are added to `inputs` by name.
Perceptron perceptron_of(const DynamicsRequest& request, int d, const Turn& turn, Record& inputs);

}  // namespace murmur
