// verify.h: checks a stiff simulation through mergers against a second method.
#pragma once

#include <optional>

#include "murmur/experiment.h"

namespace murmur {

// Merging replaces particles by their sum; that is exact only where coinciding ones move alike.
struct WhyNotMerge {
  const char *reason, *remedy;
};
std::optional<WhyNotMerge> why_not_merge(const Dynamics& dynamics);

// Simulates the experiment, whose frames `run` holds, again by dopri5 with merging and compares:
// the number of clusters at every frame, and at the end every position or the energy. Where they
// agree the run gets an event; where they part the outcome says so. A simulation whose number of
// clusters never changed is taken as it is.
Outcome verify(const Experiment& e, Engine& engine, Run& run, const ProcessControl& control);

}  // namespace murmur
