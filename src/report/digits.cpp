// digits.cpp: the classes of a trained swarm, and its trajectory on one picture, ready to be drawn.
#include "report/digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/learn.h"
#include "run/file.h"

namespace murmur {

namespace fs = std::filesystem;

int class_of(const TrainedSwarm& swarm, int label) {
  const auto found = std::find(swarm.digits.begin(), swarm.digits.end(), label);
  return found == swarm.digits.end() ? -1 : static_cast<int>(found - swarm.digits.begin());
}

std::vector<std::string> class_names(const TrainedSwarm& swarm) {
  return class_names(swarm.task, swarm.digits);
}

namespace {

// Frames, one per block, with the chances computed from them; without the picture or the sentence,
// the true class and the title.
DigitTrajectory trajectory_of_frames(const TrainedSwarm& swarm, std::vector<HostSwarm> frames,
                                     int asked) {
  const Architecture& a = swarm.architecture;
  DigitTrajectory trajectory;
  Matrix scored = zeros(static_cast<int>(frames.size()), a.targets.rows);
  double* row = scored.data.data();
  for (const HostSwarm& frame : frames) {
    const std::vector<double> score = scores(a, readout_of(a, frame, asked));
    row = std::copy(score.begin(), score.end(), row);
  }
  trajectory.frames = std::move(frames);
  trajectory.chances = chances_of(scored);
  trajectory.targets = a.targets;
  trajectory.classes = class_names(swarm);
  trajectory.cls = a.readout == Architecture::cls;
  trajectory.trained = a.blocks;
  return trajectory;
}

DigitTrajectory trajectory_of_sample(const TrainedSwarm& swarm, const SampleSet& sample) {
  DigitTrajectory trajectory =
      trajectory_of_frames(swarm, simulate_sample(swarm, sample, 0).frames, 0);
  trajectory.label = sample.label[0];
  return trajectory;
}

void add_picture(const Images& images, std::size_t index, DigitTrajectory& trajectory) {
  trajectory.height = images.height, trajectory.width = images.width;
  const auto ink = images.picture(index);
  trajectory.ink.assign(ink.begin(), ink.end());
}

// Both pictures of a pair, with the places of their pixels.
void add_pictures(const Images& images, const PicturePair& pair, DigitTrajectory& trajectory) {
  Picture both = picture_of_pair(images, pair);
  trajectory.height = both.height, trajectory.width = both.width;
  trajectory.ink = std::move(both.pixels);
  const double half = kPairScale * kPlaneHalfWidth;
  for (int column = 0; column < both.width; ++column) {
    const int within = column % (images.width + 1);
    const double centre = column > images.width ? kPairCentre : -kPairCentre;
    trajectory.column.push_back(
        column == images.width ? 0 : centre + half * (2.0 * within / (images.width - 1) - 1));
  }
  for (int row = 0; row < both.height; ++row)
    trajectory.row.push_back(half * (1 - 2.0 * row / (both.height - 1)));
}

void add_sentence(const TrainedSwarm& swarm, const SampleSet& samples, std::size_t sample,
                  DigitTrajectory& trajectory) {
  const std::vector<std::string>& vocabulary = vocabulary_of(swarm.task);
  for (std::size_t i = samples.first[sample]; i < samples.first[sample + 1]; ++i)
    trajectory.words.push_back(vocabulary[static_cast<std::size_t>(samples.word[i])]);
  const std::string word = asked_word(swarm.task, samples, sample);
  trajectory.asked = samples.asked[sample];
  trajectory.label = samples.label[sample];
  for (std::size_t c = 0; c < trajectory.classes.size(); ++c)
    trajectory.classes[c] = meaning_of(swarm.task, word, static_cast<int>(c));
  trajectory.title = swarm.task == Task::sense
                         ? fmt::format("Which sense of \u201c{}\u201d?", word)
                         : fmt::format("Is \u201c{}\u201d subject or object?", word);
}

void add_title(DigitTrajectory& trajectory, Task task) {
  trajectory.title = task == Task::same ? "Same or different?"
                     : trajectory.classes.size() > 3
                         ? "Which one is it?"
                         : fmt::format("Is it {}?", fmt::join(trajectory.classes, " or "));
}

}  // namespace

DigitTrajectory trajectory_of_picture(const TrainedSwarm& swarm, const Images& images,
                                      std::size_t index) {
  SampleSet sample;
  add_sample(images, index, images.labels.empty() ? -1 : class_of(swarm, images.labels[index]),
             swarm.tokens, sample);
  DigitTrajectory trajectory = trajectory_of_sample(swarm, sample);
  add_picture(images, index, trajectory);
  add_title(trajectory, swarm.task);
  return trajectory;
}

Picture picture_of_pair(const Images& images, const PicturePair& pair) {
  const int h = images.height, w = images.width, wide = 2 * w + 1;
  Picture both{h, wide, std::vector<std::uint8_t>(static_cast<std::size_t>(h) * wide)};
  for (const bool right : {false, true}) {
    const auto ink = images.picture(right ? pair.right : pair.left);
    for (int row = 0; row < h; ++row)
      std::copy_n(ink.begin() + static_cast<std::ptrdiff_t>(row) * w, w,
                  both.pixels.begin() + static_cast<std::ptrdiff_t>(row) * wide + right * (w + 1));
  }
  return both;
}

DigitTrajectory trajectory_of_pair(const TrainedSwarm& swarm, const Images& images,
                                   const PicturePair& pair, int label) {
  SampleSet sample;
  add_pair(images, pair, label, swarm.tokens, sample);
  DigitTrajectory trajectory = trajectory_of_sample(swarm, sample);
  add_pictures(images, pair, trajectory);
  add_title(trajectory, swarm.task);
  return trajectory;
}

DigitTrajectory trajectory_of_sentence(const TrainedSwarm& swarm, const SampleSet& samples,
                                       std::size_t sample) {
  DigitTrajectory trajectory = trajectory_of_frames(
      swarm, simulate_sample(swarm, samples, sample).frames, samples.asked[sample]);
  add_sentence(swarm, samples, sample, trajectory);
  return trajectory;
}

namespace {

// Whether a sample starts where the tokens are.
bool starts_at(const Sample& sample, const HostSwarm& x) {
  if (sample.n != x.n()) return false;
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k)
      if (!(std::abs(sample.rows[static_cast<std::size_t>(i) * x.d() + k] - x.at(i, k)) < 1e-4))
        return false;
  return true;
}

// The first of some samples that starts there.
std::optional<std::size_t> find_start(const TrainedSwarm& swarm, const SampleSet& samples,
                                      const HostSwarm& x) {
  const Architecture& a = swarm.architecture;
  const std::vector<double> parameters = swarm.doubles();
  for (std::size_t k = 0; k < samples.samples(); ++k) {
    const std::size_t first = samples.first[k];
    const auto size = static_cast<std::size_t>(samples.size_of(k));
    if (samples.size_of(k) + (a.readout == Architecture::cls ? 1 : 0) != x.n()) continue;
    const Sample sample =
        a.vocabulary > 0
            ? start_sample(a, parameters, std::span<const int>(samples.word).subspan(first, size))
            : start_sample(a, parameters, std::span<const float>(samples.x).subspan(first, size),
                           std::span<const float>(samples.y).subspan(first, size));
    if (starts_at(sample, x)) return k;
  }
  return std::nullopt;
}

// Every token as a pixel of ink where it begins.
void add_ink_of_start(const TrainedSwarm& swarm, DigitTrajectory& trajectory) {
  trajectory.height = swarm.height, trajectory.width = swarm.width;
  trajectory.ink.assign(static_cast<std::size_t>(swarm.height) * swarm.width, 0);
  const HostSwarm& x = trajectory.frames.front();
  for (int i = 0; i < x.n() - (trajectory.cls ? 1 : 0); ++i) {
    const double across = (x.at(i, 0) / kPlaneHalfWidth + 1) / 2;
    const double down = (1 - x.at(i, 1) / kPlaneHalfWidth) / 2;
    if (!(across >= 0 && across <= 1 && down >= 0 && down <= 1)) continue;
    const auto column = static_cast<std::size_t>(std::lround(across * (swarm.width - 1)));
    const auto row = static_cast<std::size_t>(std::lround(down * (swarm.height - 1)));
    trajectory.ink[row * swarm.width + column] = 255;
  }
}

// The test pictures, where they are found and are of the size that the swarm knows. Data that was
// asked for has to exist.
std::optional<Images> pictures_for(const TrainedSwarm& swarm, const std::string& data,
                                   const FindData& find_data) {
  try {
    const std::string& named = data.empty() ? swarm.data : data;
    Images images = read_data_set(find_data ? find_data(named) : fs::path(named)).test;
    if (images.height == swarm.height && images.width == swarm.width) return images;
  } catch (const Error& error) {
    if (error.fault != Fault::input || !data.empty()) throw;
  }
  return std::nullopt;
}

void add_start_of_digits(const TrainedSwarm& swarm, const std::optional<Images>& images,
                         DigitTrajectory& trajectory) {
  add_title(trajectory, swarm.task);
  const HostSwarm& x = trajectory.frames.front();
  if (images) {
    SampleSet samples;
    if (swarm.task == Task::same) {
      const std::vector<PicturePair> pairs = test_pairs_of(swarm, *images);
      for (const PicturePair& pair : pairs)
        add_pair(*images, pair, pair.same ? same_class : other_class, swarm.tokens, samples);
      if (const auto k = find_start(swarm, samples, x)) {
        trajectory.label = samples.label[*k];
        return add_pictures(*images, pairs[*k], trajectory);
      }
    } else {
      samples = samples_of(*images, {}, swarm.tokens);
      if (const auto k = find_start(swarm, samples, x)) {
        if (!images->labels.empty()) trajectory.label = class_of(swarm, images->labels[*k]);
        return add_picture(*images, *k, trajectory);
      }
    }
  }
  add_ink_of_start(swarm, trajectory);
}

}  // namespace

