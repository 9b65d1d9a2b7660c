// training_data.cpp: the samples that a training learns from, is watched by and is tested with.
#include <algorithm>
#include <array>
#include <numeric>

#include "murmur/random.h"
#include "murmur/training.h"
#include "run/identity.h"

namespace murmur {

namespace {

constexpr std::size_t kTestFours = 2048, kValidationFours = 512;  // of pairs that are tested
constexpr std::size_t kTestSentences = 4096, kValidationSentences = 1024;

// The samples with the smallest draws are kept back: the same ones for any recipe of one seed.
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

// Single pictures become the fixed pairs of validation and test.
void pair_up(const Training& training, TrainingData& data) {
  const auto& watched = data.kept_back.empty() ? data.learned : data.kept_back;
  data.validation =
      samples_of(data.train, crossed_pairs(data.train, watched, kValidationFours,
                                           {.seed = training.seed, .use = PairDraw::validation}));
  data.test_pairs = test_pairs_of(data.test);
  data.test = samples_of(data.test, data.test_pairs);
}

// In fours or twos that differ by what is asked alone.
SampleSet balanced_sentences(Task task, std::size_t count, const SentenceDraw& draw) {
  return task == Task::sense ? crossed_senses(count / 4, draw) : exchanged_orders(count / 2, draw);
}

// A text that says every word and every sentence of the test.
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
