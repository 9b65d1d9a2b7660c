// program.h: the command line: declaring, parsing and describing all commands.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command.h"

namespace murmur::app {

// One flag of a command, as its --help shows it.
struct DeclaredFlag {
  std::vector<std::string> names{};    // -o, --out
  std::string value{};                 // PATH; empty if the flag takes no value
  std::vector<std::string> choices{};  // the allowed values, if the flag has such a list
  std::string initial{};               // the default, if --help shows it
  std::string meaning{};
};

struct DeclaredCommand {
  std::string name{}, meaning{}, examples{};
  std::vector<DeclaredFlag> flags{};
};

// The description of the program in --help and in its manual page.
inline constexpr const char* kAbout =
    "Transformers as swarms: simulate, measure and draw attention as flocking.";
inline constexpr const char* kAboutExamples =
    "  murmur simulate n=64 beta=4\n  murmur render runs/flock-0-1";

// The meaning of an exit status; docs/architecture.md has the same rows.
struct ExitCode {
  const char *codes, *meaning;
};
std::span<const ExitCode> exit_codes();

// Every command of this program, in the order of --help.
std::vector<DeclaredCommand> declared_commands();

// The parameters, NAME=VALUE, of a command; none if it has none.
std::vector<Parameter> declared_parameters(const std::string& command);
// The values of a parameter that are literal names: of "auto, or 2 to 1024" the name auto.
std::vector<std::string> literal_values(const Parameter& parameter);

// The manual page of a command, murmur-COMMAND(1), or of the program if `command` is empty, as
// troff.
std::string manual_page(const std::string& command);

// One call of the program.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;  // the options point into it
  CommandLine& operator=(const CommandLine&) = delete;

  // Error(usage) for a wrong command line. Returns an exit code only after --help or --version,
  // which it prints.
  std::optional<int> parse(int argc, const char* const* argv);
  // Returns the exit code of the command, or 128 + the signal if one came while it watched for
  // signals.
  int run();

  const Command& command() const { return command_; }
  const Flags& flags() const { return flags_; }

 private:
  std::optional<int> run_unless_stopped();

  Flags flags_{};
  std::vector<std::string> words_{};
  Command command_{};
  std::unique_ptr<CLI::App> program_{};  // kept for Option::given()
  CLI::App* parsed_ = nullptr;           // the subcommand of it that was named
};

}  // namespace murmur::app
