// readout.h: reads the result of a swarm: a point (a token, the mean, the median), and the words of
// a vocabulary near that point.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "murmur/swarm.h"

namespace murmur {

// sum_i m_i x_i. On the sphere it lies inside the ball.
Vector mean_place(const HostSwarm& x);

// The geometric median: the y that minimises sum_i m_i |x_i - y| in R^d. The influence of a token
// does not grow with its distance. By Weiszfeld's iteration with the step of Vardi and Zhang (PNAS
// 97, 2000) at data points, to 1e-13 of the spread; one point if there are several.
Vector geometric_median(const HostSwarm& x);

// The position of one token.
Vector token_place(const HostSwarm& x, int token);

// Points of words on the unit sphere: an unembedding whose rows have length 1.
struct Vocabulary {
  Matrix points{};                   // (V, d), rows of norm 1
  std::vector<std::string> words{};  // (V); empty: words are named by their numbers

  int count() const { return points.rows; }
  std::string word(int v) const;
};

inline constexpr int kMostWords = 100'000;

// Independent uniform points, from the stream `readout` of the seed. Error(input) unless
// 1 <= count <= kMostWords and d >= 1.
Vocabulary draw_vocabulary(int count, int d, std::uint64_t seed);

// Makes a vocabulary of points (V, d), whose norms must be 1 within 1e-5 and become 1. Throws
// Error(input) for other norms, and if the numbers of words and points differ.
Vocabulary vocabulary_of(Matrix points, std::vector<std::string> words, const std::string& where);

// Reads a file of words: .npy of shape (V, d), with `words` a text file with one word per line or
// empty; or .csv with d numbers per line after an optional word, which may be in quotes, below an
// optional header line. Throws Error(input) for other files.
Vocabulary read_vocabulary(const std::filesystem::path& file, const std::filesystem::path& words);
Vocabulary parse_vocabulary(const std::string& csv, const std::string& where);

struct ReadoutRule {
  double kappa = 16;    // scale of the cosines; 0: all words have the same probability
  double share = 0.05;  // of `above`
};

// Softmax over scaled cosines, as in a transformer's last layer norm and unembedding:
//   p_v = e^{kappa <u, w_v>} / sum_w e^{kappa <u, w_w>},    u = x / |x|, and 0 at the origin.
struct NextWord {
  Vector probability{};  // (V)
  double entropy = 0;    // -sum_v p_v ln p_v, in nats; ln V for kappa = 0
  double outcomes = 0;   // e^entropy: the effective number of words, from 1 to V
  int above = 0;         // number of words with p_v > share
  int best = 0;          // the most probable word, the first of several
};
// x: (d). Throws Error(input) if d is not that of the vocabulary, or kappa or a coordinate is not
// finite.
NextWord next_word(const Vocabulary& vocabulary, std::span<const double> x,
                   const ReadoutRule& rule = {});

}  // namespace murmur
