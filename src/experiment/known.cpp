// known.cpp: the theorems behind settings, each said only where its hypotheses hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/attention.h"
#include "murmur/experiment.h"
#include "murmur/theory.h"
#include "observe/energy.h"
#include "theory/numeric.h"

namespace murmur {

namespace {

using Results = std::vector<std::string>;

// What most theorems are about: one head alone, or nothing.
const Attention* lone_head(const Dynamics& dynamics) {
  if (dynamics.sublayers.size() != 1 || dynamics.sublayers[0].forces.size() != 1) return nullptr;
  return head_of(dynamics.sublayers[0].forces[0]);
}

bool is_scale(const Matrix& m, double scale) {
  return m.empty() ? scale == 1 : m == scaled_identity(m.rows, scale);
}

bool has_energy(const Dynamics& dynamics) {
  const std::vector<std::string> names = observable_names(dynamics);
  return std::find(names.begin(), names.end(), "energy") != names.end();
}

bool is_still(const Dynamics& dynamics) {  // weights that never change
  return std::none_of(dynamics.sublayers.begin(), dynamics.sublayers.end(),
                      [](const Sublayer& p) { return p.limited(); });
}

// Near one cluster of n equal tokens each goes to the mean of those it sees. Without itself that is
// n / (n - 1) times as far away as the mean of all:
//   x_i' = mean_{j != i} x_j - x_i = n / (n - 1) (mean_j x_j - x_i)
// None where the masses decide.
std::optional<double> hurry(const Attention& a, const HostSwarm& x) {
  if (a.self) return 1;
  const bool equal =
      std::all_of(x.mass.begin(), x.mass.end(), [&](double mass) { return mass == x.mass[0]; });
  if (!equal || x.n() < 2) return std::nullopt;
  return x.n() / (x.n() - 1.0);
}

// Late rates of 1 - cos for V = I (2312.10794, section 6). The self term of USA has no part along
// the sphere.
std::string late_rate(const Attention& a, const Experiment& e) {
  if (a.weighting == Attention::unnormalised)
    return e.dynamics.clock == Clock::u1
               ? ", exponentially fast: 1 - cos decays as e^(-2 e^beta t) in the end"
               : ", exponentially fast";
  const std::optional<double> times = hurry(a, e.swarm);
  if (!times) return ", exponentially fast";
  return fmt::format(", exponentially fast: 1 - cos decays as e^(-{:.6g} t) in the end{}",
                     2 * *times, a.self ? "" : ", which is e^(-2 n/(n-1) t) without j = i");
}

// Retrieval along a causal swarm on the circle; the theory is that of n to infinity, in clock u3.
void of_alibi(const Attention& a, const Experiment& e, Results& known) {
  if (!(a.beta > 0) || kernel_of(e.dynamics.clock).arc_length) return;
  const theory::Retrieval retrieval{.beta = a.beta, .lambda = a.alibi * e.swarm.n()};
  const double unit = a.beta * std::exp(a.beta) / clock_scale(e.dynamics.clock, a.beta);
  known.push_back(fmt::format(
      "For many tokens, what the last keeps of the others is U-shaped in their place, so that the "
      "middle is lost: certainly up to t = {:.4g}, and until a critical time, t = {:.4g} for "
      "marks of the paper's width; later the end keeps least (2605.09213).",
      unit * theory::retrieval_certain_until(retrieval),
      unit * theory::retrieval_critical_time(retrieval)));
}

void on_sphere(const Attention& a, const Experiment& e, Results& known) {
  const int n = e.swarm.n(), d = e.swarm.d();
  const bool identity = a.query.empty() && a.key.empty() && a.value.empty();
  if (a.mask == Attention::causal) {
    if (a.value.empty() && a.weighting == Attention::softmax && a.alibi == 0)
      known.push_back(
          "For almost every start all tokens come to the first, which never moves (2411.04990).");
    if (identity && d == 2 && a.alibi > 0 && a.weighting == Attention::unnormalised)
      of_alibi(a, e, known);
    return;
  }
  if (a.weighting != Attention::softmax && a.weighting != Attention::unnormalised) return;
  const double least = d == 2 ? -0.16 : 0;
  if (identity && a.beta >= least)
    known.push_back(fmt::format(
        "For almost every start the swarm ends as one cluster ({}){}{}.",
        d == 2 ? "2507.22857: on the circle for every beta >= -0.16" : "2312.10794",
        d >= n ? late_rate(a, e) : "", has_energy(e.dynamics) ? "; the energy never falls" : ""));
  if (identity && d == 2 && a.beta > 1)
    known.push_back(
        "Before that expect metastable clusters, which live for times of order e^(beta (1 - cos)) "
        "of the angle between them (2410.06833).");
  if (!identity && a.value.empty() && d >= n && a.weighting == Attention::softmax)
    known.push_back(
        "With d >= n and V = I the swarm ends as one cluster exponentially fast, whatever Q and K "
        "(2312.10794).");
}

void in_space(const Attention& a, Results& known) {
  if (a.weighting == Attention::hard && a.relative && a.value.empty())
    known.push_back(
        "Where every vertex of the convex hull attends to itself, each particle goes straight to "
        "the vertex it attends to, "
        "x(t) = e^(-t) x(0) + (1 - e^(-t)) v; with method=layers (1 - dt)^k in place of e^(-t) "
        "(2407.01602, 2508.09628).");
  if (a.weighting != Attention::softmax || a.mask == Attention::causal) return;
  if (a.rescaled && is_scale(a.value, 1))
    known.push_back(
        "If Q^T K > 0 the convex hull never grows, and every particle ends at 0 or on the boundary "
        "of a limit polytope (2305.05465).");
  else if (a.rescaled && is_scale(a.value, -1))
    known.push_back("Everything comes to 0 and the weights to 1/n (2305.05465).");
  else if (a.rescaled)
    known.push_back(
        "If the leading eigenvalue of V is real, positive and simple and <Q f, K f> > 0 for its "
        "eigenvector f, the particles end on at most three parallel hyperplanes (2305.05465).");
  else if (a.relative && a.value.empty())
    known.push_back(
        "Particles stay near the vertices of their hull for times of order e^(c beta), then become "
        "one point (2508.09628).");
  else
    known.push_back(
        "Positions grow like e^(tV); dynamics=rescaled follows e^(-tV) x instead (2305.05465).");
}

// Late rates of 1 - cos for V = I (2510.22026, 2512.01868). Where V acts on x_j - x_i the radius
// that slows them does not grow.
void of_normalisation(const Attention& a, const Experiment& e, Results& known) {
  const std::optional<double> times = hurry(a, e.swarm);
  if (!times || a.relative) return;
  std::string rate;
  switch (e.dynamics.normalisation) {
    case LayerNorm::post:
      return;
    case LayerNorm::pre:
    case LayerNorm::peri:
    case LayerNorm::mix:
      rate = fmt::format("t^(-{:.6g})", 2 * *times);
      break;
    case LayerNorm::ngpt:
      rate = fmt::format("e^(-{:.6g} t)", 2 * *times * e.dynamics.speed);
      break;
    case LayerNorm::sqrt:
      rate = fmt::format("e^(-{:.6g} sqrt(t))", 4 * *times);
  }
  known.push_back(
      fmt::format("Near one cluster 1 - cos decays as {} (2510.22026, 2512.01868).", rate));
}

// With V = +-Q^T K symmetric, sum_j a_ij V x_j is along the gradient of the entropic transport cost
// of the swarm to itself; projecting and subtracting V x_i keep it a gradient.
void of_sinkhorn(const Attention& a, const Dynamics& dynamics, Results& known) {
  if (dynamics.normalisation != LayerNorm::post) return;
  if (dynamics.manifold == Manifold::space)
    known.push_back(
        fmt::format("The weights are doubly stochastic, so that the mean m obeys {} (2110.11773).",
                    a.relative        ? "m' = 0"
                    : a.value.empty() ? "m' = m"
                                      : "m' = V m"));
  const bool round = dynamics.gain.empty() && dynamics.gain_end.empty();
  if (round && value_sign(a))
    known.push_back(
        "Here V = +-Q^T K is symmetric, and the flow is a Wasserstein gradient (2110.11773).");
}

void of_noise(const Attention& a, const Experiment& e, Results& known) {
  if (!(e.dynamics.noise > 0) || !(a.beta > 0)) return;
  if (a.weighting != Attention::unnormalised || e.dynamics.clock != Clock::u1) return;
  const double critical = theory::noise_threshold(e.swarm.d(), a.beta);
  known.push_back(fmt::format(
      "The uniform law loses stability at kappa_c = {:.6g}, noise {:.6g}; here kappa = {:.6g} "
      "(2412.14813, 2606.05140).",
      critical, 1 / critical, 1 / e.dynamics.noise));
}

// One softmax head on the round sphere and nothing else, whatever its matrices.
bool is_plain(const Dynamics& dynamics) {
  const std::vector<Force>& forces = dynamics.sublayers[0].forces;
  const Attention* head = forces.size() == 1 ? head_of(forces[0]) : nullptr;
  return head != nullptr && by_kind(dynamics).perceptrons.empty() &&
         dynamics.manifold == Manifold::sphere && dynamics.gain.empty() &&
         dynamics.gain_end.empty() && dynamics.normalisation == LayerNorm::post &&
         head->weighting == Attention::softmax && head->mask == Attention::none && head->self &&
         !head->relative && head->beta >= 0;
}

// What a config.toml as experiments write it, a line a parameter, says of one.
std::string said_of(const std::string& config, const std::string& key) {
  const std::string opening = "\n" + key + " = ";
  const std::size_t found = ("\n" + config).find(opening);
  if (found == std::string::npos) return {};
  const std::size_t from = found + opening.size() - 1;
  std::string value = config.substr(from, config.find('\n', from) - from);
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

// Weights drawn anew. What of V has mean 0 is left only in the second order, at times s = DT t; a
// mean that is not 0 is left as it is. An experiment's config.toml says how they are drawn.
void of_redraw(const Experiment& e, Results& known) {
  const auto word = [&](const char* key) { return said_of(e.config, key); };
  if (word("value") == "psd")
    known.push_back(
        "V = G G^T / d has mean I: as redraw -> 0 velocities average to those of V = I.");
  if (word("value") != "gaussian" && word("value") != "goe" && word("value") != "wigner") return;
  known.push_back(
      "V has mean 0: as redraw -> 0 the swarm moves in the time s = redraw t, by an Ito equation "
      "whose noise is the same for all tokens (derived; announced in 2604.01978, 2601.21942). "
      "Layers and the flow have different limits.");
  if (!is_plain(e.dynamics) || word("value") != "gaussian" || e.swarm.n() < 2) return;
  const double redraw = std::stod(word("redraw"));
  known.push_back(fmt::format(
      "Where tokens meet, 1 - cos decays as e^(-{:.4g} t) for almost all draws, e^(-(d-1)/d s).",
      theory::redrawn_late_rate(e.swarm.d()) * redraw));
  const bool identity = word("query") == "identity" && word("key") == "identity";
  const bool uniform = word("query") == "gaussian" && word("key") == "gaussian";
  if (!identity && !uniform) return;
  const double beta = head_of(e.dynamics.sublayers[0].forces[0])->beta;
  const theory::Equiangular swarm{.n = e.swarm.n(), .beta = identity ? beta : 0};
  const double half = theory::quadrature(
      [&](double rho) { return 1 / theory::redrawn_velocity(swarm, rho); }, 0, 0.5);
  known.push_back(fmt::format(
      "As d grows, cosines obey rho' = (1 - rho) ((n-1) rho + 1) q (2p + (n-2) q) in s, with the "
      "weights p of oneself and q of another{}: from orthogonal tokens to 1/2 at t = {:.4g}.",
      identity ? "" : ", here 1/n, since scores have variance beta^2/d", half / redraw));
}

}  // namespace

std::vector<std::string> known_results(const Experiment& e) {
  Results known;
  const Dynamics& dynamics = e.dynamics;
  const bool sphere = dynamics.manifold == Manifold::sphere;
  const bool quiet = dynamics.noise == 0;
  const bool round = dynamics.gain.empty() && dynamics.gain_end.empty();
  const Attention* head = lone_head(dynamics);
  if (head != nullptr) {
    const bool identity = head->query.empty() && head->key.empty() && head->value.empty();
    const bool post = dynamics.normalisation == LayerNorm::post;
    if (sphere && round && quiet && post) on_sphere(*head, e, known);
    if (!sphere && quiet && post) in_space(*head, known);
    if (quiet && identity && head->weighting == Attention::softmax && head->mask == Attention::none)
      of_normalisation(*head, e, known);
    if (sphere && round && identity && head->mask == Attention::none) of_noise(*head, e, known);
    if (head->weighting == Attention::sinkhorn && quiet) of_sinkhorn(*head, dynamics, known);
  }
  if (has_energy(dynamics) && quiet && (head == nullptr || !is_scale(head->value, 1)))
    known.push_back(
        "The flow is a gradient: the energy never falls where V = Q^T K, never rises where "
        "V = -Q^T K (2312.10794, 2501.03096; with a perceptron 2601.21366).");
  if (!is_still(dynamics) && quiet && e.inputs.count("model") == 0) of_redraw(e, known);
  return known;
}

}  // namespace murmur
