// train.cpp: murmur train: teaches a swarm to read digits, or goes on with a training.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "murmur/training.h"
#include "progress.h"
#include "run/compare.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

fs::path data_folder(const std::string& asked) {
  const char* variable = std::getenv("MURMUR_DATA");
  return find_data(
      {asked == "auto" ? "" : asked, variable == nullptr ? "" : variable, data_home()});
}

namespace {

// Sentences are in no folder.
fs::path folder_for(const Training& t) {
  return reads_words(t.task) ? fs::path() : data_folder(t.data);
}

nlohmann::json to_json(const fs::path& run, const TrainingSummary& s) {
  return {{"run", run.string()},
          {"status", "done"},
          {"test_accuracy", s.test_accuracy},
          {"validation_accuracy", std::isfinite(s.validation_accuracy)
                                      ? nlohmann::json(s.validation_accuracy)
                                      : nlohmann::json(nullptr)},
          {"images_per_second", s.images_per_second},
          {"epochs", s.epochs},
          {"seconds", s.seconds},
          {"seed", s.seed},
          {"parameters", s.parameters}};
}

void tell_summary(const Flags& flags, const fs::path& run, const TrainingSummary& s) {
  if (flags.json)
    report(to_json(run, s));
  else
    data(run.string() + "\n");
  say(flags, fmt::format("test accuracy {:.2f} % ({} of {}), {} parameters, {} epochs, "
                         "{:.0f} images/s, {}",
                         100 * s.test_accuracy, s.test_correct, s.test_count, s.parameters,
                         s.epochs, s.images_per_second, duration_text(s.seconds)));
  for (const Settling& row : s.settling)
    say(flags, fmt::format("behind {:3} blocks: {:.2f} % right, spread {:.3f}, distance to the "
                           "target {:.2f} of 10",
                           row.blocks, 100 * row.accuracy, row.spread, row.distance));
}

int dry_run(const Flags& flags, const Training& t) {
  const Architecture& a = t.architecture;
  const std::size_t parameters = parameter_count(t);
  if (flags.json)
    report({{"config", t.config}, {"parameters", parameters}, {"epochs", t.epochs}});
  else
    data(fmt::format("{}# {} parameters, {} blocks, {} epochs\n", t.config, parameters, a.blocks,
                     t.epochs));
  return 0;
}

int train_and_report(const Flags& flags, const Training& t, const TrainingData& pictures,
                     Run& run) {
  std::optional<TrainingSummary> summary;
  {
    LiveProcess process(flags);
    summary = train(t, pictures, run, process.control);
  }
  if (!summary) {
    if (flags.json)
      report({{"run", run.directory().string()}, {"status", "interrupted"}});
    else
      data(run.directory().string() + "\n");
    return tell_stopped(flags, resume_command("train", run.directory()));
  }
  tell_summary(flags, run.directory(), *summary);
  return 0;
}

// The training of a run. Runs from before these parameters existed were made with these values.
Training training_of_run(const fs::path& directory) {
  Settings words = settings_of_run(directory, {}, training_parameters());
  for (const auto& [key, value] : {std::pair{"settle_from", "half"},
                                   {"depth_law", "uniform"},
                                   {"token_share", "1"},
                                   {"stay", "0"}})
    if (words.at(key).text == "recipe") words.at(key).text = value;
  return make_training(words);
}

// Goes on from the last checkpoint; the pictures must be those it began with.
int resume(const Flags& flags, const fs::path& directory, const Words& words) {
  if (!words.plain.empty() || !words.assignments.empty())
    usage("a resumed training takes no parameters", "leave them out, or start a new run");
  if (!flags.out.empty()) usage("a resumed training stays in its run", "leave -o out");
  const Training t = training_of_run(directory);
  if (RunReader(directory).status() == "done") {
    require_whole(directory);
    tell_summary(flags, directory, read_summary(directory));
    say(flags, "the training is already finished");
    return 0;
  }
  if (flags.dry_run) return dry_run(flags, t);
  adjoint_for(t);  // refuses a device that is not there, as below
  const TrainingData pictures = gather_data(t, folder_for(t));
  const RunContents contents = contents_of(t, program_argv);
  Run run = Run::reopen(directory, program_argv, &contents);
  return train_and_report(flags, t, pictures, run);
}

void list(const RunReader& run, nlohmann::json& row) {
  const Training t = training_of_run(run.directory());
  static constexpr const char* kTasks[] = {"digits", "same", "sense", "order"};
  row["task"] = kTasks[static_cast<int>(t.task)];
  row["reader"] = t.reader == Reader::recurrent ? "recurrent" : "swarm";
  row["digits"] = reads_words(t.task) ? std::vector<int>() : t.digits;
  row["blocks"] = t.architecture.blocks;
  row["shared"] = t.architecture.shared;
  row["epochs"] = t.epochs;
  row["epoch"] = run.frames() > 0 ? run.times().back() : 0.0;
  if (run.status() == "done") row["test_accuracy"] = read_summary(run.directory()).test_accuracy;
}

std::string columns(const nlohmann::json& row) {
  const std::string reader =
      row["reader"] == "recurrent"
          ? "recurrent network   "
          : fmt::format("d={:<4} {:>3} {:<6} blocks", row["d"].get<int>(), row["blocks"].get<int>(),
                        row["shared"].get<bool>() ? "shared" : "free");
  return fmt::format("{}  epoch {} of {}, {} {}", reader, row["epoch"].get<double>(),
                     row["epochs"].get<int>(), row["task"].get<std::string>(),
                     fmt::join(row["digits"].get<std::vector<int>>(), ""));
}

// Which digits the page can ask it, and how well it knows them.
std::string page_facts(const fs::path& directory) {
  const Training training = training_of_run(directory);
  nlohmann::json facts = {{"digits", training.digits}};
  if (training.reader == Reader::recurrent) facts["model"] = nullptr;  // the page runs swarms alone
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(directory / "summary.json", ignored)))
    facts["accuracy"] = read_summary(directory).test_accuracy;
  return json_text(facts);
}

}  // namespace

