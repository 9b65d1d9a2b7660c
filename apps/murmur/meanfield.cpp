// meanfield.cpp: murmur meanfield: carries a measure of infinitely many tokens through time.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiment/meanfield_setup.h"
#include "murmur/error.h"
#include "murmur/theory.h"
#include "progress.h"
#include "recipe.h"
#include "recipe_words.h"
#include "report/figures.h"
#include "resume.h"
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

// Laws of all labels are one, so that modes grow exponentially, unless attention is causal and
// either a prefix or USA tells labels apart.
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

void tell(const Flags& flags, const MeanFieldSetup& s, const MeanFieldTrajectory& trajectory) {
  const MeanFieldRegimes p = regimes_of(trajectory);
  for (const ModeGrowth& g : rates_of(s, p))
    say(flags,
        fmt::format(
            "mode {}: rate {:.6g}{}", g.k, g.rate,
            s.field.perceptron ? "" : fmt::format(", predicted {:.6g}", predicted(s.field, g.k))));
  if (p.linear && p.growth.empty() && has_rates(s))
    say(flags, "no rate is told: that takes three steps in which a wave grows by itself alone");
  if (p.linear)
    say(flags, fmt::format("{} t = {:.4g}, mode {} leads",
                           p.linear->until ? "linear until" : "still linear at",
                           p.linear->until.value_or(trajectory.steps.back().t), p.linear->leader));
  if (p.metastable)
    say(flags, fmt::format("the energy stands at {:.6g} from t = {:.4g} to {:.4g}", p.plateau,
                           p.metastable->first, p.metastable->second));
  if (p.clustering)
    say(flags, fmt::format("towards one point at rate {:.4g} from t = {:.4g}", -p.clustering->rate,
                           p.clustering->from));
  say(flags, fmt::format("t = {:g}, energy {:.6g}{}, order {:.6g}, {} steps", trajectory.outcome.t,
                         trajectory.steps.back().energy,
                         s.field.perceptron && !has_potential(s.field) ? " of attention alone" : "",
                         trajectory.steps.back().order, trajectory.steps.size() - 1));
}

std::string csv_of(const Bifurcation& b) {
  std::string csv = "kappa,up,down\n";
  for (std::size_t i = 0; i < b.kappa.size(); ++i)
    csv += fmt::format("{},{},{}\n", b.kappa[i], b.up[i], b.down[i]);
  return csv;
}

