// shared_run.cpp: ranks write their parts of each frame into one trajectory.
#include "run/shared_run.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "run/checkpoint.h"
#include "run/manifest.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

// Particles first .. end - 1 of a frame, (end - first, d).
struct Part {
  int first, end;
};

Part part_of(int n, const Ranks& ranks) {
  const auto cut = [&](int r) { return static_cast<int>(std::int64_t{n} * r / ranks.size()); };
  return {cut(ranks.rank()), cut(ranks.rank() + 1)};
}

std::vector<double> rows_of(const HostSwarm& x, Part part) {
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(part.end - part.first) * x.d());
  for (int i = part.first; i < part.end; ++i)
    for (int k = 0; k < x.d(); ++k) rows.push_back(x.at(i, k));
  return rows;
}

std::vector<float> singles_of(std::span<const double> rows, double t, int first, int d) {
  for (std::size_t e = 0; e < rows.size(); ++e)
    if (!(std::abs(rows[e]) <= std::numeric_limits<float>::max()))
      throw Error(Fault::numerical, "a position is too large for single precision",
                  fmt::format("t = {}, particle {}", t, first + e / static_cast<std::size_t>(d)),
                  "use precision=f64, or a smaller T");
  return {rows.begin(), rows.end()};
}

}  // namespace

SharedRun::SharedRun(Ranks& ranks, const std::function<Run()>& open) : ranks_(ranks) {
  on_first(&ranks, [&] { led_.emplace(open()); });
  const std::string there =
      ranks.broadcast_text(0, led_ ? fs::absolute(led_->directory()).string() : std::string());
  directory_ = led_ ? led_->directory() : fs::path(there);
  together(&ranks, [&] {
    if (!is_run_directory(directory_))
      throw Error(Fault::runtime, "this rank does not see the run that the first rank writes",
                  there, "give -o or --runs a folder that all machines share");
    trajectory_ = GrowingNpy::open(directory_ / "trajectory.npy");
    if (led_) {
      last_checkpoint_ = led_->last_checkpoint();
    } else if (std::optional<Checkpoint> checkpoint = read_checkpoint(directory_)) {
      last_checkpoint_ = std::move(checkpoint->state);
    } else if (read_manifest(directory_).parent) {
      last_checkpoint_ = read_parting(directory_);
    }
  });
  frames_ = ranks.gather(led_ ? led_->frames() : 0)[0];
}

void SharedRun::put_rows(double t, const HostSwarm& frame) {
  const Part part = part_of(frame.n(), ranks_);
  const std::vector<double> rows = rows_of(frame, part);
  const auto put = [&](const auto& numbers) {
    const auto at = static_cast<std::uint64_t>(part.first) * frame.d() * sizeof(numbers[0]);
    trajectory_.put_part(frames_, at, std::as_bytes(std::span(numbers)));
  };
  if (trajectory_.element() == Element::f32)
    put(singles_of(rows, t, part.first, frame.d()));
  else
    put(rows);
}

void SharedRun::append(double t, const HostSwarm& frame, std::span<const double> row) {
  together(&ranks_, [&] { put_rows(t, frame); });
  on_first(&ranks_, [&] { led_->append(t, HostSwarm(), row); });
  ++frames_;
}

void SharedRun::event(std::string_view json_object) {
  on_first(&ranks_, [&] { led_->event(json_object); });
}

void SharedRun::checkpoint(Record state, bool last) {
  together(&ranks_, [&] { trajectory_.sync(); });
  on_first(&ranks_, [&] { led_->checkpoint(std::move(state), last); });
}

void SharedRun::close(const std::string& status, const std::map<std::string, double>& numbers,
                      const std::string& sentence) {
  if (led_) led_->close(status, numbers, sentence);
}

void SharedRun::close_after_exception(const std::map<std::string, double>& numbers) noexcept {
  if (led_) murmur::close_after_exception(*led_, numbers);
}

// A signal may have reached only some ranks, and their clocks differ: what is due on one rank is
// due on all.
SharedProcess::Due SharedProcess::what_is_due() {
  constexpr double kSecondsBetweenReports = 0.1;
  const auto now = Time::now();
  const auto since = [&](Time::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  std::int64_t asked[] = {since(last_checkpoint_) >= control_.checkpoint_seconds ? 1 : 0,
                          control_.stopped() ? 1 : 0};
  run_.ranks().largest(asked);
  const bool report = control_.report && since(last_report_) >= kSecondsBetweenReports;
  if (report) last_report_ = now;
  return {asked[0] != 0, asked[1] != 0, report};
}

void SharedProcess::save(double position, Record state, bool last) {
  position_ = position;
  run_.event(fmt::format(R"({{"event":"checkpoint","{}":{}}})", clock_, position));
  run_.checkpoint(std::move(state), last);
  last_checkpoint_ = Time::now();
}

}  // namespace murmur
