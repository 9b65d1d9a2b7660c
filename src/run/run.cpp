// run.cpp: a run directory held open for writing: append, mark, cut back and go on.
//
// Every file is written at the place the mark gives, and the mark moves only after a write is
// whole; so a write that failed is made again over itself, and a crash loses only what no mark
// covers.
#include "murmur/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run/npy.h"
#include "run/run_directory.h"
#include "run/sha256.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

constexpr const char* checkpoint_name = "checkpoint.safetensors";
constexpr std::string_view mark_prefix = "run/";

// A digest of names and values: a checkpoint whose bytes have changed since is not believed.
std::string digest_of(const Record& record) {
  Sha256 digest;
  for (const auto& [name, array] : record) {
    digest.update(std::as_bytes(std::span(name)));
    digest.update(bytes_of(array));
  }
  return digest.hex();
}

Record with_mark(Record record, const RunMark& mark) {
  record["run/frames"] = array_of(mark.frames);
  record["run/observables_bytes"] = array_of(mark.observables_bytes);
  record["run/events_bytes"] = array_of(mark.events_bytes);
  return record;
}

std::int64_t take_number(Record& record, const std::string& name) {
  const auto entry = record.extract(name);
  const auto* values =
      entry ? std::get_if<std::vector<std::int64_t>>(&entry.mapped().values) : nullptr;
  if (values == nullptr || values->size() != 1 || values->front() < 0)
    throw Error(Fault::input, fmt::format("the number {} is not there", name), name, "");
  return values->front();
}

// Reads a checkpoint; the mark leaves the record. Nothing when there is none.
std::optional<Record> read_checkpoint(const fs::path& directory, RunMark& mark) {
  const fs::path path = directory / checkpoint_name;
  if (std::error_code ignored; !fs::exists(path, ignored)) return std::nullopt;
  try {
    Safetensors content = read_safetensors(path);
    if (content.metadata["sha256"] != digest_of(content.tensors))
      throw Error(Fault::input, "its content does not match its digest", path.string(), "");
    mark.frames = take_number(content.tensors, "run/frames");
    mark.observables_bytes = take_number(content.tensors, "run/observables_bytes");
    mark.events_bytes = take_number(content.tensors, "run/events_bytes");
    return std::move(content.tensors);
  } catch (const Error& problem) {
    throw Error(Fault::input, "the checkpoint is damaged: " + problem.summary, path.string(),
                "delete it to start again from t = 0");
  }
}

// "t,energy,...\n" at the head of observables.csv.
std::string first_line(const File& file) {
  const Source source = source_of(file);
  const std::string text = source.text(0, std::min<std::uint64_t>(source.size, 1 << 20));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos)
    throw source.wrong(0, "the table has lost its row of names",
                       "restore the file, or make the run again from its config.toml");
  return text.substr(0, end + 1);
}

void cut(File& file, std::int64_t length) {
  if (file.size() < static_cast<std::uint64_t>(length))
    throw Error(Fault::input, "the file is shorter than the last checkpoint says",
                file.path().string(),
                "delete checkpoint.safetensors beside it to start again from t = 0");
  file.truncate(static_cast<std::uint64_t>(length));
}

void check_singles(std::span<const double> rows, double t, int d) {
  for (std::size_t e = 0; e < rows.size(); ++e)
    if (!(std::abs(rows[e]) <= std::numeric_limits<float>::max()))
      throw Error(Fault::numerical, "a position is too large for single precision",
                  fmt::format("t = {}, particle {}", t, e / static_cast<std::size_t>(d)),
                  "use precision=f64, or a smaller T");
}

// "t,a,b\n", each number the shortest text that reads back as itself; NaN is an empty cell.
std::string row_text(double t, std::span<const double> row) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}", t);
  for (double value : row) {
    if (std::isnan(value))
      text.push_back(',');
    else
      fmt::format_to(out, ",{}", value);
  }
  text.push_back('\n');
  return fmt::to_string(text);
}

}  // namespace

struct Run::State {
  fs::path directory;
  File lock;
  Manifest manifest{};
  GrowingNpy trajectory{}, times{};
  File observables{}, events{};
  std::size_t columns = 0;  // of observables, after t
  RunMark mark{};
  std::optional<Record> last_checkpoint{};
  std::chrono::steady_clock::time_point opened = std::chrono::steady_clock::now();

