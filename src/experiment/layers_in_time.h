// layers_in_time.h: how many layers files of weights hold, and until when they act.
#pragma once

#include "experiment/forces.h"

namespace murmur {

// As all files with an axis of layers have it, which are read into `inputs`; Error(input) where
// they differ, where none has one, and where layers and the rest of the request do not go together.
std::size_t number_of_layers(const DynamicsRequest& request, Record& inputs);

// When the last layer ends or is reached: the final time, or as given.
double weights_until(const DynamicsRequest& request);

// Refuses an end of layers that are not there.
void check_weights_until(const DynamicsRequest& request);

}  // namespace murmur
