// require_room.h: what must be known of an engine's memory before a swarm is drawn.
#pragma once

#include "murmur/engine.h"

namespace murmur {

// Error(input) where the choice names an engine with a memory of its own, a GPU's, which does not
// hold such a swarm; Error(tool) where there is none.
void require_room(const EngineChoice& choice, Shape shape);

}  // namespace murmur
