// compare.cpp: compares every file of a run with its digest, and counts of frames with each other.
#include "run/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "murmur/error.h"
#include "run/checkpoint.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run/npy.h"
#include "run/run_directory.h"
#include "run/sha256.h"
#include "run/shell.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

// A file that the machine does not let us read is told as a difference, or ends the comparison: it
// may be whole, and no advice for damage is given then.
enum class Unreadable { told, thrown };

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
              made.settings, told([&] { return read_text(directory_ / "config.toml"); }), {}))
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
  // What a step of the comparison found, or why it could not look.
  template <class Look>
  std::string told(const Look& look) const {
    try {
      return look();
    } catch (const Error& error) {
      if (unreadable_ == Unreadable::thrown && error.fault == Fault::runtime) throw;
      return error.summary;
    }
  }

  std::string digest_text(const fs::path& path) const {
    return told([&] { return "sha256 " + sha256_of_file(path); });
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
    const std::string found = told([&] {
      read = read_checkpoint(directory_);
      return good;
    });
    if (read || found != good) add(kCheckpointName, good, found);
    if (manifest_.parent)
      add(kPartingName, good, told([&] {
            read_parting(directory_);
            return good;
          }));
    if (!read) return;
    mark_ = read->mark;
    if (!read->facts) return;
    if (manifest_.made_of) known_settings(read->facts->settings_sha256);
    for (const auto& [name, so_far] : read->facts->files) {
      const auto whole = manifest_.sha256.find(name);  // then it was compared in full
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
    add(name, text(so_far.sha256), told([&] {
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
    std::uint64_t counted = 0, held = 0;  // by the header, and whole in the file
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

  // Frames that headers, times and table count, and that the files hold.
  void frames() {
    Rows trajectory, times;
    std::uint64_t table = 0;
    const std::string good = "frames, times and a table";
    const std::string found = told([&] {
      trajectory = rows_of("trajectory.npy", 3);
      times = rows_of("times.npy", 1);
      table = rows_of_table();
      return good;
    });
    if (found != good) return add("trajectory.npy", good, found);
    const auto count = [](std::uint64_t k) { return fmt::format("{} frames", k); };
    const std::uint64_t marked = mark_ ? static_cast<std::uint64_t>(mark_->frames) : 0;
    if (manifest_.status == "running") {  // more may be there: it was killed after its checkpoint
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

  // A run over time that is marked done has come to its T.
  void reached_the_end(const Rows& times) {
    if (manifest_.command != "simulate" && manifest_.command != "meanfield") return;
    const std::string config = told([&] { return read_text(directory_ / "config.toml"); });
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

// "sha256 0123...": the first digits tell two apart.
std::string shortened(const std::string& text) {
  const std::size_t at = text.find("sha256 ");
  if (at == std::string::npos || text.size() < at + 71) return text;
  return text.substr(0, at + 19) + text.substr(at + 71);
}

// A trace is not made from its settings: these are of the flow that it is compared with.
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
              fmt::format("restore the file, or {}; murmur runs verify {} tells all that differs",
                          how_to_make_again(directory), shell_path(directory)));
}

}  // namespace

bool RunComparison::agrees() const {
  return std::all_of(checks.begin(), checks.end(), [](const auto& c) { return c.agrees(); });
}

RunComparison compare_run(const fs::path& directory) {
  RunComparison result;
  Comparison comparison(directory, result, Unreadable::told);
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

}  // namespace murmur
