// run_directory.cpp: makes, finds and removes run directories.
#include "run/run_directory.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <thread>

#include "murmur/error.h"
#include "murmur/run.h"
#include "run/checkpoint.h"
#include "run/compare.h"
#include "run/discard.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run/npy.h"
#include "run/text.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

// Returns the absolute path without a closing slash and with links resolved.
fs::path place_of(const fs::path& directory) {
  std::error_code ignored;
  fs::path place = fs::weakly_canonical(directory, ignored);
  if (place.empty()) place = directory;
  return place.has_filename() ? place : place.parent_path();
}

void require_no_run_inside(const fs::path& place, const char* not_done) {
  for (fs::recursive_directory_iterator at(place), end; at != end; ++at)
    if (fs::is_directory(at->symlink_status()) && is_run_directory(at->path()))
      throw Error(Fault::input, fmt::format("the run holds another run, so it is not {}", not_done),
                  at->path().string(), "move that one away, or delete it first");
}

// A run directory is put in its place by a rename, after which a process inside of the old one
// would work in a folder that is gone.
void require_outside(const fs::path& place) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const auto [end, ignored] = std::mismatch(place.begin(), place.end(), here.begin(), here.end());
  if (!error && end == place.end())
    throw Error(Fault::usage, "the output directory is the current folder, or holds it",
                place.string(), "name another with -o DIR, or go to another folder first");
}

// Returns whether a run of this program is there and may be replaced.
bool must_replace(const fs::path& place, bool replace) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(place, ignored))) return false;
  if (fs::is_directory(place, ignored) && fs::is_empty(place, ignored)) return false;
  if (!replace)
    throw Error(Fault::usage, "the output directory is taken: it is there and not empty",
                place.string(),
                "name another with -o DIR, continue it with --resume DIR, or replace it with "
                "--force");
  if (!is_run_directory(place))
    throw Error(Fault::usage, "what is there is not a run of murmur, so it is not replaced",
                place.string(), "name another directory with -o DIR, or remove this one yourself");
  require_no_run_inside(place, "replaced");
  return true;
}

void put_file(const fs::path& path, std::string_view text) {
  File file = File::creating(path);
  file.write_at(0, text);
  file.sync();
}

// While it lives, signals that end the program wait: none may leave a half-made directory.
class HoldSignals {
 public:
  HoldSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~HoldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t before_{};
};

// The hidden directory; removed unless it was renamed.
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

File write_contents(const fs::path& directory, const RunContents& contents) {
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

void rename_into_place(Scaffold& scaffold, const fs::path& place) {
  try {
    rename_path(scaffold.path, place);
  } catch (const Error&) {
    must_replace(place, false);  // throws if another process was faster
    throw;
  }
  scaffold.moved = true;
  sync_directory(parent_of(place));
}

void rename_replacing(Scaffold& scaffold, const fs::path& place) {
  const File old_lock = lock_run_directory(place);
  const fs::path old = hidden_sibling(place, "old");
  rename_path(place, old);
  try {
    rename_into_place(scaffold, place);
  } catch (const Error&) {
    if (!scaffold.moved) rename_path(old, place);
    throw;
  }
  remove_quietly(old);
}

}  // namespace

File make_run_directory(const fs::path& directory, const RunContents& contents, bool replace) {
  const fs::path place = place_of(directory);
  require_outside(place);
  const bool replacing = must_replace(place, replace);
  const HoldSignals hold;
  make_directory(parent_of(place));
  sweep_left_overs(parent_of(place));
  Scaffold scaffold(place);
  File lock = write_contents(scaffold.path, contents);
  if (replacing)
    rename_replacing(scaffold, place);
  else
    rename_into_place(scaffold, place);
  return lock;
}

File lock_run_directory(const fs::path& directory) {
  const fs::path path = directory / "lock";
  std::error_code ignored;
  const bool there = fs::exists(fs::symlink_status(path, ignored));
  File lock = there ? File::writing(path) : File::creating(path);
  bool held = lock.try_lock();
  for (int tries = 0; !held && tries < 5;
       ++tries) {  // a process that only tests the lock releases it at once
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
} catch (const Error&) {  // the lock file cannot be read, or the disk cannot lock
  return false;
}

fs::path free_run_directory(const fs::path& runs, const std::string& name, std::uint64_t seed) {
  std::error_code ignored;
  for (std::uint64_t number = 1;; ++number) {
    const fs::path path = runs / fmt::format("{}-{}-{}", name, seed, number);
    if (!fs::exists(fs::symlink_status(path, ignored))) return path;
  }
}

// --- Removal (discard.h): a run disappears by one rename, then its files are removed.

namespace {

namespace fs = std::filesystem;

// With a closing slash a link would be followed.
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
    throw Error(Fault::input, "this is not a run of murmur, so it is not deleted", place.string(),
                "murmur runs lists the runs; a run holds a manifest.json that murmur wrote");
}

RunSize weigh(const fs::path& place) {
  require_no_run_inside(place, "deleted");
  RunSize weight;
  for (fs::recursive_directory_iterator at(place), end; at != end; ++at) {
    const fs::file_status status = at->symlink_status();
    if (!fs::is_directory(status)) ++weight.files;
    if (fs::is_regular_file(status)) weight.bytes += at->file_size();
  }
  return weight;
}

// Returns whether an unfinished directory holds only the files that a new run has.
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

RunSize measure_run(const fs::path& directory) {
  const fs::path place = without_slash(directory);
  require_run_itself(place);
  if (is_being_written(place))
    throw Error(Fault::runtime, "the run is being written by another process", place.string(),
                "wait until that process ends, or end it");
  return weigh(place);
}

void discard_run(const fs::path& directory) {
  const fs::path place = without_slash(directory);
  measure_run(place);
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
