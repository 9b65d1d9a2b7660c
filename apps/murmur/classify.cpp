// classify.cpp: murmur classify: the classes that a trained swarm assigns to pictures or sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "command.h"
#include "digits.h"
#include "murmur/error.h"
#include "murmur/heads.h"
#include "murmur/saving.h"
#include "murmur/settling.h"
#include "murmur/training.h"
#include "recipe.h"
#include "report/readings.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// The numbers of the test sentences in test:0-3,8; nothing for any other text.
std::optional<std::vector<std::size_t>> numbers_of(const std::string& text, std::size_t count) {
  if (text != "test" && text.rfind("test:", 0) != 0) return std::nullopt;
  std::vector<std::size_t> numbers(text == "test" ? count : 0);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (text == "test") return numbers;
  const auto spans = index_spans(text.substr(5));
  if (!spans || std::any_of(spans->begin(), spans->end(),
                            [&](const IndexSpan& span) { return span.last >= count; }))
    throw Error(Fault::input, "there are no such sentences", "command line: text=" + text,
                fmt::format("write text=test:0-9, or test:0-3,8; the test has sentences 0 to {}",
                            count - 1));
  for (const auto& [first, last] : *spans)
    for (std::size_t k = first; k <= last; ++k) numbers.push_back(k);
  return numbers;
}

// `index` becomes the number of each sample in the test, 0 for a given sentence.
SampleSet chosen_sentences(const TrainedSwarm& swarm, const std::string& text,
                           const std::string& asked, std::vector<std::size_t>& index) {
  const SampleSet test = test_sentences(swarm.task);
  const auto named = numbers_of(text, test.samples());
  if (!named) {
    index = {0};
    return read_sentence(swarm.task, text, asked);
  }
  index = *named;
  SampleSet chosen{.first = {0}};
  for (const std::size_t k : index) {
    chosen.word.insert(chosen.word.end(), test.word.begin() + test.first[k],
                       test.word.begin() + test.first[k + 1]);
    chosen.first.push_back(chosen.word.size());
    chosen.label.push_back(test.label[k]);
    chosen.asked.push_back(test.asked[k]);
  }
  return chosen;
}

// Classifies sentences. text=WORDS is a sentence of words that the swarm knows, asked=WORD the one
// that is asked about; text=test:i-j are sentences of its test. Prints a line for each sentence:
// number, word, meaning, probability, scores, the truth if it is known, and the sentence.
int classify_sentences(const Flags& flags, const TrainedSwarm& swarm, const std::string& text,
                       const std::string& asked) {
  std::vector<std::size_t> index;
  const SampleSet samples = chosen_sentences(swarm, text, asked, index);
  const Verdicts verdicts = judge(swarm, samples, 0);
  const Matrix chances = chances_of(verdicts.scores);
  nlohmann::json rows = nlohmann::json::array();
  std::size_t right = 0, known = 0;
  for (std::size_t k = 0; k < samples.samples(); ++k) {
    const int row = static_cast<int>(k), verdict = verdicts.verdict[k], label = samples.label[k];
    const std::string word = asked_word(swarm.task, samples, k);
    const std::string says = meaning_of(swarm.task, word, verdict);
    const std::string sentence = sentence_text(swarm.task, samples, k);
    known += label >= 0 ? 1 : 0;
    right += label == verdict ? 1 : 0;
    if (flags.json) {
      rows.push_back({{"index", index[k]},
                      {"word", word},
                      {"verdict", says},
                      {"chance", chances(row, verdict)},
                      {"scores",
                       {{meaning_of(swarm.task, word, 0), verdicts.scores(row, 0)},
                        {meaning_of(swarm.task, word, 1), verdicts.scores(row, 1)}}},
                      {"text", sentence}});
      if (label >= 0) rows.back()["label"] = meaning_of(swarm.task, word, label);
      continue;
    }
    std::string line =
        fmt::format("{} {} {} {:.4f} {:.4f} {:.4f}", index[k], word, says, chances(row, verdict),
                    verdicts.scores(row, 0), verdicts.scores(row, 1));
    if (label >= 0)
      line += fmt::format(" {} {}", meaning_of(swarm.task, word, label),
                          label == verdict ? "right" : "wrong");
    print_text(fmt::format("{} | {}\n", line, sentence));
  }
  if (flags.json) print_json(rows);
  if (known > 0)
    print_message(flags,
                  fmt::format("{} of {} right: {:.2f} %", right, known,
                              100.0 * static_cast<double>(right) / static_cast<double>(known)));
  return signal_exit_code();
}

