// run.cpp: writes a run: files that grow, checkpoints, events; and the steps of a recorded process.
#include "murmur/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "murmur/stop.h"
#include "run/checkpoint.h"
#include "run/compare.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/manifest.h"
#include "run/npy.h"
#include "run/run_directory.h"
#include "run/sha256.h"
#include "run/source.h"

namespace murmur {

// --- Checkpoints (checkpoint.h).

namespace {

namespace fs = std::filesystem;
using Metadata = std::map<std::string, std::string>;

constexpr const char* kFactsDigest = "facts_sha256";

// Digest of names and values.
std::string digest_of(const Record& record) {
  Sha256 digest;
  for (const auto& [name, array] : record) {
    digest.update(std::as_bytes(std::span(name)));
    digest.update(bytes_of(array));
  }
  return digest.hex();
}

// Digest of all metadata except the digests themselves.
std::string digest_of(const Metadata& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata)
    if (key != "sha256" && key != kFactsDigest) text += key + "\n" + value + "\n";
  return sha256_of_text(text);
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

Metadata metadata_of(const CheckpointFacts& facts) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [name, so_far] : facts.files) files[name] = {so_far.bytes, so_far.sha256};
  Metadata metadata = {{"schema", facts.schema},
                       {"settings_sha256", facts.settings_sha256},
                       {"inputs", json_text(nlohmann::json(facts.inputs))},
                       {"files", json_text(files)}};
  metadata[kFactsDigest] = digest_of(metadata);
  return metadata;
}

std::optional<CheckpointFacts> facts_of(const Metadata& metadata, const fs::path& path) {
  if (metadata.size() <= 1)
    return std::nullopt;  // written by an earlier version: it has only a sha256
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  if (text(kFactsDigest) != digest_of(metadata))
    throw Error(Fault::input, "its facts about the run do not match their digest", path.string(),
                "");
  CheckpointFacts facts{.schema = text("schema"), .settings_sha256 = text("settings_sha256")};
  try {
    facts.inputs = json_of_text(text("inputs")).get<Digests>();
    const nlohmann::json files = json_of_text(text("files"));
    for (const auto& [name, so_far] : files.items())
      facts.files[name] = {so_far.at(0).get<std::uint64_t>(), so_far.at(1).get<std::string>()};
  } catch (const nlohmann::json::exception&) {
    throw Error(Fault::input, "its facts about the run cannot be read", path.string(), "");
  }
  return facts;
}

Safetensors read_with_digest(const fs::path& path) {
  Safetensors content = read_safetensors(path);
  if (content.metadata["sha256"] != digest_of(content.tensors))
    throw Error(Fault::input, "its content does not match its digest", path.string(), "");
  return content;
}

}  // namespace

std::optional<Checkpoint> read_checkpoint(const fs::path& directory) {
  const fs::path path = directory / kCheckpointName;
  if (std::error_code ignored; !fs::exists(fs::symlink_status(path, ignored))) return std::nullopt;
  try {
    Safetensors content = read_with_digest(path);
    Checkpoint checkpoint;
    checkpoint.facts = facts_of(content.metadata, path);
    checkpoint.mark.frames = take_number(content.tensors, "run/frames");
    checkpoint.mark.observables_bytes = take_number(content.tensors, "run/observables_bytes");
    checkpoint.mark.events_bytes = take_number(content.tensors, "run/events_bytes");
    checkpoint.state = std::move(content.tensors);
    return checkpoint;
  } catch (const Error& problem) {
    if (problem.fault == Fault::runtime) throw;  // the file may be intact and must not be deleted
    throw Error(Fault::input, "the checkpoint is damaged: " + problem.summary, path.string(),
                "delete it to start again from the beginning");
  }
}

void write_checkpoint(const fs::path& directory, Checkpoint checkpoint) {
  Safetensors content{.tensors = with_mark(std::move(checkpoint.state), checkpoint.mark)};
  if (checkpoint.facts) content.metadata = metadata_of(*checkpoint.facts);
  content.metadata["sha256"] = digest_of(content.tensors);
  write_safetensors(directory / kCheckpointName, content);
}

Record read_parting(const fs::path& directory) {
  const fs::path path = directory / kPartingName;
  try {
    return read_with_digest(path).tensors;
  } catch (const Error& problem) {
    if (problem.fault == Fault::runtime) throw;
    throw Error(Fault::input,
                "the state that this branch begins with is damaged: " + problem.summary,
                path.string(), "restore it, or make the branch again: murmur runs branch");
  }
}

void write_parting(const fs::path& directory, const Record& state) {
  Safetensors content{.tensors = state};
  content.metadata["sha256"] = digest_of(content.tensors);
  write_safetensors(directory / kPartingName, content);
}

// --- The run.

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark_prefix = "run/";

