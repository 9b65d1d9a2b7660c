// compare.h: holds a run directory against what its manifest and its checkpoint say of it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace murmur {

// One thing that was compared. They agree where both texts are the same.
struct RunCheck {
  std::string file{};
  std::string expected{}, found{};
  bool agrees() const { return expected == found; }
};

struct RunComparison {
  std::vector<RunCheck> checks{};
  std::vector<std::string> notes{};  // what could not be compared, and what a difference means
  bool agrees() const;
};

// Everything in full, byte by byte: settings, inputs, outputs, checkpoint, shapes and counts of
// frames. Of a run that another process writes, only what does not change. Error(input) where
// there is no manifest to compare with.
RunComparison compare_run(const std::filesystem::path& directory);

// Outputs, checkpoint and counts alone: Error(input) at the first difference; files named in
// `remade` may differ.
void require_whole(const std::filesystem::path& directory,
                   std::span<const std::string> remade = {});

// For those who only read: the same, and settings and inputs but for the keys in `free`. What
// agreed is remembered in the run, by size, times and number of each file, and compared again where
// one of these has changed. A run that is being written is let pass.
void require_readable(const std::filesystem::path& directory, std::span<const std::string> free);
// Says that the files are right as they are now.
void remember_comparison(const std::filesystem::path& directory) noexcept;

bool is_being_written(const std::filesystem::path& directory);  // its lock is held

}  // namespace murmur
