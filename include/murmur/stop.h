// stop.h: stops long computations early: they check a flag between blocks of work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace murmur {

// Thrown by a computation that was stopped; what it computed is lost. It is not a std::exception,
// so that handlers of failures do not catch it.
struct Stopped {};

// While it exists, computations of this thread, and of threads that share their work, throw Stopped
// between two blocks of work once `flag` is not 0. Without a scope nothing stops.
class StopScope {
 public:
  // This thread calls `look` between blocks, at most 20 times per second; it may set the flag.
  // Omitted arguments are those of the enclosing scope.
  explicit StopScope(const std::atomic<int>* flag, const std::function<void()>* look = nullptr);
  // Uses the flag of another thread's scope, for a part of that thread's work.
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

// While it exists, this thread does not stop, because its work is short or must not be interrupted.
// HoldStop(false) allows stops again inside.
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

// Throws Stopped if the flag of this thread is set. for_blocks (core/parallel.h) calls it; other
// loops that may take longer than a tenth of a second have to call it.
void stop_point();

// Does long work without blocks in a separate thread while this one waits. If this thread is
// stopped, the other one continues until the work ends, so the work may only use data that it owns.
// Without a scope the work runs in this thread.
void run_in_thread(const std::function<void()>& work);

// Whether `work` finished; false: it was stopped.
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