RunKind train_kind() {
  return {
      .word = "train",
      .noun = "training",
      .parameters = training_parameters,
      .resume = resume,
      .free = free_training_settings(),
      .not_mine = {"this run is no training",
                   "murmur runs lists the runs; a flight goes on with murmur simulate --resume"},
      .list = list,
      .columns = columns,
      .page_facts = page_facts,
      .no_swarm =
          {"this run is a training, not a flight",
           "murmur report draws it, murmur classify asks it, murmur train --resume goes on"},
      .report = report_training,
      .check_report = [](const fs::path& directory) { read_trained_swarm(directory); }};
}

namespace {

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (!flags.resume.empty()) return resume_own(train_kind(), flags, sorted);
  const Training t = make_training(settings_of(sorted, training_parameters()));
  if (flags.dry_run) return dry_run(flags, t);
  adjoint_for(t);  // refuses a device that is not there before anything is written
  const TrainingData pictures = gather_data(t, folder_for(t));
  Run made = create_run(flags, t.name, contents_of(t, program_argv));
  return train_and_report(flags, t, pictures, made);
}

}  // namespace

Command train_command() {
  return {"train", "Teach a swarm to read digits, to compare two, or to read sentences.",
          "  murmur train blocks=2 hidden=32 epochs=2   # seconds; without parameters minutes\n"
          "  murmur train digits=0-9 shared=false blocks=2 hidden=32 epochs=2 -o runs/ten\n"
          "  murmur train recipe=published blocks=1 epochs=2 dropout=0.1\n"
          "  murmur train task=same blocks=2 hidden=32 samples=2000 epochs=2 -o runs/same\n"
          "  murmur train task=sense hidden=32 samples=2000 epochs=2   # the sense of a word\n"
          "  murmur train reader=recurrent blocks=2 hidden=32 epochs=1   # a recurrent network\n"
          "  murmur train --resume runs/ten",
          [](Options& sub, Flags& flags) {
            sub.add_option("--resume", flags.resume, "go on with a training").type_name("RUN");
            sub.add_flag("--dry-run", flags.dry_run, "resolved parameters, nothing run");
            sub.add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
                .range(0.0, 10.0);
          },
          run};
}

}  // namespace murmur::app
