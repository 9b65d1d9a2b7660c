// config.h: settings back into the text of a config.toml.
#pragma once

#include <span>
#include <string>

#include "murmur/experiment.h"

namespace murmur {

// One line a parameter of the table, values as they stand in `resolved`.
std::string config_of(std::span<const Parameter> table, const Settings& resolved);

}  // namespace murmur
