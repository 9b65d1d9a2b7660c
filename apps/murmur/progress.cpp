// progress.cpp: how far a flight is, how fast, how long still, and how many clusters.
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace murmur::app {

namespace {

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

ProgressLine::ProgressLine(const Flags& flags) : began_(now()) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  kind_ = silent;
  if (flags.quiet || flags.progress == "none") return;
  if (flags.progress == "plain") kind_ = plain;
  if (flags.progress == "json") kind_ = json;
  if (flags.progress == "auto" && terminal) kind_ = rewritten;
}

ProgressLine::~ProgressLine() {
  if (dirty_) std::fputs("\r\033[K", stderr);
}

bool ProgressLine::due() {
  if (kind_ == silent || (kind_ == plain && now() - last_shown_ < 5)) return false;
  last_shown_ = now();
  return true;
}

void ProgressLine::put(const std::string& line) {
  std::fputs((kind_ == rewritten ? "\r\033[K" + line : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  dirty_ = kind_ == rewritten;
}

void ProgressLine::show(const Progress& p) {
  if (first_t_ < 0) first_t_ = p.t;
  if (!due()) return;
  const double share = p.T > 0 ? p.t / p.T : 1;
  const double simulated = p.t - first_t_, elapsed = now() - began_;
  if (kind_ == json) {
    fmt::print(stderr,
               R"({{"t":{},"T":{},"evaluations":{},"evaluations_per_second":{},"clusters":{}}})"
               "\n",
               p.t, p.T, p.evaluations, p.evaluations_per_second, p.clusters);
    return;
  }
  const std::string left =
      simulated > 0 ? duration_text(elapsed * (p.T - p.t) / simulated) + " left" : "";
  const std::string line =
      fmt::format("t {:.4g} / {:.4g}  {:3.0f} %  {:.3g} evaluations/s  {}{}", p.t, p.T, 100 * share,
                  p.evaluations_per_second,
                  p.clusters >= 0 ? fmt::format("{} clusters  ", p.clusters) : "", left);
  put(line);
}

void ProgressLine::show(const TrainingProgress& p) {
  if (!due()) return;
  if (kind_ == json) {
    put(nlohmann::json{{"epoch", p.epoch},
                       {"epochs", p.epochs},
                       {"update", p.update},
                       {"updates", p.updates},
                       {"loss", p.loss},
                       {"accuracy", p.accuracy},
                       {"images_per_second", p.images_per_second},
                       {"seconds_left", p.seconds_left}}
            .dump());
    return;
  }
  const std::string validation =
      std::isnan(p.validation) ? "" : fmt::format("  validation {:.2f} %", 100 * p.validation);
  put(fmt::format(
      "epoch {} / {}  {:3.0f} %  loss {:.4f}  accuracy {:.2f} %{}  {:.0f} images/s  "
      "{} left",
      p.epoch, p.epochs, 100.0 * static_cast<double>(p.update) / static_cast<double>(p.updates),
      p.loss, 100 * p.accuracy, validation, p.images_per_second, duration_text(p.seconds_left)));
}

void ProgressLine::show(const SweepProgress& p) {
  if (!due()) return;
  if (kind_ == json) {
    put(nlohmann::json{{"done", p.done},
                       {"cells", p.cells},
                       {"failed", p.failed},
                       {"seconds_left", p.seconds_left},
                       {"cell", p.cell}}
            .dump());
    return;
  }
  const std::string failed = p.failed > 0 ? fmt::format("  {} failed", p.failed) : "";
  const std::string left =
      std::isnan(p.seconds_left) ? "" : fmt::format("  {} left", duration_text(p.seconds_left));
  const std::string last = p.cell.empty() ? "" : fmt::format("  last {}", p.cell);
  put(fmt::format("{} / {} cells{}{}{}", p.done, p.cells, failed, left, last));
}

void ProgressLine::show(const CountProgress& p) {
  if (!due()) return;
  const double left = p.done > 0 ? (now() - began_) * (p.of - p.done) / p.done : std::nan("");
  if (kind_ == json) {
    const nlohmann::json seconds = p.done > 0 ? nlohmann::json(left) : nlohmann::json(nullptr);
    put(nlohmann::json{{"done", p.done}, {"of", p.of}, {"what", p.what}, {"seconds_left", seconds}}
            .dump());
    return;
  }
  put(fmt::format("{} / {} {}{}", p.done, p.of, p.what,
                  p.done > 0 ? fmt::format("  {} left", duration_text(left)) : ""));
}

}  // namespace murmur::app
