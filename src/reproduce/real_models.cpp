// real_models.cpp: compares trained transformers, and the same with random weights, with what
// theory predicts: their inputs, what is read off them, and the figure.
#include "reproduce/real_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/parallel.h"
#include "model/variation.h"
#include "murmur/error.h"
#include "murmur/random.h"
#include "reproduce/reproductions.h"
#include "run/formats.h"
#include "trace/effective_beta.h"
#include "trace/heads.h"
#include "trace/prompts.h"
#include "trace/trace_run.h"
#include "trace/twin.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

enum class Kind : std::uint32_t { sentence, part, list };

// One of `many` for slot `slot` of input k.
std::size_t pick(Kind kind, int k, int slot, std::size_t many) {
  const Draw draw{.stream = Stream::prompts,
                  .particle = static_cast<std::uint32_t>(k),
                  .step = static_cast<std::uint32_t>(slot),
                  .replica = static_cast<std::uint32_t>(kind)};
  return std::min(many - 1, static_cast<std::size_t>(draw.uniform(0) * static_cast<double>(many)));
}

constexpr std::array kTimes = {"sunny morning", "cold day",  "quiet evening", "rainy afternoon",
                               "summer night",  "windy day", "bright spring", "dark winter"};
constexpr std::array kQualities = {"little", "brave",  "old",   "happy",  "tiny",  "tired",
                                   "kind",   "clever", "shy",   "hungry", "funny", "big",
                                   "lost",   "gentle", "proud", "sleepy"};
constexpr std::array kSubjects = {"girl",    "boy",  "dog",    "cat",   "rabbit", "bear",
                                  "mouse",   "bird", "frog",   "duck",  "queen",  "farmer",
                                  "teacher", "fox",  "mother", "friend"};
constexpr std::array kMoves = {"walked", "ran",    "jumped", "looked",
                               "waited", "played", "sang",   "slept"};
constexpr std::array kWheres = {"behind", "near", "under", "in front of"};
constexpr std::array kPlaces = {"house",  "tree",   "river", "garden", "bridge", "hill",
                                "school", "forest", "table", "door",   "boat",   "market"};
constexpr std::array kActions = {"found",   "saw",  "dropped", "wanted",
                                 "carried", "made", "hid",     "bought"};
constexpr std::array kThings = {"ball", "key",  "book",  "flower", "cake", "box",
                                "hat",  "ring", "apple", "letter", "lamp", "stone"};

template <std::size_t N>
const char* word(const std::array<const char*, N>& words, int k, int slot) {
  return words[pick(Kind::sentence, k, slot, N)];
}

std::vector<Prompt> sentences(const OpenedModel& model, const fs::path&, int count) {
  std::vector<Prompt> prompts;
  for (int k = 0; k < count; ++k)
    prompts.push_back(
        prompt_of_text(model.tokenizer ? &*model.tokenizer : nullptr, own_sentence(k)));
  return prompts;
}

