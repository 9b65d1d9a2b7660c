// run_directory.cpp: makes run directories, replaces them when asked, and guards each by a lock.
#include "run/run_directory.h"

#include <fmt/format.h>

#include <cassert>

#include "murmur/error.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run/npy.h"
#include "run/text.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

// The place itself: absolute, without a closing slash, behind any link.
fs::path place_of(const fs::path& directory) {
  std::error_code ignored;
  fs::path place = fs::weakly_canonical(directory, ignored);
  if (place.empty()) place = directory;
  return place.has_filename() ? place : place.parent_path();
}

// True when a run of ours stands there and may be replaced.
bool must_replace(const fs::path& place, bool replace) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(place, ignored))) return false;
  if (fs::is_directory(place, ignored) && fs::is_empty(place, ignored)) return false;
  if (!replace)
    throw Error(Fault::usage, "the output directory is taken: it is there and not empty",
                place.string(),
                "name another with -o DIR, go on with it by --resume DIR, or replace it by "
                "--force");
  if (!is_run_directory(place))
    throw Error(Fault::usage, "what is there is not a run of ours, so it is not replaced",
                place.string(), "name another directory with -o DIR, or remove this one yourself");
  return true;
}

void put_file(const fs::path& path, std::string_view text) {
  File file = File::creating(path);
  file.write_at(0, text);
  file.sync();
}

// Removed again unless it was moved to its place.
struct Scaffold {
  fs::path path;
  bool moved = false;

  explicit Scaffold(const fs::path& place) : path(hidden_sibling(place, "new")) {
    make_directory(path);
  }
  Scaffold(const Scaffold&) = delete;
  Scaffold& operator=(const Scaffold&) = delete;
  ~Scaffold() {
    if (!moved) remove_quietly(path);
  }
};

File furnish(const fs::path& directory, const RunContents& contents) {
  File lock = File::creating(directory / "lock");
  lock.try_lock();
  put_file(directory / "config.toml", contents.config);
  make_directory(directory / "inputs");
  for (const auto& [name, array] : contents.inputs) {
    assert(!name.empty() && name.find('/') == std::string::npos);
    write_npy(directory / "inputs" / (name + ".npy"), array);
  }
  const Element element = contents.stored == Precision::f32 ? Element::f32 : Element::f64;
  const std::vector<std::size_t> frame{static_cast<std::size_t>(contents.shape.n),
                                       static_cast<std::size_t>(contents.shape.d)};
  GrowingNpy::create(directory / "trajectory.npy", element, frame).sync();
  GrowingNpy::create(directory / "times.npy", Element::f64, {}).sync();
  put_file(
      directory / "observables.csv",
      fmt::format("t{}{}\n", contents.columns.empty() ? "" : ",", joined(contents.columns, ",")));
  put_file(directory / "events.jsonl", "");

  Manifest manifest = manifest_of_now();
  manifest.command = contents.command;
  manifest.argv = contents.argv;
  manifest.engine = contents.engine;
  manifest.seed = contents.seed;
  put_file(directory / "manifest.json", to_json(manifest));
  sync_directory(directory);
  return lock;
}

void move_in(Scaffold& scaffold, const fs::path& place) {
  try {
    rename_path(scaffold.path, place);
  } catch (const Error&) {
    must_replace(place, false);  // another process came first: then this says so
    throw;
  }
  scaffold.moved = true;
  sync_directory(parent_of(place));
}

void move_in_replacing(Scaffold& scaffold, const fs::path& place) {
  const File old_lock = lock_run_directory(place);
  const fs::path old = hidden_sibling(place, "old");
  rename_path(place, old);
  try {
    move_in(scaffold, place);
  } catch (const Error&) {
    if (!scaffold.moved) rename_path(old, place);
    throw;
  }
  remove_quietly(old);
}

}  // namespace

File make_run_directory(const fs::path& directory, const RunContents& contents, bool replace) {
  const fs::path place = place_of(directory);
  const bool replacing = must_replace(place, replace);
  make_directory(parent_of(place));
  Scaffold scaffold(place);
  File lock = furnish(scaffold.path, contents);
  if (replacing)
    move_in_replacing(scaffold, place);
  else
    move_in(scaffold, place);
  return lock;
}

File lock_run_directory(const fs::path& directory) {
  const fs::path path = directory / "lock";
  std::error_code ignored;
  File lock = fs::exists(path, ignored) ? File::writing(path) : File::creating(path);
  if (!lock.try_lock())
    throw Error(Fault::runtime, "the run is being written by another process", directory.string(),
                "wait until that process ends, or end it");
  return lock;
}

fs::path free_run_directory(const fs::path& runs, const std::string& name, std::uint64_t seed) {
  std::error_code ignored;
  for (std::uint64_t number = 1;; ++number) {
    const fs::path path = runs / fmt::format("{}-{}-{}", name, seed, number);
    if (!fs::exists(fs::symlink_status(path, ignored))) return path;
  }
}

}  // namespace murmur
