// progress.h: long work at the command line: its progress line, its signals, its way of stopping.
#pragma once

#include <filesystem>
#include <string>

#include "command.h"
#include "murmur/run.h"

namespace murmur::app {

// auto: one rewritten line on a terminal, nothing elsewhere; plain: a line every few seconds;
// json: an object a line; none: silence.
class ProgressLine {
 public:
  explicit ProgressLine(const Flags& flags);
  ~ProgressLine();
  // How far, in per cent, how fast, one quantity that changes, how long still: the same for all.
  void show(const Progress& progress);
  void clear();  // before other words on the same terminal

 private:
  bool due();                         // whether to say something now
  void put(const std::string& line);  // as this kind says it

  enum Kind { silent, rewritten, plain, json } kind_;
  double last_shown_ = -1e9;
  bool dirty_ = false;  // the terminal's line holds text
};

// While it lives, signals are noted and progress is shown: hand `control` to the process.
class LiveProcess {
 public:
  explicit LiveProcess(const Flags& flags);
  LiveProcess(const LiveProcess&) = delete;  // `control` points into it
  LiveProcess& operator=(const LiveProcess&) = delete;
  ProcessControl control{};
  void tell(const std::string& line);  // words between two progress lines, unless quiet
  void clear() { line_.clear(); }      // before words of others

 private:
  const Flags& flags_;
  SignalWatch watch_{};
  ProgressLine line_;
};

// Says that work stopped after a checkpoint and with which command it goes on; the exit code.
int tell_stopped(const Flags& flags, const std::string& command, const std::string& at = {});
// The command that goes on with a run: murmur train --resume RUN.
std::string resume_command(const char* command, const std::filesystem::path& run);

std::string duration_text(double seconds);  // 3.2 s, 4 min 10 s, 2 h 5 min

}  // namespace murmur::app
