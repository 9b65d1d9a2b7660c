// command.h: what every command of the program shares: its flags, its words, its way of talking.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "options.h"

namespace murmur::app {

struct Flags {
  std::string out{}, runs = "runs", resume{};
  std::string color = "auto", progress = "auto";
  double checkpoint_seconds = 10;
  bool json = false, quiet = false, verbose = false, dry_run = false, force = false;
};

// One command: a row in the table of main.cpp. `run` returns the exit code.
struct Command {
  const char* name;
  const char* meaning;
  const char* examples;                           // at least two, one a line
  std::function<void(Options&, Flags&)> declare;  // own options, beside the common ones
  std::function<int(const Flags&, const std::vector<std::string>& words)> run;
  bool prints = false;  // -o takes what it prints; else the command itself says what -o is
  // Of a command without runs of its own kind: its parameters, NAME=VALUE, and those of another
  // command that it takes too; null: none.
  std::vector<Parameter> (*parameters)() = nullptr;
  std::span<const Parameter> (*more_parameters)() = nullptr;
};

// Commands that --help lists together, and the page of docs/ on each.
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
extern std::atomic<int> caught_signal;         // SIGINT or SIGTERM, 0 before
extern int undrawn;                            // exit code where a picture failed, 0 before

// words with a name before '=' are assignments; the others are presets, paths, verbs.
struct Words {
  std::vector<std::string> plain{}, assignments{};
};
Words sort_words(const std::vector<std::string>& words);

// Where a trained swarm's pictures are, of commands that read them back.
inline constexpr Parameter kDataParameter = {
    Parameter::word, "data", "auto", "auto, mnist, fashion-mnist, a folder",
    "where the pictures are; auto: where the swarm was trained"};
std::string names_of(const std::vector<Parameter>& parameters);  // separated by commas
std::string headline(const Preset& preset);                      // the text of its first line

// The settings that words (at most one preset or path) and the environment describe; `section` is
// that of Sources.
Settings settings_of(const Words& words, std::span<const Parameter> table = parameters(),
                     const std::string& section = {});

void say(const Flags& flags, const std::string& line);  // talk: stderr, unless quiet
// An error as three lines on stderr, `about` before what happened where it is not empty.
void complain(const std::string& about, const Error& error, bool red = false);
// The same for a picture that a finished run goes without: a missing tool or a place that is taken
// is no failure of the run; a full disk is one, and the program then ends with code 1.
void complain_undrawn(const std::string& about, const Error& error);
// While it lives, Ctrl-C and SIGTERM are noted in caught_signal instead of ending the program.
struct SignalWatch {
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
};

void report(const nlohmann::json& object);  // data as JSON, always valid
void data(const std::string& text);         // data: stdout, printable

// While it lives, data is kept for the file that -o names, where it names one.
class DataFile {
 public:
  explicit DataFile(const Flags& flags);  // Error(usage) where the file may not be written
  ~DataFile();
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;
  void write();  // whole or not at all

 private:
  const Flags& flags_;
  std::string text_{};
};

[[noreturn]] void usage(const std::string& what, const std::string& remedy);

// An output file that may be written: Error(usage) where a non-empty one is and no --force.
std::filesystem::path output_file(const Flags& flags);

// A run given by its directory, or by its name below --runs.
std::filesystem::path find_run(const Flags& flags, const std::string& word);

// A new run at -o, or below --runs at the lowest number that is free.
Run create_run(const Flags& flags, const std::string& name, const RunContents& contents);
// Of a run that keeps a simulation; `engine` is the full name.
RunContents simulation_contents(const Experiment& experiment, const std::string& engine);

// What a run was made with, from its config.toml and nothing else, with `assignments` laid over.
Settings settings_of_run(const std::filesystem::path& directory,
                         const std::vector<std::string>& assignments = {},
                         std::span<const Parameter> table = parameters());

// The folder of pictures that data=`asked`, MURMUR_DATA or the usual places name.
std::filesystem::path data_folder(const std::string& asked);

// The folder where this machine keeps a user's data: $XDG_DATA_HOME, or ~/.local/share.
std::string data_home();

}  // namespace murmur::app
