// digits.h: pictures for a trained swarm: how words name them, and how a terminal shows them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/training.h"
#include "report/digits.h"

namespace murmur::app {

// A trained swarm by its run, by the run's name below --runs, or by its file.
std::filesystem::path find_model(const Flags& flags, const std::string& word);

// 0-3,8 -> (0, 3), (8, 8); nothing where the text is no such list.
struct IndexSpan {
  std::size_t first = 0, last = 0;
};
std::optional<std::vector<IndexSpan>> index_spans(const std::string& text);

struct ChosenImages {
  Images images{};
  std::vector<std::size_t> index{};  // of those asked for, in order
  std::string name{};                // how they were named, without the range
};
// images=FILE[:i-j,k]: test, train, an idx file, an npy file or a PNG. `data`: where test and train
// are, "" for where the swarm learned. Error(input) for pictures of another size than it knows.
ChosenImages choose_images(const std::string& asked, const std::string& data,
                           const TrainedSwarm& swarm);

// For a swarm that compares two pictures. images=test[:i-j,k]: pairs that it is tested with;
// images=LEFT+RIGHT: two pictures, each named as above.
struct ChosenPairs {
  Images images{};
  std::vector<PicturePair> pair{};   // of these pictures
  std::vector<int> label{};          // (pairs) -1: unknown
  std::vector<std::size_t> index{};  // (pairs) in the test; 0 for two that were named
};
ChosenPairs choose_pairs(const std::string& asked, const std::string& data,
                         const TrainedSwarm& swarm);
SampleSet samples_of_chosen(const ChosenPairs& chosen, const TrainedSwarm& swarm);

// A sample a picture, labelled by class where that is known.
SampleSet samples_of_chosen(const ChosenImages& chosen, const TrainedSwarm& swarm);

// The ink as text, two rows of pixels a line.
std::string half_blocks(const Images& images, std::size_t index, double threshold);

}  // namespace murmur::app
