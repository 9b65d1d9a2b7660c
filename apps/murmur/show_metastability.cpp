// show_metastability.cpp: murmur measure show=metastability: the bounds of 2410.06833 on a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "murmur/theory.h"
#include "show.h"

namespace murmur::app {

namespace {

struct Groups {
  Clusters clusters{};
  double radius = 0;  // least eps with every token in the cap <x, w_q> >= 1 - eps of its cluster
  double angle = 0;   // between the two closest centres w_q
};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Clusters of a frame with their centres, the normalised means.
Groups groups_of(const HostSwarm& x, const Subject& s) {
  Groups groups{clusters(x, s.experiment.dynamics, s.experiment.observe.cluster_tol)};
  const std::vector<double> rows = to_rows(x);
  const auto d = static_cast<std::size_t>(x.d());
  const auto row = [&](int i) { return std::span(rows).subspan(i * d, d); };
  std::vector<std::vector<double>> centre(groups.clusters.count, std::vector<double>(d));
  for (int i = 0; i < x.n(); ++i)
    for (std::size_t k = 0; k < d; ++k) centre[groups.clusters.label[i]][k] += row(i)[k];
  for (std::vector<double>& w : centre) {
    const double length = std::sqrt(dot(w, w));
    for (double& value : w) value /= length;
  }
  for (int i = 0; i < x.n(); ++i)
    groups.radius = std::max(groups.radius, 1 - dot(row(i), centre[groups.clusters.label[i]]));
  double closest = -1;
  for (std::size_t a = 0; a < centre.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) closest = std::max(closest, dot(centre[a], centre[b]));
  groups.angle = std::acos(std::clamp(closest, -1.0, 1.0));
  return groups;
}

// Greatest distance between two tokens of one cluster.
double spread_of(const HostSwarm& x, const std::vector<int>& label) {
  const std::vector<double> rows = to_rows(x);
  const auto d = static_cast<std::size_t>(x.d());
  double most = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < i; ++j) {
      if (label[i] != label[j]) continue;
      double square = 0;
      for (std::size_t k = 0; k < d; ++k) {
        const double step = rows[i * d + k] - rows[j * d + k];
        square += step * step;
      }
      most = std::max(most, square);
    }
  return std::sqrt(most);
}

// Of all caps that hold the tokens those for which T2 / T1 is greatest: the theorem holds for each.
theory::Caps best_caps(const Groups& groups, theory::Caps caps) {
  theory::Caps best = caps;
  double longest = -1;
  for (double eps = std::max(groups.radius, 1e-9); eps < 0.1; eps *= 1.05) {
    caps.eps = eps;
    caps.alpha = theory::cap_alpha(groups.angle, eps);
    const theory::Metastable m = theory::metastability(caps);
    const double length = m.gap > 0 ? m.ends / m.begins : 0;
    if (length > longest) longest = length, best = caps;
  }
  if (longest < 0)
    throw Error(Fault::input, "clusters are too wide for caps of the theorem",
                fmt::format("1 - cosine to a centre reaches {:.3g}", groups.radius),
                "give a later frame, or a smaller cluster_tol");
  return best;
}

// Units of the run's time in one of the theorem's, which is that of SA, or of USA in clock u2.
double unit_of(const theory::Growth& known) {
  if (known.law == theory::Law::sa || known.clock == Clock::u2) return 1;
  return std::exp(-known.beta) / (known.clock == Clock::u3 ? known.beta : 1);
}

}  // namespace

void show_metastability(const Flags& flags, const Subject& s, const ShowWords& words) {
  const std::int64_t first = words.given("frame") ? frame_of(s, words) : 0;
  const HostSwarm start = s.history.frame(first);
  const theory::Growth known = theory::growth_of(s.experiment.dynamics, start.d());
  if (known.descent || known.noise > 0 || !(known.beta > 1) || s.experiment.inputs.count("masses"))
    throw Error(Fault::input, "the theorem on metastability is not about this dynamics", s.name,
                "measure a run of SA or USA with V = I, beta > 1, equal masses and no noise");
  const Groups groups = groups_of(start, s);
  if (groups.clusters.count < 2)
    throw Error(Fault::input, "one cluster has nothing to merge with",
                fmt::format("{}: frame {}", s.name, first), "give an earlier frame");
  const theory::Caps caps =
      best_caps(groups, {.n = start.n(), .beta = known.beta, .rate = words.number("rate")});
  const theory::Metastable m = theory::metastability(caps);
  const double t = s.history.time(first), unit = unit_of(known);
  const double begins = t + unit * m.begins, ends = t + unit * m.ends;
  const bool says = m.gap > 0 && begins < ends;
  int frames = 0;
  double spread = 0;
  for (std::int64_t f = first; says && f < s.history.count; ++f)
    if (s.history.time(f) >= begins && s.history.time(f) <= ends) {
      spread = std::max(spread, spread_of(s.history.frame(f), groups.clusters.label));
      ++frames;
    }
  const auto said = [&](double value) {
    return says ? nlohmann::json(value) : nlohmann::json(nullptr);
  };
  write(flags, {{"clusters", "eps", "alpha", "gap", "begins", "ends", "bound", "frames", "spread"},
                {{groups.clusters.count, caps.eps, caps.alpha, m.gap, said(begins), said(ends),
                  said(m.spread), frames,
                  frames > 0 ? nlohmann::json(spread) : nlohmann::json(nullptr)}}});
}

}  // namespace murmur::app
