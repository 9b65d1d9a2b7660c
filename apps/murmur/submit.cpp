// submit.cpp: murmur submit: writes the script of a Slurm job and hands it in.
#include <fmt/format.h>

#include <algorithm>

#include "command.h"
#include "murmur/error.h"
#include "prepared_sweep.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/shell.h"
#include "slurm.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct Asked {
  int ranks = 1, nodes = 0, cpus = 1, array = 0;
  std::string time{}, partition{}, account{}, launcher = "srun --mpi=pmix";
};
Asked asked;

// A value of a line that Slurm reads: it knows plain quotation marks, and no control characters.
std::string in_one_line(const std::string& name, const std::string& value) {
  const std::string word = shell_word(value);
  if (word.starts_with('$'))
    usage(fmt::format("{} holds control characters", name), "leave them out");
  return word;
}

// Several words, as a shell takes them.
std::string launcher() {
  if (asked.launcher.find_first_of("\n\r") != std::string::npos)
    usage("--launcher holds the end of a line", "leave it out");
  return asked.launcher;
}

std::string program_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

// What a job runs, and where it leaves what it makes.
struct Plan {
  fs::path run{};       // the directory of the run
  std::string first{};  // the command that begins it
  std::string again{};  // the one that goes on with it, should the job be started twice
  int tasks = 0;        // of an array; 0: none
};

std::string script_of(const Plan& plan, const std::string& command) {
  const std::string name = in_one_line("the name of the run", plan.run.filename().string());
  std::string text = fmt::format("#!/bin/bash\n# {}\n#SBATCH --job-name={}\n", command, name);
  const auto option = [&](const char* key, const std::string& value) {
    text += fmt::format("#SBATCH --{}={}\n", key, in_one_line(fmt::format("--{}", key), value));
  };
  option("output", fs::absolute(plan.run).string() + (plan.tasks > 0 ? ".%a.out" : ".out"));
  option("chdir", fs::current_path().string());
  option("ntasks", std::to_string(plan.tasks > 0 ? 1 : asked.ranks));
  option("cpus-per-task", std::to_string(asked.cpus));
  if (asked.nodes > 0) option("nodes", std::to_string(asked.nodes));
  if (plan.tasks > 0) option("array", fmt::format("0-{}", plan.tasks - 1));
  if (!asked.time.empty()) option("time", asked.time);
  if (!asked.partition.empty()) option("partition", asked.partition);
  if (!asked.account.empty()) option("account", asked.account);
  const std::string launch = plan.tasks > 0 || asked.ranks == 1 ? "" : launcher() + " ";
  const std::string murmur = launch + shell_word(program_path());
  if (!plan.again.empty())
    text += fmt::format("if [ -e {} ]; then exec {} {}; fi\n",
                        shell_word((fs::absolute(plan.run) / "manifest.json").string()), murmur,
                        plan.again);
  return text + fmt::format("exec {} {}\n", murmur, plan.first);
}

bool gives_threads(const Words& words) {
  return std::any_of(words.assignments.begin(), words.assignments.end(),
                     [](const std::string& a) { return a.rfind("threads=", 0) == 0; });
}

// The lowest number that neither a run nor a job has.
fs::path free_place(const Flags& flags, const std::string& name, std::uint64_t seed) {
  if (!flags.out.empty()) return flags.out;
  std::error_code ignored;
  for (std::uint64_t number = 1;; ++number) {
    const fs::path path = fs::path(flags.runs) / fmt::format("{}-{}-{}", name, seed, number);
    if (!fs::exists(path, ignored) && !fs::exists(job_path(path), ignored)) return path;
  }
}

Plan plan_simulation(const Flags& flags, std::vector<std::string> words) {
  const ExperimentSpec spec = spec_of(settings_of(sort_words(words)));
  if (!gives_threads(sort_words(words))) words.push_back(fmt::format("threads={}", asked.cpus));
  Plan plan{.run = free_place(flags, spec.name, spec.random.seed)};
  const std::string place = shell_word(fs::absolute(plan.run).string());
  plan.first = "simulate";
  for (const std::string& word : words) plan.first += " " + shell_word(word);
  plan.first += " -o " + place;
  plan.again = "simulate --resume " + place;
  return plan;
}

Plan plan_sweep(const Flags& flags, std::vector<std::string> words) {
  if (asked.ranks > 1)
    usage("the cells of a sweep are tasks of an array", "say --array N instead of --ranks");
  if (!gives_threads(sort_words(words))) words.push_back(fmt::format("threads={}", asked.cpus));
  const PreparedSweep made = prepare_sweep(flags, words, flags.dry_run);
  const auto most = static_cast<int>(std::min<std::int64_t>(made.cells, 64));
  Plan plan{.run = made.directory, .tasks = asked.array > 0 ? asked.array : most};
  plan.first = "sweep --join " + shell_word(fs::absolute(plan.run).string());
  return plan;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty()) usage("there is nothing to submit", "murmur submit simulate n=64 --ranks 4");
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words[0] != "simulate" && words[0] != "sweep")
    usage(fmt::format("murmur {} is not submitted", words[0]), "submit simulate or sweep");
  if (asked.array > 0 && words[0] != "sweep")
    usage("--array is for the cells of a sweep", "say --ranks N to share one simulation");
  if (!flags.dry_run) require_slurm();
  const Plan plan = words[0] == "sweep" ? plan_sweep(flags, rest) : plan_simulation(flags, rest);
  std::string command = "murmur submit";
  for (const std::string& word : words) command += " " + shell_word(word);
  const std::string script = script_of(plan, command);
  if (flags.dry_run) {
    data(script);
    return 0;
  }
  make_directory(parent_of(fs::absolute(plan.run)));
  const fs::path path = plan.run.string() + ".sh";
  write_file_atomically(path, script);
  const std::string id = hand_in(path);
  remember({id, command, plan.run});
  if (flags.json)
    report({{"job", id}, {"run", plan.run.string()}, {"script", path.string()}});
  else
    data(plan.run.string() + "\n");
  say(flags, fmt::format("job {}; murmur runs shows how it is", id));
  return 0;
}

}  // namespace

Command submit_command() {
  return {"submit",
          "Hand a simulation or a sweep to Slurm.",
          "  murmur submit simulate n=1000000 d=2 T=20 --ranks 16 --time 2:00:00\n"
          "  murmur submit sweep beta=0.5:9:18 d=2,8 replicas=64 --array 8\n"
          "  murmur submit simulate staircase --dry-run",
          [](Options& sub, Flags& flags) {
            sub.add_option("--ranks", asked.ranks, "processes that share a simulation")
                .range(1, 1 << 20);
            sub.add_option("--nodes", asked.nodes,
                           "machines that they are on; 0: as Slurm sees fit")
                .range(0, 1 << 20);
            sub.add_option("--cpus", asked.cpus, "cores of each process").range(1, 4096);
            sub.add_option("--array", asked.array,
                           "tasks that do a sweep's cells; 0: one a cell, to 64")
                .range(0, 10000);
            sub.add_option("--time", asked.time, "longest time, as Slurm writes it");
            sub.add_option("--partition", asked.partition, "Slurm's partition");
            sub.add_option("--account", asked.account, "Slurm's account");
            sub.add_option("--launcher", asked.launcher, "what starts the ranks within the job")
                .show_default();
            sub.add_flag("--dry-run", flags.dry_run, "print the script, hand in nothing");
          },
          run,
          false,
          nullptr,
          parameters};
}

}  // namespace murmur::app
