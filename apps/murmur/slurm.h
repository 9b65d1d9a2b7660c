// slurm.h: jobs of a cluster: handed to Slurm, remembered beside the runs they make, asked about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace murmur::app {

// What is remembered of a job, in NAME.job beside the run NAME.
struct Job {
  std::string id{};       // Slurm's
  std::string command{};  // as it was typed
  std::filesystem::path run{};
};

// Hands a script to sbatch and returns the job's number. Error(tool) where there is no Slurm,
// Error(runtime) with Slurm's own words where it refuses.
std::string hand_in(const std::filesystem::path& script);
void require_slurm();  // Error(tool)

std::filesystem::path job_path(const std::filesystem::path& run);  // NAME.job
void remember(const Job& job);
std::vector<Job> jobs_below(const std::filesystem::path& runs);  // in order of their runs

// pending, running, completed, cancelled, ..., or of an array how many are what; nothing where
// there is no Slurm to ask, "unknown" where it has forgotten the job.
std::optional<std::string> state_of(const Job& job);

}  // namespace murmur::app
