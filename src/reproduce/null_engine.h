// null_engine.h: moves tokens by a null model in the place of the forces of a dynamics.
#pragma once

#include <memory>

#include "murmur/engine.h"
#include "murmur/meanfield.h"
#include "reproduce/rules.h"

namespace murmur {

// The engine of a choice; under `still` and `random` the reference engine, which keeps the manifold
// of every dynamics and replaces its forces, layer norm and clock. `constant` moves nothing: it is
// about answers.
std::unique_ptr<Engine> make_engine(const EngineChoice& resolved, NullModel null);

// The same of infinitely many tokens, of which no matrix is drawn: under `random` each attends to
// all alike.
MeanField under_null(MeanField field, NullModel null);

}  // namespace murmur
