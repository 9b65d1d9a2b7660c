// plan.cpp: makes a sweep out of its settings, lists its cells, and estimates their cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <vector>

#include "experiment/config.h"
#include "experiment/given_model.h"
#include "experiment/rows.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "run/text.h"
#include "sweep/cells.h"
#include "sweep/sweep.h"

namespace murmur {

namespace {

constexpr std::int64_t kMostCells = 1'000'000;
// Cells tried to find one that can be simulated, before anything is written.
constexpr std::int64_t kCellsTried = 4096;
constexpr std::int64_t kCellsTriedAWord = 256;

bool never_an_axis(const std::string& name) {
  static const std::vector<std::string> own = {"replicas", "times",   "refine", "observe",
                                               "axes",     "look",    "name",   "threads",
                                               "save",     "replica", "data",   "defaults"};
  return std::find(own.begin(), own.end(), name) != own.end();
}

bool has_initial_value(const Parameter& p, const std::string& text) {
  double value = 0, initial = 0;
  if (parse_number(text, value) && parse_number(p.initial, initial)) return value == initial;
  return text == p.initial;
}

// A default that config.toml wrote out is still a default, so that a sweep that is read again is
// the same. A value that the user gave counts as given, even if it equals the default.
Settings with_defaults_marked(Settings settings) {
  if (!is_given(settings, "defaults")) return settings;
  const std::vector<std::string> names = split(setting(settings, "defaults").text, ',');
  for (const Parameter& p : parameters()) {
    Setting& s = settings.at(p.name);
    const bool typed =
        s.origin.rfind("command line", 0) == 0 || s.origin.rfind("environment", 0) == 0;
    if (!typed && has_initial_value(p, s.text) &&
        std::find(names.begin(), names.end(), p.name) != names.end())
      s.origin = "default";
  }
  return settings;
}

// The names of parameters that were not given. Threads may change between two simulations of one
// sweep.
std::string names_of_defaults(const Settings& settings, const Settings& resolved) {
  std::vector<std::string> names;
  for (const Parameter& p : parameters())
    if (!is_given(settings, p.name) && has_initial_value(p, resolved.at(p.name).text) &&
        std::string_view(p.name) != "threads")
      names.emplace_back(p.name);
  return names.empty() ? "none" : joined(names, ",");
}

std::vector<Axis> find_axes(const Settings& settings) {
  std::vector<Axis> axes;
  for (const Parameter& p : sweep_parameters()) {
    if (never_an_axis(p.name)) continue;
    if (std::optional<Axis> axis = read_axis(p, settings.at(p.name)))
      axes.push_back(std::move(*axis));
  }
  return axes;
}

// The axes in `axes`, or those on the command line, come first; the others follow in table order.
std::vector<Axis> in_order(const Settings& settings, std::vector<Axis> axes,
                           const std::vector<std::string>& typed) {
  const bool said = setting(settings, "axes").text != "auto";
  std::vector<Axis> ordered;
  for (const std::string& name : said ? split(setting(settings, "axes").text, ',') : typed) {
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name == name; });
    if (found == axes.end()) {
      if (said)
        refuse(settings, "axes", fmt::format("{} has no axis, or is there twice", name),
               "name each parameter that takes several values once");
      continue;
    }
    ordered.push_back(std::move(*found));
    axes.erase(found);
  }
  for (Axis& axis : axes) ordered.push_back(std::move(axis));
  return ordered;
}

void check_size(const Sweep& sweep) {
  std::int64_t cells = 1;
  for (const Axis& axis : sweep.axes) {
    cells *= static_cast<std::int64_t>(axis.values.size());
    if (cells > kMostCells)
      throw Error(Fault::input, "the grid has more than a million cells",
                  fmt::format("axis {} of {} values", axis.name, axis.values.size()),
                  "use fewer values; refine=2 looks closer only where something happens");
  }
}

// Returns the number of the k-th cell among those at the first value of an axis.
std::int64_t cell_without(const Sweep& sweep, std::size_t axis, std::int64_t k) {
  std::int64_t faster = 1;
  for (std::size_t a = axis + 1; a < sweep.axes.size(); ++a)
    faster *= static_cast<std::int64_t>(sweep.axes[a].values.size());
  const auto values = static_cast<std::int64_t>(sweep.axes[axis].values.size());
  return k / faster * faster * values + k % faster;
}

// Throws what make_experiment refuses, and an error if the memory is too small for the cell.
Experiment experiment_of(const Sweep& sweep, const Cell& cell) try {
  return make_experiment(spec_of_cell(sweep, cell));
} catch (const std::bad_alloc&) {
  throw Error(Fault::runtime, "there is not enough memory for the cell",
              "the cell " + name_of(sweep, cell), "use fewer particles or coordinates");
}

