// words_run.h: a kept run of a traced transformer as the view Words of the web page reads it.
#pragma once

#include "murmur/run.h"
#include "trace/words_file.h"

namespace murmur {

// Attention where the run keeps activations. Error(input) for a run that is no trace, and for
// activations that are not those of its frames.
WordsTrace words_of_run(const RunReader& run);

}  // namespace murmur
