// parallel.h: runs numbered blocks of work on threads; which thread does which never shows.
#pragma once

#include <functional>

namespace murmur {

// Calls work(block) once for each block in [0, blocks), on up to `threads` threads (0: all cores).
// Blocks must write to disjoint places; sums across blocks are the caller's, in block order.
void for_blocks(int blocks, int threads, const std::function<void(int)>& work);

}  // namespace murmur
