// explain.h: what a setting means: its equation, and what is proved about it.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

// The equation in plain text, a term a line.
std::string equation_text(const Experiment& experiment, const Settings& settings);
// The same as TeX without delimiters: one `aligned`, beta and the sizes of matrices as numbers.
std::string equation_tex(const Experiment& experiment);

// One sentence a result, arXiv numbers in brackets; empty where nothing is known.
std::vector<std::string> known_results(const Experiment& experiment);

}  // namespace murmur
