// pool.cpp: threads that answer connections one after another.
#include "serve/pool.h"

#include <chrono>
#include <exception>

namespace murmur {

Pool::Pool(Crowd& crowd, Size size) : crowd_(crowd), size_(size) {
  try {
    for (int k = 0; k < size.threads; ++k) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // the system has no more threads: fewer will do
    if (threads_.empty()) throw;
  }
}

Pool::~Pool() { shutdown(); }

void Pool::enqueue(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  const auto room = [&] {
    return jobs_.size() < static_cast<std::size_t>(size_.most_waiting) || crowd_.stopping;
  };
  while (!room()) emptied_.wait_for(lock, std::chrono::milliseconds(50));
  jobs_.push_back(std::move(job));
  crowd_.waiting = static_cast<int>(jobs_.size());
  filled_.notify_one();
}

void Pool::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void Pool::work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [&] { return !jobs_.empty() || ended_; });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      crowd_.waiting = static_cast<int>(jobs_.size());
    }
    emptied_.notify_one();
    job();
  }
}

}  // namespace murmur
