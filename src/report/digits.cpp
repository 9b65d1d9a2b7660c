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
  std::vector<std::string> names;
  for (const int digit : swarm.digits) names.push_back(fmt::format("{}", digit));
  return names;
}

DigitTrajectory trajectory_of_picture(const TrainedSwarm& swarm, const Images& images,
                                      std::size_t index) {
  SampleSet sample;
  add_sample(images, index, images.labels.empty() ? -1 : class_of(swarm, images.labels[index]),
             swarm.tokens, sample);
  SampleTrajectory simulated = simulate_sample(swarm, sample, 0);
  DigitTrajectory trajectory;
  trajectory.height = images.height, trajectory.width = images.width;
  const auto ink = images.picture(index);
  trajectory.ink.assign(ink.begin(), ink.end());
  trajectory.frames = std::move(simulated.frames);
  trajectory.chances = chances_of(simulated.scores);
  trajectory.targets = swarm.architecture.targets;
  trajectory.classes = class_names(swarm);
  trajectory.label = sample.label[0];
  trajectory.cls = swarm.architecture.readout == Architecture::cls;
  trajectory.title = trajectory.classes.size() > 3
                         ? "Which one is it?"
                         : fmt::format("Is it {}?", fmt::join(trajectory.classes, " or "));
  return trajectory;
}

}  // namespace murmur
