// pool.h: a fixed number of threads and a bounded queue of connections before them.
#pragma once

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
  std::atomic<int> waiting{0};       // connections without a thread
  std::atomic<bool> starved{false};  // the system has no descriptor for one more
  bool pressing() const { return waiting > 0 || starved; }
};

class ServingPool {
 public:
  struct Size {
    int threads = 32;
    int most_waiting = 512;
  };
  using Serve = std::function<void(int socket)>;  // closes the socket, throws nothing
  ServingPool(Crowd& crowd, Size size,
              Serve serve);  // std::system_error where not one thread starts
  ~ServingPool();            // serves what still waits, which is brief once `stopping` is set
  ServingPool(const ServingPool&) = delete;
  ServingPool& operator=(const ServingPool&) = delete;
  // Waits while the queue is full: further connections wait in the system's own queue, and no
  // more descriptors are taken.
  void enqueue(int socket);

 private:
  void work();
  Crowd& crowd_;
  Size size_;
  Serve serve_;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::deque<int> sockets_;
  std::vector<std::thread> threads_;
};

}  // namespace murmur
