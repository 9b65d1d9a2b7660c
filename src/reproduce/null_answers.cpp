// null_answers.cpp: null models that a rule does not reject, or that do not apply to it.
#include <algorithm>
#include <iterator>

#include "reproduce/rules.h"

namespace murmur {

namespace {

constexpr auto kStill = NullModel::still, kRandom = NullModel::random,
               kConstant = NullModel::constant;
constexpr auto kAgrees = NullOutcome::agrees, kApart = NullOutcome::inapplicable;

constexpr const char* kTrained = "its readers are trained; their null model is the constant reader";
constexpr const char* kStart = "it asks about the tokens at the start, before anything moves";
constexpr const char* kFormula = "it compares formulas; no token moves";
constexpr const char* kMeasures =
    "its fields are functions of measures, without attention matrices";
constexpr const char* kModels =
    "a transformer with random weights attends by its tokens too; real-models.md has its answers";
constexpr const char* kAveraging = "averages by any weights do the same";
constexpr const char* kSymmetry = "the answer is that of chance by the symmetry of the task";
constexpr const char* kSharper = "scores grow with time from places that stay too";
constexpr const char* kLead = "it allows readers to be no worse than others, which are as constant";

constexpr NullAnswer kAnswers[] = {
    {"swarm-table", kStill, kApart, kTrained},
    {"swarm-table", kRandom, kApart, kTrained},
    {"swarm-table.settled", kConstant, kApart, "it asks about places of tokens, not about answers"},
    {"saved-work", kStill, kApart, kTrained},
    {"saved-work", kRandom, kApart, kTrained},
    {"saved-work", kConstant, kApart,
     "it compares work at equal accuracy, which a constant reader keeps without any work"},
    {"flock-argument", kStill, kApart, kTrained},
    {"flock-argument", kRandom, kApart, kTrained},
    {"ladder", kStill, kApart, kTrained},
    {"ladder", kRandom, kApart, kTrained},
    {"ladder.additive", kConstant, kAgrees, kSymmetry},
    {"ladder.alone", kConstant, kAgrees, kSymmetry},
    {"ladder.bag", kConstant, kAgrees, kSymmetry},
    {"ladder.one-block", kConstant, kAgrees, kLead},
    {"ladder.bare", kConstant, kAgrees, kLead},
    {"order", kStill, kApart, kTrained},
    {"order", kRandom, kApart, kTrained},
    {"order.chance", kConstant, kAgrees, kSymmetry},
    {"polytope.hull", kStill, kAgrees, "a hull that stays does not grow"},
    {"polytope.hull", kRandom, kAgrees, kAveraging},
    {"hyperplanes.range", kStill, kAgrees, "a range that stays does not grow"},
    {"hyperplanes.range", kRandom, kAgrees, kAveraging},
    {"kinetic.families", kRandom, kAgrees, "two methods agree on every field"},
    {"kinetic.families", kConstant, kApart, "it compares two computations of ours"},
    {"low-rank.rank", kStill, kAgrees, kSharper},
    {"low-rank.rows", kStill, kAgrees, kSharper},
    {"low-rank.wide", kStill, kAgrees, kSharper},
    {"low-rank.wide", kRandom, kAgrees, "tokens meet, and all rows are alike: rank 1"},
    {"leaders.sides", kStill, kAgrees, kSharper},
    {"leaders.few", kStill, kAgrees, kSharper},
    {"leaders.few", kRandom, kAgrees, kSharper},
    {"causal-centres.strong", kStill, kApart, kStart},
    {"causal-centres.strong", kRandom, kApart, kStart},
    {"causal-centres.renyi", kStill, kApart, kStart},
    {"causal-centres.renyi", kRandom, kApart, kStart},
    {"density-modes", kStill, kApart, kStart},
    {"density-modes", kRandom, kApart, kStart},
    {"lost-in-the-middle.critical-time", kStill, kApart, kFormula},
    {"lost-in-the-middle.critical-time", kRandom, kApart, kFormula},
    {"chaos.constant", kStill, kApart, kStart},
    {"chaos.constant", kRandom, kApart, kStart},
    {"mean-field.rate", kStill, kApart, "it asks for the rates of modes that grow, and none grows"},
    {"next-token.one", kRandom, kAgrees, kAveraging},
    {"readout.spread-median", kStill, kApart, kStart},
    {"readout.spread-median", kRandom, kApart, kStart},
    {"noisy-bifurcation.jump", kStill, kApart, kFormula},
    {"noisy-bifurcation.jump", kRandom, kApart, kFormula},
    {"w2-rate.theorem", kRandom, kAgrees, kAveraging},
    {"w2-rate.atoms", kStill, kAgrees, "two points that stay are stationary"},
    {"w2-rate.atoms", kRandom, kAgrees, "two opposite points are at rest under any weights"},
    {"heads-approximation.own", kRandom, kApart, kMeasures},
    {"heads-approximation.pairs", kRandom, kApart, kMeasures},
    {"heads-approximation.maurey", kRandom, kApart, kMeasures},
    {"random-weights.front", kRandom, kAgrees, "it decides only that all tokens meet"},
    {"real-models", kRandom, kApart, kModels},
    {"skipped-blocks", kRandom, kApart, kModels},
};

// Rules that compare ours with several numbers, or that ask for the answers of readers. Of every
// other rule some constant is right.
constexpr const char* kSeveral[] = {
    "swarm-table.best",
    "swarm-table.published",
    "swarm-table.recurrence",
    "swarm-table.peer",
    "flock-argument.lead",
    "flock-argument.order",
    "flock-argument.influence",
    "flock-argument.guest",
    "ladder.selected",
    "ladder.lead",
    "ladder.depth",
    "ladder.will",
    "ladder.words",
    "ladder.choice",
    "order.codes",
    "phase-diagram.fractions",
    "phase-diagram.front",
    "circle-clusters.most-frequent",
    "circle-clusters.shares",
    "random-weights.cell",
    "equiangular.cosine",
    "growth.rate",
    "growth.clouds",
    "growth.leader",
    "kinetic.layers",
    "kinetic.fine-layers",
    "kinetic.flow",
    "layers-clock.clusters",
    "layers-clock.path",
    "staircase.half-heights",
    "staircase.plateaus",
    "lifetimes.particles",
    "causal-centres.strong",
    "causal-centres.renyi",
    "escape-times.polygons",
    "escape-times.slope",
    "escape-times.steps",
    "normalisation.cosine",
    "normalisation.radius",
    "normalisation.slope",
    "density-modes.count",
    "long-context.layer",
    "lost-in-the-middle.critical-time",
    "chaos.growth",
    "readout.bodies",
    "readout.votes",
    "readout.spread-mean",
    "readout.spread-median",
    "readout.class-token",
    "perceptron-clusters.companion",
    "mean-field.leader",
    "mean-field.ratio",
    "mean-field.rate",
    "mean-field.peaks",
    "noisy-bifurcation.order",
    "noisy-bifurcation.onset",
    "noisy-bifurcation.hysteresis",
    "redraw-diffusion.law",
    "redraw-diffusion.flow",
    "redraw-diffusion.collapse",
    "w2-rate.late",
    "normalisation-weights.late",
};

constexpr NullAnswer kOneNumber = {"", kConstant, kApart, "it asks for one number, or for a bound"};

}  // namespace

std::span<const NullAnswer> null_answers() { return kAnswers; }

const NullAnswer* null_answer(const Rule& rule, NullModel null) {
  const std::string_view name = rule.name, reproduction = name.substr(0, name.find('.'));
  const NullAnswer* found = nullptr;
  for (const NullAnswer& one : null_answers()) {
    if (one.null != null) continue;
    if (one.rule == name) return &one;
    if (one.rule == reproduction) found = &one;
  }
  if (found != nullptr || null != kConstant) return found;
  const bool several = std::any_of(std::begin(kSeveral), std::end(kSeveral),
                                   [&](const char* one) { return one == name; });
  return several ? nullptr : &kOneNumber;
}

}  // namespace murmur
