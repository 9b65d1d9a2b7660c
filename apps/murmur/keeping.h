// keeping.h: murmur runs verify, delete and prune: whether runs are right, and getting rid of them.
#pragma once

#include <string>
#include <vector>

#include "command.h"

namespace murmur::app {

struct PruneOptions {
  bool yes = false;                             // delete without asking
  std::string statuses = "failed,interrupted";  // of the runs to prune
  double older = 0;                             // days since a run began
};

int verify_runs(const Flags& flags, const std::vector<std::string>& words);
int delete_runs(const Flags& flags, const std::vector<std::string>& words, bool yes);
int prune_runs(const Flags& flags, const PruneOptions& options);

// Runs directly below a folder, in the order of their names.
std::vector<std::filesystem::path> runs_below(const std::filesystem::path& folder);

}  // namespace murmur::app
