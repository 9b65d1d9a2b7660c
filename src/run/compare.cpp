// compare.cpp: compares a run directory with what its manifest and its checkpoint say about it.
#include "run/compare.h"

#include <errno.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "run/checkpoint.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/identity.h"
#include "run/json_text.h"
#include "run/manifest.h"
#include "run/npy.h"
#include "run/run_directory.h"
#include "run/sha256.h"
#include "run/shell.h"

namespace murmur {

// --- Settings and inputs (identity.h).

namespace {

namespace fs = std::filesystem;

constexpr const char* kRestore =
    "restore it, or start a new run; murmur runs branch RUN KEY=VALUE makes one that goes on from "
    "here with changed settings";

// A line with content: its number, the key before '=', and its text without outer blanks.
struct Line {
  int number = 0;
  std::string key{}, text{};
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<Line> lines_of(const std::string& config, std::span<const std::string> free) {
  std::vector<Line> lines;
  int number = 0;
  for (std::size_t start = 0; start < config.size();) {
    const std::size_t end = std::min(config.find('\n', start), config.size());
    Line line{++number, {}, trimmed(config.substr(start, end - start))};
    start = end + 1;
    line.key = trimmed(line.text.substr(0, line.text.find('=')));
    const bool counts = !line.text.empty() && line.text[0] != '#' &&
                        std::find(free.begin(), free.end(), line.key) == free.end();
    if (counts) lines.push_back(std::move(line));
  }
  return lines;
}

const Line* find(const std::vector<Line>& lines, const std::string& key) {
  for (const Line& line : lines)
    if (line.key == key) return &line;
  return nullptr;
}

// Returns a line for a message: without control bytes, and shortened to fit.
std::string shown(const std::string& line) {
  constexpr std::size_t most = 60;
  std::string text = line.substr(0, most);
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return line.size() > most ? text + "..." : text;
}

void require_same_text(const fs::path& directory, const Manifest& manifest,
                       std::span<const std::string> free) {
  const fs::path path = directory / "config.toml";
  const std::string now = read_text(path);
  const std::string digest = sha256_of_text(now);
  const MadeOf& made = *manifest.made_of;
  if (digest == made.settings_sha256 || digest == made.next_sha256) return;
  const auto change = first_change(made.settings, now, free);
  if (!change) return;
  throw Error(Fault::input, "the run was made with other settings: " + sentence_of(*change),
              change->line > 0 ? fmt::format("{}:{}", path.string(), change->line) : path.string(),
              kRestore);
}

void require_same_inputs(const fs::path& directory, const Digests& made) {
  const Digests now = digests_of_inputs(directory);
  const auto refuse = [&](const std::string& name, const char* what) {
    throw Error(Fault::input, fmt::format("inputs/{} {}", name, what),
                (directory / "inputs" / name).string(), kRestore);
  };
  for (const auto& [name, digest] : made) {
    const auto found = now.find(name);
    if (found == now.end()) refuse(name, "was there when the run was made, and is gone");
    if (found->second != digest) refuse(name, "is not the input the run was made with");
  }
  for (const auto& [name, digest] : now)
    if (made.count(name) == 0) refuse(name, "was not there when the run was made");
}

// The digests in a checkpoint must be those of the run, or those of the run before T was raised.
void require_same_checkpoint(const fs::path& directory, const Manifest& manifest,
                             const CheckpointFacts& facts) {
  const fs::path path = directory / kCheckpointName;
  const auto refuse = [&](const std::string& what) {
    throw Error(Fault::input, "the checkpoint is of another run: " + what, path.string(),
                "restore the one that belongs here, or delete it to start again from t = 0");
  };
  if (facts.schema != schema_of_runs())
    refuse(
        fmt::format("it is laid out as {}; this murmur knows {}", facts.schema, schema_of_runs()));
  const std::string now = sha256_of_text(read_text(directory / "config.toml"));
  std::vector<std::string> known{now};
  if (manifest.made_of) {
    known = manifest.made_of->before;
    known.push_back(manifest.made_of->settings_sha256);
  }
  if (std::find(known.begin(), known.end(), facts.settings_sha256) == known.end())
    refuse("its settings are not those of config.toml");
  if (facts.inputs != (manifest.made_of ? manifest.made_of->inputs : digests_of_inputs(directory)))
    refuse("its inputs are not those of inputs/");
}

}  // namespace

std::string sha256_of_text(std::string_view text) {
  Sha256 digest;
  digest.update(std::as_bytes(std::span(text.data(), text.size())));
  return digest.hex();
}

Digests digests_of_inputs(const fs::path& directory) {
  Digests digests;
  std::error_code none;
  for (fs::directory_iterator at(directory / "inputs", none), end; !none && at != end;
       at.increment(none)) {
    const std::string name = at->path().filename().string();
    if (at->path().extension() == ".npy" && name[0] != '.')
      digests[name] = sha256_of_file(at->path());
  }
  return digests;
}

std::optional<SettingsChange> first_change(const std::string& was, const std::string& is,
                                           std::span<const std::string> free) {
  const std::vector<Line> before = lines_of(was, free), now = lines_of(is, free);
  std::optional<SettingsChange> first;
  const auto note = [&](const SettingsChange& change) {
    if (first)
      ++first->others;
    else
      first = change;
  };
  for (const Line& line : now) {
    const Line* old = find(before, line.key);
    if (old == nullptr)
      note({line.number, {}, line.text});
    else if (old->text != line.text)
      note({line.number, old->text, line.text});
  }
  for (const Line& line : before)
    if (find(now, line.key) == nullptr) note({0, line.text, {}});
  if (!first && before.size() != now.size()) first = SettingsChange{0, "each line once", {}};
  return first;
}

std::string sentence_of(const SettingsChange& change) {
  const std::string was = shown(change.was), is = shown(change.is);
  std::string text;
  if (was.empty())
    text = fmt::format("{} is there now, and was not", is);
  else if (is.empty())
    text = fmt::format("{} was made, and is gone now", was);
  else
    text = fmt::format("{} was made, {} is there now", was, is);
  if (change.others > 0)
    text += fmt::format(" (and {} more line{})", change.others, change.others > 1 ? "s" : "");
  return text;
}

std::string require_same_settings(const fs::path& directory, std::span<const std::string> free) {
  const Manifest manifest = read_manifest(directory);
  if (manifest.made_of) {
    require_same_text(directory, manifest, free);
    require_same_inputs(directory, manifest.made_of->inputs);
  }
  std::optional<Checkpoint> checkpoint = read_checkpoint(directory);
  if (checkpoint && checkpoint->facts) {
    require_same_checkpoint(directory, manifest, *checkpoint->facts);
  } else if (!manifest.made_of || checkpoint) {
    return "this run is older than the digests of settings: whether config.toml and inputs/ are "
           "those it was made with cannot be checked";
  }
  return {};
}

// --- The whole run.

namespace {

namespace fs = std::filesystem;

// A file that the system refuses to read is reported as a difference, or ends the comparison. It
// may be intact, so the message gives no advice for damaged files.
enum class Unreadable { reported, thrown };

class Comparison {
 public:
  Comparison(const fs::path& directory, RunComparison& result, Unreadable unreadable)
      : directory_(directory),
        manifest_(read_manifest(directory)),
        result_(result),
        unreadable_(unreadable) {}

