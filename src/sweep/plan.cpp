// plan.cpp: what a sweep is to do: its axes, its cells, and the config.toml that says so again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/config.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/sweep.h"
#include "run/text.h"
#include "sweep/cells.h"

namespace murmur {

namespace {

constexpr std::int64_t kMostCells = 1'000'000;
constexpr std::int64_t kCellsTried = 4096;  // for one that could fly, before anything is written

bool never_an_axis(const std::string& name) {
  static const std::vector<std::string> own = {"replicas", "times",   "refine", "observe",
                                               "axes",     "look",    "name",   "threads",
                                               "save",     "replica", "data"};
  return std::find(own.begin(), own.end(), name) != own.end();
}

// A default that was written out is still a default, so that a sweep read back is the same.
Settings with_defaults_marked(Settings settings) {
  for (const Parameter& p : sweep_parameters())
    if (Setting& s = settings.at(p.name); s.text == p.initial) s.origin = "default";
  return settings;
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

// The axes that `axes` names, or the typed ones, come first; the others follow in table order.
std::vector<Axis> in_order(const Settings& settings, std::vector<Axis> axes,
                           const std::vector<std::string>& typed) {
  const bool said = is_given(settings, "axes");
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

// The first cell that could fly tells what came from files; without one, the first refusal.
Experiment first_that_flies(const Sweep& sweep) {
  std::optional<Error> refusal;
  for (std::int64_t k = 0; k < std::min(sweep.grid(), kCellsTried); ++k) try {
      return make_experiment(settings_of_cell(sweep, grid_cell(sweep, k)));
    } catch (const Error& error) {
      if (!refusal) refusal = error;
    }
  throw Error(refusal->fault, refusal->summary, refusal->where, refusal->remedy);
}

// Every setting with its axes as they were given, files as copies below inputs/.
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
  for (const auto& [name, array] : e.inputs)
    if (name != "points" && axis_of(name) == sweep.axes.end()) sweep.inputs[name] = array;
  std::vector<std::string> names;
  for (const Axis& axis : sweep.axes) names.push_back(axis.name);
  resolved["axes"].text = names.empty() ? "auto" : joined(names, ",");
  resolved["name"].text = sweep.name;
  resolved["save"].text = setting(settings, "save").text;
  sweep.config = config_of(table, resolved);
}

}  // namespace

std::span<const Parameter> sweep_parameters() {
  using P = Parameter;
  static const std::vector<Parameter> table = [] {
    std::vector<Parameter> rows = {
        {P::whole, "replicas", "64", "1 or more", "flights a cell, each from its own start"},
        {P::whole, "times", "200", "1 or more", "checkpoints over [0, T]"},
        {P::whole, "refine", "0", "0 to 20", "how often steep intervals of the first axis halve"},
        {P::word, "observe", "close_pairs", "close_pairs, mean_cos, order, clusters",
         "what refinement, front and heat map look at"},
        {P::word, "axes", "auto", "auto, or NAME,NAME,...", "order of the axes; auto: as typed"},
        {P::word, "look", "paper", "paper, slides, dark", "style of the heat maps"},
    };
    rows.insert(rows.end(), parameters().begin(), parameters().end());
    return rows;
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
  sweep.replicas = whole(settings, "replicas", 1, 4'000'000'000);
  sweep.times = static_cast<int>(whole(settings, "times", 1, 1'000'000));
  sweep.refine = static_cast<int>(whole(settings, "refine", 0, 20));
  sweep.observe =
      kept_observables()[static_cast<std::size_t>(choice(settings, "observe", kept_observables()))];
  static const std::vector<std::string> looks = {"paper", "slides", "dark"};
  sweep.look = looks[static_cast<std::size_t>(choice(settings, "look", looks))];
  if (setting(settings, "save").origin.rfind("command line", 0) == 0)
    refuse(settings, "save", "a sweep keeps no frames", "say how many checkpoints with times=200");
  sweep.axes = in_order(settings, find_axes(settings), typed);
  check_size(sweep);
  sweep.base = settings;
  for (const Axis& axis : sweep.axes) sweep.base[axis.name].text = axis.values.front();
  sweep.base["save"].text = "final";
  if (sweep.refine > 0 && !refined_axis(sweep))
    refuse(settings, "refine", "there is no axis of two or more numbers to halve",
           "give one, such as beta=1:9:9");
  set_config(sweep, settings, first_that_flies(sweep));
  return sweep;
}

RunContents contents_of(const Sweep& sweep, const std::vector<std::string>& argv) {
  RunContents contents;
  contents.config = sweep.config;
  contents.inputs = sweep.inputs;
  contents.command = "sweep";
  contents.argv = argv;
  contents.engine = setting(sweep.base, "engine").text;
  contents.seed = sweep.seed;
  return contents;
}

Cell grid_cell(const Sweep& sweep, std::int64_t number) {
  Cell cell{.number = number};
  cell.values.resize(sweep.axes.size());
  cell.place.resize(sweep.axes.size());
  for (std::size_t a = sweep.axes.size(); a-- > 0;) {
    const auto count = static_cast<std::int64_t>(sweep.axes[a].values.size());
    const auto index = static_cast<std::size_t>(number % count);
    cell.values[a] = sweep.axes[a].values[index];
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

Settings settings_of_cell(const Sweep& sweep, const Cell& cell, std::int64_t replica) {
  Settings settings = sweep.base;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    Setting& s = settings[sweep.axes[a].name];
    s.text = cell.values[a];
    s.origin = "the cell " + name_of(sweep, cell);
  }
  settings["replica"] = {fmt::format("{}", replica), "the sweep", {}};
  return settings;
}

double cost_of(const Sweep& sweep, const Cell& cell) {
  const Settings settings = settings_of_cell(sweep, cell);
  const auto value = [&](const char* key) {
    double parsed = 1;
    return parse_number(setting(settings, key).text, parsed) ? std::fabs(parsed) : 1;
  };
  return value("n") * value("n") * value("d") * value("T");
}

std::optional<std::size_t> refined_axis(const Sweep& sweep) {
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    if (sweep.axes[a].numeric && sweep.axes[a].values.size() > 1) return a;
  return std::nullopt;
}

}  // namespace murmur
