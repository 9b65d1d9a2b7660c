// run_directory.h: how a run directory comes to be: complete, by one rename, never over another's.
#pragma once

#include <filesystem>

#include "murmur/run.h"
#include "run/file.h"

namespace murmur {

// Builds the directory out of sight and moves it to its place. Returns its lock, held.
File make_run_directory(const std::filesystem::path& directory, const RunContents& contents,
                        bool replace);

// Takes the lock of an existing run; Error(runtime) when another process holds it.
File lock_run_directory(const std::filesystem::path& directory);

// "t,energy,...\n" at the head of observables.csv.
std::string names_line(const std::vector<std::string>& columns);

// Removes, in a run whose lock is held, files that no process will put in their place any more.
void remove_left_over_parts(const std::filesystem::path& directory);

}  // namespace murmur
