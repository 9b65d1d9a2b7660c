// python.h: what the files of the Python module share: casts, arrays, the lock, experiments.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/external.h"
#include "murmur/forces.h"
#include "murmur/stop.h"
#include "murmur/swarm.h"

namespace murmur::python {

namespace py = pybind11;

// Converts objects of the classes of this module from Python. An object that cls.__new__(cls) or a
// pickle created without a constructor holds no value, and pybind11 would pass uninitialised
// memory. Here it matches no argument of any function, which Python reports as TypeError.
template <class Type>
class FilledCaster : public py::detail::type_caster_base<Type> {
 public:
  bool load(py::handle object, bool convert) {
    const py::detail::type_info* type = py::detail::get_type_info(typeid(Type));
    if (type != nullptr && object && PyObject_TypeCheck(object.ptr(), type->type) != 0) {
      auto* instance = reinterpret_cast<py::detail::instance*>(object.ptr());
      if (instance->get_value_and_holder(type).value_ptr() == nullptr) return false;
    }
    return py::detail::type_caster_base<Type>::load(object, convert);
  }
};

// Refuses pickling by any protocol: an unpickled object would hold no value.
template <class Class>
void refuse_pickling(Class& bound) {
  bound.def("__reduce_ex__", [](const py::object& self, int) -> py::object {
    throw py::type_error("cannot pickle '" +
                         std::string(py::str(py::type::of(self).attr("__name__"))) +
                         "': store its parameters and arrays instead");
  });
}

}  // namespace murmur::python

// clang-format off
template <> class pybind11::detail::type_caster<murmur::HostSwarm> : public murmur::python::FilledCaster<murmur::HostSwarm> {};
template <> class pybind11::detail::type_caster<murmur::Attention> : public murmur::python::FilledCaster<murmur::Attention> {};
template <> class pybind11::detail::type_caster<murmur::Perceptron> : public murmur::python::FilledCaster<murmur::Perceptron> {};
template <> class pybind11::detail::type_caster<murmur::ManyHeads> : public murmur::python::FilledCaster<murmur::ManyHeads> {};
template <> class pybind11::detail::type_caster<murmur::Dynamics> : public murmur::python::FilledCaster<murmur::Dynamics> {};
// clang-format on

