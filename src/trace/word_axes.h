// word_axes.h: three axes along which the words of traced texts spread most, for pictures of them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "murmur/swarm.h"

namespace murmur {

// Whether a token stands for a word or a part of one: not so [CLS], [SEP], <s>, <|endoftext|>.
bool is_word(const std::string& token);

// A token as readers know it: without the sign of a space before it; line ends and bare spaces as
// signs.
std::string readable(const std::string& token);

// The states of a frame that stand for words; all of them where none does. tokens: (n).
HostSwarm words_among(const std::vector<std::string>& tokens, const HostSwarm& x);

// The mean m of states, and the axes along which they spread most about it, the same for all of
// them. One axis or two where d is less than three.
class WordAxes {
 public:
  explicit WordAxes(const std::vector<HostSwarm>& states);  // at least one, of one d

  std::array<double, 3> place(const HostSwarm& x, int i) const;   // axes (x_i - m)
  const std::array<double, 3>& shares() const { return share_; }  // of the variance, by axis
  std::vector<double> axes() const;                               // (3, d), rows of 0 where d < 3
  std::array<double, 3> centre() const;                           // axes m

 private:
  int d_;
  std::vector<double> mean_, axes_{};  // (d), (min(3, d), d)
  std::array<double, 3> share_{};
};

}  // namespace murmur