// -o FILE.csv, or the diagram itself by its ending.
int bifurcate(const Flags& flags, const MeanFieldSetup& s) {
  const fs::path out = flags.out.empty() ? fs::path() : output_file(flags);
  const std::string ending = out.extension().string();
  const bool drawn = ending == ".svg" || ending == ".png" || ending == ".pdf";
  if (!out.empty() && !drawn && ending != ".csv")
    usage("a diagram is a table or a figure", "let -o end in .csv, .svg, .png or .pdf");
  const Bifurcation b = bifurcation({s.field.d, s.field.beta}, *s.kappas);
  const double critical = theory::noise_threshold(s.field.d, s.field.beta);
  const picture::Signature signature(
      recipe_of({.seed = s.seed, .words = telling_words(program_argv)}));
  if (drawn)
    draw(bifurcation_figure(b, critical), out);
  else if (!out.empty())
    write_file_atomically(out, csv_of(b));
  if (flags.json)
    report({{"kappa", b.kappa},
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
    data(csv_of(b));
  say(flags, fmt::format("order sets in at kappa = {:.5g} (beta / lambda_1 = {:.5g}), {}", b.onset,
                         critical,
                         b.hysteretic ? fmt::format("with a jump to {:.3g}, and lives on down to "
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

void try_to_draw(const fs::path& directory) try {
  const picture::Signature signature(recipe_of(ingredients_of(RunReader(directory), {})));
  draw_meanfield(directory, FigureStyle::paper);
} catch (const Error& error) {
  complain_undrawn("the mean field is not drawn", error);
}

// Carries the measure into the run and closes it over all its files, so that a closed run is whole.
MeanFieldTrajectory simulate_and_close(const Flags& flags, const MeanFieldSetup& s, Run& run) try {
  LiveProcess process(flags);
  const MeanFieldTrajectory trajectory = simulate(s, run, process.control);
  process.clear();
  const bool interrupted = trajectory.outcome.ending == Ending::interrupted;
  write_file_atomically(run.directory() / "phases.json",
                        json_text(summary_of(s, trajectory), 2) + "\n");
  const bool nowhere = trajectory.outcome.ending == Ending::unresolved && trajectory.outcome.t == 0;
  if (!interrupted && !nowhere) try_to_draw(run.directory());
  run.close(
      trajectory.outcome.ok() ? "done"
      : interrupted           ? "interrupted"
                              : "failed",
      {{"t", trajectory.outcome.t}, {"evaluations", static_cast<double>(trajectory.evaluations)}},
      trajectory.outcome.what);
  return trajectory;
} catch (...) {  // the disk or the memory, most likely
  close_after_exception(run, {});
  throw;
}

int carry_and_report(const Flags& flags, const MeanFieldSetup& s, Run& run) {
  const MeanFieldTrajectory trajectory = simulate_and_close(flags, s, run);
  const std::string directory = run.directory().string();
  if (flags.json) {
    nlohmann::json summary = summary_of(s, trajectory);
    summary["run"] = directory;
    summary["evaluations"] = trajectory.evaluations;
    report(summary);
  } else {
    data(directory + "\n");
  }
  if (trajectory.outcome.ending == Ending::interrupted)
    return tell_stopped(flags, resume_command("meanfield", run.directory()),
                        fmt::format("t = {:g}", trajectory.outcome.t));
  tell(flags, s, trajectory);
  if (trajectory.outcome.ok()) return 0;
  throw Error(Fault::numerical, trajectory.outcome.what,
              fmt::format("{}: t = {:g}", directory, trajectory.outcome.t),
              trajectory.outcome.remedy);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (!flags.resume.empty()) return resume_own(meanfield_kind(), flags, sorted);
  const MeanFieldSetup s = make_meanfield(settings_of(sorted, meanfield_parameters(), "meanfield"));
  if (s.kappas) return bifurcate(flags, s);
  Run kept = create_run(flags, s.name, contents_of(s));
  return carry_and_report(flags, s, kept);
}

// Densities of a mean field on the circle: particles at the cells, as heavy as what the cells hold.
History frames_of_densities(const RunReader& run) {
  const Array cells = read_npy(run.directory() / "grid.npy");
  const Array densities = read_npy(run.directory() / "density.npy");
  const bool fits = cells.shape.size() == 2 && densities.shape.size() == 2 &&
                    densities.shape[1] == cells.shape[0] && densities.shape[0] > 0;
  if (!fits || cells.shape[1] != 2)
    throw Error(Fault::input, "only densities on the circle can be held against a swarm",
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

// Goes on from the last checkpoint to the original T, or to a larger one.
int resume(const Flags& flags, const fs::path& directory, const Words& words) {
  const auto on = resumed(flags, directory, words,
                          settings_of_run(directory, {}, meanfield_parameters()), make_meanfield);
  if (!on) return 0;
  const RunContents contents = contents_of(on->setup);
  Run kept = Run::reopen(directory, program_argv, &contents, on->changed);
  return carry_and_report(flags, on->setup, kept);
}

}  // namespace

RunKind meanfield_kind() {
  return {.word = "meanfield",
          .noun = "meanfield",
          .parameters = meanfield_parameters,
          .resume = resume,
          .no_frames = {"this run is a mean field: it keeps densities, and no swarm",
                        "see its density.npy and figures/, or use murmur report; murmur measure "
                        "SWARM show=distance to=RUN compares"},
          .measures = frames_of_densities,
          .report = report_meanfield};
}

Command meanfield_command() {
  return {"meanfield", "Carry a measure of infinitely many tokens through time.",
          "  murmur meanfield d=2 beta=5 dynamics=USA init=mode:3:1e-4 T=0.3\n"
          "  murmur meanfield beta=9 init=modes:1-12:1e-6 T=60 solver=quantiles\n"
          "  murmur meanfield d=3 beta=5 init=vmf:4@0.5/0*0.7,4@2/1*0.3 modes=48 T=1.5\n"
          "  murmur meanfield d=64 beta=5 init=mode:1:1e-4 T=30 solver=quantiles\n"
          "  murmur meanfield dynamics=causal beta=4 prefix=0.1:vmf:20@0 init=uniform T=1\n"
          "  murmur meanfield dynamics=USA beta=4 kappa=0.3:0.6:61 -o bifurcation.svg\n"
          "  murmur meanfield --resume runs/mine T=200",
          [](Options& sub, Flags& flags) {
            sub.add_option("--resume", flags.resume, "go on with a run").type_name("RUN");
            sub.add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
                .range(0.0, 10.0);
          },
          run};
}

}  // namespace murmur::app
