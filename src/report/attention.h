// attention.h: heat maps of the attention between tokens, and of the cosines of pairs, over time.
#pragma once

#include <optional>

#include "picture/figure.h"
#include "report/dome.h"

namespace murmur {

struct AttentionRequest {
  std::optional<int> head{};  // else all of them, one row of panels per head
  std::optional<double> t{};  // only the stored frame nearest to it; else four times
  std::optional<bool>
      clusters{};         // tokens in the order of clusters; else so unless attention is causal
  bool log_time = false;  // times are spread over log t
  double cluster_tol = 1e-3;
  FigureStyle style = FigureStyle::paper;
};
// One panel for each head and time: log10 of n a_ij, 0 where attention is uniform, row i what token
// i attends to. More than 128 tokens are shown in groups. Error(input) where nothing attends, where
// there is no such head, and for n > 8,192.
Figure attention_figure(const DomeStates& states, const AttentionRequest& request);

inline constexpr int kMostCells = 128;  // tokens, or groups of them, along an axis of a heat map
inline constexpr double kLeastHeat = -1.5;  // log10 of n a_ij at the lower end of the colours

// The weights (n, n) of one head as a panel, tokens in that order, in groups where there are more
// than kMostCells. Colours are of log10 of n a_ij, its mean over groups, -infinity where a_ij = 0.
// The CSV has a as well, the weight that a token of group i gives to all of group j: rows sum to 1.
Panel attention_panel(const Matrix& weights, const std::vector<int>& order);
// One range of colours for all panels, as wide as their values but not below kLeastHeat.
void set_range(Figure& figure);

struct CosinesRequest {
  bool log_time = false;
  FigureStyle style = FigureStyle::paper;
};
// The share of pairs of tokens at each cosine over time, their mean, and where theory knows one
// rho(t): of equiangular starts exactly, of independent ones in 32 dimensions or more as d goes to
// infinity. Error(input) for a swarm of one token.
Figure cosines_figure(const RunReader& run, const Settings& settings, const Experiment& e,
                      const CosinesRequest& request);

// rho(t) for the run, empty where none is known; `name` describes it.
struct PredictedCosine {
  std::string name{};
  std::vector<double> rho{};  // (times)
};
PredictedCosine predicted_cosine(const Settings& settings, const Experiment& e,
                                 const std::vector<double>& times);

}  // namespace murmur
