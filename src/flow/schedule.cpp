// schedule.cpp: when frames are kept.
#include <algorithm>
#include <cmath>

#include "core/elementary.h"
#include "murmur/flow.h"

namespace murmur {

namespace {

constexpr double kSlack = 1e-9;  // a time this close (relative) to T is the end

// k * every, by division where every is 1 / whole: 3 * 0.1 is then 0.3.
double grid_time(double every, std::int64_t k) {
  const double parts = std::round(1 / every);
  const bool whole = std::fabs(every * parts - 1) < 1e-15;
  return whole ? static_cast<double>(k) / parts : static_cast<double>(k) * every;
}

// Frames strictly before T.
std::int64_t frames_before_end(const Schedule& s) {
  const double end = s.T * (1 - kSlack);
  if (s.every > 0) return s.T > 0 ? static_cast<std::int64_t>(std::ceil(end / s.every)) : 0;
  if (s.ratio <= 1) return 0;
  std::int64_t count = 1;  // t = 0
  if (s.first < end)
    count += static_cast<std::int64_t>(
        std::ceil(elementary::log(end / s.first) / elementary::log(s.ratio)));
  return count;
}

}  // namespace

std::int64_t Schedule::frames() const { return frames_before_end(*this) + 1; }

double Schedule::time(std::int64_t frame) const {
  const bool last = frame >= frames_before_end(*this);
  if (every > 0) {  // the end stays on the grid: a longer run then passes through the same times
    const double t = grid_time(every, frame);
    return last && !(std::fabs(t - T) <= kSlack * T) ? T : t;
  }
  if (last) return T;
  if (frame == 0) return 0;
  return first * elementary::pow(ratio, static_cast<double>(frame - 1));
}

}  // namespace murmur
