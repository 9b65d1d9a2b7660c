// swarm_readings.cpp: readings of a swarm: pairs, modes, centres, clusters over time, plateaus,
// growth, metastability, distances to another measure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "murmur/error.h"
#include "murmur/theory.h"
#include "murmur/transport.h"
#include "report/metastability.h"
#include "report/readings.h"
#include "run/text.h"

namespace murmur {

namespace {

using Json = nlohmann::json;

Json value_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

double beta_of(const RunView& view) {  // the parameter
  return parse_number(view.settings().at("beta").text).value_or(0);
}

// modes=3 or modes=1-8.
std::pair<int, int> modes_of(const ReadingOptions& options) {
  constexpr int kMost = 10'000;
  const std::string text = options.text("modes");
  const std::size_t dash = text.find('-', 1);
  std::optional<std::int64_t> first, last;
  if (dash == std::string::npos) {
    first = last = options.whole("modes");
  } else {
    first = parse_whole(text.substr(0, dash), 1, kMost);
    last = parse_whole(text.substr(dash + 1), 1, kMost);
  }
  if (!first || !last || *first < 1 || *last < *first || *last > kMost)
    options.refuse("modes", "not a range of modes", "write modes=3 or modes=1-8, from 1 to 10000");
  return {static_cast<int>(*first), static_cast<int>(*last)};
}

Table compute_histogram(const RunView& view, const ReadingOptions& options) {
  const CosineHistogram h =
      cosine_histogram(view.history().frame(frame_of(view, options)), options.whole("bins"),
                       observe_settings(view.experiment()));
  Table table{{"from", "to", "pairs", "fraction"}};
  for (std::size_t b = 0; b < h.count.size(); ++b)
    table.rows.push_back({h.edge[b], h.edge[b + 1], h.count[b],
                          h.pairs > 0
                              ? Json(static_cast<double>(h.count[b]) / static_cast<double>(h.pairs))
                              : Json(nullptr)});
  return table;
}

// One frame: a row for each mode, with its phase on the circle. All frames: a row for each frame.
Table compute_modes(const RunView& view, const ReadingOptions& options) {
  const auto [first, last] = modes_of(options);
  Table table;
  if (options.given("frame") && !all_frames(options)) {
    const HostSwarm x = view.history().frame(frame_of(view, options));
    const std::vector<double> amplitude =
        mode_amplitudes(x, last, observe_settings(view.experiment()));
    std::vector<std::complex<double>> wave;  // of the circle
    if (x.d() == 2) wave = fourier_amplitudes(x, last);
    table.columns = {"mode", "amplitude", "power", "phase"};
    for (int k = first; k <= last; ++k)
      table.rows.push_back({k, amplitude[k], amplitude[k] * amplitude[k],
                            wave.empty() ? Json(nullptr) : Json(std::arg(wave[k]))});
    return table;
  }
  table.columns = {"t"};
  for (int k = first; k <= last; ++k) table.columns.push_back(fmt::format("mode_{}", k));
  for (std::int64_t f = 0; f < view.history().count; ++f) {
    const auto amplitude =
        mode_amplitudes(view.history().frame(f), last, observe_settings(view.experiment()));
    table.rows.push_back({view.history().time(f)});
    for (int k = first; k <= last; ++k) table.rows.back().push_back(amplitude[k]);
  }
  return table;
}

// Strong centres are also ordinary ones.
Table compute_centres(const RunView& view, const ReadingOptions& options) {
  const double beta = beta_of(view);
  const double delta = options.given("delta") ? options.number("delta") : 4 / std::sqrt(beta);
  if (!options.given("delta") && !(beta > 0))
    throw Error(Fault::input, "the distance of centres is not defined for this beta",
                fmt::format("beta = {}", beta), "give it: delta=0.5");
  const auto find = [&](const HostSwarm& x, Centres kind) {
    return renyi_centres(x, view.dynamics().manifold, delta, kind);
  };
  Table table;
  if (all_frames(options)) {
    table.columns = {"t", "centres", "strong"};
    for (std::int64_t f = 0; f < view.history().count; ++f) {
      const HostSwarm x = view.history().frame(f);
      table.rows.push_back({view.history().time(f), find(x, Centres::ordinary).size(),
                            find(x, Centres::strong).size()});
    }
    return table;
  }
  const HostSwarm x = view.history().frame(frame_of(view, options));
  const std::vector<int> strong = find(x, Centres::strong);
  table.columns = {"particle", "strong"};
  for (const int i : find(x, Centres::ordinary))
    table.rows.push_back({i, std::binary_search(strong.begin(), strong.end(), i) ? 1 : 0});
  return table;
}

Table compute_density_modes(const RunView& view, const ReadingOptions& options) {
  const DensityRequest request{.beta = beta_of(view), .axis = options.whole("axis")};
  const auto find = [&](std::int64_t frame) {
    return density_modes(view.history().frame(frame), view.dynamics().manifold, request);
  };
  Table table;
  if (all_frames(options)) {
    table.columns = {"t", "modes"};
    for (std::int64_t f = 0; f < view.history().count; ++f)
      table.rows.push_back({view.history().time(f), find(f).size()});
  } else {
    table.columns = {view.dynamics().manifold == Manifold::sphere ? "angle" : "place"};
    for (const double y : find(frame_of(view, options))) table.rows.push_back({y});
  }
  return table;
}

Table compute_genealogy(const RunView& view, const ReadingOptions&) {
  const Genealogy g =
      genealogy(view.history(), view.dynamics(), view.experiment().observe.cluster_tol);
  Table tree{{"id", "size", "mass", "first_member", "born", "last", "from", "becomes"}};
  for (const Lineage& c : g.clusters)
    tree.rows.push_back({c.id, c.size, c.mass, c.first_member, view.history().time(c.born),
                         view.history().time(c.last), c.from, c.becomes});
  Table events{.columns = {"kind", "after", "by", "from", "to", "mass"},
               .facts = {{"clusters", json_of(tree)}},
               .rows_name = "events"};
  for (const Regrouping& e : g.events) {
    std::vector<double> mass;
    for (const int id : e.to) mass.push_back(g.clusters[id].mass);
    events.rows.push_back({name_of(e.kind), e.after, e.by, e.from, e.to, mass});
  }
  return events;
}

// A column of the table of observables, computed for every frame.
Series column_of(const RunView& view, const std::string& name) {
  const Dynamics& dynamics = view.dynamics();
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
                fmt::format("{}: column={}", view.name(), name),
                near.empty() ? fmt::format("it has {}", fmt::join(names, ", "))
                             : fmt::format("did you mean column={}?", near));
  }
  Series series;
  for (std::int64_t f = 0; f < view.history().count; ++f) {
    series.t.push_back(view.history().time(f));
    series.value.push_back(observe(view.history().frame(f), dynamics,
                                   observe_settings(view.experiment(), series.t.back()))[column]);
  }
  return series;
}