// A part by its geometry, holes, threads, finish, tolerance and number, <SOS>, and the steps that
// the model draws for it until <EOS>.
std::vector<Prompt> parts(const OpenedModel& model, const fs::path&, int count) {
  constexpr std::int64_t kBegin = 49, kEnd = 51;
  constexpr std::array<std::int64_t, 7> kFirst = {0, 7, 14, 16, 20, 24, 29};
  std::vector<Prompt> prompts;
  for (int k = 0; k < count; ++k) {
    Prompt prompt{.name = fmt::format("part {}", k)};
    for (int f = 0; f + 1 < static_cast<int>(kFirst.size()); ++f)
      prompt.ids.push_back(
          kFirst[f] + static_cast<std::int64_t>(pick(
                          Kind::part, k, f, static_cast<std::size_t>(kFirst[f + 1] - kFirst[f]))));
    prompt.ids.push_back(kBegin);
    prompt.ids = continued(
        *model.model, std::move(prompt.ids),
        {.tokens = 24, .temperature = 1, .seed = static_cast<std::uint64_t>(k), .end = kEnd}, {});
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

std::vector<Prompt> lists(const OpenedModel&, const fs::path&, int count) {
  std::vector<Prompt> prompts;
  for (int k = 0; k < count; ++k)
    prompts.push_back({.name = fmt::format("list {}", k), .ids = list_to_sort(k)});
  return prompts;
}

// The two spoken words in the folder of the model, each shifted by up to a tenth of a second and
// spoken at 0.9, 1 and 1.1 times its speed: 126 in all. Fewer are spread over these.
std::vector<Prompt> keywords(const OpenedModel& model, const fs::path& place, int count) {
  constexpr int kShifts = 21, kRates = 3, kAll = 2 * kShifts * kRates;
  const Description& of = model.model->description();
  std::vector<std::vector<float>> words;
  for (const char* file : {"golden_yes.safetensors", "golden_no.safetensors"}) {
    const Record record = read_safetensors(place / file).tensors;
    const auto at = record.find("mfcc");
    const auto* values =
        at == record.end() ? nullptr : std::get_if<std::vector<float>>(&at->second.values);
    if (values == nullptr)
      throw Error(Fault::input, "the file holds no spectrum mfcc of F32", (place / file).string(),
                  "use golden_yes.safetensors and golden_no.safetensors of the model");
    words.push_back(*values);
  }
  std::vector<Prompt> prompts;
  const int many = std::min(count, kAll);
  for (int one = 0; one < many; ++one) {
    const int k = one * kAll / many;
    const int shift = k / 2 % kShifts - kShifts / 2, rate = k / 2 / kShifts;
    prompts.push_back(
        {.name = fmt::format("{} {:+d} x {:g}", k % 2 == 0 ? "yes" : "no", shift, 0.9 + 0.1 * rate),
         .pixels = spoken_otherwise(words[static_cast<std::size_t>(k % 2)],
                                    {of.frames, of.features}, shift, 0.9 + 0.1 * rate)});
  }
  return prompts;
}

std::span<const RealModel> real_models_known() {
  static constexpr RealModel models[] = {
      {"MiniLM", "minilm", "sentences", false, sentences},
      {"stories260K", "stories260K/stories260K.bin", "sentences", true, sentences},
      {"TinyStories-656K", "tinystories-656K", "sentences", true, sentences},
      {"capp-gpt2", "capp-gpt2", "parts and the steps that make them", true, parts},
      {"gpt-nano", "gpt-nano-sort/gpt-nano-sort-model.json", "lists to sort", true, lists},
      {"KWT-1", "kwt1", "spoken words", false, keywords}};
  return models;
}

// The path of a model below the first folder that has it.
std::optional<fs::path> place_of(const RealModel& model, const std::vector<fs::path>& folders) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    const fs::path place = folder / model.path;
    if (fs::is_regular_file(place, ignored)) return place;
    if (!fs::is_directory(place, ignored)) continue;
    for (const auto& entry : fs::directory_iterator(place, ignored))
      if (entry.path().extension() == ".safetensors" &&
          entry.path().filename().string().rfind("golden", 0) != 0)
        return place;
  }
  return std::nullopt;
}

}  // namespace

bool visit_models(const ReproductionControl& control,
                  const std::function<void(const RealModel&)>& leave_open,
                  const std::function<bool(const RealModel&, const fs::path&)>& read) {
  for (const RealModel& model : real_models_known()) {
    if (control.stopped()) return false;
    const std::optional<fs::path> place = place_of(model, control.models);
    if (!place) {
      leave_open(model);
      continue;
    }
    if (control.tell) control.tell(fmt::format("{:<18} {}", model.name, place->string()));
    if (!read(model, *place)) return false;
  }
  return true;
}

Check check_missing(const char* rule, const RealModel& model, const char* what, const char* when) {
  Check check =
      check_holds(rule, {fmt::format("{}: {}", model.name, what), kNoNumber}, false, when);
  check.missing = fmt::format("the model is not here: give models=FOLDER with {}", model.path);
  return check;
}

std::string own_sentence(int k) {
  return fmt::format("One {} the {} {} {} {} the {} {}, and then {} {} a {} {}.",
                     word(kTimes, k, 0), word(kQualities, k, 1), word(kSubjects, k, 2),
                     word(kMoves, k, 3), word(kWheres, k, 4), word(kQualities, k, 5),
                     word(kPlaces, k, 6), pick(Kind::sentence, k, 7, 2) == 0 ? "he" : "she",
                     word(kActions, k, 8), word(kQualities, k, 9), word(kThings, k, 10));
}