bool no_film = false;

struct Request {
  std::string images{}, data{};
  std::string text{}, asked{};  // of swarms that read sentences
  int without_head = -1;        // -1: all heads are used
  int blocks = 0;               // 0: as many as in training
  int trained_blocks = 0;       // the number of blocks in training
  Saving saving{};
  bool saves() const { return saving.rest > 0 || saving.merge > 0; }
};

std::vector<Parameter> classify_parameters() {
  using P = Parameter;
  return {{P::word, "images", "none", "test:I, test:I-J,K, FILE.png, A.png+B.png, FILE[:I-J,K]",
           "which pictures the swarm reads"},
          {P::word, "text", "none", "a sentence", "the sentence that a swarm of words reads"},
          {P::word, "asked", "none", "a word of the sentence", "the word that is asked about"},
          option::data,
          {P::whole, "without_head", "none", "0 or more",
           "the attention head whose messages are left out"},
          {P::whole, "blocks", "none", "1 to 999",
           "how often the shared block is applied; unless given, as often as in training"},
          {P::number, "rest", "none", "above 0",
           "a picture is stopped when its tokens move less than this in a block"},
          {P::number, "merge", "none", "above 0",
           "tokens nearer to each other than this become one token with their mass"}};
}

int parse_small(const Assignment& given, int least, const char* what, const char* remedy) {
  if (const auto number = parse_whole(given.value, least, 999)) return static_cast<int>(*number);
  throw Error(Fault::input, fmt::format("{} = {}: not {}", given.key, given.value, what),
              fmt::format("command line: {}={}", given.key, given.value), remedy);
}

double parse_distance(const Assignment& given) {
  const std::optional<double> number = parse_number(given.value);
  if (number && *number >= 0) return *number;
  throw Error(Fault::input, fmt::format("{}={}: not a distance", given.key, given.value),
              fmt::format("command line: {}={}", given.key, given.value),
              "write a number of 0 or more; targets are 10 from the centre");
}

Request request_of(const Arguments& arguments) {
  Request request;
  for (const std::string& text : arguments.assignments) {
    const Assignment given = split_assignment(text);
    const std::string& key = given.key;
    if (key == "images")
      request.images = given.value;
    else if (key == "data")
      request.data = given.value;
    else if (key == "text")
      request.text = given.value;
    else if (key == "asked")
      request.asked = given.value;
    else if (key == "rest")
      request.saving.rest = parse_distance(given);
    else if (key == "merge")
      request.saving.merge = parse_distance(given);
    else if (key == "blocks")
      request.blocks =
          parse_small(given, 1, "a number of blocks", "write a whole number from 1 to 999");
    else if (key == "without_head")
      request.without_head = parse_small(given, 0, "the number of a head",
                                         "write a whole number; the first head is 0");
    else
      throw Error(Fault::input, fmt::format("there is no parameter {}", key),
                  "command line: " + text,
                  fmt::format("classify takes {}", names_of(classify_parameters())));
  }
  if (arguments.positional.size() != 1 || request.images.empty() == request.text.empty())
    throw_usage_error(
        "classify takes one trained swarm and the pictures, or a sentence",
        "murmur classify RUN images=test:0-9, or images=FILE[:i-j,k], or text=\"the old bank\"");
  return request;
}

// Error(input) unless the swarm was trained on the kind of input.
void require_readable(const Request& request, const TrainedSwarm& swarm) {
  if (reads_words(swarm.task) != request.text.empty()) return;
  if (request.text.empty())
    throw Error(Fault::input, "the swarm reads sentences, and these are pictures",
                "command line: images=" + request.images, "write text=\"...\", or text=test:0-9");
  throw Error(Fault::input, "the swarm reads pictures, and this is a sentence",
              "command line: text=" + request.text, "write images=test:0-9, or images=digit.png");
}

// Prints a PNG as the swarm sees it, and how it was scaled.
void show_picture(const Flags& flags, const ChosenImages& chosen, const TrainedSwarm& swarm,
                  int tokens) {
  const std::string ending = fs::path(chosen.name).extension().string();
  if (ending != ".png" && ending != ".PNG") return;
  const Picture drawn = read_png(chosen.name);
  const bool ready = drawn.height == 28 && drawn.width == 28;
  print_message(flags, half_blocks(chosen.images, 0, swarm.tokens.threshold));
  print_message(flags,
                fmt::format("{}: {} pixels wide, {} high, {}; {} tokens", chosen.name, drawn.width,
                            drawn.height,
                            ready ? "taken as they are"
                                  : "its ink scaled to fit 20 x 20 and laid by its centre of mass "
                                    "into the middle of 28 x 28",
                            tokens));
}

