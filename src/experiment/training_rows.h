// training_rows.h: the rows of `murmur train`, in the order of its config.toml and in that of
// reading.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "experiment/rows.h"
#include "murmur/training.h"

namespace murmur {

std::span<const Row<TrainingSpec>> training_rows();

// The same rows in the order in which words are read: of several that are refused, the first of
// these is named. Those that others rest on come before them.
std::span<const Row<TrainingSpec>> training_rows_as_read();

// A folder of pictures by its whole path, so that a run finds it again from anywhere; names of data
// sets, and nothing, stay as they are.
std::string whole_path(const std::filesystem::path& folder, const std::string& data);

}  // namespace murmur
