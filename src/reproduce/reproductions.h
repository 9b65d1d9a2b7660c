// reproductions.h: names and functions of the reproductions, and the helpers that they share.
#pragma once

#include <cmath>
#include <numbers>

#include "reproduce/reproduce.h"

namespace murmur {

// The name of every reproduction, in the order of their table.
namespace figure {
inline constexpr const char* swarm_table = "swarm-table";
inline constexpr const char* flock_argument = "flock-argument";
inline constexpr const char* saved_work = "saved-work";
inline constexpr const char* ladder = "ladder";
inline constexpr const char* order = "order";
inline constexpr const char* phase_diagram = "phase-diagram";
inline constexpr const char* circle_clusters = "circle-clusters";
inline constexpr const char* random_weights = "random-weights";
inline constexpr const char* equiangular = "equiangular";
inline constexpr const char* growth = "growth";
inline constexpr const char* fastest_modes = "fastest-modes";
inline constexpr const char* kinetic = "kinetic";
inline constexpr const char* layers_clock = "layers-clock";
inline constexpr const char* staircase = "staircase";
inline constexpr const char* lifetimes = "lifetimes";
inline constexpr const char* polytope = "polytope";
inline constexpr const char* hyperplanes = "hyperplanes";
inline constexpr const char* product = "product";
inline constexpr const char* leaders = "leaders";
inline constexpr const char* low_rank = "low-rank";
inline constexpr const char* causal_centres = "causal-centres";
inline constexpr const char* hardmax = "hardmax";
inline constexpr const char* hardmax_cells = "hardmax-cells";
inline constexpr const char* escape_times = "escape-times";
inline constexpr const char* normalisation = "normalisation";
inline constexpr const char* normalisation_weights = "normalisation-weights";
inline constexpr const char* density_modes = "density-modes";
inline constexpr const char* long_context = "long-context";
inline constexpr const char* lost_in_the_middle = "lost-in-the-middle";
inline constexpr const char* chaos = "chaos";
inline constexpr const char* next_token = "next-token";
inline constexpr const char* readout = "readout";
inline constexpr const char* perceptron_clusters = "perceptron-clusters";
inline constexpr const char* perceptron_ascent = "perceptron-ascent";
inline constexpr const char* heads_approximation = "heads-approximation";
inline constexpr const char* residual_depth = "residual-depth";
inline constexpr const char* mean_field = "mean-field";
inline constexpr const char* noisy_bifurcation = "noisy-bifurcation";
inline constexpr const char* redraw_diffusion = "redraw-diffusion";
inline constexpr const char* w2_rate = "w2-rate";
inline constexpr const char* real_models = "real-models";
inline constexpr const char* skipped_blocks = "skipped-blocks";
}  // namespace figure

inline constexpr double kTurn = 2 * std::numbers::pi;

// Mean, sample standard deviation (NaN for one number) and range of some numbers.
struct Spread {
  double mean = 0, sd = kNoNumber, low = 0, high = 0;
  std::size_t count = 0;
  double error() const { return sd / std::sqrt(static_cast<double>(count)); }  // of the mean
};
Spread spread_of(const std::vector<double>& values);

// A published or predicted number and ours, with their description.
struct Compared {
  std::string what;
  double published, ours;
};
// They agree where ours is within `tolerance` of published, or within a share of it. Open where
// either is NaN.
Check check_near(const char* rule, const Compared& numbers, double tolerance);
Check check_near_share(const char* rule, const Compared& numbers, double share);
// A number that decides whether a statement holds; the check is open where it is NaN.
struct ReadOff {
  std::string what;
  double ours;
};
Check check_holds(const char* rule, const ReadOff& number, bool agrees, const std::string& when);

// y = slope x + intercept by least squares.
struct Line {
  double slope, intercept;
};
Line fit_line(const std::vector<double>& x, const std::vector<double>& y);

// Adds a row with only its first cell and that of `column`; the others are empty.
std::vector<ColumnTable::Cell>& add_point(ColumnTable& table, double x, std::size_t column,
                                          double y);

std::string group_digits(int number);  // 20000 as "20,000"

// An empty result with the folder `name` below control.runs, which is created.
Reproduction new_result(const ReproductionControl& control, const std::string& name);

std::optional<Reproduction> swarm_table(const ReproductionControl& control);
std::optional<Reproduction> saved_work(const ReproductionControl& control);
std::optional<Reproduction> flock_argument(const ReproductionControl& control);
std::optional<Reproduction> ladder(const ReproductionControl& control);
std::optional<Reproduction> order(const ReproductionControl& control);

// Figures that simulate swarms, or solve their limits.
std::optional<Reproduction> phase_diagram(const ReproductionControl& control);
std::optional<Reproduction> circle_clusters(const ReproductionControl& control);
std::optional<Reproduction> random_weights(const ReproductionControl& control);
std::optional<Reproduction> equiangular(const ReproductionControl& control);
std::optional<Reproduction> growth(const ReproductionControl& control);
std::optional<Reproduction> fastest_modes(const ReproductionControl& control);
std::optional<Reproduction> kinetic(const ReproductionControl& control);
std::optional<Reproduction> layers_clock(const ReproductionControl& control);
std::optional<Reproduction> staircase(const ReproductionControl& control);
std::optional<Reproduction> lifetimes(const ReproductionControl& control);
std::optional<Reproduction> polytope(const ReproductionControl& control);
std::optional<Reproduction> hyperplanes(const ReproductionControl& control);
std::optional<Reproduction> product(const ReproductionControl& control);
std::optional<Reproduction> leaders(const ReproductionControl& control);
std::optional<Reproduction> low_rank(const ReproductionControl& control);
std::optional<Reproduction> causal_centres(const ReproductionControl& control);
std::optional<Reproduction> hardmax(const ReproductionControl& control);
std::optional<Reproduction> hardmax_cells(const ReproductionControl& control);
std::optional<Reproduction> escape_times(const ReproductionControl& control);
std::optional<Reproduction> normalisation(const ReproductionControl& control);
std::optional<Reproduction> normalisation_weights(const ReproductionControl& control);
std::optional<Reproduction> density_modes(const ReproductionControl& control);
std::optional<Reproduction> long_context(const ReproductionControl& control);
std::optional<Reproduction> lost_in_the_middle(const ReproductionControl& control);
std::optional<Reproduction> heads(const ReproductionControl& control);
std::optional<Reproduction> residual_depth(const ReproductionControl& control);
std::optional<Reproduction> mean_field(const ReproductionControl& control);
std::optional<Reproduction> noisy_bifurcation(const ReproductionControl& control);
std::optional<Reproduction> redraw_diffusion(const ReproductionControl& control);
std::optional<Reproduction> w2_rate(const ReproductionControl& control);
std::optional<Reproduction> chaos(const ReproductionControl& control);
std::optional<Reproduction> next_token(const ReproductionControl& control);
std::optional<Reproduction> readout(const ReproductionControl& control);
std::optional<Reproduction> perceptron_clusters(const ReproductionControl& control);
std::optional<Reproduction> perceptron_ascent(const ReproductionControl& control);

// Figures about trained transformers in the folders of control.models.
std::optional<Reproduction> real_models(const ReproductionControl& control);
std::optional<Reproduction> skipped_blocks(const ReproductionControl& control);

// Writes record.json, or record-quick.json, to the folder of the result: its checks, tables and
// figures, with the version of the program and the settings they were made with.
void write_record(const Reproduction& done, const ReproductionControl& control);
// Nothing where there is none, or one of another version or other settings.
std::optional<Reproduction> read_record(const std::string& name,
                                        const ReproductionControl& control);

}  // namespace murmur
