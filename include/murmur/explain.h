// explain.h: what a setting means: its equation, and what is proved about it.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

// The equation in plain text, a term a line.
std::string equation_text(const Experiment& experiment, const Settings& settings);

// One sentence a result, arXiv numbers in brackets; empty where nothing is known.
std::vector<std::string> known_results(const Experiment& experiment);

}  // namespace murmur
