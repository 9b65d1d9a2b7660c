// discard.cpp: takes a run out of sight by one rename, then removes it; sweeps what was left so.
#include "run/discard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "murmur/error.h"
#include "murmur/run.h"
#include "run/compare.h"
#include "run/file.h"
#include "run/run_directory.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

// A closing slash would lead through a link.
fs::path without_slash(const fs::path& directory) {
  return directory.has_filename() ? directory : directory.parent_path();
}

void require_run_itself(const fs::path& place) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(place, ignored);
  if (fs::is_symlink(status))
    throw Error(Fault::input, "this is a link to a run, and nothing is deleted through a link",
                place.string(), "name the directory that it leads to");
  if (!fs::is_directory(status) || !is_run_directory(place))
    throw Error(Fault::input, "this is not a run of ours, so it is not deleted", place.string(),
                "murmur runs lists the runs; a run holds a manifest.json that murmur wrote");
}

RunWeight weigh(const fs::path& place) {
  RunWeight weight;
  for (fs::recursive_directory_iterator at(place), end; at != end; ++at) {
    const fs::file_status status = at->symlink_status();
    if (fs::is_directory(status) && is_run_directory(at->path()))
      throw Error(Fault::input, "the run holds another run, so it is not deleted",
                  at->path().string(), "move that one away, or delete it first");
    if (!fs::is_directory(status)) ++weight.files;
    if (fs::is_regular_file(status)) weight.bytes += at->file_size();
  }
  return weight;
}

// Whether a directory that was being made holds nothing but what a run begins with.
bool is_scaffold(const fs::path& directory) {
  constexpr std::array names = {"lock",           "config.toml",   "inputs",
                                "trajectory.npy", "times.npy",     "observables.csv",
                                "events.jsonl",   "manifest.json", "parting.safetensors"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool ours = std::find(names.begin(), names.end(), name) != names.end();
    if (!ours && !is_replacement_in_waiting(entry.path())) return false;
  }
  return true;
}

bool sweep(const fs::path& path) {
  const auto left = left_over_of(path);
  std::error_code ignored;
  if (!left || is_alive(left->process) || !fs::is_directory(fs::symlink_status(path, ignored)) ||
      is_being_written(path))
    return false;
  const fs::path place = path.parent_path() / left->name;
  if (left->word == "old" && is_run_directory(path)) {
    if (fs::exists(fs::symlink_status(place, ignored)))
      remove_quietly(path);
    else
      rename_path(path, place);
    return true;
  }
  if ((left->word == "new" && is_scaffold(path)) || left->word == "gone") {
    remove_quietly(path);
    return true;
  }
  return false;
}

}  // namespace

RunWeight weigh_run(const fs::path& directory) {
  const fs::path place = without_slash(directory);
  require_run_itself(place);
  if (is_being_written(place))
    throw Error(Fault::runtime, "the run is being written by another process", place.string(),
                "wait until that process ends, or end it");
  return weigh(place);
}

void discard_run(const fs::path& directory) {
  const fs::path place = without_slash(directory);
  weigh_run(place);
  const File lock = lock_run_directory(place);
  const fs::path gone = hidden_sibling(place, "gone");
  rename_path(place, gone);
  std::error_code code;
  fs::remove_all(gone, code);
  if (code)
    throw Error(Fault::runtime, fmt::format("cannot remove all of the run: {}", code.message()),
                gone.string(), "change the permissions, and remove the directory yourself");
}

int sweep_left_overs(const fs::path& folder) {
  int swept = 0;
  std::error_code error;
  std::vector<fs::path> hidden;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string()[0] == '.') hidden.push_back(at->path());
  for (const fs::path& path : hidden) swept += sweep(path) ? 1 : 0;
  return swept;
}

}  // namespace murmur