  void note(const std::string& text) { result_.notes.push_back(text); }

  void settings() {
    if (!manifest_.made_of) {
      note("the run is older than the digests of settings and inputs: these are not compared");
      return;
    }
    const MadeOf& made = *manifest_.made_of;
    const std::string found = digest_text(directory_ / "config.toml");
    const bool next = !made.next_sha256.empty() && found == "sha256 " + made.next_sha256;
    add("config.toml", next ? found : "sha256 " + made.settings_sha256, found);
    if (!result_.checks.back().agrees())
      if (const auto change = first_change(
              made.settings, found_or_reason([&] { return read_text(directory_ / "config.toml"); }),
              {}))
        note("config.toml: " + sentence_of(*change));
    add("manifest.json", "settings sha256 " + made.settings_sha256,
        "settings sha256 " + sha256_of_text(made.settings));
    inputs(made.inputs);
  }

  void outputs() {
    for (const auto& [name, digest] : manifest_.sha256)
      add(name, "sha256 " + digest, digest_text(directory_ / name));
    if (manifest_.status == "done" && manifest_.sha256.count("trajectory.npy") == 0)
      add("manifest.json", "a sha256 of trajectory.npy", "none, in a run marked done");
    checkpoint();
    frames();
  }

 private:
  void add(const std::string& file, const std::string& expected, const std::string& found) {
    result_.checks.push_back({file, expected, found});
  }
  // Runs one step of the comparison; if the step cannot read a file, records why.
  template <class Look>
  std::string found_or_reason(const Look& look) const {
    try {
      return look();
    } catch (const Error& error) {
      if (unreadable_ == Unreadable::thrown && error.fault == Fault::runtime) throw;
      return error.summary;
    }
  }

