// perceptrons.h: the feed-forward force that settings describe.
#pragma once

#include "experiment/forces.h"
#include "murmur/experiment.h"

namespace murmur {

bool is_random(const PerceptronChoice& perceptron);

// How many numbers one random perceptron holds; 0 for one that is not random.
double numbers_of(const PerceptronChoice& perceptron, int d);

// Parameters that came from files are added to `inputs` by name; `redraw` counts the draws before.
Perceptron perceptron_of(const DynamicsRequest& request, int d, std::uint32_t redraw,
                         Record& inputs);

}  // namespace murmur