namespace murmur::python {

// Each defines a part of the module; module.cpp calls them in this order.
void bind_lock(py::module_& m);
void bind_errors(py::module_& m);
void bind_swarm(py::module_& m);
void bind_dynamics(py::module_& m);
void bind_field(py::module_& m);
void bind_flow(py::module_& m);
void bind_record(py::module_& m);
void bind_transport(py::module_& m);
void bind_commands(py::module_& m);
void bind_gradient(py::module_& m);

// Throws Error(input).
[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy);

// Aligned doubles; other arrays are converted or copied.
using Aligned = py::array_t<double, static_cast<int>(py::array::forcecast) |
                                        static_cast<int>(py::detail::npy_api::NPY_ARRAY_ALIGNED_)>;

// An array (of numpy, nested lists, DLPack of the CPU) as one of numpy, in its memory if possible.
// Error(input) for anything else, and for masked arrays.
py::array array_of(const py::handle& value, const std::string& name);
// The same as an array of real numbers. Error(input) also for numbers that are not finite.
py::array_t<double> real_array(const py::handle& value, const std::string& name, int axes);
Matrix matrix_of(const py::handle& value, const std::string& name);  // (rows, cols); None: empty
Vector vector_of(const py::handle& value, const std::string& name);  // None: empty
// (n, d) points, copied.
HostSwarm swarm_of(const py::handle& value, const std::string& name);
// The same without a copy, if a swarm can use their memory. The array lives as long as the swarm.
HostSwarm swarm_at(const py::handle& value, const std::string& name);

// The memory of a Swarm or of an array of numpy, if a swarm can use it: doubles of this machine,
// one coordinate of all particles after another, contiguous in each coordinate. The caller keeps
// the array.
struct LentMemory {
  Shape shape{};
  BorrowedMemory memory{};
};
std::optional<LentMemory> lent_by(const py::handle& value);
// Memory for results. Error(input) if it cannot be written to.
LentMemory writable_memory(const py::handle& value, const std::string& name);
bool overlap(const LentMemory& a, const LentMemory& b);  // whether they share a number
// Error(input) for a number that is not finite.
void require_finite(const HostSwarm& x, const std::string& name);

// Read-only views without a copy; `owner` lives as long as they do.
py::array view_of(const Matrix& m, const py::handle& owner);
py::array view_of(const Vector& v, const py::handle& owner);
// A view (n, d) of a swarm in host memory, coordinate after coordinate, as engines store it. It is
// writable if the swarm is.
py::array view_of(HostSwarm& x, const py::handle& owner);
py::array view_of(const HostSwarm& x, const py::handle& owner);
// The numbers of `values` without a copy, kept alive by the array.
py::array owned(std::vector<double> values, std::vector<py::ssize_t> shape);

// Keyword arguments of a constructor, each read once.
class Keywords {
 public:
  Keywords(const char* type, const py::kwargs& given) : type_(type), given_(given) {}
  double number(const char* name, double otherwise);
  bool flag(const char* name, bool otherwise);
  std::string word(const char* name, const std::string& otherwise);
  Matrix matrix(const char* name) { return matrix_of(take(name), where(name)); }
  Vector vector(const char* name) { return vector_of(take(name), where(name)); }
  py::object take(const char* name);  // None where it was not given
  void finish() const;                // Error(input) for a keyword that was not read
  std::string where(const char* name) const { return std::string(type_) + "(" + name + "=...)"; }

 private:
  const char* type_;
  const py::kwargs& given_;
  std::vector<std::string> known_{};
};

// Releases the lock of the interpreter while an engine computes; Locked takes it again for calls
// into Python. When the interpreter ends, Python would end a running daemon thread in its attempt
// to take the lock, in the middle of C++; here such a thread waits for the end of the process.
// During the computation Ctrl-C is checked between blocks of work: the exception of its handler
// becomes the error of Python, and Stopped is thrown.
class Unlocked {
 public:
  explicit Unlocked(std::atomic<int>* flag = nullptr);
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  const std::atomic<int>* flag() const { return flag_; }

 private:
  std::atomic<int> own_flag_{0};
  std::atomic<int>* const flag_;
  const std::function<void()> look_;
  const StopScope scope_;
  PyThreadState* state_;
};
// Whether Ctrl-C, or the exception of its handler, is the error of Python; needs the lock.
bool signal_raised();
class Locked {
 public:
  Locked();

 private:
  std::optional<py::gil_scoped_acquire> lock_{};
};

// Protects an object with scratch memory: Error(runtime) for a second thread.
class Turn {
 public:
  Turn(std::atomic<bool>& busy, const char* what);
  ~Turn() { busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& busy_;
};

// An experiment from the arguments of murmur simulate and from objects of Python.
struct Request {
  std::vector<std::string> words{};        // preset or path, key=value
  py::object init = py::none();            // points
  py::object dynamics = py::none();        // Dynamics instead of the forces of the words
  std::vector<py::object> external{};      // External
  std::vector<std::string> names() const;  // of the external forces
};
struct Prepared {
  Settings words{};
  Experiment experiment{};
  std::vector<ExternalForce> external{};
  bool of_objects = false;  // the forces are those of a Dynamics object
};
Prepared prepare(const Request& request);
std::unique_ptr<Engine> engine_for(const Prepared& prepared);
// From the arguments of a call: words, init, dynamics, external.
Request request_of(const std::vector<std::string>& words, const py::object& init,
                   const py::object& dynamics, const py::list& external);

// The progress as a dictionary.
py::dict dictionary_of(const Progress& progress);

}  // namespace murmur::python
