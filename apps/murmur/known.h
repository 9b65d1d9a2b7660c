// known.h: what is proved about a setting, with the paper that proves it.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"

namespace murmur::app {

// One sentence a result, arXiv numbers in brackets; empty where nothing is known.
std::vector<std::string> known_results(const Experiment& experiment);

}  // namespace murmur::app
