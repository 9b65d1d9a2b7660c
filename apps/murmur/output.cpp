// output.cpp: prints results, messages, errors and progress, without control characters.
#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <sstream>

#include "command.h"
#include "embedded.h"
#include "murmur/stop.h"
#include "process.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/shell.h"

namespace murmur::app {

namespace fs = std::filesystem;

std::atomic<int> caught_signal{0};
int picture_exit_code = 0;
Capture* capture = nullptr;

namespace {

// Number of bytes of the UTF-8 character at the start of `text`; 1 for an invalid byte.
std::size_t width_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t width = lead < 0xc2   ? 1
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 1;
  if (width > text.size()) return 1;
  for (std::size_t k = 1; k < width; ++k)
    if ((static_cast<unsigned char>(text[k]) & 0xc0) != 0x80) return 1;
  return width;
}

void append_printable(std::string& out, std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.back());
  const bool lone = character.size() == 1;
  const bool c0 = lone && ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f);
  const bool c1 = byte >= 0x80 && byte < 0xa0 && (lone || character[0] == '\xc2');
  if (c0 || (c1 && character.size() <= 2))
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
  else
    out += character;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t width = width_at(text);
    append_printable(out, text.substr(0, width));
    text.remove_prefix(width);
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return printable(line);
}

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = column + 1 + word.size() <= kWidth;
    if (!out.empty()) out += fits ? " " : "\n" + std::string(indent, ' ');
    column = fits ? column + 1 + word.size() : indent + word.size();
    out += word;
  }
  return out;
}
namespace {

std::string* collected = nullptr;  // results go there instead of to stdout

// Flushes stdout first, so that both appear in order on one terminal. Not by fmt::print: a failed
// write to stderr is no error.
void print_to_stderr(const std::string& text) {
  if (capture != nullptr) {
    capture->messages += text;
    return;
  }
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

}  // namespace

void print_text(const std::string& text) {
  const std::string shown = printable(text);
  if (collected != nullptr)
    collected->append(shown);
  else if (capture != nullptr)
    capture->output += shown;
  else
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void print_json(const nlohmann::json& object) { print_text(json_text(object, 2) + "\n"); }

void print_result(const Flags& flags, const nlohmann::json& object, const std::string& text) {
  if (flags.json)
    print_json(object);
  else
    print_text(text);
}

void print_run(const Flags& flags, const fs::path& directory, nlohmann::json object) {
  object["run"] = directory.string();
  print_result(flags, object, directory.string() + "\n");
}

nlohmann::json value_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

void print_message(const Flags& flags, const std::string& line) {
  if (flags.quiet) return;
  print_to_stderr(printable(line) + "\n");
}

void print_error(const std::string& about, const Error& error, bool red) {
  print_to_stderr(fmt::format("{}murmur: {}{}{}\n  where: {}\n  do:    {}\n", red ? "\033[31m" : "",
                              about.empty() ? "" : printable_line(about) + ": ",
                              printable_line(error.summary), red ? "\033[0m" : "",
                              printable_line(error.where), printable_line(error.remedy)));
}

void print_picture_error(const std::string& about, const Error& error) {
  print_error(about, error);
  if (error.fault == Fault::runtime) picture_exit_code = static_cast<int>(Fault::runtime);
}

OutputFile::OutputFile(const Flags& flags) : flags_(flags) {
  if (flags.out.empty()) return;
  output_path(flags);  // refuses before anything is computed
  collected = &text_;
}

OutputFile::~OutputFile() { collected = nullptr; }

void OutputFile::write() {
  if (collected == nullptr) return;
  write_file_atomically(flags_.out, text_);
  print_message(flags_, flags_.out);
}

fs::path output_path(const Flags& flags) {
  const fs::path path(flags.out);
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw_usage_error(fmt::format("{} is a directory", flags.out), "give the path of a file");
  if (fs::exists(path, ignored) && fs::file_size(path, ignored) > 0 && !flags.force)
    throw_usage_error(fmt::format("{} is already there", flags.out),
                      "choose another name, or add --force");
  if (!path.parent_path().empty() && !fs::is_directory(path.parent_path(), ignored))
    throw Error(Fault::runtime, "the folder of the output does not exist",
                path.parent_path().string(), "create the folder first, or choose another");
  return path;
}

void require_empty_directory(const Flags& flags) {
  std::error_code ignored;
  const bool free = flags.out.empty() || flags.force || !fs::exists(flags.out, ignored) ||
                    (fs::is_directory(flags.out, ignored) && fs::is_empty(flags.out, ignored));
  if (!free)
    throw_usage_error(fmt::format("{} is already there", flags.out),
                      "choose another name, or add --force");
}

namespace {
int watches = 0;                    // number of living SignalWatch objects, all of one thread
std::optional<StopScope> stopping;  // while there is one, computations look at caught_signal
}  // namespace

SignalWatch::SignalWatch() {
  if (++watches > 1) return;
  stopping.emplace(&caught_signal);
  if (capture == nullptr) record_signals();
}

SignalWatch::~SignalWatch() {
  if (--watches > 0) return;
  stopping.reset();
  if (capture == nullptr) exit_on_signals();
}

int signal_exit_code() { return caught_signal == 0 ? 0 : 128 + caught_signal; }

namespace {

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

nlohmann::json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    return static_cast<std::int64_t>(value);
  return value;
}

std::string object_of(const Progress& p) {
  nlohmann::ordered_json object = {{"what", p.what},
                                   {"done", number(p.done)},
                                   {"of", number(p.of)},
                                   {"fraction", number(p.fraction())},
                                   {"speed", number(p.speed)},
                                   {"speed_of", p.speed_of},
                                   {"seconds_left", number(p.seconds_left)},
                                   {"live", p.live}};
  for (const auto& [name, value] : p.details) {
    const auto* text = std::get_if<std::string>(&value);
    object[name] = text ? nlohmann::json(*text) : number(std::get<double>(value));
  }
  return json_text(object);
}

std::string line_of(const Progress& p) {
  std::string line =
      p.position.empty() ? fmt::format("{:.0f} / {:.0f} {}", p.done, p.of, p.what) : p.position;
  line += fmt::format("  {:3.0f} %", 100 * p.fraction());
  if (p.speed > 0) line += fmt::format("  {:.3g} {}/s", p.speed, p.speed_of);
  if (!p.live.empty()) line += "  " + p.live;
  if (std::isfinite(p.seconds_left))
    line += fmt::format("  {} left", duration_text(p.seconds_left));
  return line;
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

ProgressLine::ProgressLine(const Flags& flags) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  kind_ = silent;
  if (flags.quiet || flags.progress == "none" || capture != nullptr) return;
  if (flags.progress == "plain") kind_ = plain;
  if (flags.progress == "json") kind_ = json;
  if (flags.progress == "auto" && terminal) kind_ = rewritten;
}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (dirty_) std::fputs("\r\033[K", stderr);
  dirty_ = false;
}

bool ProgressLine::due() {
  const double pause = kind_ == plain ? 5 : kind_ == rewritten ? 0.05 : 0;
  if (kind_ == silent || now() - last_shown_ < pause) return false;
  last_shown_ = now();
  return true;
}

void ProgressLine::put(const std::string& text) {
  std::fflush(stdout);
  const std::string line = printable_line(text);
  std::fputs((kind_ == rewritten ? "\r\033[K" + line : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  dirty_ = kind_ == rewritten;
}

void ProgressLine::show(const Progress& p) {
  if (due()) put(kind_ == json ? object_of(p) : line_of(p));
}

LiveProcess::LiveProcess(const Flags& flags) : flags_(flags), line_(flags) {
  control.signal = &caught_signal;
  control.checkpoint_seconds = flags.checkpoint_seconds;
  if (capture != nullptr)
    control.report = capture->progress;
  else
    control.report = [this](const Progress& progress) { line_.show(progress); };
}

void LiveProcess::print_message(const std::string& line) {
  line_.clear();
  app::print_message(flags_, line);
}

std::string resume_command(const char* command, const std::filesystem::path& run) {
  return fmt::format("murmur {} --resume {}", command, shell_path(run));
}

int print_stopped(const Flags& flags, const std::string& command, const std::string& at) {
  print_message(flags, fmt::format("stopped{} after a checkpoint; continue with\n  {}",
                                   at.empty() ? "" : " at " + at, command));
  return signal_exit_code();
}

}  // namespace murmur::app
