// show.cpp: the readings of a swarm that murmur measure show=NAME prints.
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
#include "murmur/theory.h"
#include "murmur/transport.h"
#include "report/next_word.h"
#include "run/json_text.h"
#include "run/text.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

using Json = nlohmann::json;

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_cell(value.get<std::string>());
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
  if (flags.json) return print_json(objects_of(sheet));
  print_text(fmt::format("{}\n", fmt::join(sheet.columns, ",")));
  for (const auto& row : sheet.rows) {
    std::vector<std::string> cells;
    for (const Json& value : row) cells.push_back(cell(value));
    print_text(fmt::format("{}\n", fmt::join(cells, ",")));
  }
}

void write_attention(const Flags& flags, const Matrix& a, const ShowArguments& arguments,
                     Json facts) {
  const std::vector<int> leading = leaders(a, arguments.number("share"));
  const int rank = numerical_rank(a, arguments.number("rank_tol"));
  if (flags.json) {
    Json weights = Json::array();
    for (int i = 0; i < a.rows; ++i) {
      const auto row = a.data.begin() + static_cast<std::ptrdiff_t>(i) * a.cols;
      weights.push_back(std::vector<double>(row, row + a.cols));
    }
    facts["rank"] = rank;
    facts["leaders"] = leading;
    facts["received"] = attention_received(a);
    facts["weights"] = std::move(weights);
    return print_json(facts);
  }
  std::string text;
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j)
      text += fmt::format("{}{}", a(i, j), j + 1 < a.cols ? "," : "\n");
  print_text(text);
  print_message(
      flags, fmt::format("rank {}, leaders {}", rank,
                         leading.empty() ? "none" : fmt::format("{}", fmt::join(leading, ", "))));
}

std::int64_t frame_of(const Subject& s, const ShowArguments& arguments) {
  if (!arguments.given("frame") || arguments.text("frame") == "last") return s.history.count - 1;
  if (arguments.text("frame") == "all")
    arguments.refuse("frame", fmt::format("show={} shows one frame", arguments.show()),
                     "write frame=last or the number of a frame");
  return frame_index(arguments.whole("frame"), s.history.count, s.name, "it");
}

bool all_frames(const ShowArguments& arguments) { return arguments.text("frame") == "all"; }

