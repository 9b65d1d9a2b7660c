// compare.h: compares a run directory with what its manifest and its checkpoint say about it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// One comparison. It agrees if both texts are the same.
struct RunCheck {
  std::string file{};
  std::string expected{}, found{};
  bool agrees() const { return expected == found; }
};

struct RunComparison {
  std::vector<RunCheck> checks{};
  std::vector<std::string> notes{};  // what could not be compared, and the meaning of differences
  bool agrees() const;
};

// Compares everything byte by byte: settings, inputs, outputs, checkpoint, shapes and counts of
// frames. If another process is writing the run, compares only what does not change. Error(input)
// if there is no manifest.
RunComparison compare_run(const std::filesystem::path& directory);

// Compares only outputs, checkpoint and counts. Error(input) at the first difference; files named
// in `remade` may differ.
void require_whole(const std::filesystem::path& directory,
                   std::span<const std::string> remade = {});

// For commands that only read a run: compares the same, and settings (except the keys in `free`)
// and inputs. Stores the size, times and inode of every file that agreed, and compares a file again
// only when one of these has changed. A run that is being written is not compared.
void require_readable(const std::filesystem::path& directory, std::span<const std::string> free);
// Stores that the files agree as they are now.
void remember_comparison(const std::filesystem::path& directory) noexcept;

bool is_being_written(const std::filesystem::path& directory);  // its lock is held

}  // namespace murmur
