// tracing.h: what trace and import share: a traced text becomes a run and is told of.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "trace/trace_run.h"

namespace murmur::app {

struct TraceKeeping {
  std::uint64_t seed = 0;
  bool activations = true;
  std::string engine = "float32";  // in the manifest, before the family
};
// Makes the run, with the ideal flow from the same tokens as its experiment. What is kept of the
// traces is taken out of the texts. A signal that comes meanwhile is noted in caught_signal, and
// the run is whole.
RunReader keep_texts(const Flags& flags, const TraceFile& file, std::vector<TracedText>& texts,
                     const TraceKeeping& keeping);

// The words of the command line at hand, paths whole: they make the same run anywhere.
std::vector<std::string> whole_words();

// A few lines of what it came to.
void tell_trace(const Flags& flags, const TraceFile& file, const RunReader& run);

}  // namespace murmur::app
