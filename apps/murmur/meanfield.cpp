// meanfield.cpp: murmur meanfield: evolves a measure of infinitely many tokens in time.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiment/meanfield_setup.h"
#include "murmur/error.h"
#include "murmur/theory.h"
#include "output.h"
#include "recipe.h"
#include "report/figures.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

RunKind meanfield_kind();

namespace {

double predicted(const MeanField& f, int k) {
  return theory::growth_rate(
      {.law = f.weighting == Attention::softmax ? theory::Law::sa : theory::Law::usa,
       .d = f.d,
       .beta = f.beta,
       .clock = f.clock,
       .noise = f.noise,
       .descent = f.repulsive},
      k);
}

// Modes grow exponentially if the laws of all labels are equal: always without a causal mask, and
// with one only for SA without a prefix.
bool has_rates(const MeanFieldSetup& s) {
  return !s.field.causal || (s.start.before.empty() && s.field.weighting == Attention::softmax);
}

std::vector<ModeGrowth> rates_of(const MeanFieldSetup& s, const MeanFieldRegimes& regimes) {
  return has_rates(s) ? regimes.growth : std::vector<ModeGrowth>{};
}

nlohmann::json regimes_json(const MeanFieldRegimes& p) {
  nlohmann::json json = {{"linear", nullptr}, {"metastable", nullptr}, {"clustering", nullptr}};
  if (p.linear) {
    json["linear"] = {{"until", nullptr}, {"leader", p.linear->leader}};
    if (p.linear->until) json["linear"]["until"] = *p.linear->until;
  }
  if (p.metastable)
    json["metastable"] = {
        {"from", p.metastable->first}, {"to", p.metastable->second}, {"energy", p.plateau}};
  if (p.clustering)
    json["clustering"] = {
        {"from", p.clustering->from}, {"to", p.clustering->to}, {"rate", -p.clustering->rate}};
  return json;
}

nlohmann::json summary_of(const MeanFieldSetup& s, const MeanFieldTrajectory& trajectory) {
  const MeanFieldRegimes regimes = regimes_of(trajectory);
  nlohmann::json rates = nlohmann::json::object(), theory = nlohmann::json::object();
  for (const ModeGrowth& g : rates_of(s, regimes)) {
    rates[std::to_string(g.k)] = g.rate;
    if (!s.field.perceptron) theory[std::to_string(g.k)] = predicted(s.field, g.k);
  }
  nlohmann::json stopped;
  if (!trajectory.outcome.ok())
    stopped = {{"t", trajectory.outcome.t}, {"why", trajectory.outcome.what}};
  return {{"t", trajectory.outcome.t},
          {"energy", trajectory.steps.back().energy},
          {"energy_of", has_potential(s.field) ? "attention and perceptron" : "attention"},
          {"order", trajectory.steps.back().order},
          {"growth_rates", rates},
          {"predicted_rates", theory},
          {"phases", regimes_json(regimes)},
          {"stopped", stopped},
          {"steps", trajectory.steps.size() - 1}};
}

void print_regimes(const Flags& flags, const MeanFieldSetup& s,
                   const MeanFieldTrajectory& trajectory) {
  const MeanFieldRegimes p = regimes_of(trajectory);
  for (const ModeGrowth& g : rates_of(s, p))
    print_message(flags, fmt::format("mode {}: rate {:.6g}{}", g.k, g.rate,
                                     s.field.perceptron ? ""
                                                        : fmt::format(", predicted {:.6g}",
                                                                      predicted(s.field, g.k))));
  if (p.linear && p.growth.empty() && has_rates(s))
    print_message(flags, "no rate is printed: this needs three steps in which only one mode grows");
  if (p.linear)
    print_message(
        flags, fmt::format("{} t = {:.4g}, mode {} leads",
                           p.linear->until ? "linear until" : "still linear at",
                           p.linear->until.value_or(trajectory.steps.back().t), p.linear->leader));
  if (p.metastable)
    print_message(flags, fmt::format("the energy stays at {:.6g} from t = {:.4g} to {:.4g}",
                                     p.plateau, p.metastable->first, p.metastable->second));
  if (p.clustering)
    print_message(flags, fmt::format("towards one point at rate {:.4g} from t = {:.4g}",
                                     -p.clustering->rate, p.clustering->from));
  print_message(
      flags, fmt::format("t = {:g}, energy {:.6g}{}, order {:.6g}, {} steps", trajectory.outcome.t,
                         trajectory.steps.back().energy,
                         s.field.perceptron && !has_potential(s.field) ? " of attention only" : "",
                         trajectory.steps.back().order, trajectory.steps.size() - 1));
}

std::string csv_of(const Bifurcation& b) {
  std::string csv = "kappa,up,down\n";
  for (std::size_t i = 0; i < b.kappa.size(); ++i)
    csv += fmt::format("{},{},{}\n", b.kappa[i], b.up[i], b.down[i]);
  return csv;
}

// Computes the diagram, and writes a table (-o FILE.csv) or draws it, depending on the ending of
// -o.
int bifurcate(const Flags& flags, const MeanFieldSetup& s) {
  const fs::path out = flags.out.empty() ? fs::path() : output_path(flags);
  const std::string ending = out.extension().string();
  const bool drawn = ending == ".svg" || ending == ".png" || ending == ".pdf";
  if (!out.empty() && !drawn && ending != ".csv")
    throw_usage_error("a diagram is a table or a figure", "let -o end in .csv, .svg, .png or .pdf");
  const Bifurcation b = bifurcation({s.field.d, s.field.beta}, *s.kappas);
  const double critical = theory::noise_threshold(s.field.d, s.field.beta);
  const picture::Signature signature(
      recipe_of({.seed = s.seed, .words = picture_arguments(program_argv)}));
  if (drawn)
    draw(bifurcation_figure(b, critical), out);
  else if (!out.empty())
    write_file_atomically(out, csv_of(b));
  if (flags.json)
    print_json({{"kappa", b.kappa},
                {"up", b.up},
                {"down", b.down},
                {"onset", b.onset},
                {"fold", b.fold},
                {"transition", b.transition},
                {"jump", b.jump},
                {"hysteretic", b.hysteretic},
                {"predicted_onset", critical},
                {"continuous_until", theory::continuous_until(s.field.d)}});
  else if (out.empty())
    print_text(csv_of(b));
  print_message(
      flags, fmt::format("order sets in at kappa = {:.5g} (beta / lambda_1 = {:.5g}), {}", b.onset,
                         critical,
                         b.hysteretic ? fmt::format("with a jump to {:.3g}, and persists down to "
                                                    "kappa = {:.6g}; below {:.6g} the uniform law "
                                                    "has the greater free energy",
                                                    b.jump, b.fold, b.transition)
                                      : std::string("continuously")));
  return 0;
}

RunContents contents_of(const MeanFieldSetup& s) {
  RunContents c;
  c.config = s.config;
  c.inputs = s.inputs;
  c.columns = meanfield_columns();
  c.shape = {1, s.field.d};
  c.command = "meanfield";
  c.argv = program_argv;
  c.engine = s.method.solver == MeanFieldMethod::spectral ? "spectral"
             : !moves_swarm(s.field, s.method)            ? "pairs"
             : s.field.d == 2                             ? "moments"
                                                          : "simd f64";
  c.seed = s.seed;
  c.outputs = meanfield_outputs();
  c.outputs.emplace_back("phases.json");
  return c;
}

// Simulates, writes the files of the run, draws it and closes it.
MeanFieldTrajectory simulate_and_close(const Flags& flags, const MeanFieldSetup& s, Run& run) try {
  LiveProcess process(flags);
  const MeanFieldTrajectory trajectory = simulate(s, run, process.control);
  process.clear();
  const bool interrupted = trajectory.outcome.ending == Ending::interrupted;
  write_file_atomically(run.directory() / "phases.json",
                        json_text(summary_of(s, trajectory), 2) + "\n");
  const bool at_start =
      trajectory.outcome.ending == Ending::unresolved && trajectory.outcome.t == 0;
  if (!interrupted && !at_start)
    draw_or_print_error(run.directory(), "the mean field is not drawn",
                        [&] { draw_meanfield(run.directory(), FigureStyle::paper); });
  run.close(
      trajectory.outcome.ok() ? "done"
      : interrupted           ? "interrupted"
                              : "failed",
      {{"t", trajectory.outcome.t}, {"evaluations", static_cast<double>(trajectory.evaluations)}},
      trajectory.outcome.what);
  return trajectory;
} catch (...) {  // probably a full disk or no memory
  close_after_exception(run, {});
  throw;
}

int simulate_and_report(const Flags& flags, const MeanFieldSetup& s, Run& run) {
  const MeanFieldTrajectory trajectory = simulate_and_close(flags, s, run);
  nlohmann::json summary = summary_of(s, trajectory);
  summary["evaluations"] = trajectory.evaluations;
  print_run(flags, run.directory(), summary);
  if (trajectory.outcome.ending == Ending::interrupted)
    return print_stopped(flags, resume_command("meanfield", run.directory()),
                         fmt::format("t = {:g}", trajectory.outcome.t));
  print_regimes(flags, s, trajectory);
  if (trajectory.outcome.ok()) return 0;
  throw Error(Fault::numerical, trajectory.outcome.what,
              fmt::format("{}: t = {:g}", run.directory().string(), trajectory.outcome.t),
              trajectory.outcome.remedy);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  if (!flags.resume.empty()) return resume_named_run(meanfield_kind(), flags, arguments);
  const MeanFieldSetup s =
      make_meanfield(settings_of(arguments, meanfield_parameters(), "meanfield"));
  if (s.kappas) return bifurcate(flags, s);
  Run kept = create_run(flags, s.name, contents_of(s));
  return simulate_and_report(flags, s, kept);
}

// Frames of a mean field on the circle: one particle per cell, with the mass of the cell.
History frames_of_densities(const RunReader& run) {
  const Array cells = read_npy(run.directory() / "grid.npy");
  const Array densities = read_npy(run.directory() / "density.npy");
  const bool fits = cells.shape.size() == 2 && densities.shape.size() == 2 &&
                    densities.shape[1] == cells.shape[0] && densities.shape[0] > 0;
  if (!fits || cells.shape[1] != 2)
    throw Error(Fault::input, "only densities on the circle can be compared with a swarm",
                run.directory().string(), "use a mean field with d = 2");
  const int n = static_cast<int>(cells.shape[0]);
  const auto x = std::make_shared<HostSwarm>(from_rows({n, 2}, cells.doubles().data()));
  const auto rows = std::make_shared<std::vector<double>>(densities.doubles());
  return {static_cast<std::int64_t>(densities.shape[0]),
          [times = run.times()](std::int64_t k) { return times[k]; },
          [=](std::int64_t k) {
            HostSwarm frame = *x;
            double sum = 0;
            for (int i = 0; i < n; ++i)
              sum += frame.mass[i] = std::fmax(0, (*rows)[k * static_cast<std::int64_t>(n) + i]);
            for (double& m : frame.mass) m /= sum;
            return frame;
          }};
}

// Continues from the last checkpoint to the original T, or to a larger one.
int resume(const Flags& flags, const fs::path& directory, const Arguments& arguments) {
  const auto next = resumed(flags, directory, arguments,
                            settings_of_run(directory, {}, meanfield_parameters()), make_meanfield);
  if (!next) return 0;
  const RunContents contents = contents_of(next->setup);
  Run kept = Run::reopen(directory, program_argv, &contents, next->changed);
  return simulate_and_report(flags, next->setup, kept);
}

}  // namespace

