// readings.cpp: the registry of readings, their options and tables as text, and the runs that they
// are computed from.
#include "report/readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/text.h"
#include "trace/layers.h"

namespace murmur {

using Json = nlohmann::json;

namespace {

std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_cell(value.get<std::string>());
  if (value.is_number_float()) {
    const double number = value.get<double>();
    return std::isfinite(number) ? fmt::format("{}", number) : "";
  }
  if (!value.is_array()) return json_text(value);
  std::vector<std::string> parts;
  for (const Json& item : value) parts.push_back(cell_text(item));
  return joined(parts, "+");
}

}  // namespace

std::string csv_of(const Table& table) {
  std::string text;
  const std::size_t columns =
      table.columns.size() - std::min(table.only_in_json, table.columns.size());
  for (std::size_t c = 0; c < columns; ++c)
    text += table.columns[c] + (c + 1 < columns ? "," : "\n");
  for (const std::vector<Json>& row : table.rows) {
    const std::size_t cells = columns > 0 ? columns : row.size();
    for (std::size_t c = 0; c < cells; ++c)
      text += cell_text(row[c]) + (c + 1 < cells ? "," : "\n");
  }
  return text;
}

Json json_of(const Table& table) {
  Json list = Json::array();
  for (const std::vector<Json>& row : table.rows) {
    if (table.columns.empty()) {
      list.push_back(row);
      continue;
    }
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) object[table.columns[c]] = row[c];
    list.push_back(std::move(object));
  }
  if (table.facts.is_null()) return list;
  Json whole = table.facts;
  whole[table.rows_name] = std::move(list);
  return whole;
}

ReadingOptions::ReadingOptions(std::string reading, std::span<const Parameter> options, Given given)
    : reading_(std::move(reading)), options_(options), given_(std::move(given)) {}

std::string ReadingOptions::text(const std::string& key) const {
  if (given(key)) return given_.at(key);
  for (const Parameter& option : options_)
    if (key == option.name) return option.initial;
  return {};
}

void ReadingOptions::refuse(const std::string& key, const std::string& reason,
                            const std::string& remedy) const {
  throw Error(Fault::input, fmt::format("{} = {}: {}", key, text(key), reason),
              fmt::format("{}={}", key, text(key)), remedy);
}

double ReadingOptions::number(const std::string& key) const {
  if (const std::optional<double> value = parse_number(text(key))) return *value;
  refuse(key, "not a finite number", fmt::format("write a number, e.g. {}=0.5", key));
}

int ReadingOptions::whole(const std::string& key) const {
  const double value = number(key);
  if (value != std::floor(value) || std::abs(value) > 1e9)
    refuse(key, "not a whole number", fmt::format("write a whole number, e.g. {}=8", key));
  return static_cast<int>(value);
}

std::optional<int> ReadingOptions::index(const std::string& key) const {
  if (!given(key) || text(key).empty()) return std::nullopt;
  const auto number = parse_whole(text(key), 0, 1'000'000);
  if (!number)
    throw Error(Fault::input, fmt::format("{} is not a whole number of 0 or above", text(key)),
                fmt::format("command line: {}={}", key, text(key)), "write a whole number");
  return static_cast<int>(*number);
}

RunView::RunView(RunReader run, std::string name, std::function<Settings()> settings,
                 std::vector<std::string> changes)
    : run_(std::move(run)),
      name_(std::move(name)),
      make_settings_(std::move(settings)),
      changes_(std::move(changes)) {}

namespace {

// Frames with the masses of the experiment, on its manifold. Error(input) for one that is not.
History fitted(History frames, std::shared_ptr<const Experiment> e, const std::string& name) {
  frames.frame = [frame = std::move(frames.frame), e = std::move(e), name](std::int64_t k) {
    HostSwarm x = frame(k);
    x.mass = e->swarm.mass;
    fit_to_manifold(x, e->dynamics.manifold, fmt::format("{}: frame {}", name, k));
    return x;
  };
  return frames;
}

}  // namespace

RunView::RunView(History points, std::string name, Settings settings, const WordedSpec& spec)
    : name_(std::move(name)),
      settings_(std::move(settings)),
      experiment_(std::make_shared<const Experiment>(make_experiment(spec))) {
  if (points.count == 0)
    points = {1, [](std::int64_t) { return 0.0; },
              [e = experiment_](std::int64_t) { return e->swarm; }};
  history_ = fitted(std::move(points), experiment_, name_);
}

const RunReader& RunView::stored_run() const {
  if (!run_)
    throw Error(Fault::input, "this reading is only for runs", name_,
                "give the directory of a run");
  return *run_;
}

const Settings& RunView::settings() const {
  if (!settings_) settings_ = make_settings_();
  return *settings_;
}

const Experiment& RunView::experiment() const {
  if (!experiment_) experiment_ = std::make_shared<const Experiment>(make_experiment(settings()));
  return *experiment_;
}

const RunReader& RunView::swarm_frames() const {
  settings();  // refuses frames that are not those of a swarm
  require_frames(stored_run());
  return stored_run();
}

const History& RunView::history() const {
  if (!history_) {
    experiment();
    const auto frames = std::make_shared<const RunReader>(stored_run());
    history_ = fitted({frames->frames(), [frames](std::int64_t k) { return frames->times()[k]; },
                       [frames](std::int64_t k) { return frames->frame(k); }},
                      experiment_, name_);
  }
  return *history_;
}

