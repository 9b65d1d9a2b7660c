// training_rows.h: the rows of `murmur train`, in the order of its config.toml and in the order of
// reading.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "experiment/rows.h"
#include "murmur/training.h"

namespace murmur {

std::span<const Row<TrainingSpec>> training_rows();

// The same rows in the order in which values are read; an error names the first value that is
// refused. Rows on which others depend come before them.
std::span<const Row<TrainingSpec>> training_rows_as_read();

// Returns the full path of a folder of pictures, so that a run finds it from anywhere; names of
// data sets and empty texts are unchanged.
std::string whole_path(const std::filesystem::path& folder, const std::string& data);

}  // namespace murmur
