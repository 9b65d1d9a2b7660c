// slurm.cpp: speaks with sbatch, squeue, sacct and scontrol.
#include "slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_program.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSuffix = ".job";

Error no_slurm() {
  return {Fault::tool, "there is no Slurm here: sbatch is not found", "PATH",
          "call this on a machine of the cluster, or start the command itself, under mpirun if "
          "several ranks are to share it; --dry-run shows the script"};
}

// PENDING, or CANCELLED by 1000, as one word in small letters.
std::string word_of(const std::string& state) {
  std::string word = state.substr(0, state.find_first_of(" +\r\n"));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::string line_of(const std::map<std::string, int>& states) {
  if (states.size() == 1 && states.begin()->second == 1) return states.begin()->first;
  std::string line;
  for (const auto& [state, count] : states)
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, state);
  return line;
}

// One state a line, of each task of an array.
std::string summary_of(const std::string& lines) {
  std::map<std::string, int> states;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    if (const std::string word = word_of(line); !word.empty()) ++states[word];
  return line_of(states);
}

// Every JobState=... of scontrol's records.
std::string states_of_records(const std::string& text) {
  constexpr std::string_view key = "JobState=";
  std::string lines;
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    lines += text.substr(at + key.size(), text.find(' ', at) - at - key.size()) + "\n";
  return lines;
}

}  // namespace

void require_slurm() {
  if (!output_of({"sbatch", "--version"})) throw no_slurm();
}

std::string hand_in(const fs::path& script) {
  const std::optional<ProgramOutput> told = output_of({"sbatch", "--parsable", script.string()});
  if (!told) throw no_slurm();
  if (told->code != 0) {
    std::string why = told->err.substr(0, told->err.find('\n'));
    throw Error(Fault::runtime, "Slurm does not take the job: " + why, script.string(),
                "check the partition, the time and the number of ranks against sinfo");
  }
  return told->out.substr(0, told->out.find_first_of(";\n"));
}

fs::path job_path(const fs::path& run) { return run.string() + kSuffix; }

void remember(const Job& job) {
  write_file_atomically(
      job_path(job.run),
      json_text(
          nlohmann::json{{"job", job.id}, {"command", job.command}, {"run", job.run.string()}}, 2) +
          "\n");
}

std::vector<Job> jobs_below(const fs::path& runs) {
  std::vector<Job> jobs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(runs, ignored)) {
    if (entry.path().extension() != kSuffix || !entry.is_regular_file(ignored)) continue;
    const nlohmann::json job = json_of_text(read_text(entry.path()));
    const bool whole = job.is_object() && job.contains("job") && job["job"].is_string() &&
                       job.contains("command") && job["command"].is_string();
    if (!whole) continue;  // not a file that submit wrote
    fs::path run = entry.path();
    jobs.push_back({job["job"], job["command"], run.replace_extension("")});
  }
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.run < b.run; });
  return jobs;
}

std::optional<std::string> state_of(const Job& job) {
  const auto queued = output_of({"squeue", "-h", "-r", "-j", job.id, "-o", "%T"});
  if (!queued) return std::nullopt;
  if (queued->code == 0 && !queued->out.empty()) return summary_of(queued->out);
  const auto kept = output_of({"sacct", "-n", "-X", "-P", "-j", job.id, "-o", "State"});
  if (kept && kept->code == 0 && !kept->out.empty()) return summary_of(kept->out);
  const auto record = output_of({"scontrol", "-o", "show", "job", job.id});
  const std::string states = record && record->code == 0 ? states_of_records(record->out) : "";
  return states.empty() ? "unknown" : summary_of(states);
}

}  // namespace murmur::app
