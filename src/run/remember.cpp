// remember.cpp: a comparison that agreed is remembered by what the system says of each file.
#include <errno.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "run/checkpoint.h"
#include "run/compare.h"
#include "run/file.h"
#include "run/json_text.h"
#include "run/manifest.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMemory = "compared.json";

// Size, number and times in nanoseconds: of a file that was written since, one of them is another.
nlohmann::json looks_of(const fs::path& path) {
  struct stat s {};
  if (::lstat(path.c_str(), &s) != 0) return nullptr;
  const auto nanoseconds = [](const timespec& t) {
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
  };
  return {s.st_size, s.st_ino, nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

// Of everything that a comparison reads. Folders show what was added to them.
nlohmann::json looks_of_run(const fs::path& directory) {
  const Manifest manifest = read_manifest(directory);
  nlohmann::json looks = nlohmann::json::object();
  const auto add = [&](const std::string& name) { looks[name] = looks_of(directory / name); };
  for (const char* name : {"manifest.json", "config.toml", "inputs", "trajectory.npy", "times.npy",
                           "observables.csv", "events.jsonl", kCheckpointName, kPartingName})
    add(name);
  for (const auto& [name, digest] : manifest.sha256) add(name);
  if (manifest.made_of)
    for (const auto& [name, digest] : manifest.made_of->inputs) add("inputs/" + name);
  return looks;
}

}  // namespace

// Not synced: a memory that is lost or torn is made again.
void remember_comparison(const fs::path& directory) noexcept try {
  const std::string text = json_text(looks_of_run(directory)) + "\n";
  const fs::path beside = hidden_sibling(directory / kMemory, "part");
  try {
    File::creating(beside).write_at(0, text);
    rename_path(beside, directory / kMemory);
  } catch (...) {
    remove_quietly(beside);
  }
} catch (...) {  // a folder that may only be read: then it is compared each time
}

void require_readable(const fs::path& directory, std::span<const std::string> free) {
  if (is_being_written(directory)) return;
  const nlohmann::json looks = looks_of_run(directory);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(directory / kMemory, ignored))) try {
      if (json_of_text(read_text(directory / kMemory)) == looks) return;
    } catch (const Error&) {  // no file that can be read: it is compared again
    }
  require_same_settings(directory, free);
  require_whole(directory);
  if (read_manifest(directory).status != "running" && looks_of_run(directory) == looks)
    remember_comparison(directory);
}

}  // namespace murmur
