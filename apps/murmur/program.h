// program.h: one call of the program: a line of words, the command that it names, and its flags.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace murmur::app {

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;  // the options point into it
  CommandLine& operator=(const CommandLine&) = delete;

  // Error(usage) where the line is off. The exit code where it asked for --help or --version alone,
  // which is told.
  std::optional<int> parse(int argc, const char* const* argv);
  // The exit code of the command; 128 + the signal where one came while it watched for signals.
  int run();

  const Command& command() const { return command_; }
  const Flags& flags() const { return flags_; }

 private:
  std::optional<int> run_unless_stopped();

  Flags flags_{};
  std::vector<std::string> words_{};
  Command command_{};
  std::unique_ptr<CLI::App> program_{};  // options that were asked whether they are given
  CLI::App* named_ = nullptr;            // the command of it
};

}  // namespace murmur::app