  std::string digest_text(const fs::path& path) const {
    return found_or_reason([&] { return "sha256 " + sha256_of_file(path); });
  }

  void inputs(const Digests& made) {
    Digests now;
    try {
      now = digests_of_inputs(directory_);
    } catch (const Error& error) {
      add("inputs", "regular files", error.summary);
      return;
    }
    for (const auto& [name, digest] : made)
      add("inputs/" + name, "sha256 " + digest,
          now.count(name) == 0 ? "nothing" : "sha256 " + now[name]);
    for (const auto& [name, digest] : now)
      if (made.count(name) == 0) add("inputs/" + name, "nothing", "sha256 " + digest);
  }

  void checkpoint() {
    const std::string good = "content matches its digest";
    std::optional<Checkpoint> read;
    const std::string found = found_or_reason([&] {
      read = read_checkpoint(directory_);
      return good;
    });
    if (read || found != good) add(kCheckpointName, good, found);
    if (manifest_.parent)
      add(kPartingName, good, found_or_reason([&] {
            read_parting(directory_);
            return good;
          }));
    if (!read) return;
    mark_ = read->mark;
    if (!read->facts) return;
    if (manifest_.made_of) known_settings(read->facts->settings_sha256);
    for (const auto& [name, so_far] : read->facts->files) {
      const auto whole = manifest_.sha256.find(name);  // then it was compared completely
      if (whole == manifest_.sha256.end()) prefix(name, so_far);
    }
  }

  void known_settings(const std::string& digest) {
    const MadeOf& made = *manifest_.made_of;
    const bool before =
        std::find(made.before.begin(), made.before.end(), digest) != made.before.end();
    add(kCheckpointName, "settings sha256 " + (before ? digest : made.settings_sha256),
        "settings sha256 " + digest);
  }

  void prefix(const std::string& name, const WrittenSoFar& so_far) {
    const auto text = [&](const std::string& digest) {
      return fmt::format("sha256 {} of the first {} bytes", digest, so_far.bytes);
    };
    add(name, text(so_far.sha256), found_or_reason([&] {
          const File file = File::reading(directory_ / name);
          const std::uint64_t start = name.ends_with(".npy") ? GrowingNpy::kHeaderSize : 0;
          if (file.size() < start + so_far.bytes)
            return fmt::format("{} bytes in all", file.size());
          Sha256 digest;
          digest_range(file, {start, start + so_far.bytes}, digest);
          return text(digest.hex());
        }));
  }