constexpr const char* kFrames[] = {"trajectory.npy", "times.npy", "observables.csv",
                                   "events.jsonl"};

// Returns the names of the files of an output: itself, or the complete files of a folder.
std::vector<std::string> files_of_output(const fs::path& directory, const std::string& output) {
  if (!output.ends_with('/')) return {output};
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator at(directory / output, none), end; !none && at != end;
       at.increment(none))
    if (!is_replacement_in_waiting(at->path()))
      names.push_back(output + at->path().filename().string());
  return names;
}

// Returns "t,energy,...\n", the first line of observables.csv.
std::string first_line(const File& file) {
  const Source source = source_of(file);
  const std::string text = source.text(0, std::min<std::uint64_t>(source.size, 1 << 20));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos)
    throw source.wrong(0, "the table has lost its row of names",
                       "restore the file, or make the run again from its config.toml");
  return text.substr(0, end + 1);
}

void check_length(const File& file, std::int64_t length) {
  if (file.size() < static_cast<std::uint64_t>(length))
    throw Error(Fault::input, "the file is shorter than the last checkpoint says",
                file.path().string(),
                "delete checkpoint.safetensors next to it to start again from t = 0");
}

void cut(File& file, std::int64_t length) {
  check_length(file, length);
  file.truncate(static_cast<std::uint64_t>(length));
}

// A digest of a growing file, which continues where it stopped.
struct Digested {
  std::uint64_t at = 0;
  Sha256 digest{};

  // Returns the digest of everything up to `end`.
  WrittenSoFar to(const File& file, std::uint64_t start, std::uint64_t end) {
    at = std::max(at, start);
    digest_range(file, {at, end}, digest);
    at = end;
    return {end - start, Sha256(digest).hex()};
  }
};

void check_singles(std::span<const double> rows, double t, int d) {
  for (std::size_t e = 0; e < rows.size(); ++e)
    if (!(std::abs(rows[e]) <= std::numeric_limits<float>::max()))
      throw Error(Fault::numerical, "a position is too large for single precision",
                  fmt::format("t = {}, particle {}", t, e / static_cast<std::size_t>(d)),
                  "use precision=f64, or a smaller T");
}

// "t,a,b\n", each number as the shortest text that reads back as the same number; NaN is an empty
// cell.
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
  std::string names{};                 // first line of observables.csv
  std::size_t columns = 0;             // of observables, after t
  std::vector<std::string> outputs{};  // of RunContents
  RunMark mark{};
  std::optional<Record> last_checkpoint{};
  Digested digested[4]{};  // of kFrames, up to the last checkpoint
  std::chrono::steady_clock::time_point opened = std::chrono::steady_clock::now();

  // Until a checkpoint is read, the mark is that of an empty run.
  State(const fs::path& directory, File held_lock)
      : directory(directory), lock(std::move(held_lock)), manifest(read_manifest(directory)) {
    trajectory = GrowingNpy::open(directory / "trajectory.npy");
    times = GrowingNpy::open(directory / "times.npy");
    if (trajectory.row().size() != 2 || !times.row().empty() || times.element() != Element::f64)
      throw Error(Fault::input, "trajectory.npy or times.npy is not of a run's shape",
                  directory.string(), "make the run again from its config.toml");
    observables = File::writing(directory / "observables.csv");
    events = File::writing(directory / "events.jsonl");
    names = first_line(observables);
    columns = static_cast<std::size_t>(std::count(names.begin(), names.end(), ','));
    mark.observables_bytes = static_cast<std::int64_t>(names.size());
  }

  // Error(input) unless the files match what will be appended.
  void check_contents(const RunContents& contents) const;
  void check_lengths() const {
    trajectory.check_length(mark.frames);
    times.check_length(mark.frames);
    check_length(observables, mark.observables_bytes);
    check_length(events, mark.events_bytes);
  }
  void check_frames(const CheckpointFacts& facts);

  void begin_session(const std::vector<std::string>& argv, const RunContents* new_settings);

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

  std::map<std::string, WrittenSoFar> digest_to_mark() {
    const auto bytes = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
    constexpr std::uint64_t header = GrowingNpy::kHeaderSize;
    return {{kFrames[0], digested[0].to(trajectory.file(), header, trajectory.end_of(mark.frames))},
            {kFrames[1], digested[1].to(times.file(), header, times.end_of(mark.frames))},
            {kFrames[2], digested[2].to(observables, 0, bytes(mark.observables_bytes))},
            {kFrames[3], digested[3].to(events, 0, bytes(mark.events_bytes))}};
  }

  void save_manifest() { write_file_atomically(directory / "manifest.json", to_json(manifest)); }
};

