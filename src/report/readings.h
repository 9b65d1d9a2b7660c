// readings.h: the registry of readings. A reading is computed from the frames of a run, as a table
// of numbers and as a picture. The commands measure, render, report, export, explain and
// completion, and the Python package, iterate over the registry.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/observe.h"
#include "murmur/run.h"
#include "picture/table_panel.h"
#include "report/dome.h"
#include "report/figures.h"
#include "report/report.h"
#include "trace/trace_file.h"

namespace murmur {

// Rows of cells under named columns. null, NaN and infinity make an empty cell.
struct Table {
  std::vector<std::string> columns{};  // empty: a matrix without names of columns
  std::vector<std::vector<nlohmann::json>> rows{};
  std::size_t only_in_json = 0;  // so many columns at the end are left out of CSV
  // Facts about the whole table. With them JSON is one object that holds the rows as `rows_name`;
  // without them it is a list of rows.
  nlohmann::json facts{};
  std::string rows_name{};
  std::string message{};  // explains the numbers to a reader of the table
};
std::string csv_of(const Table& table);
nlohmann::json json_of(const Table& table);

// The values of the options of one reading.
class ReadingOptions {
 public:
  using Given = std::map<std::string, std::string>;
  ReadingOptions(std::string reading, std::span<const Parameter> options, Given given = {});

  const std::string& reading() const { return reading_; }
  bool given(const std::string& key) const { return given_.count(key) > 0; }
  std::string text(const std::string& key) const;  // as given, or the default
  double number(const std::string& key) const;     // Error(input) unless it is finite
  int whole(const std::string& key) const;
  // A whole number of 0 or above; nothing where the option is not given.
  std::optional<int> index(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& reason,
                           const std::string& remedy) const;

 private:
  std::string reading_;
  std::span<const Parameter> options_;
  Given given_;
};

// The subject of a reading: a run, a file of points or the start of an experiment. Settings,
// experiment and trace are loaded when they are first asked for, each once.
class RunView {
 public:
  // `settings` returns the settings of the run, overridden by `changes`; Error(input) where its
  // frames are not those of a swarm.
  RunView(RunReader run, std::string name, std::function<Settings()> settings,
          std::vector<std::string> changes = {});
  // Points, or without frames the start of the experiment.
  RunView(History points, std::string name, Settings settings, const WordedSpec& spec);

  const std::string& name() const { return name_; }                 // for messages
  const RunReader* run() const { return run_ ? &*run_ : nullptr; }  // null: there is no run
  // The run. Error(input) where there is none.
  const RunReader& stored_run() const;
  bool is_made_by(const char* command) const { return run_ && run_->command() == command; }
  const std::vector<std::string>& changes() const { return changes_; }

  const Settings& settings() const;
  const Experiment& experiment() const;
  const Dynamics& dynamics() const { return experiment().dynamics; }
  const RunReader& swarm_frames() const;  // the run; Error(input) without frames of a swarm
  // Frames with the masses of the experiment, on its manifold.
  const History& history() const;
  const TraceFile& trace() const;    // Error(input) for runs that are no traced transformer
  const DomeStates& states() const;  // of a simulation

  // Frames of another run or file by name; opened by the program, which knows where runs are.
  std::function<History(const std::string& name)> open_frames{};
  // Finds the folder of pictures that `data`, or a trained swarm, names.
  std::function<std::filesystem::path(const std::string& named)> find_data{};

 private:
  std::optional<RunReader> run_{};
  std::string name_;
  std::function<Settings()> make_settings_{};
  std::vector<std::string> changes_{};
  mutable std::optional<Settings> settings_{};
  mutable std::shared_ptr<const Experiment> experiment_{};
  mutable std::optional<History> history_{};
  mutable std::optional<TraceFile> trace_{};
  mutable std::optional<DomeStates> states_{};
};

// The frame of frame=last, frame=K or, counted from the end, frame=-K; and whether it is frame=all.
std::int64_t frame_of(const RunView& view, const ReadingOptions& options);
bool all_frames(const ReadingOptions& options);
// The index of a frame, counted from the end if `asked` is negative. Error(input), naming `where`,
// if there is no such frame.
std::int64_t frame_index(std::int64_t asked, std::int64_t frames, const std::string& where,
                         const char* owner = "the run");

// How a picture is drawn; values that are not set are chosen by the reading.
struct DrawRequest {
  FigureStyle style = FigureStyle::dark;
  RenderSettings render{};  // size, frames per second, length of a film
  bool sized = false;       // the size was asked for
  std::optional<std::int64_t> frame{};
  std::optional<double> seconds{};
  TimeScale time = TimeScale::chosen;
};

// A picture that is ready to be written.
struct Drawing {
  Figure figure{};
  std::string csv{};  // the numbers of the figure, where they are not those of its panels
  std::function<void(const std::filesystem::path&)> write{};  // of pictures that are no figures

