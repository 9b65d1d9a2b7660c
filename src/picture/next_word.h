// next_word.h: draws a swarm within a vocabulary, and below it the probabilities of the next word
// over time; as a figure at one time, and as a film.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "picture/dome.h"

namespace murmur {

// Places are along three axes, within the unit ball; on the circle the third is 0.
using Place3 = std::array<double, 3>;

// The predictions at one place of the swarm, frame by frame.
struct SpokenPlace {
  std::string name{};                 // "token 63", "mean"
  std::vector<Place3> place{};        // (frames)
  std::vector<Vector> probability{};  // (frames, V)
  std::vector<double> outcomes{};     // (frames) possible words
};

struct NextWordPicture {
  std::string title{}, subtitle{};
  std::string caption{};             // what is projected, and how probabilities are computed
  bool circle = false;               // d = 2: seen face on
  std::vector<std::string> words{};  // (V)
  std::vector<Place3> points{};      // (V) of the words
  std::vector<double> times{};       // (frames) ascending
  std::vector<std::vector<Place3>> swarm{};  // (frames, tokens that are drawn)
  SpokenPlace token{}, mean{};
  std::int64_t frame = -1;  // that is shown; negative: from the end
};

// Pixels of a figure in which the charts are below the sphere; in a wide one they are next to it.
inline constexpr int kNextWordWidth = 960, kNextWordHeight = 1160;

// As SVG, PNG or PDF by the path's ending. Error(input) where the parts do not fit each other.
void draw_next_word(const NextWordPicture& picture, const DomeStyle& style,
                    const std::filesystem::path& path);

// From the first frame to the last, evenly in time; seconds = 0: eight. False when stopped.
// Error(tool) where ffmpeg is missing.
bool film_next_word(const NextWordPicture& picture, const DomeFilm& film,
                    const std::filesystem::path& mp4);

}  // namespace murmur
