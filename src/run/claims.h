// claims.h: which of several processes does a unit of work, told by locks in a folder that all see.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "run/file.h"

namespace murmur {

// One lock file a unit. The lock of a process that died is free again, so others do its units.
class Claims {
 public:
  explicit Claims(const std::filesystem::path& folder);  // made where it is not there

  // Held as long as the file is; nothing where another process, or another claim of this one, has
  // it. Who gets it looks first whether the unit has been done meanwhile.
  std::optional<File> take(const std::string& unit) const;

  // A word about a unit that others are to find, until the folder is cleared.
  void leave_word(const std::string& unit, const std::string& text) const;
  std::optional<std::string> word_about(const std::string& unit) const;

  // Before anybody claims; and by each who finds all units done, so that the last leaves nothing.
  static void clear(const std::filesystem::path& folder);

 private:
  std::filesystem::path folder_;
};

}  // namespace murmur
