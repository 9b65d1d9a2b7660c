// parallel.cpp: runs blocks on oneTBB.
#include "core/parallel.h"

#include <pthread.h>
#include <semaphore.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "murmur/stop.h"

namespace murmur {

namespace {

// The child of a fork has none of oneTBB's threads: if the parent used them, the child works on one
// thread. No result depends on it.
std::atomic<bool> without_threads{false};

bool threads_there() {
  static const int watched = pthread_atfork(nullptr, nullptr, [] { without_threads = true; });
  return watched == 0 && !without_threads;
}

void* wait_for_all(void* all_there) {
  while (sem_wait(static_cast<sem_t*>(all_there)) != 0) {
  }
  return nullptr;
}

// Returns how many of `wanted` threads the system can start next to this one at the same time. They
// end again.
int count_startable(int wanted) {
  constexpr std::size_t kStack = 16 << 20;  // more than oneTBB requests
  pthread_attr_t attributes;
  sem_t all_there;
  if (pthread_attr_init(&attributes) != 0) return 0;
  sem_init(&all_there, 0, 0);
  pthread_attr_setstacksize(&attributes, kStack);
  std::vector<pthread_t> started;
  started.reserve(static_cast<std::size_t>(wanted));
  for (pthread_t thread; static_cast<int>(started.size()) < wanted &&
                         pthread_create(&thread, &attributes, wait_for_all, &all_there) == 0;)
    started.push_back(thread);
  for (std::size_t k = 0; k < started.size(); ++k) sem_post(&all_there);
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  sem_destroy(&all_there);
  pthread_attr_destroy(&attributes);
  return static_cast<int>(started.size());
}

// oneTBB ends the program if a thread does not start (limits on processes or memory), so this tries
// first, once for each larger number. If fewer started once, that number is the limit from then on.
int startable_threads(int wanted) {
  static std::mutex guard;
  static int startable = 1, limit = std::numeric_limits<int>::max();
  const std::lock_guard lock(guard);
  if (wanted > startable && startable < limit) {
    const int found = 1 + count_startable(wanted - 1);
    startable = std::max(startable, found);
    if (found < wanted) limit = startable;
  }
  return std::min(wanted, startable);
}

}  // namespace

void for_blocks(int blocks, int threads, const std::function<void(int)>& work) {
  const auto work_on = [&work](int first, int last) {
    for (int block = first; block < last; ++block) {
      stop_point();
      work(block);
    }
  };
  const bool several = blocks > 1 && threads != 1 && threads_there();
  const int wanted = threads > 0 ? threads : several ? tbb::info::default_concurrency() : 1;
  const int team = several ? startable_threads(wanted) : 1;
  if (team == 1) return work_on(0, blocks);
  using Control = tbb::global_control;  // allows more threads than cores, if requested
  std::optional<Control> control;
  if (threads > 0 || team < wanted) control.emplace(Control::max_allowed_parallelism, team);
  tbb::task_arena arena(threads > 0 || team < wanted ? team : tbb::task_arena::automatic);
  const StopScope* const ours = StopScope::current();
  // It has its own context: if an enclosing loop ends early, this one still runs all of its blocks.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, blocks, 1),
        [&](const tbb::blocked_range<int>& range) {
          if (ours == nullptr) return work_on(range.begin(), range.end());
          const StopScope own(ours);  // a block that holds the lock starts no other
          work_on(range.begin(), range.end());
        },
        tbb::simple_partitioner(), context);
  });
}

void run_in_thread(const std::function<void()>& work) {
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
    return work();  // the machine cannot start another thread
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
