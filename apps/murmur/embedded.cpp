// embedded.cpp: runs a command for another program and hands back what it would have printed.
#include "embedded.h"

#include <pthread.h>
#include <signal.h>

#include <mutex>
#include <new>

#include "command.h"
#include "embedding.h"
#include "murmur/error.h"
#include "program.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

// Commands keep their options in variables of their files: one at a time. The child of a fork has a
// lock of its own, whoever held it before.
std::mutex* one_at_a_time() {
  static std::mutex* lock = [] {
    pthread_atfork(nullptr, nullptr, [] {
      new (one_at_a_time()) std::mutex;
      embedding = nullptr;
    });
    return new std::mutex;
  }();
  return lock;
}

struct Embedded {
  explicit Embedded(Embedding& into) {
    caught_signal = 0;
    undrawn = 0;
    embedding = &into;
  }
  ~Embedded() { embedding = nullptr; }
};

}  // namespace

Answer answer(const std::vector<std::string>& words,
              const std::function<void(const Progress&)>& progress) {
  const std::lock_guard<std::mutex> alone(*one_at_a_time());
  Embedding into{.progress = progress};
  const Embedded embedded(into);
  program_argv.assign(1, "murmur");
  program_argv.insert(program_argv.end(), words.begin(), words.end());
  std::vector<const char*> argv;
  for (const std::string& word : program_argv) argv.push_back(word.c_str());
  CommandLine line;
  if (const auto code = line.parse(static_cast<int>(argv.size()), argv.data())) return {*code};
  Answer made;
  made.code = line.run();
  made.interrupted = made.code > 128 && caught_signal != 0;
  made.data = std::move(into.data);
  made.talk = std::move(into.talk);
  return made;
}

void interrupt() { caught_signal = SIGINT; }

Settings settings_of_words(const std::vector<std::string>& words) {
  return settings_of(sort_words(words));
}

Run new_simulation(const Place& place, const Experiment& experiment, const std::string& engine) {
  const std::lock_guard<std::mutex> alone(*one_at_a_time());
  program_argv = {"murmur", "simulate"};
  Flags flags;
  flags.out = place.out;
  flags.runs = place.runs;
  flags.force = place.force;
  return create_run(flags, experiment.name, simulation_contents(experiment, engine));
}

std::span<const Parameter> parameters_of_command(const std::string& command) {
  if (const RunKind* kind = find_kind(command)) return kind->parameters();
  throw Error(Fault::usage, "there is no such command with parameters", command,
              "ask for those of simulate, train, meanfield, landscape or sweep");
}

}  // namespace murmur::app
