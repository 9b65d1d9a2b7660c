// classify.cpp: murmur classify: asks a trained swarm what pictures show.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.h"
#include "digits.h"
#include "murmur/error.h"
#include "murmur/heads.h"
#include "murmur/saving.h"
#include "murmur/settling.h"
#include "recipe.h"
#include "recipe_words.h"
#include "sentences.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

bool no_film = false;

struct Request {
  std::string images{}, data{};
  std::string text{}, asked{};  // of swarms that read sentences
  int without_head = -1;        // -1: none is left out
  int blocks = 0;               // 0: those it learned with
  Saving saving{};
  bool saves() const { return saving.rest > 0 || saving.merge > 0; }
  int learned = 0;  // with so many
};

std::vector<Parameter> classify_parameters() {
  using P = Parameter;
  return {{P::word, "images", "none", "test:I, test:I-J,K, FILE.png, A.png+B.png, FILE[:I-J,K]",
           "which pictures the swarm reads"},
          {P::word, "text", "none", "a sentence", "the sentence that a swarm of words reads"},
          {P::word, "asked", "none", "a word of the sentence", "the word that is asked about"},
          kDataParameter,
          {P::whole, "without_head", "none", "0 or more",
           "the attention head whose messages are left out"},
          {P::whole, "blocks", "none", "1 to 999",
           "how often the shared block is applied; unless given, as often as in training"},
          {P::number, "rest", "none", "above 0",
           "a picture is stopped when its tokens move less than this in a block"},
          {P::number, "merge", "none", "above 0",
           "tokens nearer to each other than this become one token with their mass"}};
}

bool is_small_number(const std::string& value) {
  return !value.empty() && value.size() < 4 &&
         value.find_first_not_of("0123456789") == std::string::npos;
}

int head_number(const std::string& assignment, const std::string& value) {
  if (!is_small_number(value))
    throw Error(Fault::input, fmt::format("without_head = {}: not the number of a head", value),
                "command line: " + assignment, "write a whole number; the first head is 0");
  return std::stoi(value);
}

int block_count(const std::string& assignment, const std::string& value) {
  if (!is_small_number(value) || std::stoi(value) == 0)
    throw Error(Fault::input, fmt::format("blocks = {}: not a number of blocks", value),
                "command line: " + assignment, "write a whole number from 1 to 999");
  return std::stoi(value);
}

double distance_of(const std::string& assignment, const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !std::isfinite(number) || number < 0)
    throw Error(Fault::input, fmt::format("{}: not a distance", assignment),
                "command line: " + assignment,
                "write a number of 0 or more; targets are 10 from the centre");
  return number;
}

Request request_of(const Words& words) {
  Request request;
  for (const std::string& assignment : words.assignments) {
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    std::string* const to = key == "images"  ? &request.images
                            : key == "data"  ? &request.data
                            : key == "text"  ? &request.text
                            : key == "asked" ? &request.asked
                                             : nullptr;
    double* const distance = key == "rest"    ? &request.saving.rest
                             : key == "merge" ? &request.saving.merge
                                              : nullptr;
    if (to == nullptr && distance == nullptr && key != "without_head" && key != "blocks")
      throw Error(Fault::input, fmt::format("there is no parameter {}", key),
                  "command line: " + assignment,
                  fmt::format("classify takes {}", names_of(classify_parameters())));
    if (to != nullptr)
      *to = value;
    else if (distance != nullptr)
      *distance = distance_of(assignment, value);
    else if (key == "blocks")
      request.blocks = block_count(assignment, value);
    else
      request.without_head = head_number(assignment, value);
  }
  if (words.plain.size() != 1 || request.images.empty() == request.text.empty())
    usage("classify takes one trained swarm and the pictures, or a sentence",
          "murmur classify RUN images=test:0-9, or images=FILE[:i-j,k], or text=\"the old bank\"");
  return request;
}

// A swarm is asked what it has learned to read.
void require_readable(const Request& request, const TrainedSwarm& swarm) {
  if (reads_words(swarm.task) != request.text.empty()) return;
  if (request.text.empty())
    throw Error(Fault::input, "the swarm reads sentences, and these are pictures",
                "command line: images=" + request.images, "write text=\"...\", or text=test:0-9");
  throw Error(Fault::input, "the swarm reads pictures, and this is a sentence",
              "command line: text=" + request.text, "write images=test:0-9, or images=digit.png");
}

