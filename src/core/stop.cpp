// stop.cpp: the flag that stops the computations of a thread.
#include "murmur/stop.h"

#include <chrono>

namespace murmur {

namespace {

constexpr std::int64_t kBetweenLooks = 50;  // milliseconds

thread_local StopScope* innermost = nullptr;

std::int64_t milliseconds() {
  using namespace std::chrono;
  return duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

StopScope::StopScope(const std::atomic<int>* flag, const std::function<void()>* look)
    : flag_(flag), look_(look), last_look_(milliseconds()), outer_(innermost) {
  if (outer_ != nullptr) {
    if (flag_ == nullptr) flag_ = outer_->flag_;
    if (look_ == nullptr) look_ = outer_->look_;
    held_ = outer_->held_;
  }
  innermost = this;
}

StopScope::StopScope(const StopScope* other) : outer_(innermost) {
  if (other != nullptr) flag_ = other->flag_, held_ = other->held_;
  if (other != nullptr && other == outer_) look_ = other->look_, last_look_ = other->last_look_;
  innermost = this;
}

StopScope::~StopScope() {
  if (outer_ != nullptr && outer_->look_ == look_) outer_->last_look_ = last_look_;
  innermost = outer_;
}

const StopScope* StopScope::current() { return innermost; }

HoldStop::HoldStop(bool held) : scope_(innermost) {
  if (scope_ == nullptr) return;
  before_ = scope_->held_;
  scope_->held_ = held;
}

HoldStop::~HoldStop() {
  if (scope_ != nullptr) scope_->held_ = before_;
}

void stop_point() {
  StopScope* const scope = innermost;
  if (scope == nullptr || scope->flag_ == nullptr || scope->held_) return;
  if (scope->look_ != nullptr) {
    const std::int64_t now = milliseconds();
    if (now - scope->last_look_ >= kBetweenLooks) {
      scope->last_look_ = now;
      (*scope->look_)();
    }
  }
  if (scope->flag_->load(std::memory_order_relaxed) != 0) throw Stopped();
}

}  // namespace murmur
