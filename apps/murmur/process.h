// process.h: signals and standard streams of this process, child processes, and temporary folders.
#pragma once

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace murmur::app {

// Opens descriptors 0, 1 and 2 on /dev/null if the caller closed them, so that no file of a run
// gets their numbers. A closed reader of stdout (SIGPIPE) and a limit on file sizes (SIGXFSZ)
// become failing writes. A mapped file that is truncated (SIGBUS) ends the program with an error.
void prepare_process();

// Whether standard output is a pipe or socket whose reader has closed it, as `head` does. Output is
// then lost, which is no failure.
bool stdout_reader_is_gone();

// What SIGINT, SIGTERM and SIGHUP do. Either they end the program with 128 + their number, as after
// prepare_process(); or the first one is stored in caught_signal, and the next ends the program.
void exit_on_signals();
void record_signals();
sigset_t termination_signals();  // these three

// While it lives, SIGINT, SIGTERM and SIGHUP are blocked, so that work that has begun can be
// finished.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();  // delivers those that are pending
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  int take_pending() const;  // removes a pending signal and returns its number; 0: none
 private:
  sigset_t before_;
};

// Runs a program; its stderr is ours, its stdout is discarded. Returns its exit code, 128 + the
// signal that ended it, or nothing if it could not be started. `words` begin with its name. When
// this process receives SIGINT, SIGTERM or SIGHUP, the program and its children are ended, and the
// code is 128 + the number; they also end when this process is killed. `folder` becomes the
// program's TMPDIR unless it is empty.
std::optional<int> run_program(const std::string& program, std::vector<std::string> words,
                               const std::string& folder = {});

// Runs a program and returns what it printed and its exit code; nothing if it could not be started.
struct ProgramOutput {
  int code = 0;
  std::string out{}, err{};
};
std::optional<ProgramOutput> capture_output(std::vector<std::string> words);

// A folder that is removed with its contents at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace murmur::app
