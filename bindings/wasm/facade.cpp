// facade.cpp: requests by name over handles of recordings and trained swarms.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "border.h"
#include "describe.h"
#include "dome.h"
#include "murmur/error.h"
#include "murmur/images.h"
#include "murmur/observe.h"
#include "next_word.h"

namespace murmur::facade {

namespace {

struct House {  // everything that has a handle
  int next = 1;
  std::map<int, Recording> simulations{};
  std::map<int, std::shared_ptr<const TrainedSwarm>> trained{};
};

House& house() {
  static House instance;
  return instance;
}

Recording& recording_of(const Request& r) {
  const int id = r.whole("flight");
  const auto found = house().simulations.find(id);
  if (found == house().simulations.end())
    throw Gone(Fault::input, "there is no such flight", fmt::format("flight {}", id),
               "it was closed, or never made");
  return found->second;
}

std::shared_ptr<const TrainedSwarm> trained_of(const Request& r) {
  const int id = r.whole("trained");
  const auto found = house().trained.find(id);
  if (found == house().trained.end())
    throw Gone(Fault::input, "there is no such trained swarm", fmt::format("trained {}", id),
               "load its model first");
  return found->second;
}

void enter(Recording trajectory, Reply& reply) {
  const int id = house().next++;
  reply.text = describe(house().simulations.emplace(id, std::move(trajectory)).first->second, id);
}

// Rows (n, d) that came with a request.
std::vector<double> rows_of(const Request& r, int d, const char* where) {
  std::vector<double> rows = doubles_of(r.bytes);
  if (rows.empty() || d < 1 || rows.size() % static_cast<std::size_t>(d) != 0)
    throw Error(Fault::input, fmt::format("{} numbers are no rows of {}", rows.size(), d), where,
                fmt::format("give {} numbers for each place", d));
  return rows;
}

// The pictures that came with a request, all of one size, one after the other.
std::vector<Picture> pictures_of(const Request& r, std::size_t count) {
  const int height = r.whole("height"), width = r.whole("width");
  const auto size = static_cast<std::size_t>(height) * width;
  if (height < 2 || width < 2 || height > 4096 || width > 4096 || r.bytes.size() != count * size)
    throw Error(Fault::input, "the ink does not fill its picture",
                fmt::format("{} pixels for {} x {} x {}", r.bytes.size(), count, height, width),
                fmt::format("give {} times height times width pixels, 2 to 4096 a side", count));
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

// key=value, a line each; given points take the place of init.
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
  enter(Recording(make_experiment(worded)), reply);
}

void load(const Request& r, Reply& reply) {
  const int id = house().next++;
  auto swarm =
      std::make_shared<const TrainedSwarm>(parse_trained_swarm(r.bytes, "the model's file"));
  if (swarm->task != Task::digits && swarm->task != Task::same)
    throw Error(Fault::input, "this swarm reads no pictures", "the model's file",
                "give a swarm of murmur train task=digits or task=same");
  reply.text = describe(*swarm, id);
  house().trained.emplace(id, std::move(swarm));
}

Recording record_sample(std::shared_ptr<const TrainedSwarm> swarm, HostSwarm x, const Request& r) {
  Experiment e =
      experiment_of(*swarm, std::move(x), r.whole_or("blocks", 0), r.words.value("engine", "auto"));
  return Recording(std::move(e), std::move(swarm));
}

// Pictures of the size that the swarm learned from as they are; any other is centred as MNIST was.
Picture fitted(const Picture& picture, const TrainedSwarm& swarm) {
  const auto fits = [&](const Picture& p) {
    return p.height == swarm.height && p.width == swarm.width;
  };
  Picture fit = fits(picture) ? picture : centre_like_mnist(picture, "the ink");
  if (!fits(fit))
    throw Error(Fault::input, "the swarm learned from pictures of another size",
                fmt::format("{} x {}", swarm.height, swarm.width), "give one of this size");
  return fit;
}

// One picture; of a swarm that compares, the left one and the right one.
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
  enter(record_sample(swarm, from_rows({sample.n, a.d}, sample.rows.data()), r), reply);
}

void make_sample_of_points(const Request& r, Reply& reply) {
  const auto swarm = trained_of(r);
  const int d = swarm->architecture.d;
  if (r.words.value("d", static_cast<double>(d)) != d)
    throw Error(Fault::input, "the places have other coordinates than the swarm",
                fmt::format("d = {}", r.words.at("d").dump()),
                fmt::format("give {} numbers for each place", d));
  const std::vector<double> rows = rows_of(r, d, "places");
  const int n = static_cast<int>(rows.size()) / d;
  enter(record_sample(swarm, from_rows({n, d}, rows.data()), r), reply);
}

void simulate(const Request& r, Reply& reply) {
  Recording& trajectory = recording_of(r);
  constexpr double kAsLongAsItTakes = std::numeric_limits<double>::infinity();
  const std::int64_t first =
      trajectory.advance(r.whole("count"), r.words.value("seconds", kAsLongAsItTakes));
  reply.text["flight"] = r.words.at("flight");
  add_frames(trajectory, first, reply);
}

void branch(const Request& r, Reply& reply) {
  std::vector<Edit> edits;
  for (const Json& edit : r.words.at("edits"))
    edits.push_back({whole(edit, "boid"), edit.at("place")});
  enter(Recording(recording_of(r), r.whole("frame"), edits), reply);
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

// Words that came as points (V, d), or as many as `words` says, drawn by the seed of the flight.
void say_next_word(const Request& r, Reply& reply) {
  const Recording& trajectory = recording_of(r);
  const Experiment& e = trajectory.experiment();
  const int d = e.swarm.d();
  Vocabulary vocabulary;
  if (r.bytes.empty()) {
    vocabulary = draw_vocabulary(r.whole("words"), d, e.random.seed);
  } else {
    std::vector<double> rows = rows_of(r, d, "words");
    const int count = static_cast<int>(rows.size()) / d;
    vocabulary = vocabulary_of({count, d, std::move(rows)}, {}, "words");
  }
  const ReadoutRule usual;
  const WordRequest request{
      r.whole("frame"),
      r.whole("boid"),
      {r.words.value("kappa", usual.kappa), r.words.value("share", usual.share)}};
  add_next_word(trajectory, request, vocabulary, reply);
}

// (count, 4, d): the first d numbers of each map, 0 past its last; NaN for a map that the
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
    house().trained.erase(r.whole("trained"));
  } else {
    house().simulations.erase(r.whole("flight"));
  }
}

using Deed = void (*)(const Request&, Reply&);
constexpr std::pair<std::string_view, Deed> kDeeds[] = {
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
  for (const auto& [known, deed] : kDeeds)
    if (known == name) return deed(request, reply);
  throw Error(Fault::usage, "there is no such request", name, "ask for one that facade.cpp lists");
}

}  // namespace murmur::facade
