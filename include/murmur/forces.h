// forces.h: experiments whose forces are objects of the calling program.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

// Adds external functions with these names (external.h) to the settings of an experiment:
// dynamics=none is then allowed, the engine is the reference engine, and the functions are the last
// sublayer. Error(input) for an invalid or repeated name.
void add_external(Settings& words, const std::vector<std::string>& names);
std::vector<std::string> external_of(const Settings& words);

// Makes an experiment with the given forces instead of those in the settings; its config contains
// the rest. Error(input) if they do not fit together.
Experiment make_experiment(const WordedSpec& worded, const Dynamics& dynamics);

// Returns the equation of forces without settings: matrices are described by their shapes.
std::string equation_text(const Dynamics& dynamics);

// Returns the start of a branch of `experiment` from `state`, a state of `before`; errors quote
// `where`. Error(input) if the state does not fit the experiment.
FlowState branch_state(FlowState state, const Experiment& before, const Experiment& experiment,
                       const std::string& where);

// Returns the state with which `experiment`, which is `before` with a larger T, continues: the
// frames that follow are those of a run that had this T from the start (docs/decisions/0002).
// Error(input) for a smaller T.
FlowState resumed_state(FlowState state, const Experiment& before, const Experiment& experiment,
                        const std::string& where);

// Returns `state` moved to a frame that was stored after it, inside the last step: the groups get
// the positions of their members in the frame.
FlowState state_at(double t, const HostSwarm& frame, FlowState state);

// Returns a state as in a checkpoint of a run that continues to time T.
Record record_of(const FlowState& state, double T);

}  // namespace murmur