RunKind meanfield_kind() {
  return {.command = "meanfield",
          .noun = "meanfield",
          .parameters = meanfield_parameters,
          .resume = resume,
          .no_frames = {"this run is a mean field: it keeps densities, and no swarm",
                        "see its density.npy and figures/, or use murmur report; murmur measure "
                        "SWARM show=distance to=RUN compares it with a swarm"},
          .measures = frames_of_densities,
          .report = report_meanfield};
}

Command meanfield_command() {
  return {"meanfield", "Simulate a measure of infinitely many tokens over time.",
          "  murmur meanfield d=2 beta=5 dynamics=USA init=mode:3:1e-4 T=0.3\n"
          "  murmur meanfield beta=9 init=modes:1-12:1e-6 T=60 solver=quantiles\n"
          "  murmur meanfield d=3 beta=5 init=vmf:4@0.5/0*0.7,4@2/1*0.3 modes=48 T=1.5\n"
          "  murmur meanfield d=64 beta=5 init=mode:1:1e-4 T=30 solver=quantiles\n"
          "  murmur meanfield dynamics=causal beta=4 prefix=0.1:vmf:20@0 init=uniform T=1\n"
          "  murmur meanfield dynamics=USA beta=4 kappa=0.3:0.6:61 -o bifurcation.svg\n"
          "  murmur meanfield --resume runs/mine T=200",
          [](Options& sub, Flags& flags) {
            sub.add_resume(flags, "continue a run");
            sub.add_checkpoint(flags);
          },
          run};
}

}  // namespace murmur::app