Table compute_plateaus(const RunView& view, const ReadingOptions& options) {
  const std::string time = options.text("time");
  if (time != "linear" && time != "log")
    options.refuse("time", "not one of its values", "use time=linear or time=log");
  Table table{{"start", "end", "level", "rise"}};
  for (const Plateau& p :
       plateaus(column_of(view, options.text("column")), {.log_time = time == "log",
                                                         .slope = options.number("slope"),
                                                         .length = options.number("length")}))
    table.rows.push_back({p.start, p.end, p.level, value_or_null(p.rise)});
  return table;
}

// The growth rate of a column, or of the amplitude of one mode while it is above random
// fluctuations and still small.
Table compute_growth(const RunView& view, const ReadingOptions& options) {
  Series series;
  Window window{0, std::numeric_limits<double>::infinity()};
  if (options.given("column")) {
    series = column_of(view, options.text("column"));
  } else {
    const auto [first, last] = modes_of(options);
    if (first != last)
      options.refuse("modes", "growth is that of one mode", "write modes=3, or name a column");
    for (std::int64_t f = 0; f < view.history().count; ++f) {
      series.t.push_back(view.history().time(f));
      series.value.push_back(mode_amplitudes(view.history().frame(f), last,
                                             observe_settings(view.experiment()))[last]);
    }
    window = {3 / std::sqrt(view.history().frame(0).n()), 0.06};
  }
  if (options.given("low")) window.low = options.number("low");
  if (options.given("high")) window.high = options.number("high");
  const Growth g = growth_rate(series, window);
  return {{"rate", "error", "from", "to", "points"}, {{g.rate, g.error, g.from, g.to, g.points}}};
}