bool moves_trained_swarm(const RunReader& run) {
  std::error_code ignored;
  if (run.command() != "simulate" || run.frames() < 2 ||
      !fs::exists(run.directory() / "inputs/model.npy", ignored))
    return false;
  const TrainedSwarm swarm = read_trained_swarm(run.directory());
  for (std::size_t k = 0; k < run.times().size(); ++k)
    if (std::abs(run.times()[k] - static_cast<double>(k) * swarm.architecture.residual) > 1e-6)
      return false;
  return swarm.architecture.d >= 2;
}

std::optional<DigitTrajectory> trajectory_of_run(const RunReader& run, const std::string& data,
                                                 const FindData& find_data) {
  const TrainedSwarm swarm = read_trained_swarm(run.directory());
  std::vector<HostSwarm> frames;
  for (std::int64_t k = 0; k < run.frames(); ++k) frames.push_back(run.frame(k));
  if (!reads_words(swarm.task)) {
    DigitTrajectory trajectory = trajectory_of_frames(swarm, std::move(frames), 0);
    add_start_of_digits(swarm, pictures_for(swarm, data, find_data), trajectory);
    return trajectory;
  }
  const SampleSet sentences = test_sentences(swarm.task);
  const auto k = find_start(swarm, sentences, frames.front());
  if (!k) return std::nullopt;
  DigitTrajectory trajectory = trajectory_of_frames(swarm, std::move(frames), sentences.asked[*k]);
  add_sentence(swarm, sentences, *k, trajectory);
  return trajectory;
}

double seconds_of_film(std::size_t trajectories) { return trajectories > 3 ? 3 : 8; }

void add_film(RunReport& report, const std::vector<DigitTrajectory>& trajectories,
              const std::string& text) {
  const bool several = trajectories.size() > 1;
  const std::string heading = several ? "Trajectories, one of each class" : "A trajectory";
  const std::vector<DigitTrajectory> few(
      trajectories.begin(),
      trajectories.begin() +
          std::min<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(trajectories.size())));
  draw_digit_trajectories(few, {}, report.figures / "flight.png");
  DigitFilm film{.seconds = seconds_of_film(trajectories.size()), .stop = report.request.stop};
  bool filmed = false;
  if (report.request.film) {
    make_folder_of_run(report.video);
    filmed = film_digits(trajectories, film, report.video / "flight.mp4");
    if (filmed)
      report.add_picture(
          {.heading = heading, .text = text, .picture = report.video / "flight.mp4"});
  }
  report.add_picture({.heading = filmed ? "" : heading,
                      .text = filmed ? "" : text,
                      .picture = report.figures / "flight.png",
                      .caption = few.size() < trajectories.size()
                                     ? "The first three of them at a few blocks."
                                     : "The same at a few blocks."});
}

}  // namespace murmur