  // The mark is that of an empty run until a checkpoint says otherwise.
  State(const fs::path& directory, File held_lock)
      : directory(directory), lock(std::move(held_lock)), manifest(read_manifest(directory)) {
    trajectory = GrowingNpy::open(directory / "trajectory.npy");
    times = GrowingNpy::open(directory / "times.npy");
    if (trajectory.row().size() != 2 || !times.row().empty() || times.element() != Element::f64)
      throw Error(Fault::input, "trajectory.npy or times.npy is not of a run's shape",
                  directory.string(), "make the run again from its config.toml");
    observables = File::writing(directory / "observables.csv");
    events = File::writing(directory / "events.jsonl");
    const std::string names = first_line(observables);
    columns = static_cast<std::size_t>(std::count(names.begin(), names.end(), ','));
    mark.observables_bytes = static_cast<std::int64_t>(names.size());
  }

  void cut_to_mark() {
    trajectory.cut(mark.frames);
    times.cut(mark.frames);
    cut(observables, mark.observables_bytes);
    cut(events, mark.events_bytes);
  }

  void sync() {
    trajectory.sync();
    times.sync();
    observables.sync();
    events.sync();
  }

  void save_manifest() { write_file_atomically(directory / "manifest.json", to_json(manifest)); }
};

Run::Run(std::unique_ptr<State> state) : state_(std::move(state)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Run Run::create(const fs::path& directory, const RunContents& contents, bool replace) {
  File lock = make_run_directory(directory, contents, replace);
  return Run(std::make_unique<State>(directory, std::move(lock)));
}

Run Run::reopen(const fs::path& directory, const std::vector<std::string>& argv) {
  read_manifest(directory);  // refuses what is not ours before the lock leaves a trace there
  auto state = std::make_unique<State>(directory, lock_run_directory(directory));
  state->last_checkpoint = read_checkpoint(directory, state->mark);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (is_replacement_in_waiting(entry.path())) remove_quietly(entry.path());

  Manifest& manifest = state->manifest;  // first: from here on its digests may be out of date
  manifest.status = "running";
  manifest.finished.clear();
  manifest.sentence.clear();
  manifest.numbers.clear();
  manifest.sha256.clear();
  manifest.resumes.push_back({utc_now(), argv});
  state->save_manifest();
  state->cut_to_mark();
  return Run(std::move(state));
}

const fs::path& Run::directory() const { return state_->directory; }

const std::optional<Record>& Run::last_checkpoint() const { return state_->last_checkpoint; }

void Run::append(double t, const HostSwarm& frame, std::span<const double> row) {
  State& s = *state_;
  assert(row.size() == s.columns);
  const std::int64_t index = s.mark.frames;
  const std::vector<double> rows = to_rows(frame);  // (n, d)
  if (s.trajectory.element() == Element::f32) {
    check_singles(rows, t, frame.d());
    const std::vector<float> singles(rows.begin(), rows.end());
    s.trajectory.put(index, std::as_bytes(std::span(singles)));
  } else {
    s.trajectory.put(index, std::as_bytes(std::span(rows)));
  }
  s.times.put(index, std::as_bytes(std::span(&t, 1)));
  const std::string line = row_text(t, row);
  s.observables.write_at(static_cast<std::uint64_t>(s.mark.observables_bytes), line);
  s.times.count(index + 1);
  s.trajectory.count(index + 1);
  s.mark.frames = index + 1;
  s.mark.observables_bytes += static_cast<std::int64_t>(line.size());
}

void Run::event(std::string_view json_object) {
  assert(json_object.find('\n') == std::string_view::npos);
  const std::string line = std::string(json_object) + '\n';
  state_->events.write_at(static_cast<std::uint64_t>(state_->mark.events_bytes), line);
  state_->mark.events_bytes += static_cast<std::int64_t>(line.size());
}

void Run::checkpoint(const Record& record) {
  for ([[maybe_unused]] const auto& [name, array] : record) assert(!name.starts_with(mark_prefix));
  state_->sync();
  Safetensors content{.tensors = with_mark(record, state_->mark)};
  content.metadata["sha256"] = digest_of(content.tensors);
  write_safetensors(state_->directory / checkpoint_name, content);
}

void Run::close(const std::string& status, const std::map<std::string, double>& numbers,
                const std::string& sentence) {
  State& s = *state_;
  s.cut_to_mark();
  s.sync();
  Manifest& manifest = s.manifest;
  if (status != "interrupted")  // a run that goes on would make new ones at once
    for (const char* name :
         {"trajectory.npy", "times.npy", "observables.csv", "model.safetensors", "density.npy",
          "grid.npy", "phases.json", "points.json", "atoms.npy", "scan.csv", "scan.json"})
      if (fs::exists(s.directory / name))
        manifest.sha256[name] = sha256_of_file(s.directory / name);
  const auto now = std::chrono::steady_clock::now();
  manifest.seconds += std::chrono::duration<double>(now - s.opened).count();
  s.opened = now;
  manifest.finished = utc_now();
  manifest.status = status;
  manifest.numbers = numbers;
  manifest.sentence = sentence;
  s.save_manifest();
}

}  // namespace murmur
