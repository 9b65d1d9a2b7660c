// word_axes.h: the three axes along which the words of traced texts vary most, for pictures.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "murmur/swarm.h"

namespace murmur {

// Whether a token is a word or a part of one; false for [CLS], [SEP], <s>, <|endoftext|>.
bool is_word(const std::string& token);

// A token for display: without the mark of a space before it; line ends and single spaces as signs.
std::string readable(const std::string& token);

// The states of a frame whose tokens (n) are words; all states if there are none.
HostSwarm words_among(const std::vector<std::string>& tokens, const HostSwarm& x);

// The mean m of states, and the axes along which they vary most about it. One axis or two if d is
// less than three.
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
