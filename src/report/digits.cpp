// digits.cpp: the classes of a trained swarm, and its trajectory on one picture, ready to be drawn.
#include "report/digits.h"

#include <fmt/format.h>

#include <algorithm>

namespace murmur {

int class_of(const TrainedSwarm& swarm, int label) {
  const auto found = std::find(swarm.digits.begin(), swarm.digits.end(), label);
  return found == swarm.digits.end() ? -1 : static_cast<int>(found - swarm.digits.begin());
}

std::vector<std::string> class_names(const TrainedSwarm& swarm) {
  return class_names(swarm.task, swarm.digits);
}

namespace {

// All but the picture and the title.
DigitTrajectory trajectory_of_sample(const TrainedSwarm& swarm, const SampleSet& sample) {
  SampleTrajectory simulated = simulate_sample(swarm, sample, 0);
  DigitTrajectory trajectory;
  trajectory.frames = std::move(simulated.frames);
  trajectory.chances = chances_of(simulated.scores);
  trajectory.targets = swarm.architecture.targets;
  trajectory.classes = class_names(swarm);
  trajectory.label = sample.label[0];
  trajectory.cls = swarm.architecture.readout == Architecture::cls;
  return trajectory;
}

}  // namespace

DigitTrajectory trajectory_of_picture(const TrainedSwarm& swarm, const Images& images,
                                      std::size_t index) {
  SampleSet sample;
  add_sample(images, index, images.labels.empty() ? -1 : class_of(swarm, images.labels[index]),
             swarm.tokens, sample);
  DigitTrajectory trajectory = trajectory_of_sample(swarm, sample);
  trajectory.height = images.height, trajectory.width = images.width;
  const auto ink = images.picture(index);
  trajectory.ink.assign(ink.begin(), ink.end());
  trajectory.title = trajectory.classes.size() > 3
                         ? "Which one is it?"
                         : fmt::format("Is it {}?", fmt::join(trajectory.classes, " or "));
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
  trajectory.title = "Same or different?";
  return trajectory;
}

}  // namespace murmur
