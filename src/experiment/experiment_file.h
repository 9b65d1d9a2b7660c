// experiment_file.h: what gathering settings needs of presets and files.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "murmur/experiment.h"

namespace murmur {

// What a preset, a .toml or a run's config.toml sets. Error(input) where there is none.
Settings base_settings(std::span<const Parameter> table, const std::string& base);

// Error(input) unless the table has such a parameter.
void require_parameter(std::span<const Parameter> table, const std::string& key,
                       const std::string& where);

std::filesystem::path current_folder();  // empty where there are no folders

}  // namespace murmur
