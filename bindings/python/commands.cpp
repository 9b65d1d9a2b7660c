// commands.cpp: the commands of the program, done in a thread of their own while Python waits.
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "embedded.h"
#include "python.h"

namespace murmur::python {

namespace {

constexpr std::chrono::milliseconds kLook{50};  // between two looks at signals

// Work in a thread of its own, and what it last told of itself.
class Worker {
 public:
  explicit Worker(const std::vector<std::string>& words)
      : thread_([this, words] {
          try {
            answer_ = app::answer(words, [this](const Progress& progress) {
              const std::lock_guard<std::mutex> lock(mutex_);
              told_ = progress;
            });
          } catch (...) {
            error_ = std::current_exception();
          }
          const std::lock_guard<std::mutex> lock(mutex_);
          done_ = true;
          ended_.notify_all();
        }) {}
  ~Worker() { thread_.join(); }

  bool wait() {  // true: it has ended
    std::unique_lock<std::mutex> lock(mutex_);
    return ended_.wait_for(lock, kLook, [this] { return done_; });
  }
  std::optional<Progress> told() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(told_, std::nullopt);
  }
  const app::Answer& answer() const {
    if (error_) std::rethrow_exception(error_);
    return answer_;
  }

 private:
  std::mutex mutex_{};
  std::condition_variable ended_{};
  bool done_ = false;
  std::optional<Progress> told_{};
  app::Answer answer_{};
  std::exception_ptr error_{};
  std::thread thread_;  // last: all of the above is there when it starts
};

// One command at a time; a thread that waits for its turn sees Ctrl-C. One that has its turn
// already, in a function of progress, would wait for itself.
class Place {
 public:
  Place() {
    if (holder() == std::this_thread::get_id())
      throw Error(Fault::runtime, "a command was called while another of this thread is under way",
                  "progress", "call it when the other one is done, or use murmur.Flow");
    for (bool here = false; !here;) {
      {
        const Unlocked others;
        here = lock().try_lock_for(kLook);
      }
      if (!here && PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    holder() = std::this_thread::get_id();
  }
  ~Place() {
    holder() = std::thread::id();
    lock().unlock();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  static std::atomic<std::thread::id>& holder() {
    static std::atomic<std::thread::id> id;
    return id;
  }
  static std::timed_mutex& lock() {
    static auto* mutex = new std::timed_mutex;
    return *mutex;
  }
};

// (code, data, talk, interrupted). What `progress` raises stops the command as Ctrl-C does.
py::tuple call(const std::vector<std::string>& words, const py::object& progress) {
  const Place place;
  std::optional<py::error_already_set> raised;
  app::Answer answer;
  {
    Worker worker(words);
    for (bool ended = false; !ended;) {
      {
        const Unlocked others;
        ended = worker.wait();
      }
      try {
        if (!raised && PyErr_CheckSignals() != 0) throw py::error_already_set();
        const std::optional<Progress> told = worker.told();
        if (!raised && told && !progress.is_none()) progress(dictionary_of(*told));
      } catch (py::error_already_set& error) {
        raised.emplace(error);
      }
      if (raised && !ended) app::interrupt();
    }
    if (!raised || !raised->matches(PyExc_Exception)) answer = worker.answer();
  }
  if (raised && !raised->matches(PyExc_KeyboardInterrupt)) throw *raised;
  return py::make_tuple(answer.code, answer.data, answer.talk, raised.has_value());
}

py::list parameters_list(const std::string& command) {
  py::list all;
  const char* kinds[] = {"number", "whole", "word", "flag"};
  for (const Parameter& p : app::parameters_of_command(command))
    all.append(py::make_tuple(p.name, kinds[p.kind], p.initial, p.values, p.meaning));
  return all;
}

}  // namespace

void bind_commands(py::module_& m) {
  pthread_atfork(nullptr, nullptr, [] {
    new (&Place::lock()) std::timed_mutex;
    Place::holder() = std::thread::id();
  });
  m.def("call", &call, py::arg("words"), py::arg("progress") = py::none());
  m.def("parameters", &parameters_list, py::arg("command"));
  m.def("presets", [] {
    py::dict all;
    for (const Preset& preset : presets()) all[preset.name] = preset.text;
    return all;
  });
}

}  // namespace murmur::python
