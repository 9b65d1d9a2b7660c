// meanfield.cpp: murmur meanfield: carries a measure of infinitely many tokens through time.
#include "meanfield.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "murmur/formats.h"
#include "murmur/meanfield_setup.h"
#include "murmur/theory.h"
#include "progress.h"
#include "report/figures.h"
#include "resume.h"

namespace murmur::app {

namespace fs = std::filesystem;

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
  for (const ModeGrowth& g : regimes.growth) {
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
  for (const ModeGrowth& g : p.growth)
    say(flags,
        fmt::format(
            "mode {}: rate {:.6g}{}", g.k, g.rate,
            s.field.perceptron ? "" : fmt::format(", predicted {:.6g}", predicted(s.field, g.k))));
  if (p.linear && p.growth.empty())
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
            {"jump", b.jump},
            {"hysteretic", b.hysteretic},
            {"predicted_onset", critical},
            {"continuous_until", theory::continuous_until(s.field.d)}});
  else if (out.empty())
    data(csv_of(b));
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
  c.columns = meanfield_columns();
  c.shape = {1, s.field.d};
  c.command = "meanfield";
  c.argv = program_argv;
  c.engine = s.method.solver == MeanFieldMethod::spectral ? "spectral"
             : s.field.d == 2                             ? "moments"
                                                          : "simd f64";
  c.seed = s.seed;
  return c;
}

void try_to_draw(const fs::path& directory) try {
  draw_meanfield(directory, FigureStyle::paper);
} catch (const Error& error) {
  fmt::print(stderr, "murmur: the mean field is not drawn: {}\n  where: {}\n  do:    {}\n",
             error.summary, error.where, error.remedy);
}

// What goes wrong in mid-flight closes the run, if that can still be done, before it is told.
void close_failed(Run& run, const std::string& sentence) try {
  run.close("failed", {}, sentence);
} catch (const Error&) {
}

// Flies into the run and closes it over all its files, so that a closed run is a whole one.
MeanFieldTrajectory simulate_and_close(const Flags& flags, const MeanFieldSetup& s, Run& run) try {
  const SignalWatch watch;
  MeanFieldTrajectory trajectory;
  {
    ProgressLine line(flags);
    ProcessControl control;
    control.signal = &caught_signal;
    control.checkpoint_seconds = flags.checkpoint_seconds;
    control.report = [&](const Progress& progress) { line.show(progress); };
    trajectory = simulate(s, run, control);
  }
  const bool interrupted = trajectory.outcome.ending == Ending::interrupted;
  write_file_atomically(run.directory() / "phases.json", summary_of(s, trajectory).dump(2) + "\n");
  const bool nowhere = trajectory.outcome.ending == Ending::unresolved && trajectory.outcome.t == 0;
  if (!interrupted && !nowhere) try_to_draw(run.directory());
  run.close(
      trajectory.outcome.ok() ? "done"
      : interrupted           ? "interrupted"
                              : "failed",
      {{"t", trajectory.outcome.t}, {"evaluations", static_cast<double>(trajectory.evaluations)}},
      trajectory.outcome.what);
  return trajectory;
} catch (const Error& error) {  // the disk, most likely
  close_failed(run, error.summary);
  throw;
} catch (const std::exception& error) {  // memory
  close_failed(run, error.what());
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
  if (trajectory.outcome.ending == Ending::interrupted) {
    say(flags, fmt::format("stopped at t = {:g} after a checkpoint; go on with\n"
                           "  murmur meanfield --resume {}",
                           trajectory.outcome.t, directory));
    return 128 + caught_signal;
  }
  tell(flags, s, trajectory);
  if (trajectory.outcome.ok()) return 0;
  throw Error(Fault::numerical, trajectory.outcome.what,
              fmt::format("{}: t = {:g}", directory, trajectory.outcome.t),
              trajectory.outcome.remedy);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (!flags.resume.empty()) return resume_meanfield(flags, flags.resume, sorted);
  const MeanFieldSetup s = make_meanfield(settings_of(sorted, meanfield_parameters(), "meanfield"));
  if (s.kappas) return bifurcate(flags, s);
  Run kept = create_run(flags, s.name, contents_of(s));
  return carry_and_report(flags, s, kept);
}

}  // namespace

// Goes on from the last checkpoint to the original T, or to a larger one.
int resume_meanfield(const Flags& flags, const std::string& word, const Words& words) {
  const fs::path directory = find_run(flags, word);
  require_command(directory, "meanfield");
  const auto on = resumed(flags, directory, words,
                          settings_of_run(directory, {}, meanfield_parameters()), make_meanfield);
  if (!on) return 0;
  Run kept = Run::reopen(directory, program_argv);
  if (on->longer) write_file_atomically(directory / "config.toml", on->setup.config);
  return carry_and_report(flags, on->setup, kept);
}

Command meanfield_command() {
  return {"meanfield", "Carry a measure of infinitely many tokens through time.",
          "  murmur meanfield d=2 beta=5 dynamics=USA init=mode:3:1e-4 T=0.3\n"
          "  murmur meanfield beta=9 init=modes:1-12:1e-6 T=60 solver=quantiles\n"
          "  murmur meanfield d=3 beta=5 init=vmf:4@0.5/0*0.7,4@2/1*0.3 modes=48 T=1.5\n"
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
