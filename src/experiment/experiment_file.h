// experiment_file.h: what gathering settings needs of presets and files.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "murmur/experiment.h"

namespace murmur {

// What the preset, the .toml or the run's config.toml of sources.base sets. Error(input) where
// there is none, or a preset without the section.
Settings base_settings(std::span<const Parameter> table, const Sources& sources);

// Error(input) unless the table has such a parameter.
void require_parameter(std::span<const Parameter> table, const std::string& key,
                       const std::string& where);

std::filesystem::path current_folder();  // empty where there are no folders

}  // namespace murmur
