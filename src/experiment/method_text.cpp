// method_text.cpp: what a method does to the swarm of an experiment, in one sentence.
#include <fmt/format.h>

#include <utility>

#include "experiment/forces.h"
#include "murmur/experiment.h"

namespace murmur {

namespace {

bool is_turned(const Dynamics& dynamics) {  // `mix`
  return row_of(dynamics.normalisation).argument == LayerNormRow::time;
}

// The factor of A in the equation, of any particle.
std::string factor_text(const Dynamics& dynamics) {
  std::string text = speed_text(dynamics);
  if (const auto at = text.find("A_i"); at != std::string::npos) text.replace(at, 3, "A");
  return text;
}

// One step of `layers` (along: A) or of `euler` (along: P A).
std::string update_text(const Dynamics& dynamics, const std::string& along) {
  const std::string step = fmt::format("dt {}", factor_text(dynamics));
  if (dynamics.manifold == Manifold::sphere) return fmt::format("x <- N(x + {}{})", step, along);
  if (is_turned(dynamics))
    return fmt::format("x <- |x| N(x / |x| + dt {}) while t <= {:g}, then x <- x + dt A", along,
                       dynamics.mix_until);
  return fmt::format("x <- x + {}A", step);
}

// <x, A> near a cluster, where softmax heads alone say what it is: a mean of tokens that are all
// near x. 0: unknown, or not the same at all times.
double outward(const Dynamics& dynamics) {
  const ForcesByKind forces = by_kind(dynamics);
  if (forces.heads.size() != 1 || !forces.perceptrons.empty() || forces.others) return 0;
  const Attention& a = *forces.heads[0];
  if (a.weighting != Attention::softmax || !a.value.empty() || a.relative) return 0;
  const bool round = dynamics.gain.empty() && dynamics.gain_end.empty();
  if (dynamics.normalisation == LayerNorm::ngpt) return dynamics.speed;
  return round && (dynamics.normalisation == LayerNorm::post || is_turned(dynamics)) ? 1 : 0;
}

// What the normal part of A does to layers that are normalised.
std::string clock_text(const Experiment& e) {
  if (kernel_of(e.dynamics.clock).arc_length) return ": Euler's method, arc length being along x";
  const bool normalised = e.dynamics.manifold == Manifold::sphere || is_turned(e.dynamics);
  if (!normalised) return "; nothing is normalised: Euler steps, sublayer by sublayer";
  std::string text =
      fmt::format("; not Euler of the equation: its clock is slow by the factor 1 + dt <x, {}A>",
                  factor_text(e.dynamics));
  if (const double along = outward(e.dynamics); along > 0)
    text += fmt::format(", near clusters by about {:.3g} %", 100 * e.flow.dt * along);
  if (is_turned(e.dynamics)) text += ", as long as it normalises";
  return text;
}

}  // namespace

std::string method_text(const Experiment& e) {
  const FlowSettings& f = e.flow;
  const bool sphere = e.dynamics.manifold == Manifold::sphere;
  const bool arc_length = kernel_of(e.dynamics.clock).arc_length;
  std::string text = row_of(f.method).explanation;
  const std::pair<std::string, std::string> values[] = {
      {"$layer", update_text(e.dynamics, arc_length ? "P A" : "A")},
      {"$euler", update_text(e.dynamics, "P A")},
      {"$clock", clock_text(e)},
      {"$dt", fmt::format("{:g}", f.dt)},
      {"$rtol", fmt::format("{:g}", f.tolerance.rtol)},
      {"$atol", fmt::format("{:g}", f.tolerance.atol)},
      {"$kept", sphere ? ", retracted" : ""}};
  for (const auto& [word, value] : values)
    if (const auto at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), value);
  if (e.dynamics.noise > 0)
    text += fmt::format("; Brownian motion of strength {:g}", e.dynamics.noise);
  if (f.merge > 0) text += fmt::format("; particles closer than {:g} become one", f.merge);
  return text;
}

std::string cluster_text(const Experiment& e) {
  const double tol = e.observe.cluster_tol;
  if (moves_norms(e.dynamics)) return fmt::format("<x_i, x_j> > (1 - {:g}) |x_i| |x_j|", tol);
  return e.dynamics.manifold == Manifold::sphere ? fmt::format("<x_i, x_j> > 1 - {:g}", tol)
                                                 : fmt::format("|x_i - x_j| < {:g}", tol);
}

}  // namespace murmur
