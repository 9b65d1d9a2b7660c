// command.h: what every command of the program shares: its options, its arguments and its runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "output.h"
#include "run/text.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace murmur::app {

// One declared option; each function that changes it returns it again.
class Option {
 public:
  explicit Option(CLI::Option* option = nullptr) : option_(option) {}
  Option& type_name(const char* name);                     // in --help, the kind of value
  Option& range(int least, int greatest);                  // values outside are refused
  Option& range(double least, double greatest);            // the same
  Option& among(const std::vector<std::string>& choices);  // other values are refused
  Option& delimiter(char between);                         // one argument may hold several values
  Option& show_default();                                  // --help shows the default
  bool given() const;                                      // on this command line

 private:
  CLI::Option* option_;
};

// The options of one command. Names are "-o,--out"; the value is stored in the variable.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}
  Option add_flag(const std::string& names, bool& set, const std::string& meaning);
  Option add_option(const std::string& names, std::string& value, const std::string& meaning);
  Option add_option(const std::string& names, int& value, const std::string& meaning);
  Option add_option(const std::string& names, std::int64_t& value, const std::string& meaning);
  Option add_option(const std::string& names, double& value, const std::string& meaning);
  Option add_option(const std::string& names, std::vector<std::string>& values,
                    const std::string& meaning);
  Option get_option(const std::string& name) const;    // one declared before
  void add_footer(std::function<std::string()> text);  // the last lines of --help

  // Options that several commands have.
  void add_style(std::string& style);
  void add_resume(Flags& flags, const std::string& meaning);
  void add_checkpoint(Flags& flags);

 private:
  CLI::App& app_;
};

// One command: a row in the table of program.cpp. `run` returns the exit code.
struct Command {
  const char* name;
  const char* meaning;
  const char* examples;                           // at least two, one per line
  std::function<void(Options&, Flags&)> declare;  // its own options, without the common ones
  std::function<int(const Flags&, const std::vector<std::string>& words)> run;
  bool prints = false;  // -o is the file for what it prints; else the command itself handles -o
  // Of a command without runs of its own kind: its parameters, NAME=VALUE, and the parameters of
  // another command that it takes too; null: none.
  std::vector<Parameter> (*parameters)() = nullptr;
  std::span<const Parameter> (*more_parameters)() = nullptr;
};

// Commands that --help lists together, with the page of docs/ on each.
struct CommandGroup {
  struct Member {
    Command command;
    const char* page;
  };
  const char* title;
  std::vector<Member> members;
};
std::vector<CommandGroup> command_groups();
std::vector<Command> all_commands();  // of all groups, in their order

extern std::vector<std::string> program_argv;  // as typed, for manifests
extern std::atomic<int> caught_signal;         // SIGINT, SIGTERM or SIGHUP; 0 before

[[noreturn]] void throw_usage_error(const std::string& what, const std::string& remedy);

// Arguments with a name before '=' are assignments; the others are presets, paths and verbs.
struct Arguments {
  std::vector<std::string> positional{}, assignments{};
};
Arguments parse_arguments(const std::vector<std::string>& words);

// KEY=VALUE, split at the first '='.
struct Assignment {
  std::string key{}, value{};
};
Assignment split_assignment(const std::string& text);
bool has_key(const Arguments& arguments, const std::string& key);
// Removes all KEY=... and returns the last value.
std::optional<std::string> take_value(Arguments& arguments, const std::string& key);
std::vector<std::string> split_list(const std::string& text, char separator);  // keeps empty parts

std::string names_of(const std::vector<Parameter>& parameters);  // separated by commas
std::string headline(const Preset& preset);                      // the text of its first line

// The settings that the arguments (at most one preset or path) and the environment describe;
// `section` is that of Sources.
Settings settings_of(const Arguments& arguments, std::span<const Parameter> table = parameters(),
                     const std::string& section = {});

// A run given by its directory, or by its name below --runs.
std::filesystem::path find_run(const Flags& flags, const std::string& word);

// A new run at -o, or below --runs at the lowest number that is free.
Run create_run(const Flags& flags, const std::string& name, const RunContents& contents);
// The contents of a run of a simulation; `engine` is the full name.
RunContents simulation_contents(const Experiment& experiment, const std::string& engine);

// The settings in the config.toml of a run, without the environment, overridden by `assignments`.
Settings settings_of_run(const std::filesystem::path& directory,
                         const std::vector<std::string>& assignments = {},
                         std::span<const Parameter> table = parameters());

// The folder of pictures that data=`asked`, MURMUR_DATA or the usual places name.
std::filesystem::path data_folder(const std::string& asked);

// The folder where this machine keeps a user's data: $XDG_DATA_HOME, or ~/.local/share.
std::string data_home();

// Returns a path unchanged, and the folder of a known model for its name. Error(input) if that
// model has not been downloaded.
std::filesystem::path model_path(const std::string& word);

// The MURMUR_* variables of the environment, by name.
std::map<std::string, std::string> murmur_variables();

// Prints a message for each such variable that is not a parameter of any command: a misspelt one
// would have no effect.
void warn_about_unknown_variables(const Flags& flags);

std::string program_version();  // murmur 0.1.0 (commit)

}  // namespace murmur::app
