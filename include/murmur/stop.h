// stop.h: ends long computations early: between blocks of work they look at a flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace murmur {

// Thrown by a computation that was stopped; what it computed is lost. It is not a std::exception,
// so that no handler of failures takes it for one.
struct Stopped {};

// While it lives, computations of this thread, and of the threads that share their work, throw
// Stopped between two blocks of work once `flag` is not 0. Without one nothing stops.
class StopScope {
 public:
  // `look` is called by this thread between blocks, at most 20 times a second: it may set the flag.
  // The scope around it gives what is left out.
  explicit StopScope(const std::atomic<int>* flag, const std::function<void()>* look = nullptr);
  // The flag that another thread looks at, for work that is a part of its own.
  explicit StopScope(const StopScope* other);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  static const StopScope* current();  // of this thread; null: none

 private:
  friend void stop_point();
  friend class HoldStop;
  const std::atomic<int>* flag_ = nullptr;
  const std::function<void()>* look_ = nullptr;
  std::int64_t last_look_ = 0;  // in milliseconds
  bool held_ = false;
  StopScope* const outer_;
};

// While it lives, this thread does not stop: what it does is short, or has to be whole. Held(false)
// lets it stop again within.
class HoldStop {
 public:
  explicit HoldStop(bool held = true);
  ~HoldStop();
  HoldStop(const HoldStop&) = delete;
  HoldStop& operator=(const HoldStop&) = delete;

 private:
  StopScope* const scope_;
  bool before_ = false;
};

// Throws Stopped where the flag of this thread is set. Loops over blocks of work call it themselves
// (core/parallel.h); other loops that may take longer than a tenth of a second call it here.
void stop_point();

// Does long work that has no blocks in a thread of its own while this one waits. Where this one is
// stopped, the other goes on until the work ends: it may touch only what it owns. Without a scope
// it is done here.
void do_aside(const std::function<void()>& work);

// Whether `work` came to its end; false: it was stopped.
template <class Work>
bool finishes(const Work& work) {
  try {
    work();
    return true;
  } catch (const Stopped&) {
    return false;
  }
}

}  // namespace murmur
