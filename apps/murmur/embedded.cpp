// embedded.cpp: runs a command for another program and returns its output.
#include "embedded.h"

#include <pthread.h>
#include <signal.h>

#include <mutex>
#include <new>

#include "command.h"
#include "murmur/error.h"
#include "program.h"
#include "report/readings.h"
#include "run/npy.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

// One command runs at a time, because commands keep their options in variables of their files. The
// child of a fork gets a new lock: the old one may be locked by a thread that it does not have.
std::mutex* command_lock() {
  static std::mutex* lock = [] {
    pthread_atfork(nullptr, nullptr, [] {
      new (command_lock()) std::mutex;
      capture = nullptr;
    });
    return new std::mutex;
  }();
  return lock;
}

struct CaptureScope {
  explicit CaptureScope(Capture& into) {
    caught_signal = 0;
    picture_exit_code = 0;
    capture = &into;
  }
  ~CaptureScope() { capture = nullptr; }
};

}  // namespace

CommandResult run_command(const std::vector<std::string>& words,
                          const std::function<void(const Progress&)>& progress) {
  const std::lock_guard<std::mutex> guard(*command_lock());
  Capture into{.progress = progress};
  const CaptureScope scope(into);
  program_argv.assign(1, "murmur");
  program_argv.insert(program_argv.end(), words.begin(), words.end());
  std::vector<const char*> argv;
  for (const std::string& word : program_argv) argv.push_back(word.c_str());
  CommandLine line;
  if (const auto code = line.parse(static_cast<int>(argv.size()), argv.data())) return {*code};
  CommandResult result;
  result.code = line.run();
  result.interrupted = result.code > 128 && caught_signal != 0;
  result.output = std::move(into.output);
  result.messages = std::move(into.messages);
  return result;
}

void interrupt_command() { caught_signal = SIGINT; }

Settings settings_of_words(const std::vector<std::string>& words) {
  return settings_of(parse_arguments(words));
}

Run new_simulation(const RunPlace& place, const Experiment& experiment, const std::string& engine) {
  const std::lock_guard<std::mutex> guard(*command_lock());
  program_argv = {"murmur", "simulate"};
  Flags flags;
  flags.out = place.out;
  flags.runs = place.runs;
  flags.force = place.force;
  return create_run(flags, experiment.name, simulation_contents(experiment, engine));
}

std::shared_ptr<const std::string> path_in_memory(const std::string& name, Array array) {
  const auto held = std::make_shared<const ArrayInMemory>(name, std::move(array));
  return {held, &held->path()};
}

std::span<const Parameter> parameters_of_command(const std::string& command) {
  if (const RunKind* kind = find_kind(command)) return kind->parameters();
  throw Error(Fault::usage, "no command of this name has parameters", command,
              "use simulate, train, meanfield, landscape or sweep");
}

std::vector<ReadingText> reading_texts() {
  std::vector<ReadingText> texts;
  for (const Reading& r : readings())
    texts.push_back({r.name, r.table_meaning, r.picture_meaning, r.options, r.picture_options});
  return texts;
}

}  // namespace murmur::app
