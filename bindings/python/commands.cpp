// commands.cpp: the commands of the program, each in a thread of its own while Python waits.
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "embedded.h"
#include "python.h"

namespace murmur::python {

namespace {

constexpr std::chrono::milliseconds kPollInterval{50};  // between two checks for signals

// A command in a thread of its own, and its last progress.
class Worker {
 public:
  explicit Worker(const std::vector<std::string>& words)
      : thread_([this, words] {
          try {
            result_ = app::run_command(words, [this](const Progress& progress) {
              const std::lock_guard<std::mutex> lock(mutex_);
              progress_ = progress;
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
    return ended_.wait_for(lock, kPollInterval, [this] { return done_; });
  }
  std::optional<Progress> take_progress() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(progress_, std::nullopt);
  }
  const app::CommandResult& result() const {
    if (error_) std::rethrow_exception(error_);
    return result_;
  }

 private:
  std::mutex mutex_{};
  std::condition_variable ended_{};
  bool done_ = false;
  std::optional<Progress> progress_{};
  app::CommandResult result_{};
  std::exception_ptr error_{};
  std::thread thread_;  // last: it uses all members above
};

// Lets one command run at a time; a waiting thread reacts to Ctrl-C. A thread that calls a command
// from its progress function would wait for itself, and is refused.
class CommandTurn {
 public:
  CommandTurn() {
    if (holder() == std::this_thread::get_id())
      throw Error(Fault::runtime,
                  "a command was called while another command of this thread is running",
                  "progress", "call it when the other one is done, or use murmur.Flow");
    for (bool here = false; !here;) {
      {
        const Unlocked others;
        here = lock().try_lock_for(kPollInterval);
      }
      if (!here && PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    holder() = std::this_thread::get_id();
  }
  ~CommandTurn() {
    holder() = std::thread::id();
    lock().unlock();
  }
  CommandTurn(const CommandTurn&) = delete;
  CommandTurn& operator=(const CommandTurn&) = delete;

  static std::atomic<std::thread::id>& holder() {
    static std::atomic<std::thread::id> id;
    return id;
  }
  static std::timed_mutex& lock() {
    static auto* mutex = new std::timed_mutex;
    return *mutex;
  }
};

// Returns (code, output, messages, interrupted). An exception in `progress` stops the command as
// Ctrl-C does.
py::tuple call(const std::vector<std::string>& words, const py::object& progress) {
  const CommandTurn turn;
  std::optional<py::error_already_set> raised;
  app::CommandResult result;
  {
    Worker worker(words);
    for (bool ended = false; !ended;) {
      {
        const Unlocked others;
        ended = worker.wait();
      }
      try {
        if (!raised && PyErr_CheckSignals() != 0) throw py::error_already_set();
        const std::optional<Progress> latest = worker.take_progress();
        if (!raised && latest && !progress.is_none()) progress(dictionary_of(*latest));
      } catch (py::error_already_set& error) {
        raised.emplace(error);
      }
      if (raised && !ended) app::interrupt_command();
    }
    if (!raised || !raised->matches(PyExc_Exception)) result = worker.result();
  }
  if (raised && !raised->matches(PyExc_KeyboardInterrupt)) throw *raised;
  return py::make_tuple(result.code, result.output, result.messages, raised.has_value());
}

// An array of Python, which commands read by a path while this object lives.
struct ArrayInMemory {
  using Values = py::array_t<double, static_cast<int>(py::array::c_style) |
                                         static_cast<int>(py::array::forcecast)>;
  ArrayInMemory(const std::string& name, const Values& values) {
    Array array;
    array.shape.assign(values.shape(), values.shape() + values.ndim());
    array.values = std::vector<double>(values.data(), values.data() + values.size());
    path = app::path_in_memory(name, std::move(array));
  }
  std::shared_ptr<const std::string> path{};
};

py::list rows_of(std::span<const Parameter> parameters) {
  py::list all;
  const char* kinds[] = {"number", "whole", "word", "flag"};
  for (const Parameter& p : parameters)
    all.append(py::make_tuple(p.name, kinds[p.kind], p.initial, p.values, p.meaning));
  return all;
}

py::list readings_list() {
  py::list all;
  for (const app::ReadingText& r : app::reading_texts())
    all.append(py::make_tuple(r.name, r.table, r.picture, rows_of(r.table_options),
                              rows_of(r.picture_options)));
  return all;
}

}  // namespace

void bind_commands(py::module_& m) {
  pthread_atfork(nullptr, nullptr, [] {
    new (&CommandTurn::lock()) std::timed_mutex;
    CommandTurn::holder() = std::thread::id();
  });
  py::class_<ArrayInMemory>(m, "ArrayInMemory")
      .def(py::init<const std::string&, const ArrayInMemory::Values&>(), py::arg("name"),
           py::arg("values"))
      .def_property_readonly("path", [](const ArrayInMemory& array) { return *array.path; });
  m.def("call", &call, py::arg("words"), py::arg("progress") = py::none());
  m.def(
      "parameters",
      [](const std::string& command) { return rows_of(app::parameters_of_command(command)); },
      py::arg("command"));
  m.def("readings", &readings_list);
  m.def("presets", [] {
    py::dict all;
    for (const Preset& preset : presets()) all[preset.name] = preset.text;
    return all;
  });
}

}  // namespace murmur::python
