// next_word.h: murmur render RUN figure=next-word: a flock among words, and what it says over time.
#pragma once

#include "command.h"
#include "murmur/run.h"
#include "render_dome.h"

namespace murmur::app {

// Draws it, and prints where; the exit code. `sized`: whether --size was given.
int render_next_word(const Flags& flags, const RunReader& run, const Words& words,
                     const DomeFlags& asked, bool sized);

}  // namespace murmur::app
