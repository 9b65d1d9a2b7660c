// forces.h: experiments whose forces are objects of the calling program instead of parameters.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

// Settings of an experiment with external functions of these names as forces (external.h).
// dynamics=none is then allowed, the engine is the reference engine, and the last sublayer has
// these forces. Throws Error(input) for an invalid or repeated name.
void add_external(Settings& words, const std::vector<std::string>& names);
std::vector<std::string> external_of(const Settings& words);

// Makes the experiment of these settings with other forces; its config describes the rest. Throws
// Error(input) if they do not fit together.
Experiment make_experiment(const WordedSpec& worded, const Dynamics& dynamics);

// Returns the equation of such forces, with matrices by their shapes.
std::string equation_text(const Dynamics& dynamics);

// Returns the start of a branch of `experiment` from `state`, a state of `before`; errors quote
// `where`. Throws Error(input) if the state does not fit this experiment.
FlowState branch_state(FlowState state, const Experiment& before, const Experiment& experiment,
                       const std::string& where);

// Returns the state from which `experiment`, which is `before` with a larger T, continues. The
// following frames are the same as with this T from the start (docs/decisions/0002). Throws
// Error(input) for a smaller T.
FlowState resumed_state(FlowState state, const Experiment& before, const Experiment& experiment,
                        const std::string& where);

// Returns `state` at a later frame inside the last step: each group is at the position of its
// members in the frame.
FlowState state_at(double t, const HostSwarm& frame, FlowState state);

// Converts a state to the record of a checkpoint, to continue to time T.
Record record_of(const FlowState& state, double T);

}  // namespace murmur
