// perceptron_companion.cpp: the swarm of the companion code of 2601.21366, drawn by its own seeds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reproduce/perceptron_clusters.h"
#include "reproduce/published_perceptron.h"
#include "reproduce/simulations.h"
#include "run/formats.h"

namespace murmur {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kUnits = 2, kTokens = 200;
constexpr double kCounted = 1500;  // its runs have stopped by then: no drift above 1e-4
constexpr double kLater = 4200, kEvery = 300;

// NAME_in.npy (2, 2) and NAME_out.npy (2, 2), as the parameter `perceptron` reads them.
PerceptronChoice write_units(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<double> in(std::begin(kPublishedUnits), std::end(kPublishedUnits)), out(4);
  for (int m = 0; m < kUnits; ++m)
    for (int k = 0; k < 2; ++k) out[k * kUnits + m] = kPublishedFactors[m] * in[2 * m + k];
  write_npy(folder / "companion_in.npy", {{2, 2}, in});
  write_npy(folder / "companion_out.npy", {{2, 2}, out});
  return {.kind = PerceptronChoice::from_file, .folder = folder, .file = "companion_*.npy"};
}

Matrix places() {
  Matrix x = zeros(kTokens, 2);
  for (int i = 0; i < kTokens; ++i) {
    x(i, 0) = std::cos(kPublishedAngles[i]);
    x(i, 1) = std::sin(kPublishedAngles[i]);
  }
  return x;
}

void check(const CompanionCount& row, const std::string& method, const TokenClusters& ours,
           Reproduction& result) {
  const std::string what =
      fmt::format("companion's swarm, {}, β = {:g}, t = {:g}: ", method, row.beta, kCounted);
  result.checks.push_back(
      near("perceptron-clusters.companion", {what + "clusters", row.clusters, ours.count}, 0));
  result.checks.push_back(near("perceptron-clusters.companion",
                               {what + "mass of the heaviest", row.heaviest, ours.heaviest}, 1e-9));
}

}  // namespace

TokenClusters arcs_of(const Atoms& mu, double length) {
  struct Token {
    double angle, mass;
  };
  std::vector<Token> tokens;
  for (int i = 0; i < mu.count(); ++i)
    tokens.push_back({std::atan2(mu.x(i, 1), mu.x(i, 0)), mu.mass[i]});
  std::sort(tokens.begin(), tokens.end(),
            [](const Token& a, const Token& b) { return a.angle < b.angle; });
  const std::size_t n = tokens.size();
  std::size_t first = 0;
  double widest = tokens[0].angle + kTurn - tokens[n - 1].angle;
  for (std::size_t i = 1; i < n; ++i)
    if (tokens[i].angle - tokens[i - 1].angle > widest) {
      widest = tokens[i].angle - tokens[i - 1].angle;
      first = i;
    }
  for (std::size_t i = 0; i < first; ++i) tokens[i].angle += kTurn;
  std::rotate(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end());
  TokenClusters arcs;
  for (std::size_t i = 0, j = 0; i < n; i = j) {
    double mass = 0;
    for (; j < n && tokens[j].angle - tokens[i].angle <= length; ++j) mass += tokens[j].mass;
    arcs.heaviest = std::max(arcs.heaviest, mass);
    ++arcs.count;
  }
  return arcs;
}

void check_companion(const ReproductionControl& control, Reproduction& result) {
  ReproducedTable table{"companion", {"beta", "method", "t", "clusters", "heaviest"}};
  ExperimentSpec spec = preset_spec(kClusters);
  spec.init = InitialPoints{places()};
  spec.dynamics.perceptron = write_units(result.folder / "inputs");
  spec.engine.threads = std::max(control.threads, 0);
  for (const CompanionCount& row : kCompanion)
    for (const Method method : {Method::dopri5, Method::euler}) {
      const bool euler = method == Method::euler;
      if (control.stopped() || (euler && control.quick)) continue;
      spec.dynamics.beta = row.beta * control.wrong.beta;
      spec.method = method;
      spec.dt = 0.1;
      spec.T = control.quick || euler ? kCounted : kLater;
      spec.save = SaveChoice{SaveChoice::every, kEvery};
      const Simulated simulated = simulate_in_memory(make_experiment(spec), control.wrong.null);
      for (std::size_t k = 1; k < simulated.times.size(); ++k) {
        const TokenClusters arcs =
            arcs_of(atoms_of(simulated.frames[k]), 1 / (2 * std::sqrt(row.beta)));
        const std::string name = euler ? "euler" : "dopri5";
        table.rows.push_back({row.beta, name, simulated.times[k], arcs.count, arcs.heaviest});
        if (std::fabs(simulated.times[k] - kCounted) < 1e-6) check(row, name, arcs, result);
      }
    }
  result.tables.push_back(std::move(table));
}

}  // namespace murmur