Table compute_clustering(const RunView& view, const ReadingOptions& options) {
  const NearClustering found =
      near_clustering(view.history(),
                      {.delta = options.given("delta") ? options.number("delta") : 1e-3,
                       .share = options.number("share")},
                      observe_settings(view.experiment()));
  return {{"share", "part", "all"},
          {{options.number("share"), value_or_null(found.part), value_or_null(found.all)}}};
}

// How many clusters hold a share of the mass, frame by frame.
Table compute_atoms(const RunView& view, const ReadingOptions& options) {
  const Series series =
      atoms_over_time(view.history(), view.dynamics(),
                      {.share = options.given("share") ? options.number("share") : 0.99,
                       .tol = view.experiment().observe.cluster_tol});
  Table table{{"t", "atoms"}};
  for (std::size_t k = 0; k < series.t.size(); ++k)
    table.rows.push_back({series.t[k], static_cast<int>(series.value[k])});
  return table;
}

// Clusters at three tolerances, and whether those at cluster_tol are chains, frame by frame.
Table compute_counts(const RunView& view, const ReadingOptions&) {
  Table table{{"t", "clusters", "finer", "coarser", "width", "chained"}};
  for (std::int64_t k = 0; k < view.history().count; ++k) {
    const ClusterCounts c = count_clusters(view.history().frame(k), view.dynamics(),
                                           view.experiment().observe.cluster_tol);
    table.rows.push_back({view.history().time(k), c.count, c.finer, c.coarser, c.width, c.chained});
  }
  return table;
}

// The frames or the law that distances are measured to.
struct Reference {
  std::string name;
  bool uniform = false;  // of the circle
  History history{};
};

