// trace_run.h: writes the pass of a transformer as a run, and makes the ideal flow for comparison.
#pragma once

#include <optional>
#include <span>

#include "murmur/experiment.h"
#include "murmur/run.h"
#include "trace/trace_file.h"
#include "trace/traced.h"

namespace murmur {

// Tokens with a cosine above 1 - kTraceClusterTol are one cluster. Real tokens do not come as close
// as those of the ideal flow.
inline constexpr double kTraceClusterTol = 0.1;

// The beta of the ideal flow for an effective beta: 1 if that is below 0.01. Heads that prefer
// dissimilar tokens have a negative effective beta.
double flow_beta(double effective);

// The ideal flow from the same tokens: SA, or causal, with the given beta, to a time equal to the
// number of layers, one frame per layer. `start` holds the embedded tokens on the sphere.
struct IdealFlow {
  const HostSwarm& start;
  double beta = 1;
  bool causal = false;
  int frames = 0;
};
Experiment ideal_flow(const IdealFlow& flow);

// Columns of observables.csv: those of the ideal flow, then the norms of the states before they
// were normalised.
std::vector<std::string> trace_columns(const Experiment& experiment);

// The normalised states of a layer and their norms.
struct TraceFrame {
  HostSwarm x{};
  std::vector<double> norms{};
};
TraceFrame frame_of(std::span<const TracedText> texts, int frame);

// The residual stream and the attention of all texts by the names of TransformerLens, without the
// batch axis and with the prefix textK.:
//   blocks.0.hook_resid_pre, blocks.B.hook_resid_mid, blocks.B.hook_resid_post (n, d)
//   blocks.B.attn.hook_pattern (heads, n, n), ln_final.hook_normalized (n, d), tokens (n)
// Moves the arrays out of the traces of the texts, since they may be most of the memory.
Record take_activations(std::span<TracedText> texts);

// (blocks run, heads, 2, w, 2): eigenvalues of Q^T K, then of O V, real and imaginary parts, the
// largest first. Empty if the maps are not known, or those of a head are all 0.
std::optional<Array> spectra_of(const TraceFile& file);

std::vector<std::string> trace_outputs();  // files that a trace writes next to its frames
// Appends all frames, writes trace.json, norms.npy (frames, n) and, if they exist, spectra.npy,
// candidates.npy and activations.safetensors, and closes the run.
void keep_trace(Run& run, const Experiment& experiment, const TraceFile& file,
                const std::vector<TraceFrame>& frames, Record activations);

}  // namespace murmur
