// embedded.h: the commands as functions that another program calls: arguments in, output as text.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/run.h"

namespace murmur::app {

struct CommandResult {
  int code = 0;              // the exit code of the program: 0, or 5 and 7 of finished work
  std::string output{};      // what the program would print on stdout
  std::string messages{};    // what the program would print on stderr
  bool interrupted = false;  // by interrupt_command(): its run can be continued
};

// Does what `murmur WORDS...` does, in this process and this thread. One command runs at a time;
// others wait. Throws Error where the program would print one. `progress` may be called by any
// thread, one call at a time.
CommandResult run_command(const std::vector<std::string>& words,
                          const std::function<void(const Progress&)>& progress = {});
void interrupt_command();  // stops the command in progress after a checkpoint, as Ctrl-C does

// Returns a path by which commands read the array as a .npy, from memory, while the pointer lives.
std::shared_ptr<const std::string> path_in_memory(const std::string& name, Array array);

// The settings that the arguments of murmur simulate (a preset or path, and key=value) and the
// environment describe.
Settings settings_of_words(const std::vector<std::string>& words);

// The directory of a new run: `out`, or below `runs` with the lowest free number if `out` is empty.
struct RunPlace {
  std::string out{}, runs = "runs";
  bool force = false;
};
// Creates the run of an experiment; `engine` is the full name.
Run new_simulation(const RunPlace& place, const Experiment& experiment, const std::string& engine);

// The parameters of a command. Error(usage) for a command without parameters.
std::span<const Parameter> parameters_of_command(const std::string& command);

// A reading of a run: what its table and its picture show (empty: there is none), and their
// options.
struct ReadingText {
  std::string name{}, table{}, picture{};
  std::vector<Parameter> table_options{}, picture_options{};
};
std::vector<ReadingText> reading_texts();

// While a command runs embedded, its output and messages are collected here and progress is passed
// to `progress`. Signals belong to the surrounding program, which sets caught_signal.
struct Capture {
  std::string output{}, messages{};
  std::function<void(const Progress&)> progress{};
};
extern Capture* capture;  // null: the commands run in a program of their own

}  // namespace murmur::app
