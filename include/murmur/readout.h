// readout.h: what is read off a swarm at its end: a place of it (a token, the mean, the median),
// and which word of a vocabulary that place says next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "murmur/swarm.h"

namespace murmur {

// sum_i m_i x_i, one vote a token. On the sphere it lies inside the ball.
Vector mean_place(const HostSwarm& x);

// The geometric median: the y that minimises sum_i m_i |x_i - y| in R^d. One token pulls it with a
// force of its own mass, however far it lies. By Weiszfeld's iteration with the step of Vardi and
// Zhang (PNAS 97, 2000) at data points, to 1e-13 of the spread; one point where there are several.
Vector geometric_median(const HostSwarm& x);

// The place of one token.
Vector token_place(const HostSwarm& x, int token);

// Points of words on the unit sphere: an unembedding whose rows have length 1.
struct Vocabulary {
  Matrix points{};                   // (V, d), rows of norm 1
  std::vector<std::string> words{};  // (V); empty: words are called by their numbers

  int count() const { return points.rows; }
  std::string word(int v) const;
};

inline constexpr int kMostWords = 100'000;

// Independent uniform points, from the stream `readout` of the seed. Error(input) unless
// 1 <= count <= kMostWords and d >= 1.
Vocabulary draw_vocabulary(int count, int d, std::uint64_t seed);

// (V, d) as they came, made 1 where they are 1 within 1e-5. Error(input) where one is not, and for
// another number of words than of points.
Vocabulary vocabulary_of(Matrix points, std::vector<std::string> words, const std::string& where);

// A file of words: .npy of shape (V, d), with `words` a text file of one word a line or nothing; or
// .csv with d numbers a line after an optional word, which may stand in quotes, below an optional
// line of names. Error(input) where it is neither.
Vocabulary read_vocabulary(const std::filesystem::path& file, const std::filesystem::path& words);
Vocabulary parse_vocabulary(const std::string& csv, const std::string& where);

struct ReadoutRule {
  double kappa = 16;    // scale of the cosines; 0: all words alike
  double share = 0.05;  // of `above`
};

// Softmax over scaled cosines, as a transformer's last layer norm and unembedding have it:
//   p_v = e^{kappa <u, w_v>} / sum_w e^{kappa <u, w_w>},    u = x / |x|, and 0 at the origin.
struct NextWord {
  Vector probability{};  // (V)
  double entropy = 0;    // -sum_v p_v ln p_v, in nats; ln V for kappa = 0
  double outcomes = 0;   // e^entropy: how many words are possible, from 1 to V
  int above = 0;         // words with p_v > share
  int best = 0;          // the most probable word, the first of equals
};
// x: (d). Error(input) where d is not the vocabulary's, kappa or a coordinate not finite.
NextWord next_word(const Vocabulary& vocabulary, std::span<const double> x,
                   const ReadoutRule& rule = {});

}  // namespace murmur
