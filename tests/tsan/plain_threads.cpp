// plain_threads.cpp: stands in for core/parallel.cpp under ThreadSanitizer, which sees std::thread and
// not into oneTBB: blocks on as many threads as are asked for, in whatever order they come.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/parallel.h"

namespace murmur {

void for_blocks(int blocks, int threads, const std::function<void(int)>& work) {
  if (blocks <= 1 || threads == 1) {
    for (int block = 0; block < blocks; ++block) work(block);
    return;
  }
  std::atomic<int> next{0};
  std::mutex guard;
  std::exception_ptr failure;
  const auto take_blocks = [&] {
    try {
      for (int block = next++; block < blocks; block = next++) work(block);
    } catch (...) {
      next = blocks;
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int k = 1; k < std::min(blocks, threads > 0 ? threads : 4); ++k)
    others.emplace_back(take_blocks);
  take_blocks();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace murmur
