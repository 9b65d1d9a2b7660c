// prepared_sweep.h: the run of a sweep that other processes will do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "command.h"

namespace murmur::app {

struct PreparedSweep {
  std::filesystem::path directory{};
  std::int64_t cells = 0;  // before refinement
};
// Makes it; `dry`: only says where it would be. Error where `words` are no sweep.
PreparedSweep prepare_sweep(const Flags& flags, const std::vector<std::string>& words, bool dry);

}  // namespace murmur::app
