// parallel.cpp: blocks on oneTBB.
#include "core/parallel.h"

#include <pthread.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "murmur/stop.h"

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
  const auto work_on = [&work](int first, int last) {
    for (int block = first; block < last; ++block) {
      stop_point();
      work(block);
    }
  };
  if (blocks <= 1 || threads == 1 || !threads_there()) return work_on(0, blocks);
  using Control = tbb::global_control;  // lets more threads run than there are cores, when asked
  std::optional<Control> control;
  if (threads > 0) control.emplace(Control::max_allowed_parallelism, threads);
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  const StopScope* const ours = StopScope::current();
  // Of its own: where a loop around this one ends early, this one still does all of its blocks.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, blocks, 1),
        [&](const tbb::blocked_range<int>& range) {
          if (ours == nullptr) return work_on(range.begin(), range.end());
          const StopScope own(ours);  // a block that holds it holds no other
          work_on(range.begin(), range.end());
        },
        tbb::simple_partitioner(), context);
  });
}

void do_aside(const std::function<void()>& work) {
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  if (StopScope::current() == nullptr) return work();
  struct Shared {
    std::mutex mutex{};
    std::condition_variable ended{};
    bool done = false;
    std::exception_ptr error{};
  };
  const auto shared = std::make_shared<Shared>();
  std::thread other;
  try {
    other = std::thread([shared, work] {
      std::exception_ptr error;
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard<std::mutex> lock(shared->mutex);
      shared->error = error;
      shared->done = true;
      shared->ended.notify_all();
    });
  } catch (const std::system_error&) {
    return work();  // the machine has no thread left
  }
  const bool whole = finishes([&] {
    std::unique_lock<std::mutex> lock(shared->mutex);
    while (!shared->ended.wait_for(lock, kBetweenLooks, [&] { return shared->done; })) stop_point();
  });
  if (!whole) {
    other.detach();
    throw Stopped();
  }
  other.join();
  if (shared->error) std::rethrow_exception(shared->error);
}

}  // namespace murmur
