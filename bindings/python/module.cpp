// module.cpp: murmur._core, the compiled half of the Python package: its start, its errors, and the
// lock of the interpreter.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "python.h"

namespace murmur::python {

namespace {

std::atomic<bool> ending{false};
std::atomic<std::thread::id> ender{};  // the thread in which the interpreter ends
std::atomic<int> waiting{0};           // threads that are about to take the lock

// A thread that waits for the lock; when the interpreter ends, it waits forever.
class LockWaiter {
 public:
  LockWaiter() {
    ++waiting;
    if (!ending || ender.load() == std::this_thread::get_id()) return;
    --waiting;
    for (;;) pause();
  }
  ~LockWaiter() { --waiting; }
  LockWaiter(const LockWaiter&) = delete;
  LockWaiter& operator=(const LockWaiter&) = delete;
};

// Called with the lock before the interpreter ends: threads that wait for the lock get it first,
// and later no thread waits for it.
void finish_waiting_threads() {
  ender = std::this_thread::get_id();
  ending = true;
  for (int tries = 0; waiting > 0 && tries < 1000; ++tries) {
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
  const LockWaiter waiter;
  PyEval_RestoreThread(state_);
}

Locked::Locked() {
  const LockWaiter waiter;
  lock_.emplace();
}

void bind_lock(py::module_&) {
  pthread_atfork(nullptr, nullptr,
                 [] { waiting = 0; });  // a child process has none of those threads
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish_waiting_threads));
}

namespace {

void raise(const Error& error) {
  // The classes are defined in Python, with the attributes what, where and do.
  const py::object raised = py::module_::import("murmur._errors")
                                .attr("error_of")(static_cast<int>(error.fault), error.summary,
                                                  error.where, error.remedy);
  PyErr_SetObject(py::type::of(raised).ptr(), raised.ptr());
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    } catch (const Stopped&) {  // the error of Python is already set
      if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const std::filesystem::filesystem_error& error) {
      raise({Fault::runtime, error.code().message(), error.path1().string(),
             "check the path, its length and its permissions"});
    }
  });
}

void refuse(const std::string& what, const std::string& where, const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

Turn::Turn(std::atomic<bool>& busy, const char* what) : busy_(busy) {
  if (busy_.exchange(true))
    throw Error(Fault::runtime, std::string("the ") + what + " is being used by another thread",
                what, std::string("give each thread a ") + what + " of its own");
}

}  // namespace murmur::python

namespace {

newfunc make_instance = nullptr;  // pybind11's own

// Calling the base class of pybind11, as pickles of protocols 0 and 1 do, would throw a C++
// exception through the interpreter and end the process; this raises TypeError instead.
PyObject* make_instance_of_class(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  if (!pybind11::detail::all_type_info(type).empty()) return make_instance(type, args, keywords);
  PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
  return nullptr;
}

// Must run before classes are defined, because they inherit it.
void guard_base_class() {
  auto* base = reinterpret_cast<PyTypeObject*>(pybind11::detail::get_internals().instance_base);
  if (base->tp_new == make_instance_of_class) return;  // an earlier interpreter has done it
  make_instance = base->tp_new;
  base->tp_new = make_instance_of_class;
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  using namespace murmur::python;
  guard_base_class();
  m.attr("version") = MURMUR_PYTHON_VERSION;
  m.doc() = "The compiled half of Murmuration; import murmur instead.";
  bind_lock(m);
  bind_errors(m);
  bind_swarm(m);
  bind_dynamics(m);
  bind_field(m);
  bind_flow(m);
  bind_record(m);
  bind_transport(m);
  bind_commands(m);
  bind_gradient(m);
}