  struct Rows {
    std::uint64_t counted = 0, held = 0;  // counted by the header; complete in the file
    double last = 0;                      // of an array of one axis: its last value
  };
  Rows rows_of(const char* name, std::size_t axes) const {
    const File file = File::reading(directory_ / name);
    const Source source = source_of(file);
    const NpyHeader header = read_npy_header(source);
    if (header.shape.size() != axes || header.data_offset > file.size())
      throw source.wrong(0, "an array of another shape", "");
    const std::vector<std::size_t> row(header.shape.begin() + 1, header.shape.end());
    const std::uint64_t bytes = bytes_of(header.element, row).value_or(0);
    Rows rows{.counted = header.shape[0], .held = header.shape[0]};
    if (bytes > 0) rows.held = (file.size() - header.data_offset) / bytes;
    const std::uint64_t whole = std::min(rows.counted, rows.held);
    if (axes == 1 && whole > 0 && header.element == Element::f64)
      source.read(header.data_offset + (whole - 1) * bytes,
                  std::as_writable_bytes(std::span(&rows.last, 1)));
    return rows;
  }

  // Compares the frames counted by headers, times and table with those in the files.
  void frames() {
    Rows trajectory, times;
    std::uint64_t table = 0;
    const std::string good = "frames, times and a table";
    const std::string found = found_or_reason([&] {
      trajectory = rows_of("trajectory.npy", 3);
      times = rows_of("times.npy", 1);
      table = rows_of_table();
      return good;
    });
    if (found != good) return add("trajectory.npy", good, found);
    const auto count = [](std::uint64_t k) { return fmt::format("{} frames", k); };
    const std::uint64_t marked = mark_ ? static_cast<std::uint64_t>(mark_->frames) : 0;
    if (manifest_.status ==
        "running") {  // more frames may exist: the process was killed after its checkpoint
      add("trajectory.npy", count(std::max(trajectory.held, marked)), count(trajectory.held));
      add("times.npy", count(std::max(times.held, marked)), count(times.held));
      return;
    }
    const std::uint64_t expected = std::max({marked, trajectory.counted, times.counted, table});
    add("trajectory.npy", count(expected), count(trajectory.counted));
    add("trajectory.npy", count(expected), count(trajectory.held));
    add("times.npy", count(expected), count(times.counted));
    add("times.npy", count(expected), count(times.held));
    add("observables.csv", count(expected), count(table));
    if (manifest_.status != "done") return;
    const std::uint64_t held = std::min(trajectory.counted, trajectory.held);
    if (held < expected)
      note(fmt::format("marked done, but it holds {} of {} frames", held, expected));
    reached_the_end(times);
  }

  std::uint64_t rows_of_table() const {
    const std::string text = read_text(directory_ / "observables.csv");
    const auto lines = std::count(text.begin(), text.end(), '\n');
    return lines > 0 ? static_cast<std::uint64_t>(lines - 1) : 0;
  }

  // A run over time that is marked done must have reached its T.
  void reached_the_end(const Rows& times) {
    if (manifest_.command != "simulate" && manifest_.command != "meanfield") return;
    const std::string config =
        found_or_reason([&] { return read_text(directory_ / "config.toml"); });
    const std::size_t at = ("\n" + config).find("\nT = ");
    double T = 0;
    if (at == std::string::npos ||
        std::from_chars(config.data() + at + 4, config.data() + config.size(), T).ec != std::errc())
      return;
    const bool reached = times.counted > 0 && times.last >= T * (1 - 1e-9);
    const auto end = [](double t) { return fmt::format("ends at t = {:g}", t); };
    add("times.npy", end(T), reached ? end(T) : end(times.last));
    if (!reached) note(fmt::format("marked done, but it ends at t = {:g} of {:g}", times.last, T));
  }

