// process.cpp: checkpoints by the wall clock, progress with the time left, and runs closed whatever
// happens.
#include <fmt/format.h>

#include "murmur/error.h"
#include "murmur/run.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

constexpr double kSecondsBetweenReports = 0.1;

double since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

double Pace::seconds() const { return since(began_); }

double Pace::seconds_left(double done, double of) {
  if (!(first_ == first_)) first_ = done;  // NaN: the first call
  if (!(done > first_)) return std::numeric_limits<double>::quiet_NaN();
  return seconds() * (of - done) / (done - first_);
}

RecordedProcess::RecordedProcess(Run& run, const ProcessControl& control, const char* clock)
    : run_(run), control_(control), clock_(clock) {}

bool RecordedProcess::checkpoint_due() const {
  return since(last_checkpoint_) >= control_.checkpoint_seconds;
}

bool RecordedProcess::report_due() {
  if (!control_.report || since(last_report_) < kSecondsBetweenReports) return false;
  last_report_ = Time::now();
  return true;
}

void RecordedProcess::save(double position, Record state, bool last) {
  position_ = position;
  run_.event(fmt::format(R"({{"event":"checkpoint","{}":{}}})", clock_, position));
  run_.checkpoint(std::move(state), last);
  last_checkpoint_ = Time::now();
}

void close_after_exception(Run& run, const std::map<std::string, double>& numbers) noexcept {
  try {  // the disk may be full: then the manifest goes on saying that the run is running
    try {
      throw;
    } catch (const Stopped&) {
      run.close("interrupted", numbers, "");
    } catch (const Error& error) {
      run.close(error.fault == Fault::input ? "interrupted" : "failed", numbers, error.summary);
    } catch (const std::exception& error) {
      run.close("failed", numbers, error.what());
    }
  } catch (...) {
  }
}

void UnitProgress::add(double cost, bool kept) {
  ++all_;
  if (kept)
    ++done_;
  else
    cost_left_ += cost;
}

void UnitProgress::end(double cost, bool well) {
  if (well) ++done_;
  ++ended_;
  cost_left_ -= cost;
  cost_done_ += cost;
}

void UnitProgress::tell(
    const std::string& live,
    std::vector<std::pair<std::string, std::variant<double, std::string>>> details) const {
  if (!control_.report) return;
  Progress p{.done = done_, .of = all_, .what = what_, .speed_of = what_, .live = live};
  if (cost_done_ > 0) {
    p.seconds_left = pace_.seconds() * cost_left_ / cost_done_;
    p.speed = ended_ / pace_.seconds();
  }
  p.details = std::move(details);
  control_.report(p);
}

}  // namespace murmur
