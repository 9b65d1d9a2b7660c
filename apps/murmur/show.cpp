// show.cpp: what murmur measure shows= : histograms, modes, attention, centres, histories.
#include "show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "run/json_text.h"

namespace murmur::app {

namespace {

using Json = nlohmann::json;

// As RFC 4180 writes texts that hold what ends a cell.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return quoted(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return json_text(value);
  std::vector<std::string> parts;
  for (const Json& item : value) parts.push_back(cell(item));
  return fmt::format("{}", fmt::join(parts, "+"));
}

Json objects_of(const Sheet& sheet) {
  Json list = Json::array();
  for (const auto& row : sheet.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) object[sheet.columns[c]] = row[c];
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

void write(const Flags& flags, const Sheet& sheet) {
  if (flags.json) return report(objects_of(sheet));
  data(fmt::format("{}\n", fmt::join(sheet.columns, ",")));
  for (const auto& row : sheet.rows) {
    std::vector<std::string> cells;
    for (const Json& value : row) cells.push_back(cell(value));
    data(fmt::format("{}\n", fmt::join(cells, ",")));
  }
}

namespace {

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json maybe(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::int64_t frame_of(const Subject& s, const ShowWords& words) {
  if (!words.given("frame") || words.text("frame") == "last") return s.history.count - 1;
  if (words.text("frame") == "all")
    words.refuse("frame", fmt::format("show={} shows one frame", words.show()),
                 "write frame=last or the number of a frame");
  const std::int64_t asked = words.whole("frame");
  const std::int64_t frame = asked < 0 ? asked + s.history.count : asked;
  if (frame < 0 || frame >= s.history.count)
    throw Error(Fault::input, fmt::format("there is no frame {}", asked), s.name,
                fmt::format("it has frames 0 to {}", s.history.count - 1));
  return frame;
}

bool all_frames(const ShowWords& words) { return words.text("frame") == "all"; }

namespace {

// modes=3 or modes=1-8.
std::pair<int, int> modes_of(const ShowWords& words) {
  const std::string text = words.text("modes");
  int first = 0, last = 0, used = 0;
  if (std::sscanf(text.c_str(), "%d-%d%n", &first, &last, &used) != 2 ||
      used != static_cast<int>(text.size())) {
    first = last = words.whole("modes");
  }
  if (first < 1 || last < first || last > 10'000)
    words.refuse("modes", "not a range of modes", "write modes=3 or modes=1-8, from 1 to 10000");
  return {first, last};
}

void show_histogram(const Flags& flags, const Subject& s, const ShowWords& words) {
  const CosineHistogram h = cosine_histogram(s.history.frame(frame_of(s, words)),
                                             words.whole("bins"), observe_settings(s.experiment));
  Sheet sheet{{"from", "to", "pairs", "fraction"}};
  for (std::size_t b = 0; b < h.count.size(); ++b)
    sheet.rows.push_back({h.edge[b], h.edge[b + 1], h.count[b],
                          h.pairs > 0
                              ? Json(static_cast<double>(h.count[b]) / static_cast<double>(h.pairs))
                              : Json(nullptr)});
  write(flags, sheet);
}

// One frame: a row for each mode, with its phase on the circle. All frames: a row for each.
void show_modes(const Flags& flags, const Subject& s, const ShowWords& words) {
  const auto [first, last] = modes_of(words);
  Sheet sheet;
  if (words.given("frame") && !all_frames(words)) {
    const HostSwarm x = s.history.frame(frame_of(s, words));
    const std::vector<double> amplitude = mode_amplitudes(x, last, observe_settings(s.experiment));
    std::vector<std::complex<double>> wave;  // of the circle
    if (x.d() == 2) wave = fourier_amplitudes(x, last);
    sheet.columns = {"mode", "amplitude", "power", "phase"};
    for (int k = first; k <= last; ++k)
      sheet.rows.push_back({k, amplitude[k], amplitude[k] * amplitude[k],
                            wave.empty() ? Json(nullptr) : Json(std::arg(wave[k]))});
    return write(flags, sheet);
  }
  sheet.columns = {"t"};
  for (int k = first; k <= last; ++k) sheet.columns.push_back(fmt::format("mode_{}", k));
  for (std::int64_t f = 0; f < s.history.count; ++f) {
    const auto amplitude =
        mode_amplitudes(s.history.frame(f), last, observe_settings(s.experiment));
    sheet.rows.push_back({s.history.time(f)});
    for (int k = first; k <= last; ++k) sheet.rows.back().push_back(amplitude[k]);
  }
  write(flags, sheet);
}

void show_attention(const Flags& flags, const Subject& s, const ShowWords& words) {
  if (is_traced(flags, s)) return show_trace(flags, s, words);
  for (const char* word : {"block", "text"})
    if (words.given(word))
      words.refuse(word, "it is of a traced transformer", "leave it out; write frame=K");
  const std::int64_t frame = frame_of(s, words);
  if (heads_of(s.experiment.dynamics, s.history.time(frame)).empty())
    throw Error(Fault::input, "there is no attention to show: the dynamics has no head", s.name,
                "measure a run with dynamics SA, USA or causal, or say dynamics=SA");
  const Matrix a = attention_weights(s.history.frame(frame), s.experiment.dynamics,
                                     words.whole("head"), s.history.time(frame));
  const std::vector<int> leading = leaders(a, words.number("share"));
  const int rank = numerical_rank(a, words.number("rank_tol"));
  if (flags.json) {
    Json weights = Json::array();
    for (int i = 0; i < a.rows; ++i)
      weights.push_back(
          std::vector<double>(&a.data[static_cast<std::size_t>(i) * a.cols],
                              &a.data[static_cast<std::size_t>(i) * a.cols] + a.cols));
    return report({{"t", s.history.time(frame)},
                   {"rank", rank},
                   {"leaders", leading},
                   {"received", attention_received(a)},
                   {"weights", weights}});
  }
  std::string text;
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j)
      text += fmt::format("{}{}", a(i, j), j + 1 < a.cols ? "," : "\n");
  app::data(text);
  say(flags, fmt::format("rank {}, leaders {}", rank,
                         leading.empty() ? "none" : fmt::format("{}", fmt::join(leading, ", "))));
}

// A centre that is strong is an ordinary one too.
void show_centres(const Flags& flags, const Subject& s, const ShowWords& words) {
  const double delta = words.given("delta") ? words.number("delta") : 4 / std::sqrt(s.beta);
  if (!words.given("delta") && !(s.beta > 0))
    throw Error(Fault::input, "beta gives centres no distance", fmt::format("beta = {}", s.beta),
                "say how far apart they are: delta=0.5");
  const auto find = [&](const HostSwarm& x, Centres kind) {
    return renyi_centres(x, s.experiment.dynamics.manifold, delta, kind);
  };
  Sheet sheet;
  if (all_frames(words)) {
    sheet.columns = {"t", "centres", "strong"};
    for (std::int64_t f = 0; f < s.history.count; ++f) {
      const HostSwarm x = s.history.frame(f);
      sheet.rows.push_back(
          {s.history.time(f), find(x, Centres::ordinary).size(), find(x, Centres::strong).size()});
    }
    return write(flags, sheet);
  }
  const HostSwarm x = s.history.frame(frame_of(s, words));
  const std::vector<int> strong = find(x, Centres::strong);
  sheet.columns = {"particle", "strong"};
  for (const int i : find(x, Centres::ordinary))
    sheet.rows.push_back({i, std::binary_search(strong.begin(), strong.end(), i) ? 1 : 0});
  write(flags, sheet);
}

void show_density_modes(const Flags& flags, const Subject& s, const ShowWords& words) {
  const DensityRequest request{.beta = s.beta, .axis = words.whole("axis")};
  const auto find = [&](std::int64_t frame) {
    return density_modes(s.history.frame(frame), s.experiment.dynamics.manifold, request);
  };
  Sheet sheet;
  if (all_frames(words)) {
    sheet.columns = {"t", "modes"};
    for (std::int64_t f = 0; f < s.history.count; ++f)
      sheet.rows.push_back({s.history.time(f), find(f).size()});
  } else {
    sheet.columns = {s.experiment.dynamics.manifold == Manifold::sphere ? "angle" : "place"};
    for (const double y : find(frame_of(s, words))) sheet.rows.push_back({y});
  }
  write(flags, sheet);
}

void show_genealogy(const Flags& flags, const Subject& s, const ShowWords&) {
  const Genealogy g = genealogy(s.history, s.experiment.dynamics, s.experiment.observe.cluster_tol);
  Sheet events{{"kind", "after", "by", "from", "to", "mass"}};
  for (const Regrouping& e : g.events) {
    std::vector<double> mass;
    for (const int id : e.to) mass.push_back(g.clusters[id].mass);
    events.rows.push_back({name_of(e.kind), e.after, e.by, e.from, e.to, mass});
  }
  if (!flags.json) return write(flags, events);
  Sheet tree{{"id", "size", "mass", "first_member", "born", "last", "from", "becomes"}};
  for (const Lineage& c : g.clusters)
    tree.rows.push_back({c.id, c.size, c.mass, c.first_member, s.history.time(c.born),
                         s.history.time(c.last), c.from, c.becomes});
  report({{"clusters", objects_of(tree)}, {"events", objects_of(events)}});
}

// A column of the table of observables, read off every frame.
Series column_of(const Subject& s, const std::string& name) {
  const Dynamics& dynamics = s.experiment.dynamics;
  const std::vector<std::string> names = observable_names(dynamics);
  const std::size_t column = observable_column(dynamics, name);
  if (column == names.size()) {
    const auto all = observables();
    const bool exists =
        std::any_of(all.begin(), all.end(), [&](const Observable& o) { return name == o.name; });
    const std::string near = exists ? "" : did_you_mean(name, names);
    throw Error(Fault::input,
                exists ? fmt::format("{} does not exist for this dynamics", name)
                       : fmt::format("there is no observable {}", name),
                fmt::format("{}: column={}", s.name, name),
                near.empty() ? fmt::format("it has {}", fmt::join(names, ", "))
                             : fmt::format("did you mean column={}?", near));
  }
  Series series;
  for (std::int64_t f = 0; f < s.history.count; ++f) {
    series.t.push_back(s.history.time(f));
    series.value.push_back(observe(s.history.frame(f), dynamics,
                                   observe_settings(s.experiment, series.t.back()))[column]);
  }
  return series;
}

void show_plateaus(const Flags& flags, const Subject& s, const ShowWords& words) {
  const std::string time = words.text("time");
  if (time != "linear" && time != "log")
    words.refuse("time", "not one of its values", "use time=linear or time=log");
  Sheet sheet{{"start", "end", "level", "rise"}};
  for (const Plateau& p :
       plateaus(column_of(s, words.text("column")), {.log_time = time == "log",
                                                    .slope = words.number("slope"),
                                                    .length = words.number("length")}))
    sheet.rows.push_back({p.start, p.end, p.level, maybe(p.rise)});
  write(flags, sheet);
}

// Of a column, or of the amplitude of one mode while it stands out of chance and is still small.
void show_growth(const Flags& flags, const Subject& s, const ShowWords& words) {
  Series series;
  Window window{0, std::numeric_limits<double>::infinity()};
  if (words.given("column")) {
    series = column_of(s, words.text("column"));
  } else {
    const auto [first, last] = modes_of(words);
    if (first != last)
      words.refuse("modes", "growth is that of one mode", "write modes=3, or name a column");
    for (std::int64_t f = 0; f < s.history.count; ++f) {
      series.t.push_back(s.history.time(f));
      series.value.push_back(
          mode_amplitudes(s.history.frame(f), last, observe_settings(s.experiment))[last]);
    }
    window = {3 / std::sqrt(s.history.frame(0).n()), 0.06};
  }
  if (words.given("low")) window.low = words.number("low");
  if (words.given("high")) window.high = words.number("high");
  const Growth g = growth_rate(series, window);
  write(flags, {{"rate", "error", "from", "to", "points"},
                {{finite(g.rate), finite(g.error), g.from, g.to, g.points}}});
}

void show_clustering(const Flags& flags, const Subject& s, const ShowWords& words) {
  const NearClustering found =
      near_clustering(s.history,
                      {.delta = words.given("delta") ? words.number("delta") : 1e-3,
                       .share = words.number("share")},
                      observe_settings(s.experiment));
  write(flags,
        {{"share", "part", "all"}, {{words.number("share"), maybe(found.part), maybe(found.all)}}});
}

// How many clusters hold a share of the mass, frame by frame.
void show_atoms(const Flags& flags, const Subject& s, const ShowWords& words) {
  const Series series =
      atoms_over_time(s.history, s.experiment.dynamics,
                      {.share = words.given("share") ? words.number("share") : 0.99,
                       .tol = s.experiment.observe.cluster_tol});
  Sheet sheet{{"t", "atoms"}};
  for (std::size_t k = 0; k < series.t.size(); ++k)
    sheet.rows.push_back({series.t[k], static_cast<int>(series.value[k])});
  write(flags, sheet);
}

// Clusters at three tolerances, and whether those at cluster_tol are chains, frame by frame.
void show_counts(const Flags& flags, const Subject& s, const ShowWords&) {
  Sheet sheet{{"t", "clusters", "finer", "coarser", "width", "chained"}};
  for (std::int64_t k = 0; k < s.history.count; ++k) {
    const ClusterCounts c =
        count_clusters(s.history.frame(k), s.experiment.dynamics, s.experiment.observe.cluster_tol);
    sheet.rows.push_back({s.history.time(k), c.count, c.finer, c.coarser, c.width, c.chained});
  }
  write(flags, sheet);
}

}  // namespace

void show(const Flags& flags, const Subject& subject, const ShowWords& words) {
  if (subject.history.count == 0)
    throw Error(Fault::input, "there are no frames yet", subject.name,
                "let it fly first: murmur simulate --resume RUN");
  using Shower = void (*)(const Flags&, const Subject&, const ShowWords&);
  const std::map<std::string, Shower> showers{{"histogram", show_histogram},
                                              {"modes", show_modes},
                                              {"attention", show_attention},
                                              {"centres", show_centres},
                                              {"density-modes", show_density_modes},
                                              {"genealogy", show_genealogy},
                                              {"plateaus", show_plateaus},
                                              {"growth", show_growth},
                                              {"clustering", show_clustering},
                                              {"atoms", show_atoms},
                                              {"metastability", show_metastability},
                                              {"distance", show_distance},
                                              {"next-word", show_next_word},
                                              {"counts", show_counts},
                                              {"heads", show_trace},
                                              {"layers", show_trace},
                                              {"twin", show_trace},
                                              {"lens", show_trace},
                                              {"patching", show_trace},
                                              {"parts", show_trace},
                                              {"phase", show_trace},
                                              {"spectrum", show_trace}};
  showers.at(words.show())(flags, subject, words);
}

}  // namespace murmur::app
