// landscape.cpp: murmur landscape: critical points of attention beside a perceptron, certified.
#include "landscape.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <set>

#include "command.h"
#include "murmur/error.h"
#include "murmur/formats.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// What is looked for, and where.
struct Request {
  Landscape landscape{};
  SearchSettings search{};
  std::string name{};
  std::string config{};
  Record inputs{};
};

[[noreturn]] void refuse(const Settings& settings, const std::string& key,
                         const std::string& reason, const std::string& remedy) {
  const Setting& s = settings.at(key);
  throw Error(Fault::input, fmt::format("{} = {}: {}", key, s.text, reason), s.origin, remedy);
}

bool is_second(const Settings& settings, const char* key, const char* first, const char* second) {
  const std::string& text = settings.at(key).text;
  if (text != first && text != second)
    refuse(settings, key, "is not known", fmt::format("use {} or {}", first, second));
  return text == second;
}

// The same words mean what they mean in a simulation: its own parser reads them.
Experiment experiment_of(const Settings& settings) {
  Settings flight = gather({});
  for (const Parameter& p : landscape_parameters())
    if (flight.count(p.name) != 0) flight[p.name] = settings.at(p.name);
  flight["masses"] = {"equal", "default", {}};
  flight["direction"] = {"ascent", "default", {}};
  flight["dynamics"] = {"USA", "default", {}};
  return make_experiment(flight);
}

double number_of(const Settings& settings, const char* key, double least, double most) {
  const std::string& text = settings.at(key).text;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= least && value <= most))
    refuse(settings, key, fmt::format("is not a number from {} to {}", least, most),
           "murmur landscape --help shows examples");
  return value;
}

std::string config_of(const Settings& settings, const Record& inputs) {
  std::string text = "# Every parameter of this search; murmur landscape reads it again.\n";
  for (const Parameter& p : landscape_parameters()) {
    std::string value = settings.at(p.name).text;
    if (std::string_view(p.name) == "perceptron" && !inputs.empty())
      value = "inputs/perceptron_*.npy";
    const bool bare = p.kind == Parameter::number || p.kind == Parameter::whole;
    text += bare ? fmt::format("{} = {}\n", p.name, value)
                 : fmt::format("{} = {}\n", p.name, nlohmann::json(value).dump());
  }
  return text;
}

Request request_of(const Settings& settings) {
  const Experiment e = experiment_of(settings);
  Request request{.name = settings.at("name").text};
  Landscape& l = request.landscape;
  l.d = e.swarm.d();
  l.beta = std::strtod(settings.at("beta").text.c_str(), nullptr);
  if (!(l.beta > 0))
    refuse(settings, "beta", "the energy divides by it", "give beta above 0, such as beta=4");
  l.kernel =
      is_second(settings, "kernel", "plain", "scaled") ? Landscape::scaled : Landscape::plain;
  l.direction = is_second(settings, "direction", "ascent", "descent") ? Landscape::descent
                                                                      : Landscape::ascent;
  for (const Phase& phase : e.dynamics.phases)
    for (const Force& force : phase.forces)
      if (const auto* p = std::get_if<Perceptron>(&force)) set_potential(*p, l);
  SearchSettings& search = request.search;
  search.masses = is_second(settings, "masses", "equal", "free") ? Masses::free : Masses::equal;
  search.n = e.swarm.n();
  search.seed = e.seed;
  search.starts = static_cast<int>(number_of(settings, "starts", 1, 1e6));
  search.certify.tolerance = number_of(settings, "tolerance", 1e-14, 1);
  search.threads = e.engine.threads;
  for (const auto& [name, array] : e.inputs)
    if (name.rfind("perceptron_", 0) == 0) request.inputs[name] = array;
  request.config = config_of(settings, request.inputs);
  return request;
}

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json json_of(const Landscape& l, const CriticalPoint& point) {
  const Localisation where = localise(l, point.mu);
  nlohmann::json atoms = nlohmann::json::array(), places = nlohmann::json::array();
  for (int i = 0; i < point.mu.count(); ++i) {
    Vector row(l.d);
    for (int k = 0; k < l.d; ++k) row[k] = point.mu.x(i, k);
    atoms.push_back(row);
    places.push_back({{"active", where.places[i].active},
                      {"angle", finite_or_null(where.places[i].angle)},
                      {"unit_angle", finite_or_null(where.places[i].unit_angle)}});
  }
  nlohmann::json object = {{"atoms", atoms},
                           {"masses", point.mu.mass},
                           {"energy", point.energy},
                           {"gradient_norm", point.gradient_norm},
                           {"index", point.index},
                           {"zeros", point.zeros},
                           {"expected_zeros", point.expected_zeros},
                           {"spectrum", point.spectrum},
                           {"second_order", point.second_order},
                           {"gap", point.certificate.gap},
                           {"gap_bound", finite_or_null(point.certificate.bound)},
                           {"exhaustive", point.certificate.exhaustive},
                           {"certified", point.certificate.holds},
                           {"found", point.found}};
  object["crowd"] = finite_or_null(where.crowd);
  object["crowd_bound"] = finite_or_null(where.crowd_bound);
  if (!l.a.empty()) object["places"] = places;
  return object;
}

