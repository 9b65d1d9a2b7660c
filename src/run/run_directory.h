// run_directory.h: makes a run directory: it appears complete, by one rename, and never replaces
// foreign files.
#pragma once

#include <filesystem>

#include "murmur/run.h"
#include "run/file.h"

namespace murmur {

// Builds the directory under a hidden name and renames it. Returns its lock, which is held.
File make_run_directory(const std::filesystem::path& directory, const RunContents& contents,
                        bool replace);

// Locks an existing run; Error(runtime) if another process holds the lock.
File lock_run_directory(const std::filesystem::path& directory);

// Returns "t,energy,...\n", the first line of observables.csv.
std::string names_line(const std::vector<std::string>& columns);

// Removes temporary files of processes that died, in a run whose lock is held.
void remove_left_over_parts(const std::filesystem::path& directory);

}  // namespace murmur
