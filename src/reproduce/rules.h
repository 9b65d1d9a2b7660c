// rules.h: the rule of each check: where its number comes from, when ours agrees, and the wrong
// model that it rejects.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "murmur/experiment.h"

namespace murmur {

// The name of every rule: its reproduction, a dot, and what it asks.
namespace rule {
inline constexpr const char* swarm_table_best = "swarm-table.best";
inline constexpr const char* swarm_table_published = "swarm-table.published";
inline constexpr const char* swarm_table_recurrence = "swarm-table.recurrence";
inline constexpr const char* swarm_table_peer = "swarm-table.peer";
inline constexpr const char* swarm_table_settled = "swarm-table.settled";
inline constexpr const char* saved_work_rest = "saved-work.rest";
inline constexpr const char* saved_work_merge = "saved-work.merge";
inline constexpr const char* flock_argument_lead = "flock-argument.lead";
inline constexpr const char* flock_argument_order = "flock-argument.order";
inline constexpr const char* flock_argument_influence = "flock-argument.influence";
inline constexpr const char* flock_argument_guest = "flock-argument.guest";
inline constexpr const char* ladder_additive = "ladder.additive";
inline constexpr const char* ladder_selected = "ladder.selected";
inline constexpr const char* ladder_lead = "ladder.lead";
inline constexpr const char* ladder_depth = "ladder.depth";
inline constexpr const char* ladder_will = "ladder.will";
inline constexpr const char* ladder_alone = "ladder.alone";
inline constexpr const char* ladder_bag = "ladder.bag";
inline constexpr const char* ladder_words = "ladder.words";
inline constexpr const char* ladder_choice = "ladder.choice";
inline constexpr const char* ladder_one_block = "ladder.one-block";
inline constexpr const char* ladder_bare = "ladder.bare";
inline constexpr const char* order_chance = "order.chance";
inline constexpr const char* order_codes = "order.codes";
inline constexpr const char* report_late_rate = "report.late-rate";
inline constexpr const char* phase_diagram_fractions = "phase-diagram.fractions";
inline constexpr const char* phase_diagram_front = "phase-diagram.front";
inline constexpr const char* circle_clusters_most_frequent = "circle-clusters.most-frequent";
inline constexpr const char* circle_clusters_shares = "circle-clusters.shares";
inline constexpr const char* random_weights_front = "random-weights.front";
inline constexpr const char* random_weights_cell = "random-weights.cell";
inline constexpr const char* random_weights_time = "random-weights.time";
inline constexpr const char* equiangular_cosine = "equiangular.cosine";
inline constexpr const char* growth_rate = "growth.rate";
inline constexpr const char* growth_clouds = "growth.clouds";
inline constexpr const char* growth_leader = "growth.leader";
inline constexpr const char* fastest_modes_tie = "fastest-modes.tie";
inline constexpr const char* kinetic_layers = "kinetic.layers";
inline constexpr const char* kinetic_fine_layers = "kinetic.fine-layers";
inline constexpr const char* kinetic_families = "kinetic.families";
inline constexpr const char* kinetic_flow = "kinetic.flow";
inline constexpr const char* layers_clock_clusters = "layers-clock.clusters";
inline constexpr const char* layers_clock_path = "layers-clock.path";
inline constexpr const char* staircase_half_heights = "staircase.half-heights";
inline constexpr const char* staircase_plateaus = "staircase.plateaus";
inline constexpr const char* lifetimes_particles = "lifetimes.particles";
inline constexpr const char* lifetimes_slope = "lifetimes.slope";
inline constexpr const char* polytope_boundary = "polytope.boundary";
inline constexpr const char* polytope_rate = "polytope.rate";
inline constexpr const char* polytope_hull = "polytope.hull";
inline constexpr const char* hyperplanes_values = "hyperplanes.values";
inline constexpr const char* hyperplanes_range = "hyperplanes.range";
inline constexpr const char* low_rank_rank = "low-rank.rank";
inline constexpr const char* low_rank_rows = "low-rank.rows";
inline constexpr const char* low_rank_wide = "low-rank.wide";
inline constexpr const char* causal_centres_strong = "causal-centres.strong";
inline constexpr const char* causal_centres_renyi = "causal-centres.renyi";
inline constexpr const char* causal_centres_stay = "causal-centres.stay";
inline constexpr const char* hardmax_leaders = "hardmax.leaders";
inline constexpr const char* hardmax_closed_form = "hardmax.closed-form";
inline constexpr const char* hardmax_rest = "hardmax.rest";
inline constexpr const char* hardmax_cells_followers = "hardmax-cells.followers";
inline constexpr const char* escape_times_polygons = "escape-times.polygons";
inline constexpr const char* escape_times_slope = "escape-times.slope";
inline constexpr const char* escape_times_nearest_pair = "escape-times.nearest-pair";
inline constexpr const char* escape_times_steps = "escape-times.steps";
inline constexpr const char* escape_times_stay = "escape-times.stay";
inline constexpr const char* escape_times_gather = "escape-times.gather";
inline constexpr const char* normalisation_cosine = "normalisation.cosine";
inline constexpr const char* normalisation_radius = "normalisation.radius";
inline constexpr const char* normalisation_slope = "normalisation.slope";
inline constexpr const char* density_modes_count = "density-modes.count";
inline constexpr const char* density_modes_logarithm = "density-modes.logarithm";
inline constexpr const char* long_context_layer = "long-context.layer";
inline constexpr const char* lost_in_the_middle_critical_time = "lost-in-the-middle.critical-time";
inline constexpr const char* lost_in_the_middle_mean = "lost-in-the-middle.mean";
inline constexpr const char* lost_in_the_middle_places = "lost-in-the-middle.places";
inline constexpr const char* lost_in_the_middle_end = "lost-in-the-middle.end";
inline constexpr const char* chaos_exponent = "chaos.exponent";
inline constexpr const char* chaos_constant = "chaos.constant";
inline constexpr const char* chaos_growth = "chaos.growth";
inline constexpr const char* next_token_one = "next-token.one";
inline constexpr const char* next_token_more = "next-token.more";
inline constexpr const char* readout_bodies = "readout.bodies";
inline constexpr const char* readout_votes = "readout.votes";
inline constexpr const char* readout_spread_mean = "readout.spread-mean";
inline constexpr const char* readout_spread_median = "readout.spread-median";
inline constexpr const char* readout_class_token = "readout.class-token";
inline constexpr const char* perceptron_clusters_energy = "perceptron-clusters.energy";
inline constexpr const char* perceptron_clusters_bound = "perceptron-clusters.bound";
inline constexpr const char* perceptron_clusters_growth = "perceptron-clusters.growth";
inline constexpr const char* perceptron_clusters_companion = "perceptron-clusters.companion";
inline constexpr const char* perceptron_clusters_atoms = "perceptron-clusters.atoms";
inline constexpr const char* perceptron_clusters_rest = "perceptron-clusters.rest";
inline constexpr const char* perceptron_ascent_energy = "perceptron-ascent.energy";
inline constexpr const char* perceptron_ascent_maxima = "perceptron-ascent.maxima";
inline constexpr const char* perceptron_ascent_curvature = "perceptron-ascent.curvature";
inline constexpr const char* mean_field_leader = "mean-field.leader";
inline constexpr const char* mean_field_ratio = "mean-field.ratio";
inline constexpr const char* mean_field_rate = "mean-field.rate";
inline constexpr const char* mean_field_peaks = "mean-field.peaks";
inline constexpr const char* noisy_bifurcation_order = "noisy-bifurcation.order";
inline constexpr const char* noisy_bifurcation_onset = "noisy-bifurcation.onset";
inline constexpr const char* noisy_bifurcation_jump = "noisy-bifurcation.jump";
inline constexpr const char* noisy_bifurcation_hysteresis = "noisy-bifurcation.hysteresis";
inline constexpr const char* redraw_diffusion_law = "redraw-diffusion.law";
inline constexpr const char* redraw_diffusion_flow = "redraw-diffusion.flow";
inline constexpr const char* redraw_diffusion_rate = "redraw-diffusion.rate";
inline constexpr const char* redraw_diffusion_collapse = "redraw-diffusion.collapse";
inline constexpr const char* w2_rate_theorem = "w2-rate.theorem";
inline constexpr const char* w2_rate_late = "w2-rate.late";
inline constexpr const char* w2_rate_critical = "w2-rate.critical";
inline constexpr const char* w2_rate_boost = "w2-rate.boost";
inline constexpr const char* w2_rate_atoms = "w2-rate.atoms";
inline constexpr const char* product_gather = "product.gather";
inline constexpr const char* product_spread = "product.spread";
inline constexpr const char* leaders_sides = "leaders.sides";
inline constexpr const char* leaders_few = "leaders.few";
inline constexpr const char* normalisation_weights_late = "normalisation-weights.late";
inline constexpr const char* normalisation_weights_early = "normalisation-weights.early";
inline constexpr const char* heads_approximation_own = "heads-approximation.own";
inline constexpr const char* heads_approximation_pairs = "heads-approximation.pairs";
inline constexpr const char* heads_approximation_maurey = "heads-approximation.maurey";
inline constexpr const char* heads_approximation_limit = "heads-approximation.limit";
inline constexpr const char* heads_approximation_limit_rate = "heads-approximation.limit-rate";
inline constexpr const char* residual_depth_layers = "residual-depth.layers";
inline constexpr const char* residual_depth_midpoint = "residual-depth.midpoint";
inline constexpr const char* residual_depth_constant = "residual-depth.constant";
inline constexpr const char* residual_depth_independent = "residual-depth.independent";
inline constexpr const char* residual_depth_diffusive = "residual-depth.diffusive";
inline constexpr const char* real_models_clustering = "real-models.clustering";
inline constexpr const char* real_models_energy = "real-models.energy";
inline constexpr const char* real_models_drift = "real-models.drift";
inline constexpr const char* real_models_leaders = "real-models.leaders";
inline constexpr const char* real_models_sinks = "real-models.sinks";
inline constexpr const char* real_models_groups = "real-models.groups";
inline constexpr const char* real_models_rank = "real-models.rank";
inline constexpr const char* real_models_alone = "real-models.alone";
inline constexpr const char* real_models_order = "real-models.order";
inline constexpr const char* skipped_blocks_slowest = "skipped-blocks.slowest";
inline constexpr const char* skipped_blocks_small = "skipped-blocks.small";
inline constexpr const char* skipped_blocks_merged = "skipped-blocks.merged";
}  // namespace rule

// The origin of the number that ours is compared with. Only the first two count in a verdict.
enum class Origin {
  published,   // a paper or its companion code has it
  predicted,   // a theorem or a formula gives it
  regression,  // an earlier run of this program, or of another one, gave it
  check,  // two of our own computations, or a statement that holds by design: it tests the program
          // and no paper
};
std::string_view name_of(Origin origin);

enum class Answer {
  agrees,
  disagrees,
  open,          // it could not be computed
  inapplicable,  // its rule does not apply: a parameter on which it depends was changed
};
std::string_view name_of(Answer answer);

// Models without attention between tokens. A rule that agrees with one of them is too weak.
enum class NullModel {
  none,
  still,     // the velocity is 0
  random,    // the attention matrix is a random row-stochastic one, whatever the tokens are
  constant,  // every answer is the same
};
std::string_view name_of(NullModel null);
std::span<const NullModel> null_models();  // all except `none`

// A deliberately wrong model: a reproduction that computes with it must stop agreeing. It changes
// how our number is computed, never the number that ours is compared with. By default it changes
// nothing.
struct WrongModel {
  double beta = 1;                         // a factor of the inverse temperature
  double time = 1;                         // a factor of the final time: another clock
  int tokens = 0;                          // additional tokens
  std::optional<Method> method{};          // of the flow, with steps of 0.1
  bool single = false;                     // pair sums in float32
  bool reversed = false;                   // V = -I for V = I, descent for ascent
  bool unbiased = false;                   // no ALiBi
  bool plain_scores = false;               // Q = K = I
  bool frozen = false;                     // random weights are drawn once, without `redraw`
  bool late = false;                       // a layer has the weights of the end of its step
  std::optional<Interaction> attention{};  // another interaction
  std::optional<MatrixChoice::Kind> value{};
  std::optional<LayerNorm> normalisation{};
  std::optional<Perceptron::Activation> activation{};
  bool backwards = false;     // layers of a transformer are read from the last to the first
  bool untrained = false;     // trained weights are replaced by random ones
  bool whole_blocks = false;  // the feed-forward is always kept
  bool exchanged = false;     // two readers are exchanged, as recurrent network and swarm
  NullModel null = NullModel::none;
  const char* training = "";  // a key=value of `murmur train` for every training

