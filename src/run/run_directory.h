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

}  // namespace murmur