// Of a PNG: what the swarm is going to see, and how it came about.
void show_picture(const Flags& flags, const ChosenImages& chosen, const TrainedSwarm& swarm,
                  int tokens) {
  const std::string ending = fs::path(chosen.name).extension().string();
  if (ending != ".png" && ending != ".PNG") return;
  const Picture drawn = read_png(chosen.name);
  const bool ready = drawn.height == 28 && drawn.width == 28;
  say(flags, half_blocks(chosen.images, 0, swarm.tokens.threshold));
  say(flags, fmt::format("{}: {} pixels wide, {} high, {}; {} tokens", chosen.name, drawn.width,
                         drawn.height,
                         ready ? "taken as they are"
                               : "its ink scaled to fit 20 x 20 and laid by its centre of mass "
                                 "into the middle of 28 x 28",
                         tokens));
}

// What is asked of a swarm, a line an item: pictures, or pairs of them.
struct Asked {
  std::vector<std::size_t> index{};  // as they were named
  std::vector<std::string> label{};  // (items) the truth; empty: unknown
  std::vector<bool> known{};         // (items) whether the truth is one of the classes
  std::vector<std::string> classes{};
};

Asked asked_of(const ChosenImages& chosen, const TrainedSwarm& swarm) {
  Asked asked{chosen.index, {}, {}, class_names(swarm)};
  for (const std::size_t index : chosen.index) {
    const std::vector<int>& labels = chosen.images.labels;
    asked.label.push_back(labels.empty() ? "" : fmt::format("{}", labels[index]));
    asked.known.push_back(!labels.empty() && class_of(swarm, labels[index]) >= 0);
  }
  return asked;
}

Asked asked_of(const ChosenPairs& chosen, const TrainedSwarm& swarm) {
  Asked asked{chosen.index, {}, {}, class_names(swarm)};
  for (const int label : chosen.label) {
    asked.label.push_back(label < 0 ? "" : asked.classes[label]);
    asked.known.push_back(label >= 0);
  }
  return asked;
}

// A digit is a number in JSON, any other class a word.
nlohmann::json json_of_class(const TrainedSwarm& swarm, const std::string& name) {
  return swarm.task == Task::digits ? nlohmann::json(std::stoi(name)) : nlohmann::json(name);
}

nlohmann::json json_of(const Asked& asked, const TrainedSwarm& swarm, const Verdicts& verdicts) {
  const Matrix chances = chances_of(verdicts.scores);
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t k = 0; k < asked.index.size(); ++k) {
    const int row = static_cast<int>(k), verdict = verdicts.verdict[k];
    nlohmann::json scores = nlohmann::json::object();
    for (std::size_t c = 0; c < asked.classes.size(); ++c)
      scores[asked.classes[c]] = verdicts.scores(row, static_cast<int>(c));
    rows.push_back({{"index", asked.index[k]},
                    {"verdict", json_of_class(swarm, asked.classes[verdict])},
                    {"chance", chances(row, verdict)},
                    {"scores", scores}});
    if (!asked.label[k].empty()) rows.back()["label"] = json_of_class(swarm, asked.label[k]);
  }
  return rows;
}

// index verdict chance scores, and what is known of the truth
void print_lines(const Asked& asked, const Verdicts& verdicts) {
  const Matrix chances = chances_of(verdicts.scores);
  for (std::size_t k = 0; k < asked.index.size(); ++k) {
    const int row = static_cast<int>(k);
    const std::string& verdict = asked.classes[verdicts.verdict[k]];
    std::string line =
        fmt::format("{} {} {:.4f}", asked.index[k], verdict, chances(row, verdicts.verdict[k]));
    for (int c = 0; c < verdicts.scores.cols; ++c)
      line += fmt::format(" {:.4f}", verdicts.scores(row, c));
    if (!asked.label[k].empty())
      line += fmt::format(" {} {}", asked.label[k],
                          asked.label[k] == verdict ? "right"
                          : !asked.known[k]         ? "other"
                                                    : "wrong");
    data(line + "\n");
  }
}

void tell_score(const Flags& flags, const SampleSet& samples, const Verdicts& verdicts) {
  std::size_t known = 0, right = 0;
  for (std::size_t k = 0; k < samples.label.size(); ++k) {
    known += samples.label[k] >= 0 ? 1 : 0;
    right += samples.label[k] == verdicts.verdict[k] ? 1 : 0;
  }
  if (known > 0)
    say(flags, fmt::format("{} of {} right: {:.2f} %{}", right, known,
                           100.0 * static_cast<double>(right) / static_cast<double>(known),
                           known < samples.samples()
                               ? fmt::format("; {} more are of classes it has never seen",
                                             samples.samples() - known)
                               : ""));
}

// A trained swarm, and the word that named it.
struct AskedModel {
  fs::path place{};
  std::string word{};
};

