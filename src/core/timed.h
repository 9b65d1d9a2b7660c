// timed.h: the one way to time work of a field: the device is waited for before a clock is read.
#pragma once

#include <time.h>

#include "murmur/engine.h"

namespace murmur {

// Of this thread, where the processor does all the work on one thread; else of the wall.
inline clockid_t clock_of(const Field& field, bool one_thread) {
  return one_thread && !field.on_device() ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
}

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds of `work`, which asks `field`, by `clock` (a function without arguments). What was asked
// for before is done when the first reading is taken, and `work` is done at the second.
template <class Clock, class Work>
double timed_seconds(const Field& field, const Clock& clock, const Work& work) {
  field.wait();
  const double start = clock();
  work();
  field.wait();
  return clock() - start;
}

}  // namespace murmur
