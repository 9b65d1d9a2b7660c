// layers.h: the layers of a traced transformer in the terms of the theory, text by text: clusters,
// energy, and the distance to the ideal flow.
#pragma once

#include <vector>

#include "murmur/run.h"
#include "trace/trace_file.h"

namespace murmur {

// One frame; means over the texts with two tokens or more. Pairs of tokens are pairs within one
// text.
struct LayerReading {
  int layer = 0;
  double mean_cos = 0, min_cos = 0, max_cos = 0;
  double clusters = 0;
  double effective_rank = 0;
  double energy_scaled = 0;  // E_beta / E_max at the beta of the ideal flow, causal or not
  double norm = 0;           // mean norm of the states before they were normalised
  double angle = 0;          // mean angle between a token and itself in the layer before
};
std::vector<LayerReading> layer_readings(const RunReader& run, const TraceFile& file);
// The same for one traced text, at this beta. (frames)
std::vector<LayerReading> layer_readings(const TracedText& text, double beta);

// How far tokens have moved from x to y: the mean angle between their directions.
double mean_angle(const HostSwarm& x, const HostSwarm& y);

// The ideal flow compared with the real layers (twin.h), text by text. Distances are between the
// real layer and the flow.
inline constexpr int kMostTwinTokens = 2'000;  // of a text; longer texts are skipped
struct TwinReading {
  int layer = 0;
  double beta = 0, tau = 0, alignment = 0;  // of the block that leads to the layer
  double distance = 0;                      // sqrt of the mean of |x_i - y_i|^2, token by token
  double w2 = 0;                            // Wasserstein distance of the two measures
  double still = 0;                         // `distance` between the layer and the start
  double still_w2 = 0;
  double mean_cos = 0;       // of the flow
  double energy_scaled = 0;  // of the flow
};
// One row per layer; in row 0 all distances are 0. Error(input) if every text is too long.
std::vector<TwinReading> twin_readings(const RunReader& run, const TraceFile& file);

// The beta of the part of the flow that corresponds to a block.
double beta_of(const TraceFile& file, int block);

// The range of each text among all tokens, in order. Error(input) if the tokens are not those of
// the frames.
struct TextSpan {
  int first = 0, n = 0;
};
std::vector<TextSpan> texts_of(const TraceFile& file, const RunReader& run);
HostSwarm part_of(const HostSwarm& x, const TextSpan& text);

}  // namespace murmur
