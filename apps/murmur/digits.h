// digits.h: pictures for a trained swarm: reading those that arguments name, and showing one as
// text.
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

// The path of a trained swarm, given by its run, by the name of the run below --runs, or by its
// file.
std::filesystem::path find_model(const Flags& flags, const std::string& word);

// 0-3,8 as (0, 3), (8, 8); nothing if the text is not such a list.
struct IndexSpan {
  std::size_t first = 0, last = 0;
};
std::optional<std::vector<IndexSpan>> index_spans(const std::string& text);

struct ChosenImages {
  Images images{};
  std::vector<std::size_t> index{};  // of the chosen ones, in order
  std::string name{};                // as given, without the range
};
// images=FILE[:i-j,k]: test, train, an idx file, an npy file or a PNG. `data`: the folder of test
// and train; "": the folder from which the swarm was trained. Error(input) for pictures of another
// size.
ChosenImages choose_images(const std::string& asked, const std::string& data,
                           const TrainedSwarm& swarm);

// For a swarm that compares two pictures. images=test[:i-j,k]: pairs of its test;
// images=LEFT+RIGHT: two pictures, each given as above.
struct ChosenPairs {
  Images images{};
  std::vector<PicturePair> pair{};   // of these pictures
  std::vector<int> label{};          // (pairs) -1: unknown
  std::vector<std::size_t> index{};  // (pairs) in the test; 0 for LEFT+RIGHT
};
ChosenPairs choose_pairs(const std::string& asked, const std::string& data,
                         const TrainedSwarm& swarm);
SampleSet samples_of_chosen(const ChosenPairs& chosen, const TrainedSwarm& swarm);

// One sample per picture, labelled with its class if that is known.
SampleSet samples_of_chosen(const ChosenImages& chosen, const TrainedSwarm& swarm);

// The picture as text, two rows of pixels per line.
std::string half_blocks(const Images& images, std::size_t index, double threshold);

}  // namespace murmur::app