namespace {

// modes=3 or modes=1-8.
std::pair<int, int> modes_of(const ShowArguments& arguments) {
  constexpr int kMost = 10'000;
  const std::string text = arguments.text("modes");
  const std::size_t dash = text.find('-', 1);
  std::optional<std::int64_t> first, last;
  if (dash == std::string::npos) {
    first = last = arguments.whole("modes");
  } else {
    first = parse_whole(text.substr(0, dash), 1, kMost);
    last = parse_whole(text.substr(dash + 1), 1, kMost);
  }
  if (!first || !last || *first < 1 || *last < *first || *last > kMost)
    arguments.refuse("modes", "not a range of modes",
                     "write modes=3 or modes=1-8, from 1 to 10000");
  return {static_cast<int>(*first), static_cast<int>(*last)};
}

void show_histogram(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const CosineHistogram h =
      cosine_histogram(s.history.frame(frame_of(s, arguments)), arguments.whole("bins"),
                       observe_settings(s.experiment));
  Sheet sheet{{"from", "to", "pairs", "fraction"}};
  for (std::size_t b = 0; b < h.count.size(); ++b)
    sheet.rows.push_back({h.edge[b], h.edge[b + 1], h.count[b],
                          h.pairs > 0
                              ? Json(static_cast<double>(h.count[b]) / static_cast<double>(h.pairs))
                              : Json(nullptr)});
  write(flags, sheet);
}

// One frame: a row for each mode, with its phase on the circle. All frames: a row for each frame.
void show_modes(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const auto [first, last] = modes_of(arguments);
  Sheet sheet;
  if (arguments.given("frame") && !all_frames(arguments)) {
    const HostSwarm x = s.history.frame(frame_of(s, arguments));
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

void show_attention(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  if (is_traced(flags, s)) return show_trace(flags, s, arguments);
  for (const char* key : {"block", "text"})
    if (arguments.given(key))
      arguments.refuse(key, "it is only for a traced transformer", "leave it out; write frame=K");
  const std::int64_t frame = frame_of(s, arguments);
  if (heads_of(s.experiment.dynamics, s.history.time(frame)).empty())
    throw Error(Fault::input, "there is no attention to show: the dynamics has no head", s.name,
                "measure a run with dynamics SA, USA or causal, or say dynamics=SA");
  const Matrix a = attention_weights(s.history.frame(frame), s.experiment.dynamics,
                                     arguments.whole("head"), s.history.time(frame));
  write_attention(flags, a, arguments, {{"t", s.history.time(frame)}});
}

// Strong centres are also ordinary ones.
void show_centres(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const double delta = arguments.given("delta") ? arguments.number("delta") : 4 / std::sqrt(s.beta);
  if (!arguments.given("delta") && !(s.beta > 0))
    throw Error(Fault::input, "the distance of centres is not defined for this beta",
                fmt::format("beta = {}", s.beta), "give it: delta=0.5");
  const auto find = [&](const HostSwarm& x, Centres kind) {
    return renyi_centres(x, s.experiment.dynamics.manifold, delta, kind);
  };
  Sheet sheet;
  if (all_frames(arguments)) {
    sheet.columns = {"t", "centres", "strong"};
    for (std::int64_t f = 0; f < s.history.count; ++f) {
      const HostSwarm x = s.history.frame(f);
      sheet.rows.push_back(
          {s.history.time(f), find(x, Centres::ordinary).size(), find(x, Centres::strong).size()});
    }
    return write(flags, sheet);
  }
  const HostSwarm x = s.history.frame(frame_of(s, arguments));
  const std::vector<int> strong = find(x, Centres::strong);
  sheet.columns = {"particle", "strong"};
  for (const int i : find(x, Centres::ordinary))
    sheet.rows.push_back({i, std::binary_search(strong.begin(), strong.end(), i) ? 1 : 0});
  write(flags, sheet);
}

void show_density_modes(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const DensityRequest request{.beta = s.beta, .axis = arguments.whole("axis")};
  const auto find = [&](std::int64_t frame) {
    return density_modes(s.history.frame(frame), s.experiment.dynamics.manifold, request);
  };
  Sheet sheet;
  if (all_frames(arguments)) {
    sheet.columns = {"t", "modes"};
    for (std::int64_t f = 0; f < s.history.count; ++f)
      sheet.rows.push_back({s.history.time(f), find(f).size()});
  } else {
    sheet.columns = {s.experiment.dynamics.manifold == Manifold::sphere ? "angle" : "place"};
    for (const double y : find(frame_of(s, arguments))) sheet.rows.push_back({y});
  }
  write(flags, sheet);
}

void show_genealogy(const Flags& flags, const Subject& s, const ShowArguments&) {
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
  print_json({{"clusters", objects_of(tree)}, {"events", objects_of(events)}});
}

// A column of the table of observables, computed for every frame.
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

void show_plateaus(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const std::string time = arguments.text("time");
  if (time != "linear" && time != "log")
    arguments.refuse("time", "not one of its values", "use time=linear or time=log");
  Sheet sheet{{"start", "end", "level", "rise"}};
  for (const Plateau& p :
       plateaus(column_of(s, arguments.text("column")), {.log_time = time == "log",
                                                        .slope = arguments.number("slope"),
                                                        .length = arguments.number("length")}))
    sheet.rows.push_back({p.start, p.end, p.level, value_or_null(p.rise)});
  write(flags, sheet);
}

// The growth rate of a column, or of the amplitude of one mode while it is above random
// fluctuations and still small.
void show_growth(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  Series series;
  Window window{0, std::numeric_limits<double>::infinity()};
  if (arguments.given("column")) {
    series = column_of(s, arguments.text("column"));
  } else {
    const auto [first, last] = modes_of(arguments);
    if (first != last)
      arguments.refuse("modes", "growth is that of one mode", "write modes=3, or name a column");
    for (std::int64_t f = 0; f < s.history.count; ++f) {
      series.t.push_back(s.history.time(f));
      series.value.push_back(
          mode_amplitudes(s.history.frame(f), last, observe_settings(s.experiment))[last]);
    }
    window = {3 / std::sqrt(s.history.frame(0).n()), 0.06};
  }
  if (arguments.given("low")) window.low = arguments.number("low");
  if (arguments.given("high")) window.high = arguments.number("high");
  const Growth g = growth_rate(series, window);
  write(flags, {{"rate", "error", "from", "to", "points"},
                {{finite_or_null(g.rate), finite_or_null(g.error), g.from, g.to, g.points}}});
}

void show_clustering(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const NearClustering found =
      near_clustering(s.history,
                      {.delta = arguments.given("delta") ? arguments.number("delta") : 1e-3,
                       .share = arguments.number("share")},
                      observe_settings(s.experiment));
  write(flags,
        {{"share", "part", "all"},
         {{arguments.number("share"), value_or_null(found.part), value_or_null(found.all)}}});
}

// How many clusters hold a share of the mass, frame by frame.
void show_atoms(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const Series series =
      atoms_over_time(s.history, s.experiment.dynamics,
                      {.share = arguments.given("share") ? arguments.number("share") : 0.99,
                       .tol = s.experiment.observe.cluster_tol});
  Sheet sheet{{"t", "atoms"}};
  for (std::size_t k = 0; k < series.t.size(); ++k)
    sheet.rows.push_back({series.t[k], static_cast<int>(series.value[k])});
  write(flags, sheet);
}

// Clusters at three tolerances, and whether those at cluster_tol are chains, frame by frame.
void show_counts(const Flags& flags, const Subject& s, const ShowArguments&) {
  Sheet sheet{{"t", "clusters", "finer", "coarser", "width", "chained"}};
  for (std::int64_t k = 0; k < s.history.count; ++k) {
    const ClusterCounts c =
        count_clusters(s.history.frame(k), s.experiment.dynamics, s.experiment.observe.cluster_tol);
    sheet.rows.push_back({s.history.time(k), c.count, c.finer, c.coarser, c.width, c.chained});
  }
  write(flags, sheet);
}

// The frames or the law that distances are measured to.
struct Reference {
  std::string name;
  bool uniform = false;  // of the circle
  History history{};
};

Reference reference_of(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  if (!arguments.given("to"))
    throw Error(Fault::input, "a distance needs a second measure", s.name,
                "add to=RUN, to=FILE.npy, to=start or to=uniform");
  Reference other{arguments.text("to")};
  if (other.name == "uniform") {
    other.uniform = true;
  } else if (other.name == "start") {
    other.history = {1, s.history.time, [&s](std::int64_t) { return s.history.frame(0); }};
  } else {
    other.history = frames_of(flags, other.name);
    other.history.frame = [frame = other.history.frame, manifold = s.experiment.dynamics.manifold,
                           name = other.name](std::int64_t k) {
      HostSwarm x = frame(k);
      fit_to_manifold(x, manifold, fmt::format("{}: frame {}", name, k));
      return x;
    };
  }
  if (!other.uniform && other.history.count == 0)
    throw Error(Fault::input, "there are no frames yet", other.name, "continue it first");
  return other;
}

// The frame that frame k is compared with: the only one, the one of the same number, or the last
// for the last.
HostSwarm matching_frame(const Subject& s, const Reference& other, std::int64_t k) {
  if (other.history.count == 1) return other.history.frame(0);
  if (other.history.count == s.history.count) return other.history.frame(k);
  if (k == s.history.count - 1) return other.history.frame(other.history.count - 1);
  throw Error(
      Fault::input, "the numbers of frames differ",
      fmt::format("{} has {}, {} has {}", s.name, s.history.count, other.name, other.history.count),
      "compare runs with equal numbers of frames, or leave frame out for the last ones");
}

class DistanceMeter {
 public:
  DistanceMeter(const Subject& s, const ShowArguments& arguments)
      : kind_(arguments.text("distance")),
        circle_(s.experiment.dynamics.manifold == Manifold::sphere && s.history.frame(0).d() == 2),
        ground_(s.experiment.dynamics.manifold == Manifold::sphere ? Ground::arc : Ground::chord),
        sliced_{ground_, arguments.whole("slices"), s.experiment.random.seed,
                s.experiment.engine.threads},
        entropic_{.ground = ground_,
                  .epsilon = arguments.number("epsilon"),
                  .threads = s.experiment.engine.threads} {
    if (kind_ != "w2" && kind_ != "w1" && kind_ != "sliced" && kind_ != "entropic")
      arguments.refuse("distance", "not one of its values",
                       "use distance=w2, w1, sliced or entropic");
  }

  std::vector<std::string> columns() const {
    if (kind_ == "sliced") return {"t", "sliced", "error"};
    if (kind_ == "entropic") return {"t", "entropic", "least", "most", "margin_error"};
    return {"t", kind_};
  }

  std::vector<nlohmann::json> row(double t, const HostSwarm& x, const HostSwarm& y) const {
    if (kind_ == "sliced") {
      const SlicedDistance found = sliced_distance(x, y, sliced_);
      return {t, found.distance, found.error};
    }
    if (kind_ == "entropic") {
      const EntropicDistance found = entropic_distance(x, y, entropic_);
      return {t, found.distance, found.min, found.most, found.margin_error};
    }
    if (circle_) return {t, circle_distance(circle_atoms(x), circle_atoms(y), power()).distance};
    return {t, assignment_distance(x, y, ground_, power()).distance};
  }

  std::vector<nlohmann::json> row_to_uniform(double t, const HostSwarm& x) const {
    if (!circle_ || kind_ == "sliced" || kind_ == "entropic")
      throw Error(Fault::input, "to=uniform needs w1 or w2 on the circle", "to=uniform",
                  "use d = 2 and distance=w2, or save points of it and use to=FILE.npy");
    return {t, circle_distance(circle_atoms(x), circle_uniform(), power()).distance};
  }

 private:
  int power() const { return kind_ == "w1" ? 1 : 2; }

  std::string kind_;
  bool circle_;
  Ground ground_;
  SlicedSettings sliced_;
  EntropicSettings entropic_;
};

// The distance of the frames to those of another run or file, to the first one, or to the uniform
// law.
void show_distance(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const DistanceMeter meter(s, arguments);
  const Reference other = reference_of(flags, s, arguments);
  const bool all = all_frames(arguments);
  const std::int64_t first = all ? 0 : frame_of(s, arguments);
  const std::int64_t end = all ? s.history.count : first + 1;
  Sheet sheet{meter.columns()};
  for (std::int64_t k = first; k < end; ++k) {
    const HostSwarm x = s.history.frame(k);
    const double t = s.history.time(k);
    sheet.rows.push_back(other.uniform ? meter.row_to_uniform(t, x)
                                       : meter.row(t, x, matching_frame(s, other, k)));
  }
  write(flags, sheet);
}

struct Groups {
  Clusters clusters{};
  double radius = 0;  // least eps with every token in the cap <x, w_q> >= 1 - eps of its cluster
  double angle = 0;   // between the two closest centres w_q
};

double inner_product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Clusters of a frame with their centres, the normalised means.
Groups groups_of(const HostSwarm& x, const Subject& s) {
  Groups groups{clusters(x, s.experiment.dynamics, s.experiment.observe.cluster_tol)};
  const std::vector<double> rows = to_rows(x);
  const auto d = static_cast<std::size_t>(x.d());
  const auto row = [&](int i) { return std::span(rows).subspan(i * d, d); };
  std::vector<std::vector<double>> centre(groups.clusters.count, std::vector<double>(d));
  for (int i = 0; i < x.n(); ++i)
    for (std::size_t k = 0; k < d; ++k) centre[groups.clusters.label[i]][k] += row(i)[k];
  for (std::vector<double>& w : centre) {
    const double length = std::sqrt(inner_product(w, w));
    for (double& value : w) value /= length;
  }
  for (int i = 0; i < x.n(); ++i)
    groups.radius =
        std::max(groups.radius, 1 - inner_product(row(i), centre[groups.clusters.label[i]]));
  double closest = -1;
  for (std::size_t a = 0; a < centre.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      closest = std::max(closest, inner_product(centre[a], centre[b]));
  groups.angle = std::acos(std::clamp(closest, -1.0, 1.0));
  return groups;
}

// Greatest distance between two tokens of one cluster.
double spread_of(const HostSwarm& x, const std::vector<int>& label) {
  const std::vector<double> rows = to_rows(x);
  const auto d = static_cast<std::size_t>(x.d());
  double most = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < i; ++j) {
      if (label[i] != label[j]) continue;
      double square = 0;
      for (std::size_t k = 0; k < d; ++k) {
        const double step = rows[i * d + k] - rows[j * d + k];
        square += step * step;
      }
      most = std::max(most, square);
    }
  return std::sqrt(most);
}

// The caps with the greatest T2 / T1 among those that contain the tokens: the theorem holds for
// each.
theory::Caps best_caps(const Groups& groups, theory::Caps caps) {
  theory::Caps best = caps;
  double longest = -1;
  for (double eps = std::max(groups.radius, 1e-9); eps < 0.1; eps *= 1.05) {
    caps.eps = eps;
    caps.alpha = theory::cap_alpha(groups.angle, eps);
    const theory::Metastable m = theory::metastability(caps);
    const double length = m.gap > 0 ? m.ends / m.begins : 0;
    if (length > longest) longest = length, best = caps;
  }
  if (longest < 0)
    throw Error(Fault::input, "clusters are too wide for caps of the theorem",
                fmt::format("1 - cosine to a centre reaches {:.3g}", groups.radius),
                "give a later frame, or a smaller cluster_tol");
  return best;
}

// The theorem's unit of time in units of the run's time; the theorem uses SA, or USA in clock u2.
double unit_of(const theory::Growth& known) {
  if (known.law == theory::Law::sa || known.clock == Clock::u2) return 1;
  return std::exp(-known.beta) / (known.clock == Clock::u3 ? known.beta : 1);
}

// How long the theorem on metastability keeps the clusters of a frame together, and whether it
// holds.
void show_metastability(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const std::int64_t first = arguments.given("frame") ? frame_of(s, arguments) : 0;
  const HostSwarm start = s.history.frame(first);
  const theory::Growth known = theory::growth_of(s.experiment.dynamics, start.d());
  if (known.descent || known.noise > 0 || !(known.beta > 1) || s.experiment.inputs.count("masses"))
    throw Error(Fault::input, "the theorem on metastability does not apply to this dynamics",
                s.name,
                "measure a run of SA or USA with V = I, beta > 1, equal masses and no noise");
  const Groups groups = groups_of(start, s);
  if (groups.clusters.count < 2)
    throw Error(Fault::input, "one cluster has nothing to merge with",
                fmt::format("{}: frame {}", s.name, first), "give an earlier frame");
  const theory::Caps caps =
      best_caps(groups, {.n = start.n(), .beta = known.beta, .rate = arguments.number("rate")});
  const theory::Metastable m = theory::metastability(caps);
  const double t = s.history.time(first), unit = unit_of(known);
  const double begins = t + unit * m.begins, ends = t + unit * m.ends;
  const bool holds = m.gap > 0 && begins < ends;
  int frames = 0;
  double spread = 0;
  for (std::int64_t f = first; holds && f < s.history.count; ++f)
    if (s.history.time(f) >= begins && s.history.time(f) <= ends) {
      spread = std::max(spread, spread_of(s.history.frame(f), groups.clusters.label));
      ++frames;
    }
  const auto if_holds = [&](double value) { return holds ? Json(value) : Json(nullptr); };
  write(flags,
        {{"clusters", "eps", "alpha", "gap", "begins", "ends", "bound", "frames", "spread"},
         {{groups.clusters.count, caps.eps, caps.alpha, m.gap, if_holds(begins), if_holds(ends),
           if_holds(m.spread), frames, frames > 0 ? Json(spread) : Json(nullptr)}}});
}

// Which word of a vocabulary one token, and the mean, say next. One frame: a row for each word. All
// frames: a row for each frame, with all probabilities in the JSON.
void show_next_word(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  NextWordRequest request;
  if (s.is_run && !arguments.given("vocabulary"))
    use_vocabulary_of(RunReader(find_run(flags, s.name)), request);
  for (const std::string& key : NextWordRequest::keys())
    if (arguments.given(key)) request.set(key, arguments.text(key));
  const Shape shape = s.history.frame(0).shape();
  const Vocabulary vocabulary = vocabulary_for(request, shape, s.experiment.random.seed);
  const int token = token_for(request, shape);
  const auto said_at = [&](std::int64_t frame) {
    return read_next_word(s.history.frame(frame), token, vocabulary, request.rule);
  };
  if (arguments.given("frame") && !all_frames(arguments)) {
    const NextWordReading here = said_at(frame_of(s, arguments));
    Sheet sheet{{"word", "token", "mean"}};
    for (int v = 0; v < vocabulary.count(); ++v)
      sheet.rows.push_back(
          {vocabulary.word(v), here.token.probability[v], here.mean.probability[v]});
    return write(flags, sheet);
  }
  Sheet sheet{{"t"}};
  for (const char* who : {"token", "mean"})
    for (const char* what : {"word", "probability", "entropy", "outcomes", "above"})
      sheet.columns.push_back(fmt::format("{}_{}", who, what));
  if (flags.json)
    for (const char* who : {"token", "mean"})
      sheet.columns.push_back(fmt::format("{}_probabilities", who));
  for (std::int64_t f = 0; f < s.history.count; ++f) {
    const NextWordReading now = said_at(f);
    auto& row = sheet.rows.emplace_back(std::vector<Json>{s.history.time(f)});
    for (const NextWord* n : {&now.token, &now.mean})
      for (const Json& cell : {Json(vocabulary.word(n->best)), Json(n->probability[n->best]),
                               Json(n->entropy), Json(n->outcomes), Json(n->above)})
        row.push_back(cell);
    if (flags.json)
      for (const NextWord* n : {&now.token, &now.mean}) row.push_back(n->probability);
  }
  write(flags, sheet);
}

}  // namespace

void show(const Flags& flags, const Subject& subject, const ShowArguments& arguments) {
  if (subject.history.count == 0)
    throw Error(Fault::input, "there are no frames yet", subject.name,
                "continue it first: murmur simulate --resume RUN");
  using Shower = void (*)(const Flags&, const Subject&, const ShowArguments&);
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
  showers.at(arguments.show())(flags, subject, arguments);
}

}  // namespace murmur::app
