// training_rows.h: the rows of `murmur train` in the order of reading.
#pragma once

#include <span>

#include "experiment/rows.h"
#include "murmur/training.h"

namespace murmur {

template <>
std::span<const Row<TrainingSpec>> rows_of<TrainingSpec>();

// The rows in the order in which values are read; an error names the first value that is
// refused. Rows on which others depend come before them.
std::span<const Row<TrainingSpec>> training_rows_as_read();

}  // namespace murmur
