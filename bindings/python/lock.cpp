// lock.cpp: the interpreter's lock, and threads that outlive the interpreter.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "python.h"

namespace murmur::python {

namespace {

std::atomic<bool> ending{false};
std::atomic<std::thread::id> ender{};  // the thread in which the interpreter ends
std::atomic<int> coming{0};            // threads that are about to take the lock

// A thread on its way to the lock; once the interpreter ends, it goes no farther.
class Coming {
 public:
  Coming() {
    ++coming;
    if (!ending || ender.load() == std::this_thread::get_id()) return;
    --coming;
    for (;;) pause();
  }
  ~Coming() { --coming; }
  Coming(const Coming&) = delete;
  Coming& operator=(const Coming&) = delete;
};

// Called with the lock before the interpreter is taken down: whoever is waiting for the lock gets
// it first, and nobody waits for it afterwards.
void end() {
  ender = std::this_thread::get_id();
  ending = true;
  for (int tries = 0; coming > 0 && tries < 1000; ++tries) {
    const py::gil_scoped_release others;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

bool signal_raised() { return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0; }

Unlocked::Unlocked(std::atomic<int>* flag)
    : flag_(flag != nullptr ? flag : &own_flag_),
      look_([this] {
        const Locked lock;
        if (signal_raised()) *flag_ = SIGINT;
      }),
      scope_(flag_, &look_),
      state_(PyEval_SaveThread()) {}

Unlocked::~Unlocked() {
  const Coming here;
  PyEval_RestoreThread(state_);
}

Locked::Locked() {
  const Coming here;
  lock_.emplace();
}

void bind_lock(py::module_&) {
  pthread_atfork(nullptr, nullptr, [] { coming = 0; });  // a child has none of those threads
  py::module_::import("atexit").attr("register")(py::cpp_function(&end));
}

}  // namespace murmur::python
