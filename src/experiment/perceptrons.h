// perceptrons.h: the feed-forward force that settings describe.
#pragma once

#include "murmur/experiment.h"

namespace murmur {

bool is_random_perceptron(const Settings& settings);

// How many numbers one random perceptron holds; 0 for one that is not random.
double perceptron_numbers(const Settings& settings, int d);

// Parameters that came from files are added to `inputs` by name; `redraw` counts the draws before.
Perceptron perceptron_of(const Settings& settings, int d, std::uint32_t redraw, Record& inputs);

}  // namespace murmur
