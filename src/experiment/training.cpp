// training.cpp: makes a Training from its spec, and the samples that it learns from.
#include "murmur/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "experiment/config.h"
#include "experiment/rnn_training.h"
#include "experiment/training_rows.h"
#include "experiment/words.h"
#include "murmur/random.h"
#include "run/identity.h"

namespace murmur {

namespace {

// Returns the value of every optional field in a recipe.
const TrainingSpec& recipe_of(Task task, Recipe recipe) {
  constexpr std::size_t kAll = 0;
  static const TrainingSpec best{.every = 1,
                                 .targets = TargetChoice::spread,
                                 .loss = Objective::cross_entropy,
                                 .average = LossAverage::tokens,
                                 .epochs = 60,
                                 .samples = kAll,
                                 .batch = 256,
                                 .rate = 0.01,
                                 .schedule = RateSchedule::one_cycle,
                                 .decay = 0.01,
                                 .clip = 1,
                                 .shift = 0.5,
                                 .settle = 0,
                                 .settle_from = SettleFrom::half,
                                 .deeper = 1,
                                 .depth_law = DepthLaw::uniform,
                                 .token_share = 1,
                                 .stay = 0,
                                 .averaging = 0};
  static const TrainingSpec settled = [] {
    TrainingSpec spec = best;
    spec.epochs = 120;
    spec.batch = 32;
    spec.rate = 0.003;
    spec.settle = 1;
    spec.settle_from = SettleFrom::depth;
    spec.deeper = 4;
    spec.depth_law = DepthLaw::square;
    spec.token_share = 0.5;
    spec.stay = 16;
    spec.averaging = 0.2;
    return spec;
  }();
  static const TrainingSpec pairs = [] {
    TrainingSpec spec = best;
    spec.every = 2;
    spec.epochs = 24;
    spec.samples = 40960;
    spec.rate = 0.005;
    spec.shift = 0.3;
    return spec;
  }();
  static const TrainingSpec sentences = [] {
    TrainingSpec spec = best;
    spec.epochs = 40;
    spec.samples = 20480;
    spec.batch = 64;
    spec.shift = 0;
    return spec;
  }();
  static const TrainingSpec published = [] {
    TrainingSpec spec = best;
    spec.targets = TargetChoice::third_axis;
    spec.loss = Objective::target;
    spec.average = LossAverage::padded;
    spec.epochs = 15;
    spec.rate = 0.001;
    spec.schedule = RateSchedule::constant;
    spec.decay = spec.clip = spec.shift = 0;
    return spec;
  }();
  if (task == Task::same) return pairs;
  if (reads_words(task)) return sentences;
  switch (recipe) {
    case Recipe::automatic:
    case Recipe::best:
      return best;
    case Recipe::published:
      return published;
    case Recipe::settled:
      return settled;
  }
  return best;
}

// Defaults of task=sense: 16 coordinates, since the topics of words interfere in fewer, and three
// free blocks, which learn in seconds what ten shared ones do not learn.
void shape_for_senses(WordedTraining& t) {
  const auto prefer = [&](const char* key, auto& field, auto value) {
    field = value;
    t.words.at(key).text = fmt::format("{}", value);
  };
  if (!is_given(t.words, "d")) prefer("d", t.spec.d, 16);
  for (const char* key : {"blocks", "shared", "hidden", "heads"})
    if (is_given(t.words, key)) return;
  prefer("blocks", t.spec.blocks, 3);
  prefer("shared", t.spec.shared, false);
  prefer("hidden", t.spec.hidden, 64);
  prefer("heads", t.spec.heads, 2);
}

// Returns whether a picture of one point of ink can lie at the target of each class: this needs
// targets in the plane of the pictures, starts that are the points themselves, and a readout of all
// tokens.
bool can_start_at_targets(const TrainingSpec& spec) {
  return spec.task == Task::digits && spec.reader == Reader::swarm && spec.digits.size() == 2 &&
         spec.targets != TargetChoice::third_axis && spec.readout == Architecture::mean &&
         !spec.position && spec.positions == Positions::none;
}

// Fills every empty field in the spec and in the settings; given values stay.
WordedTraining resolved(WordedTraining t) {
  t.spec.data = whole_path({}, t.spec.data);
  t.words.at("data").text = t.spec.data;
  if (t.spec.task != Task::digits && !is_given(t.words, "name"))
    t.spec.name = t.words.at("name").text = t.words.at("task").text;
  if (reads_words(t.spec.task) && !is_given(t.words, "readout")) {
    t.spec.readout = Architecture::asked;
    t.words.at("readout").text = "asked";
  }
  if (t.spec.recipe == Recipe::automatic) {
    t.spec.recipe = settles_by_default(t.spec) ? Recipe::settled : Recipe::best;
    t.words.at("recipe").text = row_named<TrainingSpec>("recipe").write(t.spec);
  }
  if (t.spec.task == Task::sense) shape_for_senses(t);
  if (t.spec.reader == Reader::recurrent) {  // it has no blocks
    if (!is_given(t.words, "settle")) t.spec.settle = 0, t.words.at("settle").text = "0";
    if (!is_given(t.words, "deeper")) t.spec.deeper = 1, t.words.at("deeper").text = "1";
  }
  if (!can_start_at_targets(t.spec) && !is_given(t.words, "stay"))
    t.spec.stay = 0, t.words.at("stay").text = "0";
  for (const Row<TrainingSpec>& row : rows_of<TrainingSpec>())
    if (row.fill != nullptr && row.fill(recipe_of(t.spec.task, t.spec.recipe), t.spec))
      t.words.at(row.parameter.name).text = row.write(t.spec);
  return t;
}

int classes_of(const TrainingSpec& spec) {
  return static_cast<int>(class_names(spec.task, spec.digits).size());
}

// Returns the architecture of a resolved spec.
Architecture architecture_of(const TrainingSpec& spec) {
  const bool third = spec.targets == TargetChoice::third_axis, words = reads_words(spec.task);
  return {.d = spec.d,
          .blocks = spec.blocks,
          .shared = spec.shared,
          .hidden = spec.hidden,
          .heads = spec.heads,
          .head_width = spec.head_width,
          .residual = spec.residual,
          .interaction = spec.interaction,
          .readout = spec.readout,
          .position = spec.position || spec.positions == Positions::sinusoidal,
          .vocabulary = words ? static_cast<int>(vocabulary_of(spec.task).size()) : 0,
          .places = spec.positions == Positions::learned ? kLongestSentence : 0,
          .rotary = spec.positions == Positions::rotary,
          .targets = third ? third_axis_targets(spec.d) : spread_targets(classes_of(spec), spec.d)};
}

void check_task(const WordedTraining& t) {
  if (t.spec.task != Task::digits && t.spec.recipe != Recipe::best)
    refuse(t.words, "recipe", "published and settled train the task digits only", "remove recipe");
}

// The number of pairs is free; that of a training set is fixed.
void check_samples(const WordedTraining& t) {
  const bool all = t.spec.samples == std::size_t{0};
  if (t.spec.task == Task::digits && !all)
    refuse(t.words, "samples", "the task digits learns from the whole training set",
           "use samples=all, or task=same");
  if (t.spec.task != Task::digits && all)
    refuse(t.words, "samples",
           t.spec.task == Task::same ? "the number of pairs is unlimited"
                                     : "the number of sentences is unlimited",
           "write the number per epoch");
}

// Pictures have no asked token and no longest sample; words have no plane to shift in.
void check_readout(const WordedTraining& t) {
  if (t.spec.readout == Architecture::asked && !reads_words(t.spec.task))
    refuse(t.words, "readout", "pictures have no asked token", "use readout=mean or cls");
}

void check_positions(const WordedTraining& t) {
  const auto [task, positions] = std::pair{t.spec.task, t.spec.positions};
  if (t.spec.position && positions != Positions::none && positions != Positions::sinusoidal)
    refuse(t.words, "positions", "but position=true adds sines", "remove position");
  if (positions == Positions::learned && !reads_words(task))
    refuse(t.words, "positions", "pictures have any number of tokens",
           "use positions=sinusoidal or rotary");
  if (positions == Positions::rotary && t.spec.interaction != Architecture::attention)
    refuse(t.words, "positions", "rotary rotates queries and keys, and there are none",
           "use interaction=attention, or another code");
}

void check_shift(const WordedTraining& t) {
  if (reads_words(t.spec.task) && *t.spec.shift > 0)
    refuse(t.words, "shift", "words do not lie in a plane", "use shift=0");
}

void check_targets(const WordedTraining& t) {
  const TrainingSpec& spec = t.spec;
  if (spec.targets == TargetChoice::third_axis && (spec.d < 3 || classes_of(spec) != 2))
    refuse(t.words, "targets", "third-axis needs two classes and d of 3 or more",
           "use targets=spread, or d=3 and two digits");
  check(architecture_of(spec));
}

void check_deeper(const WordedTraining& t) {
  constexpr double kMost = 100;
  if (!(*t.spec.deeper >= 1 && *t.spec.deeper <= kMost))
    refuse(t.words, "deeper", "out of range", fmt::format("write a number from 1 to {:g}", kMost));
  if (*t.spec.deeper > 1 && !t.spec.shared)
    refuse(t.words, "deeper", "free blocks cannot run deeper", "use deeper=1, or shared=true");
}

void check_token_share(const WordedTraining& t) {
  if (!(*t.spec.token_share > 0))
    refuse(t.words, "token_share", "leaves no token", "write a number above 0, at most 1");
  if (*t.spec.token_share < 1 && reads_words(t.spec.task))
    refuse(t.words, "token_share", "a sentence keeps all its words", "use token_share=1");
}

void check_stay(const WordedTraining& t) {
  if (*t.spec.stay > 0 && !can_start_at_targets(t.spec))
    refuse(t.words, "stay", "a picture cannot start at the targets",
           "use stay=0, or two digits, targets=spread, readout=mean and positions=none");
}

void check_device(const WordedTraining& t) {
  if (t.spec.device == Training::cuda && t.spec.dropout > 0)
    refuse(t.words, "device", "cuda has no dropout", "use dropout=0, or device=cpu");
  if (t.spec.device == Training::cuda && reads_words(t.spec.task))
    refuse(t.words, "device", "cuda learns only from pictures", "use device=cpu");
  if (t.spec.device == Training::cuda && t.spec.positions == Positions::rotary)
    refuse(t.words, "device", "cuda has no rotary positions",
           "use device=cpu, or positions=sinusoidal");
}

// A recurrent network has neither blocks nor attention.
void check_reader(const WordedTraining& t) {
  if (t.spec.reader != Reader::recurrent) return;
  const auto refuse_part = [&](const char* key, const char* what) {
    refuse(t.words, key, fmt::format("a recurrent network has no {}", what),
           fmt::format("remove {}, or use reader=swarm", key));
  };
  if (t.spec.loss != Objective::cross_entropy) refuse_part("loss", "tokens that move to a target");
  if (t.spec.dropout > 0) refuse_part("dropout", "attention weights");
  if (*t.spec.settle > 0) refuse_part("settle", "tokens that move to a target");
  if (*t.spec.deeper > 1) refuse_part("deeper", "blocks");
  if (t.spec.device == Training::cuda)
    refuse(t.words, "device", "a recurrent network learns on the processor", "use device=cpu");
}

// Checks that combine several parameters run when the last of them has been read.
struct Agreement {
  const char* after;
  void (*check)(const WordedTraining& resolved);
};
constexpr Agreement kAgreements[] = {
    {"task", check_task},           {"readout", check_readout},
    {"positions", check_positions}, {"targets", check_targets},
    {"samples", check_samples},     {"shift", check_shift},
    {"deeper", check_deeper},       {"token_share", check_token_share},
    {"stay", check_stay},           {"device", check_device},
    {"device", check_reader}};

void check_after(const std::string& parameter, const WordedTraining& t) {
  for (const Agreement& agreement : kAgreements)
    if (agreement.after == parameter) agreement.check(resolved(t));
}

}  // namespace

TrainingSpec training_spec_of(const Settings& words) {
  WordedTraining t{{}, words};
  for (const Row<TrainingSpec>& row : training_rows_as_read()) {
    row.read(words, t.spec);
    check_after(row.parameter.name, t);
  }
  return t.spec;
}

bool settles_by_default(const TrainingSpec& spec) {
  constexpr int kFewestBlocks = 5, kMostDimensions = 4;
  return spec.task == Task::digits && spec.reader == Reader::swarm && spec.digits.size() == 2 &&
         spec.shared && spec.blocks >= kFewestBlocks && spec.d <= kMostDimensions &&
         spec.interaction == Architecture::attention && spec.readout == Architecture::mean;
}

WordedTraining apply_assignments(const TrainingSpec& spec,
                                 const std::vector<std::string>& assignments) {
  WordedTraining t{spec, training_words_of(spec)};
  const Settings said = gather({{}, {}, assignments}, training_parameters());
  for (const Row<TrainingSpec>& row : training_rows_as_read()) {
    const std::string key = row.parameter.name;
    if (!is_given(said, key)) continue;
    t.words[key] = setting(said, key);
    row.read(said, t.spec);
  }
  return t;
}

Training make_training(const WordedTraining& given) {
  const WordedTraining worded = resolved(given);
  const auto& [spec, words] = worded;
  for (const Row<TrainingSpec>& row : training_rows_as_read()) {
    row.check(words, spec);
    check_after(row.parameter.name, worded);
  }
  Training t;
  t.name = spec.name;
  t.task = spec.task;
  t.reader = spec.reader;
  t.seed = spec.seed;
  t.digits = spec.digits;
  t.architecture = architecture_of(spec);
  t.objective = {.loss = *spec.loss,
                 .padded = spec.average == LossAverage::padded,
                 .dropout = spec.dropout,
                 .smoothing = spec.smoothing,
                 .settle = *spec.settle,
                 .settle_from = spec.settle_from == SettleFrom::depth ? spec.blocks : 0};
  t.tokens.threshold = spec.threshold;
  t.tokens.every = *spec.every;
  t.epochs = *spec.epochs;
  t.samples = *spec.samples;
  t.batch = *spec.batch;
  t.rate = *spec.rate;
  t.one_cycle = spec.schedule == RateSchedule::one_cycle;
  t.decay = *spec.decay;
  t.clip = *spec.clip;
  t.shift = *spec.shift;
  t.affine = spec.affine;
  t.warp = spec.warp;
  t.deeper = *spec.deeper;
  t.mostly_shallow = spec.depth_law == DepthLaw::square;
  t.token_share = *spec.token_share;
  t.stay = *spec.stay;
  t.averaging = *spec.averaging;
  t.validation = spec.validation;
  t.data = spec.data;
  t.device = spec.device;
  t.threads = spec.threads;
  t.config = config_of(training_parameters(), words);
  return t;
}

Training make_training(const TrainingSpec& spec) {
  return make_training(WordedTraining{spec, training_words_of(spec)});
}

Training make_training(const Settings& settings) {
  return make_training(WordedTraining{training_spec_of(settings), settings});
}

std::unique_ptr<Adjoint> adjoint_for(const Training& training) {
  if (training.reader == Reader::recurrent)
    return make_adjoint(rnn_for(training), training.threads);
  return training.device == Training::cuda ? make_cuda_adjoint(training.architecture)
                                           : make_adjoint(training.architecture, training.threads);
}

std::size_t parameter_count(const Training& training) {
  return training.reader == Reader::recurrent ? parameter_count(rnn_for(training))
                                              : parameter_count(training.architecture);
}

// --- Samples for training, validation and test.

namespace {

constexpr std::size_t kTestFours = 2048, kValidationFours = 512;  // of pairs that are tested
constexpr std::size_t kTestSentences = 4096, kValidationSentences = 1024;

// The samples with the smallest draws are held out: the same ones for all recipes with one seed.
void split(const Training& training, TrainingData& data) {
  std::vector<std::pair<std::array<std::uint32_t, 4>, std::size_t>> draws;
  for (std::size_t sample = 0; sample < data.train.samples(); ++sample)
    draws.emplace_back(
        Draw{training.seed, Stream::split, static_cast<std::uint32_t>(sample)}.bits(0), sample);
  std::sort(draws.begin(), draws.end());
  const auto back =
      static_cast<std::size_t>(training.validation * static_cast<double>(data.train.samples()));
  for (std::size_t k = 0; k < draws.size(); ++k)
    (k < back ? data.kept_back : data.learned).push_back(draws[k].second);
  std::sort(data.kept_back.begin(), data.kept_back.end());
  std::sort(data.learned.begin(), data.learned.end());
}

std::vector<std::size_t> all_of(const SampleSet& samples) {
  std::vector<std::size_t> all(samples.samples());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Makes the fixed pairs of validation and test from single pictures.
void pair_up(const Training& training, TrainingData& data) {
  const auto& watched = data.kept_back.empty() ? data.learned : data.kept_back;
  data.validation =
      samples_of(data.train, crossed_pairs(data.train, watched, kValidationFours,
                                           {.seed = training.seed, .use = PairDraw::validation}));
  data.test_pairs = test_pairs_of(data.test);
  data.test = samples_of(data.test, data.test_pairs);
}

// Sentences in groups of four or two that differ only in the question.
SampleSet balanced_sentences(Task task, std::size_t count, const SentenceDraw& draw) {
  return task == Task::sense ? crossed_senses(count / 4, draw) : exchanged_orders(count / 2, draw);
}

// Returns the digest of every word and every sentence of the test.
std::string digest_of(Task task, const SampleSet& test) {
  std::string text;
  for (const std::string& word : vocabulary_of(task)) text += word + "\n";
  for (std::size_t sample = 0; sample < test.samples(); ++sample)
    text += sentence_text(task, test, sample) + "\n";
  return sha256_of_text(text);
}

TrainingData sentences_for(const Training& training) {
  TrainingData data;
  data.name = "sentences";
  data.test = test_sentences(training.task);
  data.checksum = digest_of(training.task, data.test);
  data.train = balanced_sentences(training.task, kValidationSentences,
                                  {.seed = training.seed, .use = Use::validation});
  data.kept_back = all_of(data.train);
  return data;
}

}  // namespace

SampleSet test_sentences(Task task) {
  return balanced_sentences(task, kTestSentences, {.use = Use::test});
}

std::vector<PicturePair> test_pairs_of(const SampleSet& test_pictures) {
  return crossed_pairs(test_pictures, all_of(test_pictures), kTestFours, {.use = PairDraw::test});
}

std::vector<PicturePair> test_pairs_of(const TrainedSwarm& swarm, const Images& test) {
  std::vector<std::size_t> source;
  const SampleSet pictures = samples_of(test, swarm.digits, swarm.tokens, &source);
  std::vector<PicturePair> pairs = test_pairs_of(pictures);
  for (PicturePair& pair : pairs) pair = {source[pair.left], source[pair.right], pair.same};
  return pairs;
}

SampleSet draw_epoch(const Training& training, const TrainingData& data, int epoch) {
  const SentenceDraw draw{.seed = training.seed, .step = static_cast<std::uint32_t>(epoch)};
  if (training.task == Task::sense) return draw_senses(training.samples, draw);
  if (training.task == Task::order) return draw_orders(training.samples, draw);
  return samples_of(data.train, draw_pairs(data.train, data.learned, training.samples,
                                           {.seed = training.seed,
                                            .step = static_cast<std::uint32_t>(epoch),
                                            .use = PairDraw::train}));
}

TrainingData gather_data(const Training& training, const std::filesystem::path& folder) {
  if (reads_words(training.task)) return sentences_for(training);
  DataSet set = read_data_set(folder);
  TrainingData data;
  data.name = set.name;
  data.checksum = set.checksum;
  data.train = samples_of(set.train, training.digits, training.tokens);
  data.test = samples_of(set.test, training.digits, training.tokens, &data.test_picture);
  data.test_pictures = std::move(set.test);
  split(training, data);
  if (training.task == Task::same) pair_up(training, data);
  return data;
}

}  // namespace murmur