const TraceFile& RunView::trace() const {
  if (!trace_) {
    trace_ = read_trace_file(stored_run().directory());
    texts_of(*trace_, stored_run());  // refuses a trace of other frames
  }
  return *trace_;
}

const DomeStates& RunView::states() const {
  if (!states_) states_ = states_of_simulation(stored_run(), experiment());
  return *states_;
}

std::int64_t frame_index(std::int64_t asked, std::int64_t frames, const std::string& where,
                         const char* owner) {
  const std::int64_t frame = asked < 0 ? frames + asked : asked;
  if (frame < 0 || frame >= frames)
    throw Error(Fault::input, fmt::format("there is no frame {}", asked), where,
                fmt::format("{} has frames 0 to {}", owner, frames - 1));
  return frame;
}

std::int64_t frame_of(const RunView& view, const ReadingOptions& options) {
  const std::int64_t count = view.history().count;
  if (!options.given("frame") || options.text("frame") == "last") return count - 1;
  if (all_frames(options))
    options.refuse("frame", fmt::format("show={} shows one frame", options.reading()),
                   "write frame=last or the number of a frame");
  return frame_index(options.whole("frame"), count, view.name(), "it");
}

bool all_frames(const ReadingOptions& options) { return options.text("frame") == "all"; }

void draw(const Drawing& drawing, const std::filesystem::path& path) {
  if (drawing.write) return drawing.write(path);
  draw(drawing.figure, path);
  if (!drawing.csv.empty())
    write_file_atomically(std::filesystem::path(path).replace_extension(".csv"), drawing.csv);
}

namespace {

ColumnTable columns_of(const Table& table) {
  ColumnTable columns{.columns = table.columns};
  for (const std::vector<Json>& row : table.rows) {
    auto& cells = columns.rows.emplace_back();
    for (const Json& value : row)
      if (value.is_string())
        cells.emplace_back(value.get<std::string>());
      else
        cells.emplace_back(value.is_number() ? value.get<double>() : std::nan(""));
  }
  return columns;
}

}  // namespace

Drawing draw_columns(const Table& table, const TablePanel& described, const DrawRequest& request) {
  return {{.style = request.style, .panels = {panel_of(described, columns_of(table))}},
          csv_of(table)};
}

FigureAxis time_axis(const RunReader& run, const DrawRequest& request) {
  return {.label = "t", .log = is_in_log_time(run, request.time)};
}

// A file with readings is one line here and its declaration in readings.h.
std::span<const Reading> readings() {
  static const std::vector<Reading> all = [] {
    std::vector<Reading> rows;
    for (const auto& of_file : {swarm_readings(), token_readings(), trace_readings()})
      rows.insert(rows.end(), of_file.begin(), of_file.end());
    return rows;
  }();
  return all;
}

const Reading* find_reading(const std::string& name) {
  for (const Reading& reading : readings())
    if (name == reading.name) return &reading;
  return nullptr;
}

namespace {

std::vector<Parameter> each_name_once(std::vector<Parameter> Reading::*options) {
  std::vector<Parameter> all;
  for (const Reading& reading : readings())
    for (const Parameter& option : reading.*options)
      if (std::none_of(all.begin(), all.end(), [&](const Parameter& known) {
            return std::string_view(known.name) == option.name;
          }))
        all.push_back(option);
  return all;
}

}  // namespace

std::vector<ParameterValue> reading_values(bool (*has)(const Reading&), const char* command,
                                           const char* parameter) {
  static std::deque<std::string> examples;  // values of parameters hold pointers to them
  std::vector<ParameterValue> values;
  for (const Reading& reading : readings()) {
    if (!has(reading)) continue;
    const bool table = std::string_view(parameter) == "show";
    values.push_back({reading.name, table ? reading.table_meaning : reading.picture_meaning});
    if (*reading.example_run == '\0') continue;
    examples.push_back(
        fmt::format("murmur {} {} {}={}", command, reading.example_run, parameter, reading.name));
    values.back().example = examples.back().c_str();
  }
  return values;
}

std::vector<Parameter> options_of_tables() { return each_name_once(&Reading::options); }
std::vector<Parameter> options_of_pictures() { return each_name_once(&Reading::picture_options); }

RunView view_of(const RunReport& report) {
  const std::filesystem::path config = report.run() / "config.toml";
  return {RunReader(report.run()), report.run().string(),
          [config] { return gather({.base = config.string()}); }};
}

void add_sections(RunReport& report, const RunView& view) {
  std::vector<const Reading*> sections;
  for (const Reading& reading : readings())
    if (reading.add_section != nullptr) sections.push_back(&reading);
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Reading* a, const Reading* b) { return a->place < b->place; });
  for (const Reading* reading : sections) {
    if (report.stopped()) return;
    reading->add_section(report, view, *reading);
  }
}

void add_section_of(RunReport& report, const RunView& view, const Reading& reading,
                    const char* heading, const std::string& caption,
                    const ReadingOptions::Given& given) {
  const ReadingOptions options(reading.name, reading.picture_options, given);
  const Drawing drawing =
      reading.draw(view, options,
                   {.style = report.style(),
                    .time = view.is_made_by("trace") ? TimeScale::linear  // even layers
                                                     : TimeScale::chosen});
  const std::vector<std::filesystem::path> drawn =
      draw_svg_and_png(drawing.figure, report.figures, reading.name);
  if (!drawing.csv.empty())
    write_file_atomically(report.figures / fmt::format("{}.csv", reading.name), drawing.csv);
  report.add_figure(drawn, heading, caption.empty() ? drawing.figure.note : caption);
}

}  // namespace murmur