// Takes the data from files from the first cell that can be simulated; if there is none, throws the
// first refusal.
Experiment first_valid_cell(const Sweep& sweep) {
  std::optional<Error> refusal;
  for (std::int64_t k = 0; k < std::min(sweep.grid(), kCellsTried); ++k) try {
      return experiment_of(sweep, grid_cell(sweep, k));
    } catch (const Error& error) {
      if (!refusal) refusal = error;
    }
  throw Error(refusal->fault, refusal->summary, refusal->where, refusal->remedy);
}

// Throws the error of a value of an axis that fails in every cell tried; tries cells evenly over
// the grid.
void check_word(const Sweep& sweep, std::size_t axis, std::size_t index) {
  const std::string& value = sweep.axes[axis].values[index];
  const auto values = static_cast<std::int64_t>(sweep.axes[axis].values.size());
  const std::int64_t cells = sweep.grid() / values, tries = std::min(cells, kCellsTriedAWord);
  std::optional<Error> refusal;
  for (std::int64_t k = 0; k < tries; ++k) try {
      Cell cell = grid_cell(sweep, cell_without(sweep, axis, k * cells / tries));
      cell.values[axis] = value;  // a name, not a number
      experiment_of(sweep, cell);
      return;
    } catch (const Error& error) {
      if (error.fault != Fault::input) return;
      if (!refusal) refusal = error;
    }
  throw Error(refusal->fault, refusal->summary, refusal->where, refusal->remedy);
}

// A misspelt name is refused at once; numbers that do not fit together fail only their own cells.
void check_words(const Sweep& sweep) {
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    for (std::size_t k = 0; !sweep.axes[a].numeric && k < sweep.axes[a].values.size(); ++k)
      check_word(sweep, a, k);
}

void set_base(Sweep& sweep, const Settings& settings) {
  sweep.base.words = settings;
  for (const Axis& axis : sweep.axes) sweep.base.words[axis.name].text = axis.values.front();
  sweep.base.words["save"].text = "final";
  const auto is_axis = [&](const char* name) {
    return std::any_of(sweep.axes.begin(), sweep.axes.end(),
                       [&](const Axis& axis) { return axis.name == name; });
  };
  for (const Row<ExperimentSpec>& row : rows_of<ExperimentSpec>())
    if (!is_axis(row.parameter.name)) row.read(sweep.base.words, sweep.base.spec);
  sweep.base.spec.save = SaveChoice{SaveChoice::final, 0, 0};
}

// Writes every setting with its axes as they were given, and copies of files below inputs/.
void set_config(Sweep& sweep, const Settings& settings, const Experiment& e) {
  Settings resolved = settings;
  const Settings copies = parse_experiment(e.config, "config.toml", {});
  std::vector<Parameter> table(sweep_parameters().begin(), sweep_parameters().end());
  const auto axis_of = [&](const std::string& name) {
    return std::find_if(sweep.axes.begin(), sweep.axes.end(),
                        [&](const Axis& axis) { return axis.name == name; });
  };
  for (Parameter& p : table) {
    const auto axis = axis_of(p.name);
    if (axis != sweep.axes.end()) {
      p.kind = Parameter::word;
      if (!axis->numeric) resolved[p.name].text = "{" + joined(axis->values, ",") + "}";
    } else if (const auto copy = copies.find(p.name);
               copy != copies.end() && copy->second.text.rfind("inputs/", 0) == 0) {
      resolved[p.name].text = copy->second.text;
      if (std::string_view(p.name) == "init") sweep.inputs["points"] = e.inputs.at("points");
    }
  }
  const auto is_drawn = [](const std::string& name) { return name.rfind("drawn_", 0) == 0; };
  for (const auto& [name, array] : e.inputs)  // every swarm has its own draw
    if (name != "points" && !is_drawn(name) && axis_of(name) == sweep.axes.end())
      sweep.inputs[name] = array;
  std::vector<std::string> names;
  for (const Axis& axis : sweep.axes) names.push_back(axis.name);
  resolved["axes"].text = names.empty() ? "auto" : joined(names, ",");
  resolved["name"].text = sweep.name;
  resolved["save"].text = setting(settings, "save").text;
  resolved["defaults"].text = names_of_defaults(settings, resolved);
  sweep.config = config_of(table, resolved);
}

}  // namespace

