// pool.cpp: threads that answer connections one after another.
#include "serve/pool.h"

#include <chrono>
#include <exception>
#include <utility>

namespace murmur {

ServingPool::ServingPool(Crowd& crowd, Size size, Serve serve)
    : crowd_(crowd), size_(size), serve_(std::move(serve)) {
  try {
    for (int k = 0; k < size.threads; ++k) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // the system has no more threads: fewer will do
    if (threads_.empty()) throw;
  }
}

ServingPool::~ServingPool() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ServingPool::enqueue(int socket) {
  std::unique_lock lock(mutex_);
  const auto room = [&] {
    return sockets_.size() < static_cast<std::size_t>(size_.most_waiting) || crowd_.stopping;
  };
  while (!room()) emptied_.wait_for(lock, std::chrono::milliseconds(50));
  sockets_.push_back(socket);
  crowd_.waiting = static_cast<int>(sockets_.size());
  filled_.notify_one();
}

void ServingPool::work() {
  for (;;) {
    int socket = -1;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [&] { return !sockets_.empty() || ended_; });
      if (sockets_.empty()) return;
      socket = sockets_.front();
      sockets_.pop_front();
      crowd_.waiting = static_cast<int>(sockets_.size());
    }
    emptied_.notify_one();
    serve_(socket);
  }
}

}  // namespace murmur
