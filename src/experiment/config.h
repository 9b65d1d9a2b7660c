// config.h: reads presets and experiment files, and writes settings as a config.toml.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "murmur/experiment.h"

namespace murmur {

// Returns one line per parameter of the table, with the values in `resolved`.
std::string config_of(std::span<const Parameter> table, const Settings& resolved);

// Returns the settings of sources.base: a preset, a .toml file or the config.toml of a run.
// Error(input) if it does not exist, or if the preset lacks the section.
Settings base_settings(std::span<const Parameter> table, const Sources& sources);

// Error(input) unless the table has that parameter.
void require_parameter(std::span<const Parameter> table, const std::string& key,
                       const std::string& where);

std::filesystem::path current_folder();  // empty in builds without folders

// toml++ recurses for every level and every part of a dotted key, both when it parses and when it
// destroys; an experiment needs two levels.
constexpr int kDeepestToml = 64;

// Error(input) with line and column if a key, list or table is nested deeper.
void require_shallow_toml(std::string_view text, const std::string& where);

}  // namespace murmur