namespace {

// The settings of a sweep besides those of its simulations.
struct SweepSpec {
  std::int64_t replicas = 64;
  int times = 200, refine = 0;
  std::string observe = "close_pairs", axes = "auto", look = "paper", defaults = "none";
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<SweepSpec>) {
  using S = SweepSpec;
  v(&S::replicas, "replicas", "simulations per cell, each from its own start",
    {.least = 1, .greatest = 4'000'000'000});
  v(&S::times, "times", "checkpoints over [0, T]", {.least = 1, .greatest = 1'000'000});
  v(&S::refine, "refine", "how often steep intervals of the first axis halve",
    {.values = "0 to 20", .least = 0, .greatest = 20});
  v(&S::observe, "observe", "what refinement, front and heat map look at",
    {.values = "close_pairs, mean_cos, order, clusters"});
  v(&S::axes, "axes", "order of the axes; auto: as typed", {.values = "auto, or NAME,NAME,..."});
  v(&S::look, "look", "style of the heat maps", {.values = "paper, slides, dark"});
  v(&S::defaults, "defaults", "which of the file's values were not given; written by the sweep",
    {.values = "none, or NAME,NAME,..."});
}

}  // namespace

template <>
std::span<const Row<SweepSpec>> rows_of<SweepSpec>() {
  static const std::vector<Row<SweepSpec>> rows = make_rows<SweepSpec>();
  return rows;
}

std::span<const Parameter> sweep_parameters() {
  static const std::vector<Parameter> table = [] {
    const auto own = parameters_in<SweepSpec>();
    std::vector<Parameter> all(own.begin(), own.end());
    all.insert(all.end(), parameters().begin(), parameters().end());
    return all;
  }();
  return table;
}

std::int64_t Sweep::grid() const {
  std::int64_t cells = 1;
  for (const Axis& axis : axes) cells *= static_cast<std::int64_t>(axis.values.size());
  return cells;
}

Sweep make_sweep(const Settings& given, const std::vector<std::string>& typed) {
  const Settings settings = with_defaults_marked(given);
  Sweep sweep;
  if (is_given(settings, "name")) sweep.name = run_name(settings);
  sweep.seed = is_given(settings, "seed") &&
                       read_axis({Parameter::whole, "seed", "", "", ""}, setting(settings, "seed"))
                   ? 0
                   : seed_of(settings);
  const SweepSpec spec = read_spec<SweepSpec>(settings);
  sweep.replicas = spec.replicas;
  sweep.times = spec.times;
  sweep.refine = spec.refine;
  sweep.observe =
      kept_observables()[static_cast<std::size_t>(choice(settings, "observe", kept_observables()))];
  static const std::vector<std::string> looks = {"paper", "slides", "dark"};
  sweep.style = looks[static_cast<std::size_t>(choice(settings, "look", looks))];
  if (setting(settings, "save").origin.rfind("command line", 0) == 0)
    refuse(settings, "save", "a sweep keeps no frames", "say how many checkpoints with times=200");
  sweep.axes = in_order(settings, find_axes(settings), typed);
  check_size(sweep);
  set_base(sweep, settings);
  if (sweep.refine > 0 && !refined_axis(sweep))
    refuse(settings, "refine", "there is no axis of two or more numbers to halve",
           "give one, such as beta=1:9:9");
  const Experiment first = first_valid_cell(sweep);
  check_words(sweep);
  set_config(sweep, settings, first);
  return sweep;
}

std::vector<std::string> free_sweep_settings() { return {"threads", "data", "look"}; }

RunContents contents_of(const Sweep& sweep, const std::vector<std::string>& argv) {
  RunContents contents;
  contents.config = sweep.config;
  contents.inputs = sweep.inputs;
  contents.command = "sweep";
  contents.argv = argv;
  contents.engine = setting(sweep.base.words, "engine").text;
  contents.seed = sweep.seed;
  contents.free = free_sweep_settings();
  contents.remade.assign(kSweepTables.begin(), kSweepTables.end());
  contents.remade.emplace_back(kCellsFolder);
  contents.outputs = contents.remade;
  contents.outputs.emplace_back(kSettingsDigestName);
  return contents;
}

Cell grid_cell(const Sweep& sweep, std::int64_t number) {
  Cell cell{.number = number};
  cell.values.resize(sweep.axes.size());
  cell.numbers.resize(sweep.axes.size(), std::numeric_limits<double>::quiet_NaN());
  cell.place.resize(sweep.axes.size());
  for (std::size_t a = sweep.axes.size(); a-- > 0;) {
    const auto count = static_cast<std::int64_t>(sweep.axes[a].values.size());
    const auto index = static_cast<std::size_t>(number % count);
    cell.values[a] = sweep.axes[a].values[index];
    if (sweep.axes[a].numeric) cell.numbers[a] = sweep.axes[a].numbers[index];
    cell.place[a] = static_cast<double>(index);
    number /= count;
  }
  return cell;
}

std::string name_of(const Sweep& sweep, const Cell& cell) {
  std::string name;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    name += fmt::format("{}{}={}", a > 0 ? " " : "", sweep.axes[a].name, cell.values[a]);
  return name.empty() ? "the only cell" : name;
}

WordedSpec spec_of_cell(const Sweep& sweep, const Cell& cell, std::int64_t replica) {
  WordedSpec worded = sweep.base;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    const std::string& name = sweep.axes[a].name;
    Setting& s = worded.words[name];
    s.text = cell.values[a];
    s.origin = "the cell " + name_of(sweep, cell);
    const Row<ExperimentSpec>& row = row_named<ExperimentSpec>(name);
    if (sweep.axes[a].numeric)
      row.accept(worded.words, cell.numbers[a], worded.spec);
    else
      row.read(worded.words, worded.spec);
  }
  worded.spec.random.replica = static_cast<std::uint32_t>(replica);
  return worded;
}

double cost_of(const ExperimentSpec& cell) {
  const double n = cell.n.value_or(kDefaultParticles), d = cell.d.value_or(kDefaultCoordinates);
  return n * n * d * cell.T;
}

double cost_of(const Sweep& sweep, const Cell& cell) try {
  return cost_of(spec_of_cell(sweep, cell).spec);
} catch (const Error&) {
  return 0;
}

std::optional<std::size_t> refined_axis(const Sweep& sweep) {
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    if (sweep.axes[a].numeric && sweep.axes[a].values.size() > 1) return a;
  return std::nullopt;
}

namespace {

constexpr double kBytesARow = 100;

// Returns evaluations per unit of time; nothing if the method chooses its own steps.
std::optional<double> evaluation_rate(const ExperimentSpec& cell) {
  const MethodRow& method = row_of(cell.method);
  if (method.embedded_order > 0) return std::nullopt;
  return method.stages / cell.dt;
}

// The specs of the cells of a grid, one after another. A parameter is read again only if its value
// changes, so that a million cells are counted fast.
class CellSpecs {
 public:
  explicit CellSpecs(const Sweep& sweep)
      : sweep_(sweep), cell_(sweep.base), index_(sweep.axes.size(), kUnread) {
    for (const Axis& axis : sweep.axes) rows_.push_back(&row_named<ExperimentSpec>(axis.name));
  }