void Run::State::check_contents(const RunContents& contents) const {
  const auto differ = [&](const char* file, const std::string& is, const std::string& will) {
    throw Error(
        Fault::input, fmt::format("{} holds {}, and going on would write {}", file, is, will),
        (directory / file).string(), "restore config.toml and the file, or start a new run");
  };
  if (contents.command != manifest.command)
    differ("manifest.json", "a run of murmur " + manifest.command, "one of " + contents.command);
  const auto frame = [](const std::vector<std::size_t>& row, bool f32) {
    return fmt::format("frames of n = {}, d = {} in {}", row[0], row[1], f32 ? "f32" : "f64");
  };
  const std::string is = frame(trajectory.row(), trajectory.element() == Element::f32);
  const std::string will = frame(
      {static_cast<std::size_t>(contents.shape.n), static_cast<std::size_t>(contents.shape.d)},
      contents.stored == Precision::f32);
  if (is != will) differ("trajectory.npy", is, will);
  const std::string columns_now = names_line(contents.columns);
  const auto text = [](const std::string& line) {
    return "the columns " + line.substr(0, line.size() - 1);
  };
  if (names != columns_now) differ("observables.csv", text(names), text(columns_now));
}

// Error(input) unless the files up to the mark have the digests in the checkpoint.
void Run::State::check_frames(const CheckpointFacts& facts) {
  const auto now = digest_to_mark();
  for (const auto& [name, so_far] : facts.files) {
    const auto found = now.find(name);
    if (found == now.end()) continue;
    if (found->second.bytes != so_far.bytes || found->second.sha256 != so_far.sha256)
      throw Error(Fault::input,
                  fmt::format("{} is not as the run left it: its first {} bytes are others", name,
                              so_far.bytes),
                  (directory / name).string(),
                  "restore the file, or make the run again from its config.toml; murmur runs "
                  "verify lists all differences");
  }
}

// The manifest is written first: from here on its digests may be out of date. New settings replace
// the old ones in three atomic writes; after each of them config.toml is one of the texts that the
// manifest names.
void Run::State::begin_session(const std::vector<std::string>& argv,
                               const RunContents* new_settings) {
  const fs::path config = directory / "config.toml";
  const std::string now = read_text(config);
  const std::string digest = sha256_of_text(now);
  if (!manifest.made_of) manifest.made_of = MadeOf{.inputs = digests_of_inputs(directory)};
  MadeOf& made = *manifest.made_of;
  const auto become = [&](const std::string& text, const std::string& sha256) {
    if (!made.settings_sha256.empty() && made.settings_sha256 != sha256)
      made.before.push_back(made.settings_sha256);
    made.settings = text;
    made.settings_sha256 = sha256;
    made.next.clear();
    made.next_sha256.clear();
  };
  become(now, digest);
  manifest.status = "running";
  manifest.finished.clear();
  manifest.sentence.clear();
  manifest.numbers.clear();
  manifest.sha256.clear();
  manifest.resumes.push_back({utc_now(), argv});
  if (new_settings != nullptr) {
    made.next = new_settings->config;
    made.next_sha256 = sha256_of_text(made.next);
  }
  save_manifest();
  if (new_settings == nullptr) return;
  write_file_atomically(config, new_settings->config);
  become(new_settings->config, sha256_of_text(new_settings->config));
  save_manifest();
}