// The pictures or pairs that are classified.
struct Items {
  std::vector<std::size_t> index{};  // (items) their numbers in the data
  std::vector<std::string> label{};  // (items) the truth; empty: unknown
  std::vector<bool> known{};         // (items) whether the truth is one of the classes
  std::vector<std::string> classes{};
};

Items items_of(const ChosenImages& chosen, const TrainedSwarm& swarm) {
  Items items{chosen.index, {}, {}, class_names(swarm)};
  for (const std::size_t index : chosen.index) {
    const std::vector<int>& labels = chosen.images.labels;
    items.label.push_back(labels.empty() ? "" : fmt::format("{}", labels[index]));
    items.known.push_back(!labels.empty() && class_of(swarm, labels[index]) >= 0);
  }
  return items;
}

Items items_of(const ChosenPairs& chosen, const TrainedSwarm& swarm) {
  Items items{chosen.index, {}, {}, class_names(swarm)};
  for (const int label : chosen.label) {
    items.label.push_back(label < 0 ? "" : items.classes[label]);
    items.known.push_back(label >= 0);
  }
  return items;
}

// A digit is a number in JSON, any other class is a string.
nlohmann::json json_of_class(const TrainedSwarm& swarm, const std::string& name) {
  return swarm.task == Task::digits ? nlohmann::json(std::stoi(name)) : nlohmann::json(name);
}

nlohmann::json json_of(const Items& items, const TrainedSwarm& swarm, const Verdicts& verdicts) {
  const Matrix chances = chances_of(verdicts.scores);
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t k = 0; k < items.index.size(); ++k) {
    const int row = static_cast<int>(k), verdict = verdicts.verdict[k];
    nlohmann::json scores = nlohmann::json::object();
    for (std::size_t c = 0; c < items.classes.size(); ++c)
      scores[items.classes[c]] = verdicts.scores(row, static_cast<int>(c));
    rows.push_back({{"index", items.index[k]},
                    {"verdict", json_of_class(swarm, items.classes[verdict])},
                    {"chance", chances(row, verdict)},
                    {"scores", scores}});
    if (!items.label[k].empty()) rows.back()["label"] = json_of_class(swarm, items.label[k]);
  }
  return rows;
}

// Prints index, verdict, probability, scores, and the truth if it is known.
void print_lines(const Items& items, const Verdicts& verdicts) {
  const Matrix chances = chances_of(verdicts.scores);
  for (std::size_t k = 0; k < items.index.size(); ++k) {
    const int row = static_cast<int>(k);
    const std::string& verdict = items.classes[verdicts.verdict[k]];
    std::string line =
        fmt::format("{} {} {:.4f}", items.index[k], verdict, chances(row, verdicts.verdict[k]));
    for (int c = 0; c < verdicts.scores.cols; ++c)
      line += fmt::format(" {:.4f}", verdicts.scores(row, c));
    if (!items.label[k].empty())
      line += fmt::format(" {} {}", items.label[k],
                          items.label[k] == verdict ? "right"
                          : !items.known[k]         ? "other"
                                                    : "wrong");
    print_text(line + "\n");
  }
}

void print_score(const Flags& flags, const SampleSet& samples, const Verdicts& verdicts) {
  std::size_t known = 0, right = 0;
  for (std::size_t k = 0; k < samples.label.size(); ++k) {
    known += samples.label[k] >= 0 ? 1 : 0;
    right += samples.label[k] == verdicts.verdict[k] ? 1 : 0;
  }
  if (known > 0)
    print_message(
        flags,
        fmt::format("{} of {} right: {:.2f} %{}", right, known,
                    100.0 * static_cast<double>(right) / static_cast<double>(known),
                    known < samples.samples()
                        ? fmt::format("; {} more belong to classes that it was not trained on",
                                      samples.samples() - known)
                        : ""));
}

// A trained swarm, and the argument that named it.
struct NamedModel {
  fs::path path{};
  std::string argument{};
};