// What the pictures below `kept` are made of: the training, where the swarm is that of a run, and
// this command.
Ingredients ingredients_of_flight(const AskedModel& model, const fs::path& kept) {
  if (!fs::exists(model.place / "manifest.json")) {
    std::vector<std::string> words = telling_words(program_argv);
    std::replace(words.begin(), words.end(), model.word, fs::absolute(model.place).string());
    return {.folder = kept, .words = std::move(words)};
  }
  Ingredients what = ingredients_of(RunReader(model.place), model.word);
  what.name = fs::absolute(model.place / ".").lexically_normal().parent_path().filename().string();
  what.folder = kept;
  return what;
}

// A picture or pair that is flown, with the number it was named by.
struct Flown {
  std::size_t index = 0;
  SampleSet sample{};
  DigitTrajectory trajectory{};
};

constexpr std::size_t kMostFlown = 12;  // pictures in one film

// One flight as a run like any other.
void keep_run(const Flags& flags, const AskedModel& model, const Flown& flown,
              const fs::path& place) {
  const SampleSet& sample = flown.sample;
  Matrix points = zeros(static_cast<int>(sample.x.size()), 2);
  for (int i = 0; i < points.rows; ++i) {
    points(i, 0) = sample.x[static_cast<std::size_t>(i)];
    points(i, 1) = sample.y[static_cast<std::size_t>(i)];
  }
  ExperimentSpec spec;
  spec.name = "digit";
  spec.model = model.place;
  spec.init = InitialPoints{std::move(points)};
  if (const int blocks = static_cast<int>(flown.trajectory.frames.size()) - 1;
      blocks != flown.trajectory.trained)
    spec.T = blocks * read_trained_swarm(model.place).architecture.residual;
  const Experiment e = make_experiment(spec);
  const auto engine = make_engine(e.engine);
  Run run = Run::create(place, simulation_contents(e, engine->name()), flags.force);
  const Outcome outcome = simulate(e, *engine, run, {});
  if (!outcome.ok())
    throw Error(Fault::numerical, outcome.what, run.directory().string(), outcome.remedy);
}

// Film and figures of the flights together, in figures/ and video/ below the folder.
void draw_flights(const AskedModel& model, const std::vector<Flown>& flown, const fs::path& kept) {
  const picture::Signature signature(recipe_of(ingredients_of_flight(model, kept)));
  const fs::path figures = kept / "figures", video = kept / "video";
  fs::create_directories(figures);
  std::vector<DigitTrajectory> trajectories;
  for (const Flown& one : flown) trajectories.push_back(one.trajectory);
  const std::vector<DigitTrajectory> few(
      trajectories.begin(),
      trajectories.begin() + std::min<std::ptrdiff_t>(3, trajectories.size()));
  draw_digit_trajectories(few, {}, figures / "flight.png");
  draw_dissent(trajectories.front(), {}, figures / "dissent.png");
  DigitFilm film{.seconds = seconds_of_film(trajectories.size())};
  film.stop = [] { return caught_signal != 0; };
  if (no_film) return;
  fs::create_directories(video);
  film_digits(trajectories, film, video / "flight.mp4");
}

// One flight is the run itself; several are runs below it, each named by its number.
void keep_flights(const Flags& flags, const AskedModel& model, const std::vector<Flown>& flown) {
  const fs::path kept = flags.out;
  std::error_code ignored;
  if (flown.size() > 1 && fs::exists(kept, ignored) && !flags.force &&
      !(fs::is_directory(kept, ignored) && fs::is_empty(kept, ignored)))
    usage(fmt::format("{} is already there", flags.out), "choose another name, or add --force");
  for (const Flown& one : flown)
    keep_run(flags, model, one, flown.size() > 1 ? kept / std::to_string(one.index) : kept);
  draw_flights(model, flown, kept);
  say(flags, fmt::format("the flight{} in {}", flown.size() > 1 ? "s are" : " is", kept.string()));
}

void require_few(const Flags& flags, std::vector<std::size_t> indices, const char* noun) {
  if (flags.out.empty()) return;
  if (indices.size() > kMostFlown)
    usage(fmt::format("-o keeps the flights of at most {} {}s, and there are {}", kMostFlown, noun,
                      indices.size()),
          "choose some: images=FILE:8,11");
  std::sort(indices.begin(), indices.end());
  if (std::adjacent_find(indices.begin(), indices.end()) != indices.end())
    usage(fmt::format("-o keeps each {} once, and one is named twice", noun),
          "name each once: images=FILE:8,11");
}

// With rest= or merge= a line says how much work was left.
Verdicts verdicts_of(const Flags& flags, const Request& request, const TrainedSwarm& swarm,
                     const SampleSet& samples) {
  if (!request.saves()) return judge(swarm, samples, 0);
  SavedVerdicts saved = judge(swarm, samples, request.saving, 0);
  say(flags,
      fmt::format("{:.2f} of {} blocks on average; {:.1f} % of the multiply-adds, {:.1f} % "
                  "of the pairs",
                  saved.blocks, swarm.architecture.blocks, 100 * saved.work, 100 * saved.pairs));
  return std::move(saved.verdicts);
}

