// trace_run.h: a transformer's pass kept as a run, and the ideal flow that it stands beside.
#pragma once

#include <optional>
#include <span>

#include "murmur/experiment.h"
#include "murmur/run.h"
#include "trace/trace_file.h"
#include "trace/traced.h"

namespace murmur {

// Cosine above 1 - this: one cluster. Real tokens do not come as near as those of the ideal flow.
inline constexpr double kTraceClusterTol = 0.1;

// The ideal flow from the same tokens: SA, or causal, with the given beta, for as much time as
// there are layers, a frame a layer. `start` holds the embedded tokens on the sphere.
// Heads that attend to what is unlike have a beta below 0; the flow beside them then has beta 1.
double flow_beta(double effective);
struct IdealFlow {
  const HostSwarm& start;
  double beta = 1;
  bool causal = false;
  int frames = 0;
};
Experiment ideal_flow(const IdealFlow& flow);

// Columns of observables.csv: those of the ideal flow, then norms before they were divided out.
std::vector<std::string> trace_columns(const Experiment& experiment);

// A layer's states and the norms that they had.
struct TraceFrame {
  HostSwarm x{};
  std::vector<double> norms{};
};
TraceFrame frame_of(std::span<const TracedText> texts, int frame);

// The residual stream and the attention of all texts by TransformerLens's names, less its axis of a
// batch and with textK. in front:
//   blocks.0.hook_resid_pre, blocks.B.hook_resid_mid, blocks.B.hook_resid_post (n, d)
//   blocks.B.attn.hook_pattern (heads, n, n), ln_final.hook_normalized (n, d), tokens (n)
// They are taken out of the texts, whose traces are spent: they may be most of the memory.
Record taken_activations(std::span<TracedText> texts);

// (blocks run, heads, 2, w, 2): eigenvalues of Q^T K, then of O V, real and imaginary parts, the
// largest first; none where the maps are not known, or a head's are all 0.
std::optional<Array> spectra_of(const TraceFile& file);

// Appends all frames, writes trace.json, norms.npy (frames, n) and, unless there are none,
// spectra.npy, candidates.npy and activations.safetensors, and closes the run.
std::vector<std::string> trace_outputs();  // files that a trace keeps next to its frames
void keep_trace(Run& run, const Experiment& experiment, const TraceFile& file,
                const std::vector<TraceFrame>& frames, Record activations);

}  // namespace murmur
