// train.cpp: murmur train: trains a swarm to read digits or sentences.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "murmur/training.h"
#include "output.h"
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

// The folder of the pictures; empty for a task without pictures.
fs::path folder_for(const Training& t) {
  return reads_words(t.task) ? fs::path() : data_folder(t.data);
}

nlohmann::json json_of(const TrainingSummary& s) {
  return {{"status", "done"},
          {"test_accuracy", s.test_accuracy},
          {"validation_accuracy", finite_or_null(s.validation_accuracy)},
          {"images_per_second", s.images_per_second},
          {"epochs", s.epochs},
          {"seconds", s.seconds},
          {"seed", s.seed},
          {"parameters", s.parameters}};
}

void print_summary(const Flags& flags, const fs::path& run, const TrainingSummary& s) {
  print_run(flags, run, json_of(s));
  print_message(flags,
                fmt::format("test accuracy {:.2f} % ({} of {}), {} parameters, {} epochs, "
                            "{:.0f} images/s, {}",
                            100 * s.test_accuracy, s.test_correct, s.test_count, s.parameters,
                            s.epochs, s.images_per_second, duration_text(s.seconds)));
  for (const Settling& row : s.settling)
    print_message(flags,
                  fmt::format("after {:3} blocks: {:.2f} % right, spread {:.3f}, distance to the "
                              "target {:.2f} of 10",
                              row.blocks, 100 * row.accuracy, row.spread, row.distance));
}

int dry_run(const Flags& flags, const Training& t) {
  const Architecture& a = t.architecture;
  const std::size_t parameters = parameter_count(t);
  print_result(flags, {{"config", t.config}, {"parameters", parameters}, {"epochs", t.epochs}},
               fmt::format("{}# {} parameters, {} blocks, {} epochs\n", t.config, parameters,
                           a.blocks, t.epochs));
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
    print_run(flags, run.directory(), {{"status", "interrupted"}});
    return print_stopped(flags, resume_command("train", run.directory()));
  }
  print_summary(flags, run.directory(), *summary);
  return 0;
}

// The training of a run. Runs that are older than these parameters used these values.
Training training_of_run(const fs::path& directory) {
  Settings words = settings_of_run(directory, {}, training_parameters());
  for (const auto& [key, value] : {std::pair{"settle_from", "half"},
                                   {"depth_law", "uniform"},
                                   {"token_share", "1"},
                                   {"stay", "0"}})
    if (words.at(key).text == "recipe") words.at(key).text = value;
  return make_training(words);
}

// Continues from the last checkpoint; the pictures must be the same.
int resume(const Flags& flags, const fs::path& directory, const Arguments& arguments) {
  require_no_changes(flags, arguments, "training");
  const Training t = training_of_run(directory);
  if (RunReader(directory).status() == "done") {
    require_whole(directory);
    print_summary(flags, directory, read_summary(directory));
    print_message(flags, "the training is already finished");
    return 0;
  }
  if (flags.dry_run) return dry_run(flags, t);
  adjoint_for(t);  // refuses a missing device
  const TrainingData pictures = gather_data(t, folder_for(t));
  const RunContents contents = contents_of(t, program_argv);
  Run run = Run::reopen(directory, program_argv, &contents);
  return train_and_report(flags, t, pictures, run);
}

void list(const RunReader& run, nlohmann::json& row) {
  const Training t = training_of_run(run.directory());
  row["task"] = name_of(t.task);
  row["reader"] = name_of(t.reader);
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

// The digits that the page can ask about, and the accuracy.
std::string page_facts(const fs::path& directory) {
  const Training training = training_of_run(directory);
  nlohmann::json facts = {{"digits", training.digits}};
  if (training.reader == Reader::recurrent) facts["model"] = nullptr;  // the page runs only swarms
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(directory / "summary.json", ignored)))
    facts["accuracy"] = read_summary(directory).test_accuracy;
  return json_text(facts);
}

}  // namespace

RunKind train_kind() {
  return {
      .command = "train",
      .noun = "training",
      .parameters = training_parameters,
      .resume = resume,
      .free = free_training_settings(),
      .wrong_kind = {"this run is no training",
                     "murmur runs lists the runs; murmur simulate --resume continues a simulation"},
      .list = list,
      .columns = columns,
      .page_facts = page_facts,
      .no_swarm =
          {"this run is a training, not a simulation",
           "murmur report draws it, murmur classify uses it, murmur train --resume continues it"},
      .report = report_training,
      .check_report = [](const fs::path& directory) { read_trained_swarm(directory); }};
}

namespace {

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  if (!flags.resume.empty()) return resume_named_run(train_kind(), flags, arguments);
  const Training t = make_training(settings_of(arguments, training_parameters()));
  if (flags.dry_run) return dry_run(flags, t);
  adjoint_for(t);  // refuses a missing device before anything is written
  const TrainingData pictures = gather_data(t, folder_for(t));
  Run made = create_run(flags, t.name, contents_of(t, program_argv));
  return train_and_report(flags, t, pictures, made);
}

}  // namespace

Command train_command() {
  return {"train", "Train a swarm to read digits, to compare two pictures, or to read sentences.",
          "  murmur train blocks=2 hidden=32 epochs=2   # seconds; without parameters minutes\n"
          "  murmur train digits=0-9 shared=false blocks=2 hidden=32 epochs=2 -o runs/ten\n"
          "  murmur train recipe=published blocks=1 epochs=2 dropout=0.1\n"
          "  murmur train task=same blocks=2 hidden=32 samples=2000 epochs=2 -o runs/same\n"
          "  murmur train task=sense hidden=32 samples=2000 epochs=2   # the sense of a word\n"
          "  murmur train reader=recurrent blocks=2 hidden=32 epochs=1   # a recurrent network\n"
          "  murmur train --resume runs/ten",
          [](Options& sub, Flags& flags) {
            sub.add_resume(flags, "continue a training");
            sub.add_flag("--dry-run", flags.dry_run, "print the resolved parameters, run nothing");
            sub.add_checkpoint(flags);
          },
          run};
}

}  // namespace murmur::app
