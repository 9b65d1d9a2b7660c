// layers.h: what theory looks for in the layers of a traced transformer, text by text.
#pragma once

#include <vector>

#include "murmur/run.h"
#include "trace/trace_file.h"

namespace murmur {

// A frame; means over the texts that have two tokens or more. Pairs of tokens are pairs of one
// text.
struct LayerReading {
  int layer = 0;
  double mean_cos = 0, min_cos = 0, max_cos = 0;
  double clusters = 0;
  double effective_rank = 0;
  double energy_scaled = 0;  // E_beta / E_max at the beta of the ideal flow, causal or not
  double norm = 0;           // mean, before it was divided out
  double angle = 0;          // mean angle by which a token has moved since the layer before
};
std::vector<LayerReading> layer_readings(const RunReader& run, const TraceFile& file);
// The same of one text as it was read, at this beta. (frames)
std::vector<LayerReading> layer_readings(const TracedText& text, double beta);

// How far tokens have moved from x to y: the mean angle between their directions.
double mean_angle(const HostSwarm& x, const HostSwarm& y);

// The ideal flow beside the real layers (twin.h), text by text. Distances are those of the real
// layer from the flight.
inline constexpr int kMostTwinTokens = 2'000;  // of a text; longer ones are left out
struct TwinReading {
  int layer = 0;
  double beta = 0, tau = 0, alignment = 0;  // of the block that leads to the layer
  double distance = 0;                      // sqrt of the mean of |x_i - y_i|^2, token by token
  double w2 = 0;                            // of the measures, whatever token is where
  double still = 0;                         // `distance` from tokens that never moved
  double still_w2 = 0;
  double mean_cos = 0;       // of the flight
  double energy_scaled = 0;  // of the flight
};
// From layer 0 on, where all is 0. Error(input) where every text is too long.
std::vector<TwinReading> twin_flight(const RunReader& run, const TraceFile& file);

// The beta of the stretch that stands for a block.
double beta_of(const TraceFile& file, int block);

// The tokens of each text among all, in order. Error(input) where they are not those of the frames.
struct TextSpan {
  int first = 0, n = 0;
};
std::vector<TextSpan> texts_of(const TraceFile& file, const RunReader& run);
HostSwarm part_of(const HostSwarm& x, const TextSpan& text);

}  // namespace murmur
