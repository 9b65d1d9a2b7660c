// progress.cpp: how far work is, how fast, how long still; and what is said when it is stopped.
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "embedding.h"
#include "printable.h"
#include "run/json_text.h"
#include "run/shell.h"

namespace murmur::app {

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
  if (flags.quiet || flags.progress == "none" || embedding != nullptr) return;
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
  if (embedding != nullptr)
    control.report = embedding->progress;
  else
    control.report = [this](const Progress& progress) { line_.show(progress); };
}

void LiveProcess::tell(const std::string& line) {
  line_.clear();
  say(flags_, line);
}

std::string resume_command(const char* command, const std::filesystem::path& run) {
  return fmt::format("murmur {} --resume {}", command, shell_path(run));
}

int tell_stopped(const Flags& flags, const std::string& command, const std::string& at) {
  say(flags, fmt::format("stopped{} after a checkpoint; go on with\n  {}",
                         at.empty() ? "" : " at " + at, command));
  return 128 + caught_signal;
}

}  // namespace murmur::app