  fs::path directory_;
  Manifest manifest_;
  RunComparison& result_;
  Unreadable unreadable_;
  std::optional<RunMark> mark_{};
};

// "sha256 0123...": the first digits suffice to distinguish two digests.
std::string shortened(const std::string& text) {
  const std::size_t at = text.find("sha256 ");
  if (at == std::string::npos || text.size() < at + 71) return text;
  return text.substr(0, at + 19) + text.substr(at + 71);
}

// The settings of a trace are those of the flow that it is compared with, so they cannot make it
// again.
std::string how_to_make_again(const fs::path& directory) {
  const Manifest manifest = read_manifest(directory);
  if (manifest.command != "trace") return "make the run again from its config.toml";
  std::string command = "murmur";
  for (std::size_t k = 1; k < manifest.argv.size(); ++k)
    command += " " + shell_word(manifest.argv[k]);
  return "trace again: " + command;
}

[[noreturn]] void refuse(const fs::path& directory, const RunCheck& check) {
  std::error_code ignored;
  const bool there = fs::exists(fs::symlink_status(directory / check.file, ignored));
  throw Error(Fault::input,
              there ? fmt::format("{} is not as the run left it: {} expected, {} found", check.file,
                                  shortened(check.expected), shortened(check.found))
                    : fmt::format("the run did not keep {}: {} expected", check.file,
                                  shortened(check.expected)),
              (directory / check.file).string(),
              fmt::format("restore the file, or {}; murmur runs verify {} lists all differences",
                          how_to_make_again(directory), shell_path(directory)));
}

}  // namespace

bool RunComparison::agrees() const {
  return std::all_of(checks.begin(), checks.end(), [](const auto& c) { return c.agrees(); });
}

RunComparison compare_run(const fs::path& directory) {
  RunComparison result;
  Comparison comparison(directory, result, Unreadable::reported);
  comparison.settings();
  if (is_being_written(directory))
    comparison.note("the run is being written: of its outputs nothing is compared");
  else
    comparison.outputs();
  return result;
}

void require_whole(const fs::path& directory, std::span<const std::string> remade) {
  RunComparison result;
  Comparison(directory, result, Unreadable::thrown).outputs();
  const auto is_remade = [&](const std::string& file) {
    return std::any_of(remade.begin(), remade.end(), [&](const std::string& name) {
      return name.ends_with('/') ? file.starts_with(name) : file == name;
    });
  };
  for (const RunCheck& check : result.checks)
    if (!check.agrees() && !is_remade(check.file)) refuse(directory, check);
}

// --- Comparisons that agreed are remembered.

namespace {

namespace fs = std::filesystem;

constexpr const char* kMemory = "compared.json";

// Size, inode and times in nanoseconds: if a file was written since, at least one of them differs.
nlohmann::json looks_of(const fs::path& path) {
  struct stat s {};
  if (::lstat(path.c_str(), &s) != 0) return nullptr;
  const auto nanoseconds = [](const timespec& t) {
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
  };
  return {s.st_size, s.st_ino, nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

// Covers everything that a comparison reads. The times of folders show added files.
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

// Not synced: if the file is lost or damaged, the comparison is made again.
void remember_comparison(const fs::path& directory) noexcept try {
  const std::string text = json_text(looks_of_run(directory)) + "\n";
  const ListedPart part(hidden_sibling(directory / kMemory, "part"));
  try {
    File::creating(part.path()).write_at(0, text);
    rename_path(part.path(), directory / kMemory);
  } catch (...) {
    remove_quietly(part.path());
  }
} catch (...) {  // the folder is read-only: then the run is compared each time
}

void require_readable(const fs::path& directory, std::span<const std::string> free) {
  if (is_being_written(directory)) return;
  const nlohmann::json looks = looks_of_run(directory);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(directory / kMemory, ignored))) try {
      if (json_of_text(read_text(directory / kMemory)) == looks) return;
    } catch (const Error&) {  // the file cannot be read: the run is compared again
    }
  require_same_settings(directory, free);
  require_whole(directory);
  if (read_manifest(directory).status != "running" && looks_of_run(directory) == looks)
    remember_comparison(directory);
}

}  // namespace murmur
