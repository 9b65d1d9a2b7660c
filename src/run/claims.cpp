// claims.cpp: units of work as lock files.
#include "run/claims.h"

#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {
constexpr int kMostTries = 5;  // of a claim in a folder that others clear
}

Claims::Claims(const fs::path& folder) : folder_(folder) { make_folder_of_run(folder); }

std::optional<File> Claims::take(const std::string& unit) const {
  const fs::path path = folder_ / (unit + ".lock");
  // Who has found everything done may clear the folder at any moment: then it is made again.
  for (int tries = 0;; ++tries) try {
      make_folder_of_run(folder_);
      std::error_code ignored;
      if (!fs::exists(path, ignored)) try {
          File::creating(path);
        } catch (const Error&) {  // another process was quicker; what else is wrong shows below
        }
      File file = File::writing(path);
      if (!file.try_lock()) return std::nullopt;
      return file;
    } catch (const Error&) {
      if (tries == kMostTries) throw;
    }
}

void Claims::leave_word(const std::string& unit, const std::string& text) const {
  make_folder_of_run(folder_);
  write_file_atomically(folder_ / (unit + ".word"), text);
}

std::optional<std::string> Claims::word_about(const std::string& unit) const {
  const fs::path path = folder_ / (unit + ".word");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  return read_text(path);
}

void Claims::clear(const fs::path& folder) { remove_quietly(folder); }

}  // namespace murmur
