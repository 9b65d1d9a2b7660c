// golden.h: holds a transformer against what another program computed with the same weights.
#pragma once

#include <string>
#include <vector>

#include "model/model_folder.h"
#include "murmur/matrix.h"

namespace murmur {

// One tensor of the other program beside ours.
struct GoldenCheck {
  std::string name{};
  double error = 0;  // largest difference over the largest entry of the other's
};

// Every tensor of `golden` but the prompts. Prompts are caseK.input_ids (n) or caseK.pixel_values
// (channels, side, side), and of each the file may hold
//   caseK.hidden_states.I (n, d)        0: embedded; I: after block I; of families with a final
//   norm
//                                       before the readout the last one is behind that norm
//   caseK.attentions.I (heads, n, n), caseK.last_hidden_state (n, d), caseK.logits (n, vocabulary)
// or, of one prompt, ids (n), layer.I (n, d) without the final norm, logits_last (vocabulary), and
// embedding (d), the mean of the last states made a unit vector. Prompts of spectra are mfcc
// (frames, features); their logits (labels) are those of the class token. Error(input) for any
// other name and for other shapes.
std::vector<GoldenCheck> held_against(const Transformer& model, const Record& golden,
                                      const std::string& where, const PassOptions& options = {});

}  // namespace murmur