  bool is_wrong() const;
  void apply(ExperimentSpec& spec) const;
  std::string words() const;  // "β × 1.1"; empty: nothing is wrong
};

// What a rule answers to a null model.
enum class NullOutcome {
  rejects,
  agrees,
  inapplicable,  // the rule does not ask about what the model replaces
  not_run,       // it has not been computed
};
std::string_view name_of(NullOutcome outcome);

struct NullAnswer {
  NullOutcome outcome = NullOutcome::rejects;
  const char* explanation = "";  // of an outcome that is no rejection
};
inline constexpr const char* kOneNumber = "it asks for one number, or for a bound";
struct NullAnswers {
  NullAnswer still{}, random{};
  NullAnswer constant{NullOutcome::inapplicable, kOneNumber};  // some constant meets most rules
};

struct Rule {
  const char* name;  // one of those above
  Origin origin;
  const char* source;        // paper, theorem, figure or code; the formula; or the run
  const char* asks;          // the condition, with the origin of its tolerance
  WrongModel rejects{};      // run by the tests
  const char* since;         // the date of the rule
  const char* changed = "";  // what was changed after data had been seen
  bool slow = false;         // its wrong model needs more than --quick computes
  NullAnswers nulls{};
};
std::span<const Rule> rules();  // of all reproductions, in their order
// Throws std::logic_error for an unknown name, which is an error in the program.
const Rule& rule_of(std::string_view name);
bool counts(const Rule& rule);  // whether it counts in the verdict of a reproduction

// The parts of the table, in their order.
std::span<const Rule> reader_rules();       // of what trains, and of reports
std::span<const Rule> attention_rules();    // of swarms under attention only
std::span<const Rule> limit_rules();        // of perceptrons, noise and infinitely many tokens
std::span<const Rule> weight_rules();       // of other value matrices than I and -I
std::span<const Rule> transformer_rules();  // of trained transformers

// Nothing where the rule rejects the model.
const NullAnswer* null_answer(const Rule& rule, NullModel null);
std::string markdown_of_null_models();  // one row per rule, one column per null model

// A check that is known not to agree, and why.
struct ExpectedAnswer {
  enum Size { always, quick, full };  // of the reproduction
  const char* rule;
  const char* what;  // the beginning of the text of the check; empty: every check of the rule
  Answer answer;
  Size size;
  const char* explanation;
};
std::span<const ExpectedAnswer> expected_answers();
// Nothing where agreement is expected.
const ExpectedAnswer* expected_of(std::string_view rule, std::string_view what, bool is_quick);

std::string markdown_of_rules();  // one row per rule

}  // namespace murmur
