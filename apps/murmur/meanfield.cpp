// meanfield.cpp: murmur meanfield: carries a measure of infinitely many tokens through time.
#include "murmur/meanfield.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "murmur/formats.h"
#include "murmur/meanfield_setup.h"
#include "murmur/theory.h"

namespace murmur::app {

namespace {

constexpr int kColumns = 12;  // amplitudes in observables.csv

std::vector<std::string> columns() {
  std::vector<std::string> names = {"energy", "free_energy", "order", "tail", "least", "greatest"};
  for (int k = 1; k <= kColumns; ++k) names.push_back(fmt::format("mode_{}", k));
  return names;
}

std::vector<double> row_of(const MeanFieldReading& r) {
  std::vector<double> row = {r.energy, r.free_energy, r.order, r.tail, r.least, r.greatest};
  row.insert(row.end(), r.amplitude.begin() + 1, r.amplitude.begin() + 1 + kColumns);
  return row;
}

double predicted(const MeanField& f, int k) {
  return theory::growth_rate(
      {.law = f.scale == Attention::softmax ? theory::Law::sa : theory::Law::usa,
       .d = f.d,
       .beta = f.beta,
       .clock = f.clock,
       .noise = f.noise,
       .descent = f.repulsive},
      k);
}

nlohmann::json phases_json(const MeanFieldPhases& p) {
  nlohmann::json json = {{"linear", {{"until", p.linear_until}, {"leader", p.leader}}},
                         {"metastable", nullptr},
                         {"clustering", nullptr}};
  if (p.metastable)
    json["metastable"] = {
        {"from", p.metastable->first}, {"to", p.metastable->second}, {"energy", p.plateau}};
  if (p.clustering)
    json["clustering"] = {
        {"from", p.clustering->from}, {"to", p.clustering->to}, {"rate", -p.clustering->rate}};
  return json;
}

nlohmann::json summary_of(const MeanFieldSetup& s, const MeanFieldCourse& course) {
  const MeanFieldPhases phases = phases_of(course);
  nlohmann::json rates = nlohmann::json::object(), theory = nlohmann::json::object();
  for (const ModeGrowth& g : phases.growth) {
    rates[std::to_string(g.k)] = g.rate;
    if (!s.field.will) theory[std::to_string(g.k)] = predicted(s.field, g.k);
  }
  nlohmann::json stopped;
  if (!course.outcome.ok()) stopped = {{"t", course.outcome.t}, {"why", course.outcome.what}};
  return {{"t", course.outcome.t},
          {"energy", course.steps.back().energy},
          {"order", course.steps.back().order},
          {"growth_rates", rates},
          {"predicted_rates", theory},
          {"phases", phases_json(phases)},
          {"stopped", stopped},
          {"steps", course.steps.size() - 1},
          {"evaluations", course.evaluations}};
}

Array table_of(std::vector<double> values, std::size_t rows) {
  const std::size_t columns = rows > 0 ? values.size() / rows : 0;
  Array array = array_of(std::move(values));
  array.shape = {rows, columns};
  return array;
}

void tell(const Flags& flags, const MeanFieldSetup& s, const MeanFieldCourse& course) {
  const MeanFieldPhases p = phases_of(course);
  for (const ModeGrowth& g : p.growth)
    say(flags, fmt::format(
                   "mode {}: rate {:.6g}{}", g.k, g.rate,
                   s.field.will ? "" : fmt::format(", predicted {:.6g}", predicted(s.field, g.k))));
  say(flags, fmt::format("linear until t = {:.4g}, mode {} leads", p.linear_until, p.leader));
  if (p.metastable)
    say(flags, fmt::format("the energy stands at {:.6g} from t = {:.4g} to {:.4g}", p.plateau,
                           p.metastable->first, p.metastable->second));
  if (p.clustering)
    say(flags, fmt::format("towards one point at rate {:.4g} from t = {:.4g}", -p.clustering->rate,
                           p.clustering->from));
  say(flags,
      fmt::format("t = {:g}, energy {:.6g}, order {:.6g}, {} steps", course.outcome.t,
                  course.steps.back().energy, course.steps.back().order, course.steps.size() - 1));
}

int bifurcate(const Flags& flags, const MeanFieldSetup& s) {
  const Bifurcation b = bifurcation({s.field.d, s.field.beta}, *s.kappas);
  const double critical = theory::noise_threshold(s.field.d, s.field.beta);
  std::string csv = "kappa,up,down\n";
  for (std::size_t i = 0; i < b.kappa.size(); ++i)
    csv += fmt::format("{},{},{}\n", b.kappa[i], b.up[i], b.down[i]);
  if (!flags.out.empty()) write_file_atomically(output_file(flags), csv);
  if (flags.json)
    report({{"kappa", b.kappa},
            {"up", b.up},
            {"down", b.down},
            {"onset", b.onset},
            {"fold", b.fold},
            {"jump", b.jump},
            {"hysteretic", b.hysteretic},
            {"predicted_onset", critical},
            {"continuous_until", theory::continuous_until(s.field.d)}});
  else if (flags.out.empty())
    app::data(csv);
  say(flags, fmt::format("order sets in at kappa = {:.5g} (beta / lambda_1 = {:.5g}), {}", b.onset,
                         critical,
                         b.hysteretic ? fmt::format("with a jump to {:.3g}, and lives on down to "
                                                    "kappa = {:.6g}",
                                                    b.jump, b.fold)
                                      : std::string("continuously")));
  return 0;
}

RunContents contents_of(const MeanFieldSetup& s) {
  RunContents c;
  c.config = s.config;
  c.inputs = s.inputs;
  c.columns = columns();
  c.shape = {1, s.field.d};
  c.command = "meanfield";
  c.argv = program_argv;
  c.engine = s.method.solver == MeanFieldMethod::spectral ? "spectral"
             : s.field.d == 2                             ? "moments"
                                                          : "simd f64";
  c.seed = s.seed;
  return c;
}

// Frames go into the run as they come; densities are kept together at the end.
MeanFieldCourse carry_into(Run& run, const MeanFieldSetup& s) {
  const SignalWatch signals;
  std::vector<double> densities;
  std::size_t frames = 0;
  MeanFieldPlan plan{.schedule = s.schedule};
  plan.frame = [&](const MeanFieldFrame& frame) {
    HostSwarm mean({1, s.field.d});
    for (int k = 0; k < s.field.d; ++k) mean.at(0, k) = frame.reading.mean[k];
    run.append(frame.reading.t, mean, row_of(frame.reading));
    densities.insert(densities.end(), frame.density.begin(), frame.density.end());
    ++frames;
  };
  plan.stop = [](const MeanFieldReading&) { return caught_signal != 0; };
  MeanFieldCourse course = carry(s.field, s.start, s.method, plan);
  std::vector<double> grid = density_cells(s.field, s.method);
  const std::size_t cells = grid.size() / s.field.d;
  write_npy(run.directory() / "grid.npy", table_of(std::move(grid), cells));
  write_npy(run.directory() / "density.npy", table_of(std::move(densities), frames));
  write_file_atomically(run.directory() / "phases.json", summary_of(s, course).dump(2) + "\n");
  run.close(course.outcome.ok()                            ? "done"
            : course.outcome.ending == Ending::interrupted ? "interrupted"
                                                           : "failed",
            {{"t", course.outcome.t}, {"evaluations", static_cast<double>(course.evaluations)}},
            course.outcome.what);
  return course;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const MeanFieldSetup s = make_meanfield(settings_of(sort_words(words), meanfield_parameters()));
  if (s.kappas) return bifurcate(flags, s);
  density_cells(s.field, s.method);  // refuses what cannot be solved before a directory is made
  if (s.method.solver == MeanFieldMethod::spectral && !s.start.atoms.empty())
    throw Error(Fault::input, "atoms have no density", "init", "use solver=quantiles");
  Run kept = create_run(flags, s.name, contents_of(s));
  const MeanFieldCourse course = carry_into(kept, s);
  if (flags.json) {
    nlohmann::json summary = summary_of(s, course);
    summary["run"] = kept.directory().string();
    report(summary);
  } else {
    data(kept.directory().string() + "\n");
  }
  tell(flags, s, course);
  if (course.outcome.ok()) return 0;
  if (course.outcome.ending == Ending::interrupted) return 128 + caught_signal;
  throw Error(Fault::numerical, course.outcome.what,
              fmt::format("{}: t = {:g}", kept.directory().string(), course.outcome.t),
              course.outcome.remedy);
}

}  // namespace

Command meanfield_command() {
  return {"meanfield", "Carry a measure of infinitely many tokens through time.",
          "  murmur meanfield d=2 beta=5 dynamics=USA init=mode:3:1e-4 T=0.3\n"
          "  murmur meanfield beta=9 init=modes:1-12:1e-6 T=60 solver=quantiles\n"
          "  murmur meanfield d=3 beta=5 init=vmf:4@0.5/0*0.7,4@2/1*0.3 modes=48 T=1.5\n"
          "  murmur meanfield dynamics=USA beta=4 kappa=0.3:0.6:61 -o bifurcation.csv",
          nullptr, run};
}

}  // namespace murmur::app