std::vector<std::int64_t> list_to_sort(int k) {
  constexpr int kLength = 6;
  std::vector<std::int64_t> list;
  for (int slot = 0; slot < kLength; ++slot)
    list.push_back(static_cast<std::int64_t>(pick(Kind::list, k, slot, 3)));
  std::vector<std::int64_t> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  list.insert(list.end(), sorted.begin(), sorted.end() - 1);
  return list;
}

std::vector<float> spoken_otherwise(const std::vector<float>& spectrum, const Spoken& shape,
                                    double shift, double rate) {
  const double middle = (shape.frames - 1) / 2.0;
  std::vector<float> changed(spectrum.size());
  for (int f = 0; f < shape.frames; ++f) {
    const double from = std::clamp(middle + rate * (f - shift - middle), 0.0, shape.frames - 1.0);
    const int low = std::min(static_cast<int>(from), shape.frames - 2);
    const double part = from - low;
    for (int k = 0; k < shape.features; ++k) {
      const auto at = [&](int frame) {
        return static_cast<double>(spectrum[static_cast<std::size_t>(frame) * shape.features + k]);
      };
      changed[static_cast<std::size_t>(f) * shape.features + k] =
          static_cast<float>((1 - part) * at(low) + part * at(low + 1));
    }
  }
  return changed;
}

namespace {

// Shares of attention by block, means over heads.
void read_heads(const TracedText& text, const Description& of, InputReading& reading) {
  const std::size_t blocks = text.trace.attention.size();
  reading.leader.assign(blocks, 0);
  reading.first.assign(blocks, 0);
  for (const HeadReading& head : head_readings(nullptr, {&text, 1}, of, 1)) {
    reading.leader[static_cast<std::size_t>(head.block)] += head.sink / of.heads;
    reading.first[static_cast<std::size_t>(head.block)] += head.first / of.heads;
  }
  for (int i = 1; i < text.n(); ++i)
    reading.even_first += 1.0 / (of.causal ? i + 1 : text.n()) / (text.n() - 1);
}

void read_moves(const TracedText& text, const Description& of, const std::vector<double>& betas,
                bool backwards, InputReading& reading) {
  for (int block = 0; block + 1 < text.frames(); ++block) {
    const HostSwarm x = project_to_sphere(text, block), y = project_to_sphere(text, block + 1);
    reading.alignment.push_back(move_fit(backwards ? y : x, backwards ? x : y,
                                         betas[static_cast<std::size_t>(block)],
                                         {.causal = of.causal})
                                    .alignment);
  }
}

}  // namespace

RealReading read_inputs(const Transformer& model, const Transformer& exchanged,
                        const std::vector<Prompt>& prompts, const RealReadingOptions& options) {
  const Description& of = model.description();
  const int count = static_cast<int>(prompts.size());
  std::vector<TracedText> texts(prompts.size());
  for_blocks(count, options.threads, [&](int k) {
    texts[static_cast<std::size_t>(k)] =
        trace_prompt(model, nullptr, prompts[static_cast<std::size_t>(k)], {});
  });
  const CommonBeta common = common_beta(texts, of);
  RealReading all{.beta = flow_beta(common.all)};
  const std::vector<HeadReading> heads =
      head_readings(&model, {texts.data(), 1}, of, options.threads);
  for (const HeadReading& head : heads) {
    all.qk_positivity += head.qk.positivity / static_cast<double>(heads.size());
    all.ov_positivity += head.ov.positivity / static_cast<double>(heads.size());
  }
  all.inputs.resize(prompts.size());
  for_blocks(count, options.threads, [&](int k) {
    const TracedText& text = texts[static_cast<std::size_t>(k)];
    InputReading& reading = all.inputs[static_cast<std::size_t>(k)];
    reading.n = text.n();
    reading.layers = layer_readings(text, all.beta);
    read_heads(text, of, reading);
    read_moves(text, of, common.by_block, options.backwards, reading);
    const TracedText attention_only =
        trace_prompt(model, nullptr, text.prompt, {.feed_forward = options.whole_blocks});
    reading.rank_attention_only = layer_readings(attention_only, all.beta).back().effective_rank;
    const TracedText other = trace_prompt(exchanged, nullptr, text.prompt, {});
    const HostSwarm start = project_to_sphere(text, 0),
                    end = project_to_sphere(text, text.frames() - 1);
    reading.reordered =
        mean_angle(end, project_to_sphere(other, other.frames() - 1)) / mean_angle(start, end);
    if (!options.backwards) return;
    std::reverse(reading.layers.begin(), reading.layers.end());
    std::reverse(reading.leader.begin(), reading.leader.end());
  });
  return all;
}

