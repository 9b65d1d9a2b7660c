// digit_pictures.h: draws a trained swarm that reads digits or sentences: trajectories, the results
// of its test, and its attention within a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "murmur/swarm.h"
#include "picture/picture.h"

namespace murmur {

// One digit, or one sentence, and its trajectory through a trained swarm.
struct DigitTrajectory {
  int height = 28, width = 28;
  std::vector<std::uint8_t> ink{};      // (height, width), 255 is ink; empty for a sentence
  std::vector<double> column{}, row{};  // (width), (height) places x and y of its pixels; empty:
                                        // evenly over [-10, 10]^2
  std::vector<HostSwarm> frames{};      // blocks + 1: x to the right, y up, R^d
  Matrix chances{};                     // (frames, classes) softmax of the scores: the verdict bar
  Matrix targets{};                     // (classes, d): the gates
  std::vector<std::string> classes{};   // "5", "6"
  int label = -1;                       // true class, -1: unknown
  bool cls = false;                     // the last token is the CLS token: only it is read
  std::vector<std::string> words{};     // (tokens) of a sentence
  int asked = -1;                       // of a sentence: the token that is read
  int trained = 0;                      // blocks that the swarm learned with; 0: all of them
  std::string title{};

  // The one token that is read; -1: the mean of all.
  int read() const { return cls ? frames.front().n() - 1 : asked; }
};

struct DigitFilm {
  PictureStyle style{};
  int fps = 30;
  double seconds = 8;  // for each digit
  int threads = 0;
  std::function<bool()> stop{};
};
// One digit after another: tokens with headings and trails, the ink, gates, the count of blocks and
// the verdict bar; the verdict stays visible at the end. The floor, 10 around the centre, fills two
// thirds of the height of a wide film or more; tokens beyond the frame are counted. False when
// stopped. Error(input) where the parts of a trajectory do not fit each other or are not finite.
bool film_digits(const std::vector<DigitTrajectory>& trajectories, const DigitFilm& settings,
                 const std::filesystem::path& mp4);
// One frame of that film, behind block `block`, as a PNG.
void draw_digit_frame(const DigitTrajectory& trajectory, int block, const PictureStyle& style,
                      const std::filesystem::path& png);
// Steps side by side as one PNG: about six of one digit, or a row of four for each of several.
void draw_digit_trajectories(const std::vector<DigitTrajectory>& trajectories,
                             const PictureStyle& style, const std::filesystem::path& png);
// Which tokens dissent: the ink coloured by the class whose target each token ends nearest to, and
// how far from the verdict's it ended.
void draw_dissent(const DigitTrajectory& trajectory, const PictureStyle& style,
                  const std::filesystem::path& png);

// Counts (classes, classes): row the truth, column the verdict.
void draw_confusion(const Matrix& counts, const std::vector<std::string>& classes,
                    const PictureStyle& style, const std::filesystem::path& png);

struct Mistake {
  std::vector<std::uint8_t> ink{};  // (height, width)
  std::string truth{}, verdict{};
  double chance = 0;      // that the swarm gave to its wrong verdict
  std::size_t index = 0;  // in the test set
};
// Draws as many as fit legibly, the most confident first; a sentence where there is none.
void draw_mistakes(const std::vector<Mistake>& mistakes, int height, int width,
                   const PictureStyle& style, const std::filesystem::path& png);

struct SentencePicture {
  std::vector<std::string> words{};  // (tokens)
  int asked = 0;                     // whose weights are shown
  Matrix weights{};                  // (blocks, tokens) a_{asked j}, of several heads the mean
  std::vector<double> chance{};      // (blocks + 1) of the first class, after so many blocks
  std::string classes[2]{};
  std::string title{};
};
// One row per block, one column per word: the darker, the larger its weight for the asked word; at
// the right the chance after each block. Error(input) where the parts do not fit each other.
void draw_sentence(const SentencePicture& sentence, const PictureStyle& style,
                   const std::filesystem::path& png);

}  // namespace murmur
