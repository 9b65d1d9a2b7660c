// slurm.h: jobs of Slurm: their files next to the runs that they create, and their states.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace murmur::app {

// The content of NAME.job next to the run NAME.
struct Job {
  std::string id{};       // of Slurm
  std::string command{};  // as it was typed
  std::filesystem::path run{};
};

std::vector<Job> jobs_below(const std::filesystem::path& runs);  // sorted by run

// pending, running, completed, cancelled, ..., for an array the number of tasks in each state;
// nothing without Slurm, "unknown" if Slurm no longer knows the job.
std::optional<std::string> state_of(const Job& job);

struct PreparedSweep {
  std::filesystem::path directory{};
  std::int64_t cells = 0;  // before refinement
};
// Creates the run of a sweep that other processes compute; `dry`: returns only its directory.
PreparedSweep prepare_sweep(const Flags& flags, const std::vector<std::string>& words, bool dry);

}  // namespace murmur::app