// (atoms of all points, 2 + d): point, mass, coordinates.
Array atoms_of(const Search& search, int d) {
  std::vector<double> rows;
  for (std::size_t k = 0; k < search.points.size(); ++k) {
    const Atoms& mu = search.points[k].mu;
    for (int i = 0; i < mu.count(); ++i) {
      rows.push_back(static_cast<double>(k));
      rows.push_back(mu.mass[i]);
      for (int c = 0; c < d; ++c) rows.push_back(mu.x(i, c));
    }
  }
  const std::size_t width = static_cast<std::size_t>(d) + 2;
  return {{rows.size() / width, width}, std::move(rows)};
}

std::string table_of(const Landscape& l, const Search& search) {
  std::string text =
      fmt::format("{:>18} {:>5} {:>8} {:>6} {:>9} {:>7} {:>10} {:>9} {:>5}\n", "energy", "atoms",
                  "heaviest", "index", "zeros", "second", "gap", "certified", "found");
  for (const CriticalPoint& p : search.points)
    text += fmt::format("{:>18.10g} {:>5} {:>8.4f} {:>6} {:>9} {:>7} {:>10.2e} {:>9} {:>5}\n",
                        p.energy, p.mu.count(), p.mu.mass[0], p.index,
                        fmt::format("{}/{}", p.zeros, p.expected_zeros),
                        p.second_order ? "yes" : "no", std::fmax(p.certificate.gap, 0),
                        p.certificate.holds        ? "yes"
                        : p.certificate.exhaustive ? "no"
                                                   : "partly",
                        p.found);
  if (l.a.empty()) return text;
  const Localisation where = localise(l, search.points.front().mu);
  text += fmt::format("\natoms of the first: {} extrema of the potential\n{:>8} {:>14} {:>12}\n",
                      where.extrema.size(), "mass", "active units", "angle to one");
  for (std::size_t i = 0; i < where.places.size(); ++i)
    text += fmt::format("{:>8.4f} {:>14} {:>12.3g}\n", search.points.front().mu.mass[i],
                        fmt::format("{} of {}", where.places[i].active, l.a.rows),
                        where.places[i].angle);
  if (std::isfinite(where.crowd))
    text += fmt::format("two or more within 1/(2 sqrt beta): mass {:.4f}, bound {:.4f}\n",
                        where.crowd, where.crowd_bound);
  return text;
}

std::vector<fs::path> try_to_draw(const Request& request, const Search& search,
                                  const fs::path& directory) try {
  return draw_landscape(request.landscape, search, directory);
} catch (const Error& error) {
  fmt::print(stderr, "murmur: the landscape is not drawn: {}\n  where: {}\n  do:    {}\n",
             error.summary, error.where, error.remedy);
  return {};
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Request request = request_of(settings_of(sort_words(words), landscape_parameters()));
  const auto began = std::chrono::steady_clock::now();
  const Search search = critical_points(request.landscape, request.search);
  if (search.points.empty())
    throw Error(Fault::numerical, "no start came to rest", fmt::format("{} starts", search.lost),
                "use more starts, or a smaller beta");
  Run kept = create_run(flags, request.name,
                        {.config = request.config,
                         .inputs = request.inputs,
                         .command = "landscape",
                         .argv = program_argv,
                         .seed = request.search.seed});
  nlohmann::json points = nlohmann::json::array();
  for (const CriticalPoint& point : search.points)
    points.push_back(json_of(request.landscape, point));
  nlohmann::json object = {{"run", kept.directory().string()},
                           {"scale", energy_scale(request.landscape)},
                           {"starts", request.search.starts},
                           {"lost", search.lost},
                           {"points", points}};
  write_file_atomically(kept.directory() / "points.json", object.dump(1) + "\n");
  write_npy(kept.directory() / "atoms.npy", atoms_of(search, request.landscape.d));
  const std::vector<fs::path> figures = try_to_draw(request, search, kept.directory());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  kept.close("done", {{"points", static_cast<double>(search.points.size())}, {"lost", search.lost}},
             "");
  object["seconds"] = seconds;
  if (flags.json)
    report(object);
  else
    data(table_of(request.landscape, search));
  say(flags,
      fmt::format("{} points from {} starts, {} lost, {:.2f} s, kept in {}", search.points.size(),
                  request.search.starts, search.lost, seconds, kept.directory().string()));
  return 0;
}

}  // namespace

std::span<const Parameter> landscape_parameters() {
  using P = Parameter;
  static const std::vector<Parameter> table = [] {
    std::vector<Parameter> rows = {
        {P::word, "name", "landscape", "a word", "first part of the run directory's name"},
        {P::word, "kernel", "plain", "plain, scaled", "e^{beta x.y}, or e^{beta (x.y - 1)}"},
        {P::word, "masses", "equal", "equal, free",
         "tokens of mass 1/n, or atoms whose masses move too"},
        {P::whole, "starts", "100", "1 or more", "where searches begin"},
        {P::number, "tolerance", "1e-8", "1e-14 to 1", "largest gap of a certificate, as a share"},
    };
    static const std::set<std::string> shared = {
        "n", "d", "beta", "perceptron", "activation", "direction", "seed", "replica", "threads"};
    for (const Parameter& p : parameters())
      if (shared.count(p.name) != 0) rows.push_back(p);
    return rows;
  }();
  return table;
}

Command landscape_command() {
  return {"landscape", "Critical points of the energy, certified, with and without a perceptron.",
          "  murmur landscape d=2 beta=4 n=60\n"
          "  murmur landscape d=2 beta=5 perceptron=gradient:3 direction=descent kernel=scaled \\\n"
          "    masses=free starts=20\n"
          "  murmur landscape n=64 d=3 beta=4 perceptron=gradient:4 activation=gelu --json",
          nullptr, run};
}

}  // namespace murmur::app
