// claims.h: lock files in a shared folder, by which several processes divide units of work.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "run/file.h"

namespace murmur {

// One lock file per unit. When a process dies, its locks are released, and others do its units.
class Claims {
 public:
  explicit Claims(const std::filesystem::path& folder);  // creates the folder

  // The lock is held as long as the returned file is open. Returns nothing if another process, or
  // another claim of this process, holds it. The new holder must first check whether the unit has
  // been done meanwhile.
  std::optional<File> take(const std::string& unit) const;

  // Leaves a message about a unit for other processes, until the folder is cleared.
  void leave_message(const std::string& unit, const std::string& text) const;
  std::optional<std::string> message_about(const std::string& unit) const;

  // Call it before the first claim, and from each process that finds all units done, so that no
  // lock files remain.
  static void clear(const std::filesystem::path& folder);

 private:
  std::filesystem::path folder_;
};

}  // namespace murmur
