// facade.cpp: the first core of the page: requests about recorded simulations and trained swarms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>

#include "generated/version.h"
#include "groups.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/images.h"
#include "murmur/known.h"
#include "murmur/observe.h"
#include "murmur/readout.h"
#include "murmur/recording.h"
#include "murmur/token_move.h"
#include "request.h"

namespace murmur::facade {

namespace {

constexpr int kCosineBins = 40;

const char* kind_of(const Parameter& parameter) {
  static constexpr const char* names[] = {"number", "whole", "word", "flag"};
  return names[parameter.kind];
}

int verdict_of(const std::vector<double>& scores) {
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// Appends the share of the pairs in each bin; zeros for a single particle.
void add_cosines(const HostSwarm& x, const ObserveSettings& settings, std::vector<double>& to) {
  const CosineHistogram cosines = cosine_histogram(x, kCosineBins, settings);
  for (const std::int64_t count : cosines.count)
    to.push_back(cosines.pairs > 0 ? static_cast<double>(count) / static_cast<double>(cosines.pairs)
                                   : 0.0);
}

std::vector<std::string> classes_of(const TrainedSwarm& swarm) {
  return class_names(swarm.task, swarm.digits);
}

struct Readings {  // of several frames
  std::vector<double> observables{}, cosines{}, chances{};
  std::vector<std::int8_t> verdicts{};
};

// Appends the probabilities of the readout, and the verdict of each token.
void read_trained(const TrainedSwarm& swarm, const HostSwarm& x, Readings& readings) {
  const Architecture& a = swarm.architecture;
  const std::vector<double> score = scores(a, readout_of(a, x));
  const Matrix chances = chances_of({1, static_cast<int>(score.size()), score});
  readings.chances.insert(readings.chances.end(), chances.data.begin(), chances.data.end());
  std::vector<double> place(static_cast<std::size_t>(x.d()));
  for (int i = 0; i < x.n(); ++i) {
    for (int k = 0; k < x.d(); ++k) place[static_cast<std::size_t>(k)] = x.at(i, k);
    readings.verdicts.push_back(static_cast<std::int8_t>(verdict_of(scores(a, place))));
  }
}

// An object of numbers. This compiles to less code for the page than a list of JSON values.
Json numbers(std::initializer_list<std::pair<const char*, double>> list) {
  Json object = Json::object();
  for (const auto& [name, value] : list) object[name] = value;
  return object;
}

// An object of texts.
Json texts(std::initializer_list<std::pair<const char*, const char*>> list) {
  Json object = Json::object();
  for (const auto& [name, value] : list) object[name] = value;
  return object;
}

// The names of all results that may be known of an experiment.
Json known_names() {
  Json names = {"exact-flow"};
  for (const KnownStatement& statement : known_statements())
    for (const StatementForm& form : statement.forms)
      if (form.name != nullptr) names.push_back(form_name(statement, form.name));
  return names;
}

Json about() {
  Json text = texts({{"version", MURMUR_VERSION}, {"commit", MURMUR_COMMIT}});
  for (const Parameter& p : parameters())
    text["parameters"].push_back(texts({{"name", p.name},
                                        {"kind", kind_of(p)},
                                        {"initial", p.initial},
                                        {"values", p.values},
                                        {"meaning", p.meaning}}));
  for (const MethodRow& row : methods())
    if (row.stepping != Stepping::cvode) {  // CVODE is not in the page
      Json method = Json::object();
      method["name"] = row.name;
      method["fixed"] = is_fixed(row.method);
      method["noise"] = row.takes_noise;
      text["methods"].push_back(std::move(method));
    }
  text["known"] = known_names();
  return text;
}

Json describe(const Recording& trajectory, int id) {
  const Experiment& e = trajectory.experiment();
  const TrainedSwarm* trained = trajectory.trained();
  Json text = numbers({{"n", e.swarm.n()},
                       {"d", e.swarm.d()},
                       {"frames", static_cast<double>(e.schedule.frames())},
                       {"first", static_cast<double>(trajectory.first())},
                       {"T", e.schedule.T}});
  text["id"] = id;
  text["habitat"] = e.dynamics.manifold == Manifold::sphere ? "sphere" : "space";
  text["columns"] = observable_names(e.dynamics);
  text["digits"] = trained != nullptr ? trained->digits : std::vector<int>{};
  text["classes"] = trained != nullptr ? classes_of(*trained) : std::vector<std::string>{};
  text["known"] = Json::array();
  for (const KnownResult& result : find_known_results(e)) {
    Json known = texts({{"name", result.name.c_str()},
                        {"source", result.source.c_str()},
                        {"sentence", result.sentence.c_str()}});
    known["values"] = result.values;
    text["known"].push_back(std::move(known));
  }
  text["config"] = e.config;
  return text;
}

Json describe(const TrainedSwarm& swarm, int id) {
  const Architecture& a = swarm.architecture;
  static constexpr const char* interactions[] = {"none", "attraction", "uniform", "attention"};
  Json targets = Json::array();
  for (int c = 0; c < a.targets.rows; ++c) {
    const auto row = a.targets.data.begin() + static_cast<std::ptrdiff_t>(c) * a.targets.cols;
    targets.push_back(std::vector<double>(row, row + a.targets.cols));
  }
  Json text = numbers({{"d", a.d},
                       {"blocks", a.blocks},
                       {"heads", a.heads},
                       {"hidden", a.hidden},
                       {"residual", a.residual},
                       {"parameters", static_cast<double>(swarm.parameters.size())},
                       {"height", swarm.height},
                       {"width", swarm.width}});
  text["id"] = id;
  text["task"] = swarm.task == Task::same ? "same" : "digits";
  text["digits"] = swarm.digits;
  text["classes"] = classes_of(swarm);
  text["shared"] = a.shared;
  text["interaction"] = interactions[a.interaction];
  text["position"] = a.position;
  text["readout"] = a.readout == Architecture::cls ? "cls" : "mean";
  text["targets"] = std::move(targets);
  return text;
}

// Adds frames first .. kept - 1: times, positions (f4), observables, cosines, probabilities,
// verdicts (i1).
void add_frames(const Recording& trajectory, std::int64_t first, Reply& reply) {
  const Experiment& e = trajectory.experiment();
  std::vector<double> times;
  std::vector<float> positions;
  Readings readings;
  for (std::int64_t frame = first; frame < trajectory.kept(); ++frame) {
    const HostSwarm x = trajectory.swarm(frame);
    const ObserveSettings settings = observe_settings(e, trajectory.time(frame));
    times.push_back(settings.t);
    for (const double value : trajectory.rows(frame))
      positions.push_back(static_cast<float>(value));
    const std::vector<double> row = observe(x, e.dynamics, settings);
    readings.observables.insert(readings.observables.end(), row.begin(), row.end());
    if (e.dynamics.manifold == Manifold::sphere) add_cosines(x, settings, readings.cosines);
    if (trajectory.trained() != nullptr) read_trained(*trajectory.trained(), x, readings);
  }
  reply.text["first"] = first;
  reply.text["count"] = times.size();
  reply.text["ended"] = nullptr;
  if (trajectory.ended()) {
    Json& ended = reply.text["ended"] = texts({{"what", trajectory.ended()->what.c_str()},
                                               {"remedy", trajectory.ended()->remedy.c_str()}});
    ended["ok"] = trajectory.ended()->ok();
  }
  reply.add(times);
  reply.add(positions);
  reply.add(readings.observables);
  reply.add(readings.cosines);
  reply.add(readings.chances);
  reply.add(readings.verdicts);
}

double length_of(const Vector& v) {
  double square = 0;
  for (const double c : v) square += c * c;
  return std::sqrt(square);
}

void append(const std::vector<double>& numbers, std::vector<double>& out) {
  out.insert(out.end(), numbers.begin(), numbers.end());
}

// Appends (groups, 5) and returns the number of groups.
int add_groups(const Matrix& points, const Vector& weights, const KeyDiscs& discs,
               std::vector<double>& out) {
  const std::vector<int> of = group_keys(points, weights, discs);
  const std::vector<KeyGroup> groups = summarise_groups(points, weights, of);
  for (const KeyGroup& group : groups) {
    append(group.place, out);
    append({group.weight, static_cast<double>(group.count)}, out);
  }
  return static_cast<int>(groups.size());
}

// Adds the parts of the move of one token. Arrays: weights (heads, n); keys (heads, n, 3) and
// queries (heads, 3) on the unit sphere; arrows (heads + 4, 3) along three axes: the message of
// each head, then messages, feed-forward, correction and move, whose lengths in R^d are in the
// text; lengths of the keys (heads, n); values (heads, n, 3) on the unit sphere; then groups of
// overlapping keys and values, (groups, 5) each: position, weight and count, with the number for
// each head in the text. Text: heads, with k, share, attended, beta, the mean length of the keys,
// concentration and half angle of the field of vision; layers, the share of the arrows, the
// correction.
void add_dome(const Recording& trajectory, std::int64_t frame, int token, Reply& reply) {
  const Experiment& e = trajectory.experiment();
  const HostSwarm x = trajectory.swarm(frame);
  const bool layers = e.flow.method == Method::layers;
  const auto engine = make_engine(e.engine);
  const TokenMove move = token_move(
      *engine, e.dynamics, x, {token, trajectory.time(frame), layers ? e.flow.dt : 1, layers});
  const MoveArrows parts = arrows_of(move);
  std::vector<Vector> arrows;
  std::vector<double> weights, keys, queries, drawn;
  std::vector<double> lengths, values, key_groups, value_groups;
  Json heads = Json::array();
  for (const HeadPart& head : move.heads) {
    const Dome dome = dome_of(head);
    append(head.weights, weights);
    append(dome.keys.data, keys);
    append(dome.query, queries);
    append(dome.lengths, lengths);
    arrows.push_back(head.message);
    if (layers)
      for (double& c : arrows.back()) c *= move.dt;
    Json part = numbers({{"k", dome.k},
                         {"share", dome.share},
                         {"attended", tokens_attended(head)},
                         {"beta", head.beta},
                         {"message", length_of(arrows.back())},
                         {"meanLength", dome.mean_length},
                         {"concentration", dome.concentration},
                         {"halfAngle", attention_angle(dome.concentration, 0.5)},
                         {"keyGroups", add_groups(dome.keys, head.weights, {}, key_groups)}});
    part["sameLengths"] = dome.same_lengths;
    heads.push_back(std::move(part));
  }
  for (const Vector* part : {&parts.messages, &parts.feed_forward, &parts.correction, &parts.move})
    arrows.push_back(*part);
  const ArrowAxes axes = arrow_axes(arrows, x.d());
  for (const Vector& arrow : arrows)
    for (int a = 0; a < 3; ++a) {
      double along = 0;
      for (int k = 0; k < x.d(); ++k) along += axes.axes(a, k) * arrow[k];
      drawn.push_back(along);
    }
  for (std::size_t h = 0; h < move.heads.size(); ++h) {
    const HeadPart& head = move.heads[h];
    const Matrix seen = directions_along(axes.axes, head.values);
    append(seen.data, values);
    heads[h]["valueGroups"] =
        add_groups(seen, parts_of_message(head), kValueDiamonds, value_groups);
  }
  reply.text = numbers({{"ball", KeyDiscs{}.ball},
                        {"diamond", kValueDiamonds.ball},
                        {"dt", layers ? e.flow.dt : 1.0},
                        {"share", axes.share},
                        {"feedForwards", static_cast<double>(move.feed_forwards.size())},
                        {"noise", e.dynamics.noise}});
  reply.text["heads"] = std::move(heads);
  reply.text["layers"] = layers;
  reply.text["lengths"] = numbers({{"messages", length_of(parts.messages)},
                                   {"feedForward", length_of(parts.feed_forward)},
                                   {"correction", length_of(parts.correction)},
                                   {"move", length_of(parts.move)}});
  for (const auto* array :
       {&weights, &keys, &queries, &drawn, &lengths, &values, &key_groups, &value_groups})
    reply.add(*array);
}

// Everything that has a handle.
struct Handles {
  int next = 1;
  std::map<int, Recording> simulations{};
  std::map<int, std::shared_ptr<const TrainedSwarm>> trained{};
};

Handles& handles() {
  static Handles instance;
  return instance;
}

Recording& recording_of(const Request& r) {
  const int id = r.whole("flight");
  const auto found = handles().simulations.find(id);
  if (found == handles().simulations.end())
    throw ClosedHandle(Fault::input, "there is no such simulation", fmt::format("flight {}", id),
                       "it was closed, or never created");
  return found->second;
}

std::shared_ptr<const TrainedSwarm> trained_of(const Request& r) {
  const int id = r.whole("trained");
  const auto found = handles().trained.find(id);
  if (found == handles().trained.end())
    throw ClosedHandle(Fault::input, "there is no such trained swarm",
                       fmt::format("trained {}", id), "load its model first");
  return found->second;
}

// Stores a recording under a new handle and describes it.
void add_recording(Recording trajectory, Reply& reply) {
  const int id = handles().next++;
  reply.text = describe(handles().simulations.emplace(id, std::move(trajectory)).first->second, id);
}

// The rows (n, d) in the bytes of a request.
std::vector<double> rows_of(const Request& r, int d, const char* where) {
  std::vector<double> rows = doubles_of(r.bytes);
  if (rows.empty() || d < 1 || rows.size() % static_cast<std::size_t>(d) != 0)
    throw Error(Fault::input, fmt::format("{} numbers are not rows of {}", rows.size(), d), where,
                fmt::format("give {} numbers for each place", d));
  return rows;
}

// The pictures in the bytes of a request, all of one size, one after the other.
std::vector<Picture> pictures_of(const Request& r, std::size_t count) {
  const int height = r.whole("height"), width = r.whole("width");
  const auto size = static_cast<std::size_t>(height) * width;
  if (height < 2 || width < 2 || height > 4096 || width > 4096 || r.bytes.size() != count * size)
    throw Error(Fault::input, "the ink does not fill its picture",
                fmt::format("{} pixels for {} x {} x {}", r.bytes.size(), count, height, width),
                fmt::format("give {} times height times width pixels, 2 to 4096 per side", count));
  const auto* first = reinterpret_cast<const std::uint8_t*>(r.bytes.data());
  std::vector<Picture> pictures;
  for (std::size_t k = 0; k < count; ++k)
    pictures.push_back({height, width, {first + k * size, first + (k + 1) * size}});
  return pictures;
}

void add_picture(const Picture& picture, Reply& reply) {
  reply.text = {{"height", picture.height}, {"width", picture.width}};
  reply.add(picture.pixels);
}

// One key=value per line; given points replace init.
void make_recording(const Request& r, Reply& reply) {
  Sources sources;
  const std::string lines = r.words.at("words");
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    if (end > begin) sources.assignments.push_back(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  Settings words = gather(sources);
  const bool given = r.words.contains("d");
  if (given) words["init"] = {"uniform", "the given points", {}};
  WordedSpec worded{spec_of(words), words};
  if (given) {
    const int d = r.whole("d");
    std::vector<double> rows = rows_of(r, d, "points");
    const int n = static_cast<int>(rows.size()) / d;
    worded.spec.init = InitialPoints{{n, d, std::move(rows)}};
    worded.words["init"].text = "points";
  }
  add_recording(Recording(make_experiment(worded)), reply);
}

void load(const Request& r, Reply& reply) {
  const int id = handles().next++;
  auto swarm =
      std::make_shared<const TrainedSwarm>(parse_trained_swarm(r.bytes, "the model's file"));
  if (swarm->task != Task::digits && swarm->task != Task::same)
    throw Error(Fault::input, "this swarm does not read pictures", "the model's file",
                "give a swarm of murmur train task=digits or task=same");
  reply.text = describe(*swarm, id);
  handles().trained.emplace(id, std::move(swarm));
}

Recording record_sample(std::shared_ptr<const TrainedSwarm> swarm, HostSwarm x, const Request& r) {
  Experiment e =
      experiment_of(*swarm, std::move(x), r.whole_or("blocks", 0), r.words.value("engine", "auto"));
  return Recording(std::move(e), std::move(swarm));
}

// A picture of the size that the swarm was trained on, unchanged; any other is centred like MNIST.
Picture fitted(const Picture& picture, const TrainedSwarm& swarm) {
  const auto fits = [&](const Picture& p) {
    return p.height == swarm.height && p.width == swarm.width;
  };
  Picture fit = fits(picture) ? picture : centre_like_mnist(picture, "the ink");
  if (!fits(fit))
    throw Error(Fault::input, "the swarm was trained on pictures of another size",
                fmt::format("{} x {}", swarm.height, swarm.width), "give one of this size");
  return fit;
}

// One picture; for a swarm that compares two, the left one and the right one.
void make_sample(const Request& r, Reply& reply) {
  const auto swarm = trained_of(r);
  const bool pair = swarm->task == Task::same;
  Images images{swarm->height, swarm->width, {}, {}, "the ink"};
  for (const Picture& picture : pictures_of(r, pair ? 2 : 1)) {
    const Picture fit = fitted(picture, *swarm);
    images.pixels.insert(images.pixels.end(), fit.pixels.begin(), fit.pixels.end());
  }
  Tokenisation how = swarm->tokens;
  const int finer = r.whole_or("finer", 1);
  if (finer < 1 || finer > 32 / how.finer)
    throw Error(Fault::input, "there is no such grid", fmt::format("finer = {}", finer),
                "use 1, 2 or 4");
  how.finer *= finer;
  SampleSet samples;
  if (pair)
    add_pair(images, {.left = 0, .right = 1}, -1, how, samples);
  else
    add_sample(images, 0, -1, how, samples);
  const Architecture& a = swarm->architecture;
  const Sample sample = start_sample(a, swarm->doubles(), samples.x, samples.y);
  add_recording(record_sample(swarm, from_rows({sample.n, a.d}, sample.rows.data()), r), reply);
}

void make_sample_of_points(const Request& r, Reply& reply) {
  const auto swarm = trained_of(r);
  const int d = swarm->architecture.d;
  if (r.words.value("d", static_cast<double>(d)) != d)
    throw Error(Fault::input, "the points have another number of coordinates than the swarm",
                fmt::format("d = {}", r.words.at("d").dump()),
                fmt::format("give {} numbers for each place", d));
  const std::vector<double> rows = rows_of(r, d, "places");
  const int n = static_cast<int>(rows.size()) / d;
  add_recording(record_sample(swarm, from_rows({n, d}, rows.data()), r), reply);
}

void simulate(const Request& r, Reply& reply) {
  Recording& trajectory = recording_of(r);
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const std::int64_t first =
      trajectory.advance(r.whole("count"), r.words.value("seconds", kNoLimit));
  reply.text["flight"] = r.words.at("flight");
  add_frames(trajectory, first, reply);
}

void branch(const Request& r, Reply& reply) {
  std::vector<Edit> edits;
  for (const Json& edit : r.words.at("edits"))
    edits.push_back({whole(edit, "boid"), edit.at("place")});
  add_recording(Recording(recording_of(r), r.whole("frame"), edits), reply);
}

void frame(const Request& r, Reply& reply) { reply.add(recording_of(r).rows(r.whole("frame"))); }

void gaze(const Request& r, Reply& reply) {
  const Recording& trajectory = recording_of(r);
  const std::int64_t at = r.whole("frame");
  const int token = r.whole("boid");
  const HostSwarm x = trajectory.swarm(at);
  const double t = trajectory.time(at);
  const Dynamics& dynamics = trajectory.experiment().dynamics;
  const int heads = static_cast<int>(heads_of(dynamics, t).size());
  std::vector<double> weights;
  for (int head = 0; head < heads; ++head) {
    const Vector row = attention_row(x, dynamics, {head, token, t});
    weights.insert(weights.end(), row.begin(), row.end());
  }
  BlockFields fields;
  if (const TrainedSwarm* swarm = trajectory.trained(); swarm != nullptr && token < x.n()) {
    const auto d = static_cast<std::size_t>(x.d());
    const auto block = std::min<std::int64_t>(at, swarm->architecture.blocks - 1);
    fields = fields_at(*swarm, static_cast<int>(block),
                       trajectory.rows(at).subspan(static_cast<std::size_t>(token) * d, d));
  }
  reply.text["heads"] = heads;
  reply.text["query"] = fields.query;
  reply.text["key"] = fields.key;
  reply.text["value"] = fields.value;
  reply.text["feedForward"] = fields.feed_forward;
  reply.add(weights);
}

// Adds the probabilities (V) of the words at points (V, d) as next words at a place (d); the text
// has entropy, outcomes and best.
void say_next_word(const Request& r, Reply& reply) {
  const std::vector<double> place = r.words.at("place");
  const int d = static_cast<int>(place.size());
  std::vector<double> rows = rows_of(r, d, "words");
  const int count = static_cast<int>(rows.size()) / d;
  const Vocabulary vocabulary = vocabulary_of({count, d, std::move(rows)}, {}, "words");
  const NextWord next = next_word(vocabulary, place, {.kappa = r.words.at("kappa")});
  reply.text = numbers({{"entropy", next.entropy},
                        {"outcomes", next.outcomes},
                        {"best", static_cast<double>(next.best)}});
  reply.add(next.probability);
}

// Adds the group of each token (n) of the rows in the bytes, and the leaders. Groups touch within
// `tol`, or are at one peak of the density for `beta`.
void find_groups(const Request& r, Reply& reply) {
  const int d = r.whole("d");
  const std::vector<double> rows = rows_of(r, d, "places");
  const Rows x{rows.data(), static_cast<int>(rows.size()) / d, d};
  const Manifold manifold = r.words.at("sphere") ? Manifold::sphere : Manifold::space;
  if (r.words.contains("beta"))
    reply.add(density_peaks(x, manifold, r.words.at("beta")));
  else
    reply.add(clusters(from_rows({x.n, d}, x.data), manifold, r.words.at("tol")).label);
  reply.add(leaders(x));
}

// Adds (count, 4, d): the first d numbers of each map, 0 after its last; NaN for a map that the
// interaction does not have.
void fields(const Request& r, Reply& reply) {
  const auto swarm = trained_of(r);
  const auto d = static_cast<std::size_t>(swarm->architecture.d);
  const int block = r.whole("block");
  if (block < 0 || block >= swarm->architecture.blocks)
    throw Error(Fault::input, "there is no such block", fmt::format("block {}", block),
                fmt::format("ask for blocks 0 to {}", swarm->architecture.blocks - 1));
  const std::vector<double> rows = rows_of(r, swarm->architecture.d, "places");
  std::vector<double> values;
  for (std::size_t begin = 0; begin < rows.size(); begin += d) {
    const BlockFields at = fields_at(*swarm, block, std::span(rows).subspan(begin, d));
    for (const Vector* map : {&at.query, &at.key, &at.value, &at.feed_forward})
      for (std::size_t k = 0; k < d; ++k)
        values.push_back(map->empty()      ? std::numeric_limits<double>::quiet_NaN()
                         : k < map->size() ? (*map)[k]
                                           : 0);
  }
  reply.add(values);
}

void velocity(const Request& r, Reply& reply) {
  const Recording& trajectory = recording_of(r);
  const int d = trajectory.experiment().swarm.d();
  reply.add(trajectory.velocity(r.whole("frame"), rows_of(r, d, "places")));
}

void carry(const Request& r, Reply& reply) {
  const Recording& trajectory = recording_of(r);
  const int d = trajectory.experiment().swarm.d();
  reply.add(trajectory.carry(r.whole("frame"), r.whole("count"), rows_of(r, d, "places")));
}

void close(const Request& r, Reply&) {
  if (r.words.contains("trained")) {
    handles().trained.erase(r.whole("trained"));
  } else {
    handles().simulations.erase(r.whole("flight"));
  }
}

using Handler = void (*)(const Request&, Reply&);
constexpr std::pair<std::string_view, Handler> kHandlers[] = {
    {"about", [](const Request&, Reply& reply) { reply.text = about(); }},
    {"flight", make_recording},
    {"trained", load},
    {"centre",
     [](const Request& r, Reply& reply) {
       add_picture(centre_like_mnist(pictures_of(r, 1)[0], "the ink"), reply);
     }},
    {"flock", make_sample},
    {"flockOfPoints", make_sample_of_points},
    {"fly", simulate},
    {"branch", branch},
    {"frame", frame},
    {"gaze", gaze},
    {"dome",
     [](const Request& r, Reply& reply) {
       add_dome(recording_of(r), r.whole("frame"), r.whole("boid"), reply);
     }},
    {"groups", find_groups},
    {"nextWord", say_next_word},
    {"fields", fields},
    {"velocity", velocity},
    {"carry", carry},
    {"axes", [](const Request& r, Reply& reply) { reply.add(recording_of(r).axes()); }},
    {"close", close},
};

}  // namespace

void answer(const Request& request, Reply& reply) {
  const std::string name = request.words.at("do");
  for (const auto& [known, handler] : kHandlers)
    if (known == name) return handler(request, reply);
  throw Error(Fault::usage, "there is no such request", name, "use one of kHandlers in facade.cpp");
}

}  // namespace murmur::facade