int tell(const Flags& flags, const Request& request, const Asked& asked, const TrainedSwarm& swarm,
         const SampleSet& samples) {
  const Verdicts verdicts = verdicts_of(flags, request, swarm, samples);
  if (flags.json)
    report(json_of(asked, swarm, verdicts));
  else
    print_lines(asked, verdicts);
  tell_score(flags, samples, verdicts);
  return caught_signal == 0 ? 0 : 128 + caught_signal;
}

int run_pairs(const Flags& flags, const Request& request, const AskedModel& model,
              const TrainedSwarm& swarm) {
  const ChosenPairs chosen = choose_pairs(request.images, request.data, swarm);
  require_few(flags, chosen.index, "pair");
  const SampleSet samples = samples_of_chosen(chosen, swarm);
  const SignalWatch watch;
  if (!flags.out.empty()) {
    std::vector<Flown> flown;
    for (std::size_t k = 0; k < chosen.pair.size(); ++k) {
      flown.push_back({chosen.index[k],
                       {},
                       trajectory_of_pair(swarm, chosen.images, chosen.pair[k], chosen.label[k])});
      add_pair(chosen.images, chosen.pair[k], chosen.label[k], swarm.tokens, flown.back().sample);
      flown.back().trajectory.trained = request.learned;
    }
    keep_flights(flags, model, flown);
  }
  return tell(flags, request, asked_of(chosen, swarm), swarm, samples);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  Request request = request_of(sorted);
  const AskedModel model{find_model(flags, sorted.plain[0]), sorted.plain[0]};
  TrainedSwarm swarm = read_trained_swarm(model.place);
  if (request.without_head >= 0) {
    if (!flags.out.empty())
      usage("-o keeps the flight of the whole swarm", "leave out -o, or without_head");
    swarm = without_head(swarm, request.without_head);
    say(flags,
        fmt::format("head {} of {} is silent", request.without_head, swarm.architecture.heads));
  }
  request.learned = swarm.architecture.blocks;
  if (request.blocks > 0) {
    say(flags,
        fmt::format("{} blocks, where {} were learned", request.blocks, swarm.architecture.blocks));
    swarm = with_blocks(swarm, request.blocks);
  }
  require_readable(request, swarm);
  if (request.saves() && (reads_words(swarm.task) || !flags.out.empty()))
    usage("rest and merge are of pictures, without -o", "leave out -o, or rest and merge");
  if (reads_words(swarm.task)) {
    if (!flags.out.empty())
      usage("-o keeps the flight of a picture",
            "murmur simulate model=RUN init=test:K -o DIR flies a sentence of the test");
    const SignalWatch watch;
    return classify_sentences(flags, swarm, request.text, request.asked);
  }
  if (swarm.task == Task::same) return run_pairs(flags, request, model, swarm);
  const ChosenImages chosen = choose_images(request.images, request.data, swarm);
  require_few(flags, chosen.index, "picture");
  const SampleSet samples = samples_of_chosen(chosen, swarm);
  const SignalWatch watch;
  if (!flags.out.empty()) {
    std::vector<Flown> flown;
    for (const std::size_t index : chosen.index) {
      flown.push_back({index, {}, trajectory_of_picture(swarm, chosen.images, index)});
      add_sample(chosen.images, index, -1, swarm.tokens, flown.back().sample);
      flown.back().trajectory.trained = request.learned;
    }
    keep_flights(flags, model, flown);
  }
  show_picture(flags, chosen, swarm, samples.size_of(0));
  return tell(flags, request, asked_of(chosen, swarm), swarm, samples);
}

}  // namespace

Command classify_command() {
  return {
      "classify",
      "Ask a trained swarm what pictures show, or what a word means.",
      "  murmur classify runs/digits-0-1 images=test:0-9\n"
      "  murmur classify runs/digits-0-1 images=digit.png -o runs/mine\n"
      "  murmur classify runs/digits-0-1 images=test:8,11 blocks=20 --no-film -o runs/rest\n"
      "  murmur classify runs/digits-0-1 images=t10k-images-idx3-ubyte.gz:17 --json\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 without_head=1   # one head silent\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 blocks=40   # the block run on\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 rest=0.5    # stop when tokens rest\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 merge=0.5   # tokens that met are one\n"
      "  murmur classify runs/same-0-1 images=left.png+right.png\n"
      "  murmur classify runs/sense-0-1 text=\"the boat stood near the old bank\" asked=bank",
      [](Options& sub, Flags&) { sub.add_flag("--no-film", no_film, "with -o: figures only"); },
      run,
      false,
      classify_parameters};
}

}  // namespace murmur::app
