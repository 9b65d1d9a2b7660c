// known.cpp: the theorems behind settings, each said only where its hypotheses hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/experiment.h"
#include "murmur/theory.h"

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

void on_sphere(const Attention& a, const Experiment& e, Results& known) {
  const int n = e.swarm.n(), d = e.swarm.d();
  const bool identity = a.query.empty() && a.key.empty() && a.value.empty();
  if (a.mask == Attention::causal) {
    if (a.value.empty() && a.weighting == Attention::softmax && a.alibi == 0)
      known.push_back(
          "For almost every start all tokens come to the first, which never moves (2411.04990).");
    if (a.alibi > 0 && a.weighting == Attention::unnormalised)
      known.push_back(
          "What the last token keeps of the others is U-shaped in their place: the middle is lost "
          "(2605.09213).");
    return;
  }
  if (a.weighting != Attention::softmax && a.weighting != Attention::unnormalised) return;
  if (identity && d >= 3 && a.beta >= 0)
    known.push_back(fmt::format(
        "For almost every start the swarm ends as one cluster (2312.10794){}; the energy never "
        "falls.",
        d >= n
            ? ", exponentially fast: 1 - cos decays as e^(-2t) for SA, as e^(-2 t e^beta) for USA "
              "in clock U1"
            : ""));
  if (identity && d == 2 && a.beta >= 0)
    known.push_back(
        "On the circle one cluster is known for beta <= 1 and for beta of order n^2; in between "
        "expect metastable clusters that live for times of order e^(beta (1 - cos)).");
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

// Late rates of 1 - cos for V = I (2510.22026, 2512.01868).
void of_normalisation(const Dynamics& dynamics, Results& known) {
  const char* rate = nullptr;
  switch (dynamics.normalisation) {
    case LayerNorm::post:
      return;
    case LayerNorm::pre:
    case LayerNorm::peri:
    case LayerNorm::mix:
      rate = "t^(-2)";
      break;
    case LayerNorm::ngpt:
      rate = "e^(-2 speed t)";
      break;
    case LayerNorm::sqrt:
      rate = "e^(-4 sqrt(t))";
  }
  known.push_back(
      fmt::format("Near one cluster 1 - cos decays as {} (2510.22026, 2512.01868).", rate));
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
      of_normalisation(dynamics, known);
    if (sphere && round && identity && head->mask == Attention::none) of_noise(*head, e, known);
    if (head->weighting == Attention::sinkhorn && quiet)
      known.push_back(
          "The weights are doubly stochastic: in R^d the mean m obeys m' = V m (0 where V acts on "
          "x_j - x_i), and for symmetric Q^T K the flow is a Wasserstein gradient (2110.11773).");
  }
  if (has_energy(dynamics) && quiet && (head == nullptr || !is_scale(head->value, 1)))
    known.push_back(
        "The flow is a gradient: the energy never falls where V = Q^T K, never rises where "
        "V = -Q^T K (2312.10794, 2501.03096; with a perceptron 2601.21366).");
  if (!is_still(dynamics) && quiet && e.inputs.count("model") == 0)
    known.push_back(
        "For many small steps of redrawn weights the swarm follows an Ito equation whose overlaps "
        "collapse (2604.01978, 2601.21942).");
  return known;
}

}  // namespace murmur
