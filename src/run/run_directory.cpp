// run_directory.cpp: makes run directories, replaces them when asked, and guards each by a lock.
#include "run/run_directory.h"

#include <fmt/format.h>

#include <cassert>
#include <chrono>
#include <thread>

#include "murmur/error.h"
#include "run/checkpoint.h"
#include "run/compare.h"
#include "run/discard.h"
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
  put_file(directory / "observables.csv", names_line(contents.columns));
  put_file(directory / "events.jsonl", "");

  Manifest manifest = manifest_of_now();
  manifest.command = contents.command;
  manifest.argv = contents.argv;
  manifest.engine = contents.engine;
  manifest.seed = contents.seed;
  manifest.made_of = MadeOf{.settings = contents.config,
                            .settings_sha256 = sha256_of_text(contents.config),
                            .inputs = digests_of_inputs(directory)};
  if (contents.branch) {
    const RunBranch& branch = *contents.branch;
    manifest.parent = Parent{branch.parent, branch.settings_sha256, branch.t};
    write_parting(directory, branch.state);
  }
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
  sweep_left_overs(parent_of(place));
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
  const bool there = fs::exists(fs::symlink_status(path, ignored));
  File lock = there ? File::writing(path) : File::creating(path);
  bool held = lock.try_lock();
  for (int tries = 0; !held && tries < 5; ++tries) {  // one who only asks is gone in a moment
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    held = lock.try_lock();
  }
  if (!held)
    throw Error(Fault::runtime, "the run is being written by another process", directory.string(),
                "wait until that process ends, or end it");
  return lock;
}

std::string names_line(const std::vector<std::string>& columns) {
  return fmt::format("t{}{}\n", columns.empty() ? "" : ",", joined(columns, ","));
}

void remove_left_over_parts(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (is_replacement_in_waiting(entry.path()) && !belongs_to_another_process(entry.path()))
      remove_quietly(entry.path());
}

bool is_being_written(const fs::path& directory) try {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(directory / "lock", ignored))) return false;
  File lock = File::reading(directory / "lock");
  return !lock.try_lock();
} catch (const Error&) {  // a lock that may not be read, or a disk that cannot lock
  return false;
}

fs::path free_run_directory(const fs::path& runs, const std::string& name, std::uint64_t seed) {
  std::error_code ignored;
  for (std::uint64_t number = 1;; ++number) {
    const fs::path path = runs / fmt::format("{}-{}-{}", name, seed, number);
    if (!fs::exists(fs::symlink_status(path, ignored))) return path;
  }
}

}  // namespace murmur
