// bind.h: finds the weights of a transformer among named arrays.
#pragma once

#include <string>

#include "model/family.h"
#include "model/model_folder.h"

namespace murmur {

// Error(input) with the name of the tensor that is missing, of another shape or not of numbers.
Model with_weights(const Family& family, Weights weights, const std::string& where);

}  // namespace murmur
