// known.h: proved and derived statements about experiments, each with its hypotheses.
#pragma once

#include <span>
#include <string>

#include "murmur/experiment.h"

namespace murmur {

struct KnownStatement {
  const char* name;
  const char* about;                             // the hypotheses as text
  const char* source;                            // paper or "derived", with the section
  bool (*applies)(const Experiment&);            // the hypotheses
  std::string (*conclusion)(const Experiment&);  // a sentence without full stop
  // Whether steps of fixed length may violate the conclusion, which holds for the exact flow.
  bool of_flow = true;
};
std::span<const KnownStatement> known_statements();

}  // namespace murmur
