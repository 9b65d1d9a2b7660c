// parallel.cpp: blocks on oneTBB.
#include "core/parallel.h"

#include <pthread.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <optional>

namespace murmur {

namespace {

// The child of a fork has none of the threads that oneTBB counts on: once they were used, it works
// alone. The numbers do not depend on it.
std::atomic<bool> without_threads{false};

bool threads_there() {
  static const int watched = pthread_atfork(nullptr, nullptr, [] { without_threads = true; });
  return watched == 0 && !without_threads;
}

}  // namespace

void for_blocks(int blocks, int threads, const std::function<void(int)>& work) {
  if (blocks <= 1 || threads == 1 || !threads_there()) {
    for (int block = 0; block < blocks; ++block) work(block);
    return;
  }
  using Control = tbb::global_control;  // lets more threads run than there are cores, when asked
  std::optional<Control> control;
  if (threads > 0) control.emplace(Control::max_allowed_parallelism, threads);
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, blocks, 1),
        [&](const tbb::blocked_range<int>& range) {
          for (int block = range.begin(); block != range.end(); ++block) work(block);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace murmur
