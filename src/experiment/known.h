// known.h: what is proved or derived of settings: each statement with the experiments it is about.
#pragma once

#include <span>
#include <string>

#include "murmur/experiment.h"

namespace murmur {

struct KnownStatement {
  const char* name;
  const char* about;                             // the hypotheses in words
  const char* source;                            // paper, or "derived", with the place
  bool (*applies)(const Experiment&);            // the hypotheses
  std::string (*conclusion)(const Experiment&);  // a sentence without full stop
  // Whether steps of fixed length may break the conclusion, which is about the exact flow.
  bool of_flow = true;
};
std::span<const KnownStatement> known_statements();

}  // namespace murmur