  // Returns the spec of cell k with the settings of its model; nothing if a value is invalid for
  // its parameter.
  std::optional<ExperimentSpec> operator()(std::int64_t k) try {
    for (std::size_t a = index_.size(); a-- > 0;) {
      const auto count = static_cast<std::int64_t>(sweep_.axes[a].values.size());
      set(a, static_cast<std::size_t>(k % count));
      k /= count;
    }
    const std::string& name = setting(cell_.words, "model").text;
    auto found = models_.find(name);
    if (found == models_.end()) found = models_.emplace(name, given_model(cell_)).first;
    return found->second ? with_model(cell_, *found->second).spec : cell_.spec;
  } catch (const Error&) {
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kUnread = static_cast<std::size_t>(-1);

  void set(std::size_t a, std::size_t index) {
    if (index_[a] == index) return;
    index_[a] = kUnread;  // also if it is refused below
    const Axis& axis = sweep_.axes[a];
    cell_.words[axis.name].text = axis.values[index];
    if (axis.numeric)
      rows_[a]->accept(cell_.words, axis.numbers[index], cell_.spec);
    else
      rows_[a]->read(cell_.words, cell_.spec);
    index_[a] = index;
  }

  const Sweep& sweep_;
  WordedSpec cell_;
  std::vector<std::size_t> index_;  // index of the value that was read, one per axis
  std::vector<const Row<ExperimentSpec>*> rows_{};
  std::map<std::string, std::optional<GivenModel>> models_{};
};

}  // namespace

SweepEstimate estimate(const Sweep& sweep) {
  SweepEstimate all{.cells = sweep.grid()};
  const auto replicas = static_cast<double>(sweep.replicas);
  all.simulations = static_cast<double>(all.cells) * replicas;
  all.table_bytes = static_cast<double>(all.cells) * sweep.times * kBytesARow;
  CellSpecs specs(sweep);
  for (std::int64_t k = 0; k < all.cells; ++k) {
    const std::optional<ExperimentSpec> cell = specs(k);
    if (!cell) continue;  // a cell without a model or a step costs nothing
    const double pairs = cost_of(*cell) * replicas;
    if (const std::optional<double> rate = evaluation_rate(*cell))
      all.pairs += pairs * *rate;
    else
      all.pairs_per_moment += pairs;
  }
  return all;
}

}  // namespace murmur