Run::Run(std::unique_ptr<State> state) : state_(std::move(state)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Run Run::create(const fs::path& directory, const RunContents& contents, bool replace) {
  File lock = make_run_directory(directory, contents, replace);
  auto state = std::make_unique<State>(directory, std::move(lock));
  state->outputs = contents.outputs;
  if (contents.branch) state->last_checkpoint = contents.branch->state;
  return Run(std::move(state));
}

Run Run::reopen(const fs::path& directory, const std::vector<std::string>& argv,
                const RunContents* contents, bool new_settings) {
  read_manifest(directory);  // refuses foreign directories before a lock file is made there
  File lock = lock_run_directory(directory);
  require_same_settings(directory, contents ? contents->free : std::vector<std::string>());
  auto state = std::make_unique<State>(directory, std::move(lock));
  if (contents != nullptr) {
    state->check_contents(*contents);
    state->outputs = contents->outputs;
  }
  if (std::optional<Checkpoint> checkpoint = read_checkpoint(directory)) {
    state->mark = checkpoint->mark;
    state->check_lengths();
    if (checkpoint->facts) state->check_frames(*checkpoint->facts);
    state->last_checkpoint = std::move(checkpoint->state);
  } else if (state->manifest.parent) {
    state->last_checkpoint = read_parting(directory);
  }
  require_whole(directory, contents ? contents->remade : std::vector<std::string>());
  remove_left_over_parts(directory);
  state->begin_session(argv, new_settings ? contents : nullptr);
  state->cut_to_mark();
  return Run(std::move(state));
}

const fs::path& Run::directory() const { return state_->directory; }

const std::optional<Record>& Run::last_checkpoint() const { return state_->last_checkpoint; }

std::int64_t Run::frames() const { return state_->mark.frames; }

void Run::append(double t, const HostSwarm& frame, std::span<const double> row) {
  State& s = *state_;
  assert(row.size() == s.columns);
  const std::int64_t index = s.mark.frames;
  const std::vector<double> rows = to_rows(frame);  // (n, d)
  if (frame.n() == 0) {
    // The ranks of a shared run have written the rows.
  } else if (s.trajectory.element() == Element::f32) {
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

void Run::checkpoint(Record record, bool last) {
  for ([[maybe_unused]] const auto& [name, array] : record) assert(!name.starts_with(mark_prefix));
  State& s = *state_;
  s.sync();
  Checkpoint checkpoint{.state = std::move(record), .mark = s.mark};
  if (const auto& made = s.manifest.made_of)
    checkpoint.facts =
        CheckpointFacts{schema_of_runs(), made->settings_sha256, made->inputs,
                        last ? std::map<std::string, WrittenSoFar>() : s.digest_to_mark()};
  write_checkpoint(s.directory, std::move(checkpoint));
}

void Run::close(const std::string& status, const std::map<std::string, double>& numbers,
                const std::string& sentence) {
  State& s = *state_;
  s.cut_to_mark();
  s.sync();
  Manifest& manifest = s.manifest;
  const auto digest = [&](const std::string& name) {
    std::error_code ignored;
    if (fs::is_regular_file(fs::symlink_status(s.directory / name, ignored)))
      manifest.sha256[name] = sha256_of_file(s.directory / name);
  };
  if (status != "interrupted")  // for interrupted runs the checkpoint holds the digests
    for (const char* name : kFrames) digest(name);
  for (const std::string& output : s.outputs)
    for (const std::string& name : files_of_output(s.directory, output)) digest(name);
  const auto now = std::chrono::steady_clock::now();
  manifest.seconds += std::chrono::duration<double>(now - s.opened).count();
  s.opened = now;
  manifest.finished = utc_now();
  manifest.status = status;
  manifest.numbers = numbers;
  manifest.sentence = sentence;
  s.save_manifest();
  remember_comparison(s.directory);
}

// --- Recorded processes: checkpoints, signals, progress.

namespace {

constexpr double kSecondsBetweenReports = 0.1;

double since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

double Pace::seconds() const { return since(began_); }

double Pace::seconds_left(double done, double of) {
  if (!(first_ == first_)) first_ = done;  // NaN: the first call
  if (!(done > first_)) return std::numeric_limits<double>::quiet_NaN();
  return seconds() * (of - done) / (done - first_);
}

RecordedProcess::RecordedProcess(Run& run, const ProcessControl& control, const char* clock)
    : run_(run), control_(control), clock_(clock) {}

bool RecordedProcess::checkpoint_due() const {
  return since(last_checkpoint_) >= control_.checkpoint_seconds;
}

bool RecordedProcess::report_due() {
  if (!control_.report || since(last_report_) < kSecondsBetweenReports) return false;
  last_report_ = Time::now();
  return true;
}

void RecordedProcess::save(double position, Record state, bool last) {
  position_ = position;
  run_.event(fmt::format(R"({{"event":"checkpoint","{}":{}}})", clock_, position));
  run_.checkpoint(std::move(state), last);
  last_checkpoint_ = Time::now();
}

void close_after_exception(Run& run, const std::map<std::string, double>& numbers) noexcept {
  try {  // the disk may be full: then the manifest still says that the run is running
    try {
      throw;
    } catch (const Stopped&) {
      run.close("interrupted", numbers, "");
    } catch (const Error& error) {
      run.close(error.fault == Fault::input ? "interrupted" : "failed", numbers, error.summary);
    } catch (const std::exception& error) {
      run.close("failed", numbers, error.what());
    }
  } catch (...) {
  }
}

void UnitProgress::add(double cost, bool kept) {
  ++all_;
  if (kept)
    ++done_;
  else
    cost_left_ += cost;
}

void UnitProgress::end(double cost, bool well) {
  if (well) ++done_;
  ++ended_;
  cost_left_ -= cost;
  cost_done_ += cost;
}

void UnitProgress::tell(
    const std::string& live,
    std::vector<std::pair<std::string, std::variant<double, std::string>>> details) const {
  if (!control_.report) return;
  Progress p{.done = done_, .of = all_, .what = what_, .speed_of = what_, .live = live};
  if (cost_done_ > 0) {
    p.seconds_left = pace_.seconds() * cost_left_ / cost_done_;
    p.speed = ended_ / pace_.seconds();
  }
  p.details = std::move(details);
  control_.report(p);
}

}  // namespace murmur
