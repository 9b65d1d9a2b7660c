// forces.h: experiments whose forces are objects of the calling program, and no words.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

// Words of an experiment that functions of these names move too (external.h), whatever else does:
// dynamics=none is then no lack of force, the engine is the reference engine, and the last sublayer
// is theirs. Error(input) for a name that is no word, or is there twice.
void add_external(Settings& words, const std::vector<std::string>& names);
std::vector<std::string> external_of(const Settings& words);

// The experiment of words with other forces than they say; its config tells of the rest.
// Error(input) where they do not fit together.
Experiment make_experiment(const WordedSpec& worded, const Dynamics& dynamics);

// The equation of forces that no words said: matrices by their shapes.
std::string equation_text(const Dynamics& dynamics);

// What a branch of `experiment` begins with that parts from `state`, on the way of `before`;
// `where` is quoted in refusals. Error(input) where the state there is none of this experiment.
FlowState branch_state(FlowState state, const Experiment& before, const Experiment& experiment,
                       const std::string& where);

// What `experiment` goes on with, which is `before` with a larger T: the frames that follow are
// those of one that had this T from the start (docs/decisions/0002). Error(input) for a smaller T.
FlowState resumed_state(FlowState state, const Experiment& before, const Experiment& experiment,
                        const std::string& where);

// `state` at a frame that was kept after it, inside the step that came to the end: the groups stand
// where the frame has their members.
FlowState state_at(double t, const HostSwarm& frame, FlowState state);

// A state as a checkpoint of a run keeps it, to go on to time T.
Record record_of(const FlowState& state, double T);

}  // namespace murmur
