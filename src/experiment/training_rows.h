// training_rows.h: the rows of `murmur train` in the order of reading.
#pragma once

#include <span>

#include "experiment/rows.h"
#include "murmur/training.h"

namespace murmur {

namespace codec {

// In trained_swarm.cpp: the page reads trained swarms and does not train.
template <>
const std::vector<std::string>& names_of<Architecture::Interaction>();
template <>
const std::vector<std::string>& names_of<Architecture::Readout>();
template <>
const std::vector<std::string>& names_of<Task>();

}  // namespace codec

template <>
std::span<const Row<TrainingSpec>> rows_of<TrainingSpec>();

// The rows in the order in which values are read; an error names the first value that is
// refused. Rows on which others depend come before them.
std::span<const Row<TrainingSpec>> training_rows_as_read();

}  // namespace murmur
