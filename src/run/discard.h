// discard.h: removes runs, whole and only runs, and what dead processes left beside them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace murmur {

struct RunWeight {
  std::uint64_t files = 0, bytes = 0;  // links count as files of no size
};

// What removing a run would remove. Error(input) unless the path itself, no link, is a directory
// with our manifest that holds no other run; Error(runtime) while another process writes it.
RunWeight weigh_run(const std::filesystem::path& directory);
// The same refusals; then the run disappears by one rename and is removed. Links in it are removed,
// and what they lead to stays.
void discard_run(const std::filesystem::path& directory);

// Of directories that were being made, replaced or removed by a process that is gone: removed. An
// old run whose replacement never came is put back. Returns how many there were.
int sweep_left_overs(const std::filesystem::path& folder);

}  // namespace murmur
