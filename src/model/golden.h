// golden.h: compares a transformer with the output of another program for the same weights.
#pragma once

#include <string>
#include <vector>

#include "model/model_folder.h"
#include "murmur/matrix.h"

namespace murmur {

// The comparison of one tensor.
struct GoldenCheck {
  std::string name{};
  double error = 0;  // largest difference divided by the largest entry of the other program
};

// Compares every tensor of `golden` except the prompts. Prompts are caseK.input_ids (n) or
// caseK.pixel_values (channels, side, side), and for each of them the file may hold
//   caseK.hidden_states.I (n, d)        0: embedded tokens; I: states after block I; the last one
//   is
//                                       behind the final norm, if the family has one
//   caseK.attentions.I (heads, n, n), caseK.last_hidden_state (n, d), caseK.logits (n, vocabulary)
// or, for a single prompt, ids (n), layer.I (n, d) without the final norm, logits_last
// (vocabulary), and embedding (d), the mean of the last states made a unit vector. Prompts of
// spectra are mfcc (frames, features); their logits (labels) are those of the class token.
// Error(input) for any other name and for other shapes.
std::vector<GoldenCheck> compare_with_golden(const Transformer& model, const Record& golden,
                                             const std::string& where,
                                             const PassOptions& options = {});

}  // namespace murmur