namespace {

constexpr double kErrors = 3;     // standard errors that a difference must exceed
constexpr double kUnmoved = 0.1;  // of the way: the largest move if blocks can be exchanged

// A mean over inputs, or over draws of weights, and its standard error.
struct Estimate {
  double mean = kNoNumber, error = kNoNumber;
};
Estimate estimate_of(const std::vector<double>& values) {
  const Spread spread = spread_of(values);
  return {spread.mean, spread.error()};
}

using Estimates = std::vector<Estimate>;
bool above(const Estimate& e) { return e.mean > kErrors * e.error; }
bool below(const Estimate& e) { return e.mean < -kErrors * e.error; }

// What a rule asks about a transformer: numbers of each input, and whether their means agree.
struct Question {
  const char* rule;
  const char* prediction;  // its text in the table
  const char* what;
  const char* when;
  std::vector<double> (*numbers)(const InputReading& r);
  bool (*agrees)(const Estimates& means);
  bool causal = false;  // only for causal models
  bool least = false;   // shows the least of its numbers, not the first
};

double gained(const InputReading& r, double LayerReading::*what) {
  return r.layers.back().*what - r.layers.front().*what;
}

double mean_of(const std::vector<double>& values) { return spread_of(values).mean; }

constexpr Question kQuestions[] = {
    {rule::real_models_clustering, "tokens gather with depth", "mean cosine gained by all blocks",
     "above 3 standard errors",
     [](const InputReading& r) { return std::vector{gained(r, &LayerReading::mean_cos)}; },
     [](const Estimates& e) { return above(e[0]); }},
    {rule::real_models_energy, "the energy never falls",
     "least change of the scaled energy by a block",
     "no block below -3 standard errors, all together above 3",
     [](const InputReading& r) {
       std::vector<double> changes;
       for (std::size_t f = 1; f < r.layers.size(); ++f)
         changes.push_back(r.layers[f].energy_scaled - r.layers[f - 1].energy_scaled);
       changes.push_back(gained(r, &LayerReading::energy_scaled));
       return changes;
     },
     [](const Estimates& e) { return std::none_of(e.begin(), e.end(), below) && above(e.back()); },
     false, true},
    {rule::real_models_drift, "tokens move along the velocity of the flow",
     "cosine of moves and velocity, mean over blocks", "above 3 standard errors",
     [](const InputReading& r) { return std::vector{mean_of(r.alignment)}; },
     [](const Estimates& e) { return above(e[0]); }},
    {rule::real_models_leaders, "leaders take over with depth",
     "share of the most attended token, last block less first", "above 3 standard errors",
     [](const InputReading& r) { return std::vector{r.leader.back() - r.leader.front()}; },
     [](const Estimates& e) { return above(e[0]); }},
    {rule::real_models_sinks, "the first token is a sink",
     "share of the first token less that of even attention", "above 3 standard errors",
     [](const InputReading& r) { return std::vector{mean_of(r.first) - r.even_first}; },
     [](const Estimates& e) { return above(e[0]); }, true},
    {rule::real_models_groups, "tokens end in several groups",
     "groups behind the last block less those of embeddings",
     "below -3 standard errors, and more than one group is left",
     [](const InputReading& r) {
       return std::vector{gained(r, &LayerReading::clusters), r.layers.back().clusters - 1};
     },
     [](const Estimates& e) { return below(e[0]) && above(e[1]); }},
    {rule::real_models_rank, "tokens lose rank with depth", "effective rank gained by all blocks",
     "below -3 standard errors",
     [](const InputReading& r) { return std::vector{gained(r, &LayerReading::effective_rank)}; },
     [](const Estimates& e) { return below(e[0]); }},
    {rule::real_models_alone, "without feed-forward they lose more",
     "last effective rank without feed-forward less that with it", "below -3 standard errors",
     [](const InputReading& r) {
       return std::vector{r.rank_attention_only - r.layers.back().effective_rank};
     },
     [](const Estimates& e) { return below(e[0]); }},
    {rule::real_models_order, "blocks can change places",
     "move of the last states when first and last block are exchanged, over their way", "below 0.1",
     [](const InputReading& r) { return std::vector{r.reordered}; },
     [](const Estimates& e) { return e[0].mean < kUnmoved; }},
};

// (numbers) over inputs.
Estimates estimates_of(const Question& q, const std::vector<InputReading>& inputs) {
  std::vector<std::vector<double>> by_number(q.numbers(inputs.front()).size());
  for (const InputReading& input : inputs) {
    const std::vector<double> numbers = q.numbers(input);
    for (std::size_t k = 0; k < numbers.size(); ++k) by_number[k].push_back(numbers[k]);
  }
  Estimates all;
  for (const std::vector<double>& values : by_number) all.push_back(estimate_of(values));
  return all;
}

// (numbers) over draws of weights, each with the mean over its inputs.
Estimates estimates_of(const Question& q, const std::vector<RealReading>& draws) {
  std::vector<std::vector<double>> by_number;
  for (const RealReading& draw : draws) {
    const Estimates one = estimates_of(q, draw.inputs);
    by_number.resize(one.size());
    for (std::size_t k = 0; k < one.size(); ++k) by_number[k].push_back(one[k].mean);
  }
  Estimates all;
  for (const std::vector<double>& values : by_number) all.push_back(estimate_of(values));
  return all;
}

// The number that is shown.
const Estimate& shown(const Question& q, const Estimates& e) {
  const auto by_mean = [](const Estimate& a, const Estimate& b) { return a.mean < b.mean; };
  return q.least ? *std::min_element(e.begin(), e.end(), by_mean) : e.front();
}

// A transformer as it was trained, and draws of its weights.
struct TrainedAndRandom {
  const RealModel* model = nullptr;
  Description of{};
  RealReading trained{};
  std::vector<RealReading> random{};
  std::string sha256{};
};

struct Sizes {
  int inputs, draws;
};
Sizes sizes_of(const ReproductionControl& control) {
  return {control.values.whole("inputs"), control.values.whole("draws")};
}

// Reads `prompts` with the weights of `place`, or with random weights where a seed is given.
RealReading read_variant(const std::filesystem::path& place, std::optional<std::uint64_t> seed,
                         const std::vector<Prompt>& prompts, const ReproductionControl& control) {
  const auto made = [&](std::vector<std::pair<int, int>> swapped) {
    return varied(open_model(place).model, {.random_weights = seed, .swapped = std::move(swapped)},
                  control.threads);
  };
  const Model plain = made({});
  const Model exchanged = made({{0, plain->description().layers - 1}});
  return read_inputs(*plain, *exchanged, prompts,
                     {.backwards = control.wrong.backwards,
                      .whole_blocks = control.wrong.whole_blocks,
                      .threads = control.threads});
}

// The first file of a model that is not its configuration.
const std::filesystem::path& weights_among(const std::vector<std::filesystem::path>& files) {
  const auto at = std::find_if(files.begin(), files.end(), [](const std::filesystem::path& file) {
    return file.filename() != "config.json";
  });
  return at == files.end() ? files.front() : *at;
}

// Replaces the blocks by blocks that leave every token where it is.
void replace_by_still_blocks(RealReading& reading) {
  for (InputReading& input : reading.inputs) {
    std::fill(input.layers.begin(), input.layers.end(), LayerReading(input.layers.front()));
    std::fill(input.leader.begin(), input.leader.end(), double(input.leader.front()));
    std::fill(input.first.begin(), input.first.end(), input.even_first);
    input.even_first = mean_of(input.first);  // so that the difference is exactly 0
    std::fill(input.alignment.begin(), input.alignment.end(), 0.0);
    input.rank_attention_only = input.layers.front().effective_rank;
    input.reordered = kNoNumber;  // there is no way to divide by
  }
}

std::optional<TrainedAndRandom> read_model(const RealModel& model,
                                           const std::filesystem::path& place,
                                           const ReproductionControl& control) {
  const OpenedModel opened = open_model(place);
  const Sizes sizes = sizes_of(control);
  const std::vector<Prompt> prompts = model.inputs(opened, place, sizes.inputs);
  TrainedAndRandom both{.model = &model,
                        .of = opened.model->description(),
                        .sha256 = sha256_of_file(weights_among(opened.files))};
  const std::optional<std::uint64_t> wrong =
      control.wrong.untrained ? std::optional<std::uint64_t>(0) : std::nullopt;
  both.trained = read_variant(place, wrong, prompts, control);
  if (control.wrong.null == NullModel::still) replace_by_still_blocks(both.trained);
  const int share = static_cast<int>(prompts.size()) / sizes.draws;
  for (int draw = 0; control.figures && draw < sizes.draws; ++draw) {
    if (control.stopped()) return std::nullopt;
    const std::vector<Prompt> some(prompts.begin() + draw * share,
                                   prompts.begin() + (draw + 1) * share);
    both.random.push_back(read_variant(place, static_cast<std::uint64_t>(draw + 1), some, control));
  }
  if (control.stopped()) return std::nullopt;
  return both;
}

void check_model(const TrainedAndRandom& both, Reproduction& result) {
  for (const Question& q : kQuestions) {
    if (q.causal && !both.of.causal) continue;
    const Estimates means = estimates_of(q, both.trained.inputs);
    const Estimate& one = shown(q, means);
    Check made = check_holds(q.rule, {fmt::format("{}: {}", both.model->name, q.what), one.mean},
                             q.agrees(means), q.when);
    made.more["standard error"] = one.error;
    made.more["inputs"] = static_cast<double>(both.trained.inputs.size());
    result.checks.push_back(std::move(made));
  }
}

void leave_open(const RealModel& model, Reproduction& result) {
  for (const Question& q : kQuestions)
    if (!q.causal || model.causal)
      result.checks.push_back(check_missing(q.rule, model, q.what, q.when));
}

// Estimates in the figure: over inputs for trained weights, over draws for random ones.
using PerInput = double (*)(const InputReading& r, std::size_t at);
Estimate over_inputs(const std::vector<InputReading>& inputs, std::size_t at, PerInput number) {
  std::vector<double> values;
  for (const InputReading& input : inputs) values.push_back(number(input, at));
  return estimate_of(values);
}
Estimate over_draws(const std::vector<RealReading>& draws, std::size_t at, PerInput number) {
  std::vector<double> values;
  for (const RealReading& draw : draws) values.push_back(over_inputs(draw.inputs, at, number).mean);
  return estimate_of(values);
}

struct Column {
  const char* name;
  PerInput number;
};
constexpr Column kLayerColumns[] = {
    {"mean cosine", [](const InputReading& r, std::size_t f) { return r.layers[f].mean_cos; }},
    {"scaled energy",
     [](const InputReading& r, std::size_t f) { return r.layers[f].energy_scaled; }},
    {"effective rank over tokens",
     [](const InputReading& r, std::size_t f) { return r.layers[f].effective_rank / r.n; }},
    {"groups over tokens",
     [](const InputReading& r, std::size_t f) { return r.layers[f].clusters / r.n; }},
};
constexpr Column kBlockColumns[] = {
    {"most attended", [](const InputReading& r, std::size_t b) { return r.leader[b]; }},
    {"first token", [](const InputReading& r, std::size_t b) { return r.first[b]; }},
    {"alignment", [](const InputReading& r, std::size_t b) { return r.alignment[b]; }},
};

// One row per model and layer, or block; the place of a row is its share of all blocks.
ColumnTable table_by_depth(const char* name, std::span<const Column> columns, bool blocks,
                           bool random, const std::vector<TrainedAndRandom>& all) {
  ColumnTable table{name, {"model", blocks ? "block" : "layer", "depth"}};
  for (const Column& column : columns)
    for (const char* what : {"", ", standard error"})
      table.columns.push_back(std::string(column.name) + what);
  for (const TrainedAndRandom& both : all) {
    const std::size_t count = both.trained.inputs.front().leader.size() + (blocks ? 0 : 1);
    for (std::size_t at = 0; at < count; ++at) {
      const auto place = static_cast<double>(at) + (blocks ? 1 : 0);
      std::vector<ColumnTable::Cell> row = {both.model->name, place, place / both.of.layers};
      for (const Column& column : columns) {
        const Estimate e = random ? over_draws(both.random, at, column.number)
                                  : over_inputs(both.trained.inputs, at, column.number);
        row.insert(row.end(), {e.mean, e.error});
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// Which predictions hold: one row per prediction, one column per model.
ColumnTable table_of_answers(const char* name, bool random,
                             const std::vector<TrainedAndRandom>& all) {
  ColumnTable table{name, {"prediction"}};
  for (const TrainedAndRandom& both : all) table.columns.emplace_back(both.model->name);
  for (const Question& q : kQuestions) {
    std::vector<ColumnTable::Cell> row = {std::string(q.prediction)};
    for (const TrainedAndRandom& both : all) {
      if (q.causal && !both.of.causal) {
        row.emplace_back(std::string("not causal"));
        continue;
      }
      const Estimates means =
          random ? estimates_of(q, both.random) : estimates_of(q, both.trained.inputs);
      const Estimate& one = shown(q, means);
      row.emplace_back(fmt::format("{}: {:.3g} ± {:.2g}", q.agrees(means) ? "holds" : "fails",
                                   one.mean, one.error));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ColumnTable table_of_models(const std::vector<TrainedAndRandom>& all) {
  ColumnTable table{"models",
                    {"model", "reads", "inputs", "tokens", "blocks", "heads", "d", "causal", "beta",
                     "positivity of QK", "positivity of OV", "sha256 of the weights"}};
  for (const TrainedAndRandom& both : all) {
    std::vector<double> tokens;
    for (const InputReading& input : both.trained.inputs) tokens.push_back(input.n);
    table.rows.push_back({both.model->name, both.model->reads, static_cast<double>(tokens.size()),
                          mean_of(tokens), static_cast<double>(both.of.layers),
                          static_cast<double>(both.of.heads), static_cast<double>(both.of.d),
                          both.of.causal ? "yes" : "no", both.trained.beta,
                          both.trained.qk_positivity, both.trained.ov_positivity, both.sha256});
  }
  return table;
}

void draw_models(const std::vector<TrainedAndRandom>& all, Reproduction& result) {
  result.tables.push_back(table_of_models(all));
  result.tables.push_back(table_of_answers("predictions", false, all));
  result.tables.push_back(table_of_answers("predictions-random", true, all));
  result.tables.push_back(table_by_depth("layers", kLayerColumns, false, false, all));
  result.tables.push_back(table_by_depth("layers-random", kLayerColumns, false, true, all));
  result.tables.push_back(table_by_depth("blocks", kBlockColumns, true, false, all));
  result.tables.push_back(table_by_depth("blocks-random", kBlockColumns, true, true, all));
  struct Panel {
    const char *table, *title, *column, *label;
    double from, to;
  };
  for (const Panel& p : {Panel{"layers", "Trained: who gathers with depth", "mean cosine",
                               "mean cosine of pairs", 0, 1},
                         Panel{"layers-random", "The same with random weights", "mean cosine",
                               "mean cosine of pairs", 0, 1},
                         Panel{"layers", "Trained: rank of the tokens",
                               "effective rank over tokens", "effective rank / tokens", 0, 1},
                         Panel{"blocks", "Trained: who is attended to", "most attended",
                               "share of the most attended token", 0, kNoNumber}})
    result.figures.push_back({.name = figure::real_models,
                              .table = p.table,
                              .title = p.title,
                              .x = {.label = "depth: blocks done, of all", .from = 0, .to = 1},
                              .y = {.label = p.label, .from = p.from, .to = p.to},
                              .curves = {{p.column, Curve::linespoints, "", Curve::kByPlace,
                                          std::string(p.column) + ", standard error"}},
                              .over = "depth",
                              .by = "model"});
  result.captions[figure::real_models] =
      "Trained transformers, each on inputs of its own kind, from the embedding to the last block. "
      "Most gather their tokens and lower their rank; KWT-1, whose values repel, spreads them. "
      "Above right: the same transformers with random weights. Bars: standard errors over inputs, "
      "or over draws.";
}

}  // namespace

std::optional<Reproduction> real_models(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::real_models);
  std::vector<TrainedAndRandom> all;
  const auto read = [&](const RealModel& model, const fs::path& place) {
    std::optional<TrainedAndRandom> both = read_model(model, place, control);
    if (!both) return false;
    check_model(*both, result);
    all.push_back(std::move(*both));
    return true;
  };
  if (!visit_models(
          control, [&](const RealModel& model) { leave_open(model, result); }, read))
    return std::nullopt;
  if (!all.empty() && control.figures) draw_models(all, result);
  return result;
}

}  // namespace murmur
