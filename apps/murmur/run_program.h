// run_program.h: runs another program to its end, which comes no later than our own.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace murmur::app {

// While it lives, SIGINT, SIGTERM and SIGHUP wait: what is begun is put in order first.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();  // those that still wait are delivered
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  int take() const;  // the number of a signal that came and is taken out; 0: none
 private:
  sigset_t before_;
};

// What it says goes to our stderr, its data nowhere. The exit code, 128 and the signal that ended
// it, or nothing where it could not be started. `words` begin with its name. A SIGINT, SIGTERM or
// SIGHUP of ours ends the program and those that it started, and the code is 128 and its number;
// they end with us, too, if we are killed. `folder` is where the program keeps its own temporary
// files; empty: where ours are.
std::optional<int> run_program(const std::string& program, std::vector<std::string> words,
                               const std::string& folder = {});

// What a program says and how it ends; nothing where it could not be started.
struct ProgramOutput {
  int code = 0;
  std::string out{}, err{};
};
std::optional<ProgramOutput> output_of(std::vector<std::string> words);

}  // namespace murmur::app
