// timed.h: times work of a field; waits for the device before it reads a clock.
#pragma once

#include <time.h>

#include "murmur/engine.h"

namespace murmur {

// The clock of this thread if the processor does all the work on one thread; else a wall clock.
inline clockid_t clock_of(const Field& field, bool one_thread) {
  return one_thread && !field.on_device() ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
}

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the seconds that `work` on `field` takes by `clock` (a function without arguments).
// Earlier work has finished when the clock is first read, and `work` has finished at the second
// reading.
template <class Clock, class Work>
double timed_seconds(const Field& field, const Clock& clock, const Work& work) {
  field.wait();
  const double start = clock();
  work();
  field.wait();
  return clock() - start;
}

}  // namespace murmur
