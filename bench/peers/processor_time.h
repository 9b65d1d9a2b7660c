// processor_time.h: the clock of the programs that stand beside their peers.
#pragma once

#include <ctime>

inline double processor_seconds() {  // of this thread
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