  Drawing() = default;
  Drawing(Figure drawn, std::string numbers = {})
      : figure(std::move(drawn)), csv(std::move(numbers)) {}
};
// Writes the picture; a figure with its numbers in a .csv next to it.
void draw(const Drawing& drawing, const std::filesystem::path& path);

// Columns of the table of a reading drawn over one of them.
Drawing draw_columns(const Table& table, const TablePanel& described, const DrawRequest& request);
// The axis of times of a run: log t where it is asked for, or chosen as for a film.
FigureAxis time_axis(const RunReader& run, const DrawRequest& request);

// One reading: a row of the registry.
struct Reading {
  const char* name;

  // The table: its meaning in one line, the options of `compute`, the function; null: no table.
  const char* table_meaning = "";
  std::vector<Parameter> options{};
  Table (*compute)(const RunView& view, const ReadingOptions& options) = nullptr;

  // The picture: its meaning in one line, the options of `draw`, the function; null: no picture.
  const char* picture_meaning = "";
  std::vector<Parameter> picture_options{};
  Drawing (*draw)(const RunView& view, const ReadingOptions& options,
                  const DrawRequest& request) = nullptr;
  enum Picture {
    figure,            // .png, .svg or .pdf, and a .csv of its numbers
    picture,           // .png, .svg or .pdf
    picture_and_film,  // the same or .mp4
    globe,             // .png or .mp4
  } kind = figure;
  enum TimeAxis { no_time, over_time, over_time_of_flows } time_axis = no_time;
  FlightView scene = FlightView::chosen;  // of readings that are scenes of the swarm itself

  const char* example_run = "";  // for examples, where not every run has the reading

  // Adds the reading to the page of a run, or nothing where it does not apply; null: it is on no
  // page. Sections are in the order of their places.
  void (*add_section)(RunReport& report, const RunView& view, const Reading& reading) = nullptr;
  int place = 100;
};

std::span<const Reading> readings();
const Reading* find_reading(const std::string& name);  // null: not there
inline bool has_table(const Reading& r) { return r.compute != nullptr; }
inline bool has_picture(const Reading& r) {
  return r.draw != nullptr || r.scene != FlightView::chosen;
}

// The readings for which `has` holds as values of a parameter of a command, for its help.
std::vector<ParameterValue> reading_values(bool (*has)(const Reading&), const char* command,
                                           const char* parameter);

// The options of all tables or of all pictures, each name once, in the order of the registry.
std::vector<Parameter> options_of_tables();
std::vector<Parameter> options_of_pictures();

// The run of a page.
RunView view_of(const RunReport& report);
// Adds the sections of all readings to the page of a run, until it is stopped.
void add_sections(RunReport& report, const RunView& view);
// Adds the figure of a reading; an empty caption is its note.
void add_section_of(RunReport& report, const RunView& view, const Reading& reading,
                    const char* heading, const std::string& caption = {},
                    const ReadingOptions::Given& given = {});

// Options that several readings have.
namespace option {
inline constexpr Parameter frame{Parameter::word, "frame", "last",
                                 "last, all, or a number, negative from the end",
                                 "frame of the run that is shown"};
inline constexpr Parameter bins{Parameter::whole, "bins", "50", "1 or more",
                                "number of equal bins: of cosines over [-1, 1]"};
inline constexpr Parameter block{Parameter::word, "block", "last", "last, or 0 or more",
                                 "which block of a traced transformer is shown"};
inline constexpr Parameter head{Parameter::whole, "head", "0", "0 or more",
                                "which attention head is shown"};
inline constexpr Parameter share{
    Parameter::number, "share", "0.5", "0 to 1; atoms 0.99, next-word 0.05 unless given",
    "attention: a leader has more than this share of all attention; clustering, atoms: the share "
    "of pairs or of mass that counts; next-word: the least probability of a possible word"};
// Where the pictures of a trained swarm are.
inline constexpr Parameter data{Parameter::word, "data", "auto",
                                "auto, mnist, fashion-mnist, a folder",
                                "where the pictures are; auto: where the swarm was trained"};
}  // namespace option

// The rows of the registry, one function for each file that holds some.
std::vector<Reading> swarm_readings();
std::vector<Reading> token_readings();
std::vector<Reading> trace_readings();
// The options of next-word, which report takes too.
std::vector<Parameter> next_word_options();

// block=B or block=last, and head=H, of a traced transformer. Error(input) for one that is not
// there.
int block_of_trace(const RunView& view, const ReadingOptions& options);
std::optional<int> head_of_trace(const RunView& view, const ReadingOptions& options);

}  // namespace murmur
