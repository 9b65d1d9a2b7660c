// declared.cpp: declares commands to CLI11, and reads back what was declared.
#include "declared.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "printable.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

void add_common(Options& sub, Flags& flags, std::vector<std::string>& words) {
  sub.add_option("words", words, "preset or path, and parameters as key=value").type_name("...");
  sub.add_option("-o,--out", flags.out, "run directory, or output file").type_name("PATH");
  sub.add_option("--runs", flags.runs, "folder of runs").type_name("DIR");
  sub.add_flag("--json", flags.json, "report as JSON on stdout");
  sub.add_flag("-q,--quiet", flags.quiet, "no talk on stderr");
  sub.add_flag("-v,--verbose", flags.verbose, "more talk on stderr");
  sub.add_option("--color", flags.color, "colours on stderr").among({"auto", "always", "never"});
  sub.add_option("--progress", flags.progress, "progress on stderr")
      .among({"auto", "plain", "json", "none"});
  sub.add_flag("--force", flags.force, "replace an earlier run or file of ours");
}

// CLI11 tells the kind of a value as TEXT, or with its check as TEXT:{auto,always,never}.
DeclaredFlag read_back(const CLI::Option& option) {
  DeclaredFlag flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  flag.meaning = option.get_description();
  if (option.get_items_expected_max() == 0) return flag;
  const std::string kind = option.get_type_name();
  flag.value = kind.substr(0, kind.find(':'));
  flag.initial = option.get_default_str();
  const std::size_t opens = kind.find(":{");
  if (opens == std::string::npos || kind.back() != '}') return flag;
  flag.among = CLI::detail::split(kind.substr(opens + 2, kind.size() - opens - 3), ',');
  return flag;
}

bool is_plain(const std::string& word) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; };
  return word.size() > 1 && std::isalpha(static_cast<unsigned char>(word[0])) &&
         std::all_of(word.begin(), word.end(), plain);
}

// The parameters of a command's own, each with the values that need an explanation.
std::string parameters_text(const Command& command) {
  if (command.parameters == nullptr) return {};
  std::string text = "\n\nParameters, NAME=VALUE:";
  for (const Parameter& p : command.parameters()) {
    text += fmt::format("\n  {}={}", p.name, p.choices.empty() ? p.values : "one of");
    const std::string initial = p.initial;
    const bool has_default = !initial.empty() && initial != "none";
    for (const ParameterValue& value : p.choices)
      text += fmt::format("\n    {:<14} {}", value.name, wrapped(value.meaning, 19));
    text +=
        "\n      " + wrapped(std::string(p.meaning) + (has_default ? " [" + initial + "]" : ""), 6);
  }
  return text;
}

}  // namespace

std::vector<std::string> plain_values(const Parameter& parameter) {
  std::vector<std::string> found;
  std::string text = parameter.values;
  std::replace(text.begin(), text.end(), ';', ',');
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const std::string word = CLI::detail::trim_copy(part);
    if (is_plain(word)) found.push_back(word);
  }
  return found;
}

std::span<const ExitCode> exit_codes() {
  static constexpr ExitCode table[] = {
      {"0", "ok"},
      {"1", "failed at run time: disk, permissions, another writer"},
      {"2", "usage: the command line is off, or the output is taken"},
      {"3", "bad parameter, experiment or data file"},
      {"4", "numerical failure"},
      {"5", "a sweep finished with failed jobs"},
      {"6", "an optional tool is missing (ffmpeg, gnuplot, SUNDIALS, a GPU, MPI, Slurm)"},
      {"7", "two things that must agree do not"},
      {"130, 143", "interrupted by SIGINT or SIGTERM, after a checkpoint"}};
  return table;
}

void declare(CLI::App& sub, const Command& command, Flags& flags, std::vector<std::string>& words) {
  sub.description(fmt::format("{}\n\nExamples:\n{}{}", command.meaning, command.examples,
                              parameters_text(command)));
  Options options(sub);
  add_common(options, flags, words);
  if (command.declare) command.declare(options, flags);
}

std::vector<DeclaredCommand> declared_commands() {
  // Commands keep hold of what they declared last, so this stays as long as they do.
  static std::deque<CLI::App> kept;
  static Flags flags;
  static std::vector<std::string> words;
  std::vector<DeclaredCommand> found;
  for (const Command& command : all_commands()) {
    CLI::App& sub = kept.emplace_back();
    declare(sub, command, flags, words);
    DeclaredCommand declared{command.name, command.meaning, command.examples};
    for (const CLI::Option* option : sub.get_options())
      if (!option->get_positional()) declared.flags.push_back(read_back(*option));
    found.push_back(std::move(declared));
  }
  return found;
}

std::vector<Parameter> declared_parameters(const std::string& command) {
  std::vector<Parameter> found;
  const auto add = [&](const auto& table) {
    found.insert(found.end(), table.begin(), table.end());
  };
  for (const Command& declared : all_commands()) {
    if (declared.name != command) continue;
    if (declared.parameters != nullptr) add(declared.parameters());
    if (declared.more_parameters != nullptr) add(declared.more_parameters());
  }
  const RunKind* kind = find_kind(command);
  const bool has_own = found.empty() && command != "trace";  // a trace takes texts
  if (kind != nullptr && has_own) add(kind->parameters());
  return found;
}

}  // namespace murmur::app
