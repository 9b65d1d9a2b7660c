// slurm.cpp: murmur submit, and the calls of sbatch, squeue, sacct and scontrol.
#include "slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "murmur/error.h"
#include "process.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/shell.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSuffix = ".job";

Error no_slurm() {
  return {Fault::tool, "there is no Slurm here: sbatch is not found", "PATH",
          "call this on a machine of the cluster, or start the command itself, with mpirun if "
          "several ranks are to share it; --dry-run shows the script"};
}

// PENDING, or CANCELLED by 1000, as one word in lower case.
std::string state_name(const std::string& state) {
  std::string word = state.substr(0, state.find_first_of(" +\r\n"));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::string counts_text(const std::map<std::string, int>& states) {
  if (states.size() == 1 && states.begin()->second == 1) return states.begin()->first;
  std::string line;
  for (const auto& [state, count] : states)
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, state);
  return line;
}

// Summarises lines with the state of one task each.
std::string summary_of(const std::string& lines) {
  std::map<std::string, int> states;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    if (const std::string name = state_name(line); !name.empty()) ++states[name];
  return counts_text(states);
}

// The value of every JobState=... in the output of scontrol, one per line.
std::string states_of_records(const std::string& text) {
  constexpr std::string_view key = "JobState=";
  std::string lines;
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    lines += text.substr(at + key.size(), text.find(' ', at) - at - key.size()) + "\n";
  return lines;
}

void require_slurm() {
  if (!capture_output({"sbatch", "--version"})) throw no_slurm();
}

// Passes a script to sbatch and returns the number of the job.
std::string submit_script(const fs::path& script) {
  const auto answer = capture_output({"sbatch", "--parsable", script.string()});
  if (!answer) throw no_slurm();
  if (answer->code != 0) {
    const std::string why = answer->err.substr(0, answer->err.find('\n'));
    throw Error(Fault::runtime, "Slurm refuses the job: " + why, script.string(),
                "compare the partition, the time and the number of ranks with sinfo");
  }
  return answer->out.substr(0, answer->out.find_first_of(";\n"));
}

fs::path job_path(const fs::path& run) { return run.string() + kSuffix; }

void save_job(const Job& job) {
  write_file_atomically(
      job_path(job.run),
      json_text(
          nlohmann::json{{"job", job.id}, {"command", job.command}, {"run", job.run.string()}}, 2) +
          "\n");
}

}  // namespace

std::vector<Job> jobs_below(const fs::path& runs) {
  std::vector<Job> jobs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(runs, ignored)) {
    if (entry.path().extension() != kSuffix || !entry.is_regular_file(ignored)) continue;
    nlohmann::json job;
    try {
      job = json_of_text(read_text(entry.path(), kLongestManifest));
    } catch (const Error&) {  // it cannot be read or is too long
    }
    const bool complete = job.is_object() && job.contains("job") && job["job"].is_string() &&
                          job.contains("command") && job["command"].is_string();
    if (!complete) continue;  // not a file that submit wrote
    fs::path run = entry.path();
    jobs.push_back({job["job"], job["command"], run.replace_extension("")});
  }
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.run < b.run; });
  return jobs;
}

std::optional<std::string> state_of(const Job& job) {
  const auto queued = capture_output({"squeue", "-h", "-r", "-j", job.id, "-o", "%T"});
  if (!queued) return std::nullopt;
  if (queued->code == 0 && !queued->out.empty()) return summary_of(queued->out);
  const auto kept = capture_output({"sacct", "-n", "-X", "-P", "-j", job.id, "-o", "State"});
  if (kept && kept->code == 0 && !kept->out.empty()) return summary_of(kept->out);
  const auto record = capture_output({"scontrol", "-o", "show", "job", job.id});
  const std::string states = record && record->code == 0 ? states_of_records(record->out) : "";
  return states.empty() ? "unknown" : summary_of(states);
}

namespace {

struct SubmitOptions {
  int ranks = 1, nodes = 0, cpus = 1, array = 0;
  std::string time{}, partition{}, account{}, launcher = "srun --mpi=pmix";
};
SubmitOptions options;

// Quotes a value in a line that Slurm reads: Slurm accepts plain quotation marks only, and no
// control characters.
std::string quoted_value(const std::string& name, const std::string& value) {
  const std::string word = shell_word(value);
  if (word.starts_with('$'))
    throw_usage_error(fmt::format("{} holds control characters", name), "leave them out");
  return word;
}

// The command line of --launcher, as the shell reads it.
std::string launcher() {
  if (options.launcher.find_first_of("\n\r") != std::string::npos)
    throw_usage_error("--launcher holds the end of a line", "leave it out");
  return options.launcher;
}

std::string program_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

// The commands of a job and the directory of its run.
struct Plan {
  fs::path run{};
  std::string first{};   // the command that begins the run
  std::string resume{};  // the command that continues it if the job is started twice
  int tasks = 0;         // of an array; 0: none
};

std::string script_of(const Plan& plan, const std::string& command) {
  const std::string name = quoted_value("the name of the run", plan.run.filename().string());
  std::string text = fmt::format("#!/bin/bash\n# {}\n#SBATCH --job-name={}\n", command, name);
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("#SBATCH --{}={}\n", key, quoted_value(fmt::format("--{}", key), value));
  };
  add("output", fs::absolute(plan.run).string() + (plan.tasks > 0 ? ".%a.out" : ".out"));
  add("chdir", fs::current_path().string());
  add("ntasks", std::to_string(plan.tasks > 0 ? 1 : options.ranks));
  add("cpus-per-task", std::to_string(options.cpus));
  if (options.nodes > 0) add("nodes", std::to_string(options.nodes));
  if (plan.tasks > 0) add("array", fmt::format("0-{}", plan.tasks - 1));
  if (!options.time.empty()) add("time", options.time);
  if (!options.partition.empty()) add("partition", options.partition);
  if (!options.account.empty()) add("account", options.account);
  const std::string launch = plan.tasks > 0 || options.ranks == 1 ? "" : launcher() + " ";
  const std::string murmur = launch + shell_word(program_path());
  if (!plan.resume.empty())
    text += fmt::format("if [ -e {} ]; then exec {} {}; fi\n",
                        shell_word((fs::absolute(plan.run) / "manifest.json").string()), murmur,
                        plan.resume);
  return text + fmt::format("exec {} {}\n", murmur, plan.first);
}

