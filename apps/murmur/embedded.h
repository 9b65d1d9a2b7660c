// embedded.h: the commands as functions of another program: words in, data out, no stream touched.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/run.h"

namespace murmur::app {

struct Answer {
  int code = 0;              // as the program would end: 0, 5 and 7 of work that was done
  std::string data{};        // what it would print on stdout
  std::string talk{};        // what it would tell on stderr
  bool interrupted = false;  // by interrupt(): its run can go on
};

// Does what `murmur WORDS...` does, in this process and this thread; one at a time, the others
// wait. Error where the program would tell one. `progress` may be called by any thread, one at a
// time.
Answer answer(const std::vector<std::string>& words,
              const std::function<void(const Progress&)>& progress = {});
void interrupt();  // what is being done stops as if by Ctrl-C: after a checkpoint

// What the words of murmur simulate describe, the environment beside them: a preset or path, and
// key=value. `section` is that of Sources.
Settings settings_of_words(const std::vector<std::string>& words);

// A new run of an experiment by the engine of this full name, at `out`, or below `runs` at the
// lowest number that is free where that is empty.
struct Place {
  std::string out{}, runs = "runs";
  bool force = false;
};
Run new_simulation(const Place& place, const Experiment& experiment, const std::string& engine);

// The parameters that a command takes, by its word. Error(usage) for one that has none.
std::span<const Parameter> parameters_of_command(const std::string& command);

}  // namespace murmur::app
