// declared.h: the command line as it is declared: what parses it, completes it and writes its
// manual pages.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.h"

namespace murmur::app {

// One flag of a command, as its --help shows it.
struct DeclaredFlag {
  std::vector<std::string> names{};  // -o, --out
  std::string value{};               // PATH; empty where the flag takes none
  std::vector<std::string> among{};  // the words it takes, where these are all
  std::string initial{};             // what it is without a word, where --help tells
  std::string meaning{};
};

struct DeclaredCommand {
  std::string name{}, meaning{}, examples{};
  std::vector<DeclaredFlag> flags{};
};

// What the program says of itself, in --help and in its manual page.
inline constexpr const char* kAbout =
    "Transformers as swarms: simulate, measure and draw attention as flocking.";
inline constexpr const char* kAboutExamples =
    "  murmur simulate n=64 beta=4\n  murmur render runs/flock-0-1";

// What an exit status means; docs/architecture.md has the same rows.
struct ExitCode {
  const char *codes, *meaning;
};
std::span<const ExitCode> exit_codes();

// The flags of a command and those that all share; what is read lands in `flags` and `words`.
void declare(CLI::App& sub, const Command& command, Flags& flags, std::vector<std::string>& words);

// Every command of this program, in the order of --help.
std::vector<DeclaredCommand> declared_commands();

// The parameters, NAME=VALUE, of a command; none where it has none.
std::vector<Parameter> declared_parameters(const std::string& command);
// The values of a parameter that are plain words: of "auto, or 2 to 1024" the word auto.
std::vector<std::string> plain_values(const Parameter& parameter);

}  // namespace murmur::app
