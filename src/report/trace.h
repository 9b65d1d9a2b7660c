// trace.h: pictures of a traced transformer: its attention, its layers and heads, and the effect of
// a patch.
#pragma once

#include <optional>
#include <vector>

#include "murmur/run.h"
#include "picture/figure.h"
#include "picture/picture.h"
#include "trace/kept_heads.h"
#include "trace/layers.h"
#include "trace/phase.h"
#include "trace/trace_file.h"

namespace murmur {

struct TraceAttentionRequest {
  int text = 0;
  std::optional<int> head{};   // else the mean over all heads
  std::optional<int> block{};  // else four, first and last among them
  FigureStyle style = FigureStyle::paper;
};
// The attention that the transformer itself had, as attention_figure draws that of a swarm.
// Error(input) where the run keeps no activations, and for a text, head or block that is not there.
Figure trace_attention_figure(const RunReader& run, const TraceFile& file,
                              const TraceAttentionRequest& request);

// The share of the answer that a state of the first text brings into the second, by layer and
// token. Of patching at all places.
Figure patching_figure(const TraceFile& trace, FigureStyle style);

inline constexpr int kMostIdealFlowTokens =
    512;  // tokens of a run for which the ideal flow is computed

// Cosines, energies, ranks and norms of the layers, the ideal flow, and its distance from them.
// `twin` may be empty.
Figure layers_figure(const std::vector<LayerReading>& layers, const std::vector<TwinReading>& twin,
                     FigureStyle style);

// Effective beta, entropies, sinks and maps of all heads, block by block.
Figure heads_figure(const TraceFile& trace, FigureStyle style);

// Heat maps over blocks and heads: entropy, sinks and, where they are known, the signs of both
// maps. Error(input) where attention is not known; `where` names the run.
Figure head_maps_figure(const TraceFile& trace, FigureStyle style, const std::string& where);

struct HistogramsRequest {
  std::vector<int> layers{};  // empty: all of them, or 25 evenly spaced ones
  FigureStyle style = FigureStyle::paper;
};
// The density of the cosines of pairs, a panel for each layer, all of one scale (2312.10794, Fig.
// 1). Pairs are pairs of one text. Error(input) for a layer that is not there, and without a pair.
Figure histograms_figure(const RunReader& run, const TraceFile& file,
                         const HistogramsRequest& request);

// The phase diagram of the ideal flow as a colour map, and the layers on it.
Figure phase_figure(const PhaseReading& reading, FigureStyle style);

// Mean cosine, clusters and effective rank by layer, with each part left out in turn.
Figure parts_figure(const TraceFile& trace, FigureStyle style);

// Eigenvalues of O V of all heads in the plane of complex numbers, at four blocks at most.
Figure spectrum_figure(const Spectra& spectra, FigureStyle style);

// The token and the head whose attention a scene or a film of a trace shows.
struct TraceSceneRequest {
  std::optional<int>
      token{};  // among those of all texts: all that it attends to; else one line per token
  std::optional<int> head{};  // else the mean over all heads
};
inline constexpr std::size_t kTextsShown = 4;    // on a page
std::string shortened(const std::string& text);  // to what a page shows of it

// Names the tokens of a scene, draws lines to the tokens that they attend to, and looks along the
// axes on which the words of all layers spread most; the caption explains it. Error(input) for a
// token or a head that is not there.
void show_tokens(const RunReader& run, const TraceFile& file, const TraceSceneRequest& request,
                 SceneSettings& scene);

}  // namespace murmur