// The source of the pictures below `kept`: this command, and the training if the swarm is that of a
// run.
PictureSource picture_source(const NamedModel& model, const fs::path& kept) {
  if (!fs::exists(model.path / "manifest.json")) {
    std::vector<std::string> words = picture_arguments(program_argv);
    std::replace(words.begin(), words.end(), model.argument, fs::absolute(model.path).string());
    return {.folder = kept, .words = std::move(words)};
  }
  PictureSource what = source_of_run(RunReader(model.path), model.argument);
  what.name = fs::absolute(model.path / ".").lexically_normal().parent_path().filename().string();
  what.folder = kept;
  return what;
}

// A picture or pair whose simulation is kept, with its number.
struct KeptItem {
  std::size_t index = 0;
  SampleSet sample{};
  DigitTrajectory trajectory{};
};

constexpr std::size_t kMostKept = 12;  // pictures in one film

// Simulates one item and writes the run.
void keep_run(const Flags& flags, const NamedModel& model, const KeptItem& item,
              const fs::path& place) {
  const SampleSet& sample = item.sample;
  Matrix points = zeros(static_cast<int>(sample.x.size()), 2);
  for (int i = 0; i < points.rows; ++i) {
    points(i, 0) = sample.x[static_cast<std::size_t>(i)];
    points(i, 1) = sample.y[static_cast<std::size_t>(i)];
  }
  ExperimentSpec spec;
  spec.name = "digit";
  spec.model = model.path;
  spec.init = InitialPoints{std::move(points)};
  if (const int blocks = static_cast<int>(item.trajectory.frames.size()) - 1;
      blocks != item.trajectory.trained)
    spec.T = blocks * read_trained_swarm(model.path).architecture.residual;
  const Experiment e = make_experiment(spec);
  const auto engine = make_engine(e.engine);
  Run run = Run::create(place, simulation_contents(e, engine->name()), flags.force);
  const Outcome outcome = simulate(e, *engine, run, {});
  if (!outcome.ok())
    throw Error(Fault::numerical, outcome.what, run.directory().string(), outcome.remedy);
}

