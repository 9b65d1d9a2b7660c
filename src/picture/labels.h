// labels.h: the names of observables in pictures, and short texts of numbers.
#pragma once

#include <string>

namespace murmur::picture {

struct Label {
  std::string words;   // plain UTF-8, for scenes
  std::string markup;  // for gnuplot's enhanced text
};

// Known observables by their symbol; any other name unchanged.
Label label_of(const std::string& name);

// ⁻² of -2.
std::string superscript(int number);
// Three digits of a time: 0.250, 31.4, 1.00·10⁶.
std::string time_number(double t);
// A number in at most about six characters: 64, 0.913, 1.2e-05.
std::string short_number(double value);

}  // namespace murmur::picture
