// verify.h: checks a stiff simulation through mergers against a second method.
#pragma once

#include <optional>

#include "murmur/experiment.h"

namespace murmur {

// Merging replaces particles by their sum, which is exact only if coinciding particles move alike.
struct WhyNotMerge {
  const char *reason, *remedy;
};
std::optional<WhyNotMerge> why_not_merge(const Dynamics& dynamics);

// Simulates the experiment, whose frames `run` holds, again by dopri5 with merging and compares:
// the number of clusters at every frame, and at the end every position or the energy. If they
// agree, the run gets an event; otherwise the outcome reports the difference. A simulation whose
// number of clusters never changed is accepted without a check.
Outcome verify(const Experiment& e, Engine& engine, Run& run, const ProcessControl& control);

}  // namespace murmur