// Draws all items together: a film and figures, in figures/ and video/ below the folder.
void draw_items(const NamedModel& model, const std::vector<KeptItem>& items, const fs::path& kept) {
  const picture::Signature signature(recipe_of(picture_source(model, kept)));
  const fs::path figures = kept / "figures", video = kept / "video";
  fs::create_directories(figures);
  std::vector<DigitTrajectory> trajectories;
  for (const KeptItem& one : items) trajectories.push_back(one.trajectory);
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

// Writes one item as the run -o; several are runs below it, each named by its number.
void keep_items(const Flags& flags, const NamedModel& model, const std::vector<KeptItem>& items) {
  const fs::path kept = flags.out;
  if (items.size() > 1) require_empty_directory(flags);
  for (const KeptItem& one : items)
    keep_run(flags, model, one, items.size() > 1 ? kept / std::to_string(one.index) : kept);
  draw_items(model, items, kept);
  print_message(flags, fmt::format("{} kept in {}", items.size() > 1 ? "simulations" : "simulation",
                                   kept.string()));
}

void require_few(const Flags& flags, std::vector<std::size_t> indices, const char* noun) {
  if (flags.out.empty()) return;
  if (indices.size() > kMostKept)
    throw_usage_error(
        fmt::format("-o keeps at most {} {}s, and there are {}", kMostKept, noun, indices.size()),
        "choose some: images=FILE:8,11");
  std::sort(indices.begin(), indices.end());
  if (std::adjacent_find(indices.begin(), indices.end()) != indices.end())
    throw_usage_error(fmt::format("-o keeps each {} once, and one is given twice", noun),
                      "give each once: images=FILE:8,11");
}

// Classifies the samples; with rest= or merge= prints how much work was left.
Verdicts verdicts_of(const Flags& flags, const Request& request, const TrainedSwarm& swarm,
                     const SampleSet& samples) {
  if (!request.saves()) return judge(swarm, samples, 0);
  SavedVerdicts saved = judge(swarm, samples, request.saving, 0);
  print_message(
      flags,
      fmt::format("{:.2f} of {} blocks on average; {:.1f} % of the multiply-adds, {:.1f} % "
                  "of the pairs",
                  saved.blocks, swarm.architecture.blocks, 100 * saved.work, 100 * saved.pairs));
  return std::move(saved.verdicts);
}

int print_verdicts(const Flags& flags, const Request& request, const Items& items,
                   const TrainedSwarm& swarm, const SampleSet& samples) {
  const Verdicts verdicts = verdicts_of(flags, request, swarm, samples);
  if (flags.json)
    print_json(json_of(items, swarm, verdicts));
  else
    print_lines(items, verdicts);
  print_score(flags, samples, verdicts);
  return signal_exit_code();
}

int classify_pairs(const Flags& flags, const Request& request, const NamedModel& model,
                   const TrainedSwarm& swarm) {
  const ChosenPairs chosen = choose_pairs(request.images, request.data, swarm);
  require_few(flags, chosen.index, "pair");
  const SampleSet samples = samples_of_chosen(chosen, swarm);
  const SignalWatch watch;
  if (!flags.out.empty()) {
    std::vector<KeptItem> kept;
    for (std::size_t k = 0; k < chosen.pair.size(); ++k) {
      kept.push_back({chosen.index[k],
                      {},
                      trajectory_of_pair(swarm, chosen.images, chosen.pair[k], chosen.label[k])});
      add_pair(chosen.images, chosen.pair[k], chosen.label[k], swarm.tokens, kept.back().sample);
      kept.back().trajectory.trained = request.trained_blocks;
    }
    keep_items(flags, model, kept);
  }
  return print_verdicts(flags, request, items_of(chosen, swarm), swarm, samples);
}

int classify(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  Request request = request_of(arguments);
  const NamedModel model{find_model(flags, arguments.positional[0]), arguments.positional[0]};
  TrainedSwarm swarm = read_trained_swarm(model.path);
  if (request.without_head >= 0) {
    if (!flags.out.empty())
      throw_usage_error("-o does not work with without_head", "leave out one of them");
    swarm = without_head(swarm, request.without_head);
    print_message(flags, fmt::format("head {} of {} is left out", request.without_head,
                                     swarm.architecture.heads));
  }
  request.trained_blocks = swarm.architecture.blocks;
  if (request.blocks > 0) {
    print_message(flags, fmt::format("{} blocks; {} were trained", request.blocks,
                                     swarm.architecture.blocks));
    swarm = with_blocks(swarm, request.blocks);
  }
  require_readable(request, swarm);
  if (request.saves() && (reads_words(swarm.task) || !flags.out.empty()))
    throw_usage_error("rest and merge are only for pictures, without -o",
                      "leave out -o, or rest and merge");
  if (reads_words(swarm.task)) {
    if (!flags.out.empty())
      throw_usage_error(
          "-o is only for pictures",
          "use murmur simulate model=RUN init=test:K -o DIR for a sentence of the test");
    const SignalWatch watch;
    return classify_sentences(flags, swarm, request.text, request.asked);
  }
  if (swarm.task == Task::same) return classify_pairs(flags, request, model, swarm);
  const ChosenImages chosen = choose_images(request.images, request.data, swarm);
  require_few(flags, chosen.index, "picture");
  const SampleSet samples = samples_of_chosen(chosen, swarm);
  const SignalWatch watch;
  if (!flags.out.empty()) {
    std::vector<KeptItem> kept;
    for (const std::size_t index : chosen.index) {
      kept.push_back({index, {}, trajectory_of_picture(swarm, chosen.images, index)});
      add_sample(chosen.images, index, -1, swarm.tokens, kept.back().sample);
      kept.back().trajectory.trained = request.trained_blocks;
    }
    keep_items(flags, model, kept);
  }
  show_picture(flags, chosen, swarm, samples.size_of(0));
  return print_verdicts(flags, request, items_of(chosen, swarm), swarm, samples);
}

}  // namespace

Command classify_command() {
  return {
      "classify",
      "Classify pictures, or the meaning of a word, with a trained swarm.",
      "  murmur classify runs/digits-0-1 images=test:0-9\n"
      "  murmur classify runs/digits-0-1 images=digit.png -o runs/mine\n"
      "  murmur classify runs/digits-0-1 images=test:8,11 blocks=20 --no-film -o runs/rest\n"
      "  murmur classify runs/digits-0-1 images=t10k-images-idx3-ubyte.gz:17 --json\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 without_head=1   # without one head\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 blocks=40   # more blocks\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 rest=0.5    # stop when tokens rest\n"
      "  murmur classify runs/digits-0-1 images=test:0-99 merge=0.5   # tokens that met are one\n"
      "  murmur classify runs/same-0-1 images=left.png+right.png\n"
      "  murmur classify runs/sense-0-1 text=\"the boat stood near the old bank\" asked=bank",
      [](Options& sub, Flags&) { sub.add_flag("--no-film", no_film, "with -o: figures only"); },
      classify,
      false,
      classify_parameters};
}

}  // namespace murmur::app
