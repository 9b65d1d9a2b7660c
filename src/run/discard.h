// discard.h: removes whole runs, nothing but runs, and the remains of processes that died.
#pragma once

#include <cstdint>
#include <filesystem>

namespace murmur {

struct RunSize {
  std::uint64_t files = 0, bytes = 0;  // links count as files of no size
};

// Counts what removing a run would remove. Error(input) unless the path is a directory (not a link)
// with our manifest that holds no other run; Error(runtime) while another process writes the run.
RunSize measure_run(const std::filesystem::path& directory);
// Refuses in the same cases. Then one rename takes the run away, and its files are removed. Links
// in it are removed; their targets stay.
void discard_run(const std::filesystem::path& directory);

// Removes directories that a process which no longer exists was making, replacing or removing. Puts
// back an old run whose replacement is missing. Returns the number of such directories.
int sweep_left_overs(const std::filesystem::path& folder);

}  // namespace murmur
