// output.h: everything that the program prints: results, messages, errors and progress.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "murmur/error.h"
#include "murmur/run.h"

namespace murmur::app {

// The flags that all commands share; some commands use a few of them only.
struct Flags {
  std::string out{}, runs = "runs", resume{};
  std::string color = "auto", progress = "auto";
  double checkpoint_seconds = 10;
  bool json = false, quiet = false, verbose = false, dry_run = false, force = false;
};

// Replaces control characters of ASCII and C1 (U+0080 to U+009F, and such bytes outside UTF-8),
// with which a name could control a terminal, by \u001b and the like, as JSON writes them. Tabs and
// line ends stay, and so does every other byte: a name in another encoding can still be copied.
std::string printable(std::string_view text);
std::string printable_line(std::string_view text);  // the same, with line ends as spaces

// The text in lines of up to 100 bytes; lines after the first one are indented by `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent);

// Results go to stdout.
void print_text(const std::string& text);
void print_json(const nlohmann::json& object);
// The JSON with --json, else the text.
void print_result(const Flags& flags, const nlohmann::json& object, const std::string& text);
// {"run": directory, ...} with --json, else the directory.
void print_run(const Flags& flags, const std::filesystem::path& directory, nlohmann::json object);
nlohmann::json value_or_null(const std::optional<double>& value);

// A line on stderr, unless --quiet.
void print_message(const Flags& flags, const std::string& line);
// An error as three lines on stderr; the first begins with `about` where that is not empty.
void print_error(const std::string& about, const Error& error, bool red = false);
// The same for a picture of a finished run. A missing tool or a path that is taken does not make
// the run fail; after a full disk the program ends with code 1 (picture_exit_code).
void print_picture_error(const std::string& about, const Error& error);
extern int picture_exit_code;  // 0 unless a picture failed

// While it lives, results are collected for the file that -o names, if there is one.
class OutputFile {
 public:
  explicit OutputFile(const Flags& flags);  // Error(usage) where the file may not be written
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write();  // the whole file or nothing

 private:
  const Flags& flags_;
  std::string text_{};
};

// The path of -o: Error(usage) where a non-empty file is there and --force is not given.
std::filesystem::path output_path(const Flags& flags);
// Error(usage) where -o names a directory that holds files and --force is not given.
void require_empty_directory(const Flags& flags);

// While it lives, Ctrl-C and SIGTERM are stored in caught_signal instead of ending the program.
struct SignalWatch {
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
};
int signal_exit_code();  // 128 + caught_signal; 0 without a signal

// --progress auto: one line that is rewritten on a terminal, nothing elsewhere; plain: a line every
// five seconds; json: one object per line; none: nothing.
class ProgressLine {
 public:
  explicit ProgressLine(const Flags& flags);
  ~ProgressLine();
  void show(const Progress& progress);
  void clear();  // call it before other text goes to the same terminal

 private:
  bool due();  // whether enough time has passed since the last line
  void put(const std::string& line);

  enum Kind { silent, rewritten, plain, json } kind_;
  double last_shown_ = -1e9;
  bool dirty_ = false;  // the terminal's line holds text
};

// While it lives, signals are stored and progress is shown: pass `control` to the process.
class LiveProcess {
 public:
  explicit LiveProcess(const Flags& flags);
  LiveProcess(const LiveProcess&) = delete;  // `control` points into it
  LiveProcess& operator=(const LiveProcess&) = delete;
  ProcessControl control{};
  void print_message(const std::string& line);  // between two progress lines, unless --quiet
  void clear() { line_.clear(); }

 private:
  const Flags& flags_;
  SignalWatch watch_{};
  ProgressLine line_;
};

// Says that the work stopped after a checkpoint and which command continues it; returns the exit
// code.
int print_stopped(const Flags& flags, const std::string& command, const std::string& at = {});
// The command that continues a run: murmur train --resume RUN.
std::string resume_command(const char* command, const std::filesystem::path& run);

std::string duration_text(double seconds);  // 3.2 s, 4 min 10 s, 2 h 5 min

}  // namespace murmur::app