Reference reference_of(const RunView& view, const ReadingOptions& options) {
  if (!options.given("to"))
    throw Error(Fault::input, "a distance needs a second measure", view.name(),
                "add to=RUN, to=FILE.npy, to=start or to=uniform");
  Reference other{options.text("to")};
  if (other.name == "uniform") {
    other.uniform = true;
  } else if (other.name == "start") {
    other.history = {1, view.history().time,
                     [&view](std::int64_t) { return view.history().frame(0); }};
  } else {
    other.history = view.open_frames(other.name);
    other.history.frame = [frame = other.history.frame, manifold = view.dynamics().manifold,
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
HostSwarm matching_frame(const RunView& view, const Reference& other, std::int64_t k) {
  if (other.history.count == 1) return other.history.frame(0);
  if (other.history.count == view.history().count) return other.history.frame(k);
  if (k == view.history().count - 1) return other.history.frame(other.history.count - 1);
  throw Error(Fault::input, "the numbers of frames differ",
              fmt::format("{} has {}, {} has {}", view.name(), view.history().count, other.name,
                          other.history.count),
              "compare runs with equal numbers of frames, or leave frame out for the last ones");
}

class DistanceMeter {
 public:
  DistanceMeter(const RunView& view, const ReadingOptions& options)
      : kind_(options.text("distance")),
        circle_(view.dynamics().manifold == Manifold::sphere && view.history().frame(0).d() == 2),
        ground_(view.dynamics().manifold == Manifold::sphere ? Ground::arc : Ground::chord),
        sliced_{ground_, options.whole("slices"), view.experiment().random.seed,
                view.experiment().engine.threads},
        entropic_{.ground = ground_,
                  .epsilon = options.number("epsilon"),
                  .threads = view.experiment().engine.threads} {
    if (kind_ != "w2" && kind_ != "w1" && kind_ != "sliced" && kind_ != "entropic")
      options.refuse("distance", "not one of its values",
                     "use distance=w2, w1, sliced or entropic");
  }

  std::vector<std::string> columns() const {
    if (kind_ == "sliced") return {"t", "sliced", "error"};
    if (kind_ == "entropic") return {"t", "entropic", "least", "most", "margin_error"};
    return {"t", kind_};
  }

  std::vector<Json> row(double t, const HostSwarm& x, const HostSwarm& y) const {
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

  std::vector<Json> row_to_uniform(double t, const HostSwarm& x) const {
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
Table compute_distance(const RunView& view, const ReadingOptions& options) {
  const DistanceMeter meter(view, options);
  const Reference other = reference_of(view, options);
  const bool all = all_frames(options);
  const std::int64_t first = all ? 0 : frame_of(view, options);
  const std::int64_t end = all ? view.history().count : first + 1;
  Table table{meter.columns()};
  for (std::int64_t k = first; k < end; ++k) {
    const HostSwarm x = view.history().frame(k);
    const double t = view.history().time(k);
    table.rows.push_back(other.uniform ? meter.row_to_uniform(t, x)
                                       : meter.row(t, x, matching_frame(view, other, k)));
  }
  return table;
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
Groups groups_of(const HostSwarm& x, const RunView& view) {
  Groups groups{clusters(x, view.dynamics(), view.experiment().observe.cluster_tol)};
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
Table compute_metastability(const RunView& view, const ReadingOptions& options) {
  const std::int64_t first = options.given("frame") ? frame_of(view, options) : 0;
  const HostSwarm start = view.history().frame(first);
  const theory::Growth known = theory::growth_of(view.dynamics(), start.d());
  if (known.descent || known.noise > 0 || !(known.beta > 1) ||
      view.experiment().inputs.count("masses"))
    throw Error(Fault::input, "the theorem on metastability does not apply to this dynamics",
                view.name(),
                "measure a run of SA or USA with V = I, beta > 1, equal masses and no noise");
  const Groups groups = groups_of(start, view);
  if (groups.clusters.count < 2)
    throw Error(Fault::input, "one cluster has nothing to merge with",
                fmt::format("{}: frame {}", view.name(), first), "give an earlier frame");
  const theory::Caps caps =
      best_caps(groups, {.n = start.n(), .beta = known.beta, .rate = options.number("rate")});
  const theory::Metastable m = theory::metastability(caps);
  const double t = view.history().time(first), unit = unit_of(known);
  const double begins = t + unit * m.begins, ends = t + unit * m.ends;
  const bool holds = m.gap > 0 && begins < ends;
  int frames = 0;
  double spread = 0;
  for (std::int64_t f = first; holds && f < view.history().count; ++f)
    if (view.history().time(f) >= begins && view.history().time(f) <= ends) {
      spread = std::max(spread, spread_of(view.history().frame(f), groups.clusters.label));
      ++frames;
    }
  const auto if_holds = [&](double value) { return holds ? Json(value) : Json(nullptr); };
  return {{"clusters", "eps", "alpha", "gap", "begins", "ends", "bound", "frames", "spread"},
          {{groups.clusters.count, caps.eps, caps.alpha, m.gap, if_holds(begins), if_holds(ends),
            if_holds(m.spread), frames, frames > 0 ? Json(spread) : Json(nullptr)}}};
}

Drawing draw_modes(const RunView& view, const ReadingOptions& options, const DrawRequest& request) {
  TablePanel panel{.x = time_axis(view.swarm_frames(), request),
                   .y = {.label = "amplitude", .log = true}};
  const Table table = compute_modes(view, options);
  for (std::size_t c = 1; c < table.columns.size(); ++c)
    panel.curves.push_back({table.columns[c], Curve::line, "degree " + table.columns[c].substr(5)});
  return draw_columns(table, panel, request);
}

Drawing draw_counts(const RunView& view, const ReadingOptions& options,
                    const DrawRequest& request) {
  const FigureAxis t = time_axis(view.swarm_frames(), request);
  return draw_columns(compute_counts(view, options),
                      {.x = t,
                       .y = {.label = "clusters", .log = true},
                       .curves = {{"clusters", Curve::steps, "at cluster_tol"},
                                  {"finer", Curve::points, "at a finer tolerance"},
                                  {"coarser", Curve::rings, "at a coarser tolerance"}}},
                      request);
}

Drawing draw_atoms(const RunView& view, const ReadingOptions& options, const DrawRequest& request) {
  const FigureAxis t = time_axis(view.swarm_frames(), request);
  return draw_columns(compute_atoms(view, options),
                      {.x = t,
                       .y = {.label = "clusters that hold the share of the mass", .log = true},
                       .curves = {{"atoms", Curve::steps}}},
                      request);
}

Drawing draw_metastability(const RunView& view, const ReadingOptions&, const DrawRequest& request) {
  return metastability_figure(view.swarm_frames(), view.experiment(), request.style);
}

constexpr Parameter::Kind kNumber = Parameter::number, kWhole = Parameter::whole,
                          kWord = Parameter::word;
constexpr Parameter kModes{kWord, "modes", "1-8", "K, or FIRST-LAST", "which modes are shown"};
constexpr Parameter kDelta{
    kNumber, "delta", "", "above 0",
    "centres: how far apart they are, 4 / sqrt(beta) unless given; clustering: pairs with a "
    "cosine above 1 - delta have met, 1e-3 unless given"};
constexpr Parameter kColumn{kWord, "column", "energy_scaled", "an observable",
                            "which column of the observables is read"};

}  // namespace

std::vector<Reading> swarm_readings() {
  return {
      {.name = "histogram",
       .table_meaning = "counts of the cosines of all pairs, in bins",
       .options = {option::frame, option::bins},
       .compute = compute_histogram},
      {.name = "modes",
       .table_meaning = "amplitudes of the waves of the density, by degree",
       .options = {option::frame, kModes},
       .compute = compute_modes,
       .picture_meaning = "amplitudes of the waves of the density over time, by degree",
       .picture_options = {kModes},
       .draw = draw_modes,
       .time_axis = Reading::over_time},
      {.name = "centres",
       .table_meaning =
           "particles that are first in their neighbourhood: Rényi centres of causal attention",
       .options = {option::frame, kDelta},
       .compute = compute_centres},
      {.name = "density-modes",
       .table_meaning = "local maxima of the kernel density of the particles",
       .options = {option::frame,
                   {kWhole, "axis", "0", "0 or more",
                    "in R^d the coordinate along which density modes are counted"}},
       .compute = compute_density_modes},
      {.name = "genealogy",
       .table_meaning = "which clusters merged, split or exchanged particles, and when",
       .compute = compute_genealogy},
      {.name = "plateaus",
       .table_meaning = "intervals in which an observable is nearly constant",
       .options = {kColumn,
                   {kWord, "time", "linear", "linear, log",
                    "whether flatness is measured in t or in ln t"},
                   {kNumber, "slope", "0.1", "above 0",
                    "greatest slope of a plateau; a straight line from first to last frame has "
                    "slope 1"},
                   {kNumber, "length", "0.03", "0 to 1",
                    "shortest plateau, as a share of the whole run"}},
       .compute = compute_plateaus},
      {.name = "growth",
       .table_meaning = "the rate of exponential growth of a mode or of an observable",
       .options = {kModes,
                   kColumn,
                   {kNumber, "low", "", "a number", "smallest amplitude of the fit"},
                   {kNumber, "high", "", "a number", "largest amplitude of the fit"}},
       .compute = compute_growth},
      {.name = "clustering",
       .table_meaning = "the times at which a share of the pairs, and all of them, have met",
       .options = {option::share, kDelta},
       .compute = compute_clustering},
      {.name = "atoms",
       .table_meaning = "how many clusters hold a share of the mass, frame by frame",
       .options = {option::share},
       .compute = compute_atoms,
       .picture_meaning = "how many clusters hold a share of the mass, over time",
       .picture_options = {option::share},
       .draw = draw_atoms,
       .time_axis = Reading::over_time},
      {.name = "metastability",
       .table_meaning =
           "how long the theorem on metastability keeps the clusters of a frame together",
       .options = {option::frame,
                   {kNumber, "rate", "1", "above 0",
                    "how fast the promised distance within a cluster falls with beta"}},
       .compute = compute_metastability,
       .picture_meaning = "tokens and clusters over log t, with the time in which clusters gather "
                          "and the time at which one is left",
       .draw = draw_metastability},
      {.name = "distance",
       .table_meaning = "the transport distance of each frame to another run, file or law",
       .options =
           {option::frame,
            {kWord, "to", "", "RUN, FILE.npy, start, uniform", "what the distance is measured to"},
            {kWord, "distance", "w2", "w1, w2, entropic, sliced",
             "which transport distance is measured"},
            {kWhole, "slices", "256", "1 or more", "number of directions of the sliced distance"},
            {kNumber, "epsilon", "0.01", "above 0", "regularisation of the entropic distance"}},
       .compute = compute_distance},
      {.name = "counts",
       .table_meaning = "numbers of clusters at three tolerances, frame by frame",
       .compute = compute_counts,
       .picture_meaning = "numbers of clusters at three tolerances, over time",
       .draw = draw_counts,
       .time_axis = Reading::over_time},
  };
}

}  // namespace murmur