void add_threads(std::vector<std::string>& words) {
  if (!has_key(parse_arguments(words), "threads"))
    words.push_back(fmt::format("threads={}", options.cpus));
}

// The directory with the lowest number that is used neither by a run nor by a job.
fs::path free_directory(const Flags& flags, const std::string& name, std::uint64_t seed) {
  if (!flags.out.empty()) return flags.out;
  std::error_code ignored;
  for (std::uint64_t number = 1;; ++number) {
    const fs::path path = fs::path(flags.runs) / fmt::format("{}-{}-{}", name, seed, number);
    if (!fs::exists(path, ignored) && !fs::exists(job_path(path), ignored)) return path;
  }
}

Plan plan_simulation(const Flags& flags, std::vector<std::string> words) {
  const ExperimentSpec spec = spec_of(settings_of(parse_arguments(words)));
  add_threads(words);
  Plan plan{.run = free_directory(flags, spec.name, spec.random.seed)};
  const std::string place = shell_word(fs::absolute(plan.run).string());
  plan.first = "simulate";
  for (const std::string& word : words) plan.first += " " + shell_word(word);
  plan.first += " -o " + place;
  plan.resume = "simulate --resume " + place;
  return plan;
}

Plan plan_sweep(const Flags& flags, std::vector<std::string> words) {
  if (options.ranks > 1)
    throw_usage_error("the cells of a sweep are tasks of an array",
                      "use --array N instead of --ranks");
  add_threads(words);
  const PreparedSweep made = prepare_sweep(flags, words, flags.dry_run);
  const auto most = static_cast<int>(std::min<std::int64_t>(made.cells, 64));
  Plan plan{.run = made.directory, .tasks = options.array > 0 ? options.array : most};
  plan.first = "sweep --join " + shell_word(fs::absolute(plan.run).string());
  return plan;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty())
    throw_usage_error("there is nothing to submit", "murmur submit simulate n=64 --ranks 4");
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words[0] != "simulate" && words[0] != "sweep")
    throw_usage_error(fmt::format("murmur {} cannot be submitted", words[0]),
                      "submit simulate or sweep");
  if (options.array > 0 && words[0] != "sweep")
    throw_usage_error("--array is for the cells of a sweep",
                      "use --ranks N to share one simulation");
  if (!flags.dry_run) require_slurm();
  const Plan plan = words[0] == "sweep" ? plan_sweep(flags, rest) : plan_simulation(flags, rest);
  std::string command = "murmur submit";
  for (const std::string& word : words) command += " " + shell_word(word);
  const std::string script = script_of(plan, command);
  if (flags.dry_run) {
    print_text(script);
    return 0;
  }
  make_directory(parent_of(fs::absolute(plan.run)));
  const fs::path path = plan.run.string() + ".sh";
  write_file_atomically(path, script);
  const std::string id = submit_script(path);
  save_job({id, command, plan.run});
  print_run(flags, plan.run, {{"job", id}, {"script", path.string()}});
  print_message(flags, fmt::format("job {}; murmur runs shows its state", id));
  return 0;
}

}  // namespace

Command submit_command() {
  return {"submit",
          "Submit a simulation or a sweep to Slurm.",
          "  murmur submit simulate n=1000000 d=2 T=20 --ranks 16 --time 2:00:00\n"
          "  murmur submit sweep beta=0.5:9:18 d=2,8 replicas=64 --array 8\n"
          "  murmur submit simulate staircase --dry-run",
          [](Options& sub, Flags& flags) {
            sub.add_option("--ranks", options.ranks, "processes that share a simulation")
                .range(1, 1 << 20);
            sub.add_option("--nodes", options.nodes, "machines that they use; 0: chosen by Slurm")
                .range(0, 1 << 20);
            sub.add_option("--cpus", options.cpus, "cores of each process").range(1, 4096);
            sub.add_option("--array", options.array,
                           "tasks that compute the cells of a sweep; 0: one per cell, up to 64")
                .range(0, 10000);
            sub.add_option("--time", options.time, "longest time, as Slurm writes it");
            sub.add_option("--partition", options.partition, "Slurm's partition");
            sub.add_option("--account", options.account, "Slurm's account");
            sub.add_option("--launcher", options.launcher,
                           "the command that starts the ranks within the job")
                .show_default();
            sub.add_flag("--dry-run", flags.dry_run, "print the script, submit nothing");
          },
          run,
          false,
          nullptr,
          parameters};
}

}  // namespace murmur::app
