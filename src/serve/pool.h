// pool.h: a fixed number of threads and a bounded queue of connections before them.
#pragma once

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace murmur {

// What connections need to know of the whole server.
struct Crowd {
  std::atomic<bool> stopping{false};
  std::atomic<int> waiting{0};  // connections without a thread
};

class Pool : public httplib::TaskQueue {
 public:
  struct Size {
    int threads = 32;
    int most_waiting = 512;
  };
  Pool(Crowd& crowd, Size size);
  ~Pool() override;
  // Waits while the queue is full: further connections wait in the system's own queue, and no
  // more descriptors are taken.
  void enqueue(std::function<void()> job) override;
  void shutdown() override;

 private:
  void work();
  Crowd& crowd_;
  Size size_;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
};

}  // namespace murmur
