// parallel.h: runs numbered blocks of work on threads; no result depends on which thread runs
// which.
#pragma once

#include <functional>

namespace murmur {

// Calls work(block) once for each block in [0, blocks), on up to `threads` threads (0: all cores),
// on fewer if the system does not start as many. Blocks must write to disjoint places; the caller
// sums over blocks, in block order.
void for_blocks(int blocks, int threads, const std::function<void(int)>& work);

// `threads`, or 1 for work that takes less time on one thread than others take to start.
inline int worthwhile_threads(double multiplications, int threads) {
  constexpr double kFewest = 500'000;
  return multiplications < kFewest ? 1 : threads;
}

}  // namespace murmur
