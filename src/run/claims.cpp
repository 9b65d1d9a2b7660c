// claims.cpp: units of work as lock files.
#include "run/claims.h"

#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {

namespace fs = std::filesystem;

Claims::Claims(const fs::path& folder) : folder_(folder) { make_folder_of_run(folder); }

std::optional<File> Claims::take(const std::string& unit) const {
  const fs::path path = folder_ / (unit + ".lock");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) try {
      File::creating(path);
    } catch (const Error&) {  // another process was quicker; what else is wrong shows below
    }
  File file = File::writing(path);
  if (!file.try_lock()) return std::nullopt;
  return file;
}

void Claims::leave_word(const std::string& unit, const std::string& text) const {
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
