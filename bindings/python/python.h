// python.h: what the files of the Python module share: its parts, arrays, and patience with Python.
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

// Takes objects of a class of ours out of Python. An object that cls.__new__(cls) or a pickle made
// without a constructor holds no value: pybind11 would hand over memory that nobody has written to.
// Here it is no argument of any function, which Python reports as TypeError.
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

// Objects of ours are not pickled, by any protocol: what comes back would hold no value.
template <class Class>
void refuse_pickling(Class& bound) {
  bound.def("__reduce_ex__", [](const py::object& self, int) -> py::object {
    throw py::type_error("cannot pickle '" +
                         std::string(py::str(py::type::of(self).attr("__name__"))) +
                         "': keep the words and arrays that it is made of");
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

// Each in its own file; module.cpp calls them in this order.
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

// The word of `where` in errors about an array that was handed over.
[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy);

// Doubles that the processor may read one by one: converted or copied where they are not.
using Aligned = py::array_t<double, static_cast<int>(py::array::forcecast) |
                                        static_cast<int>(py::detail::npy_api::NPY_ARRAY_ALIGNED_)>;

// Whatever holds an array (numpy's, nested lists, DLPack of the CPU), as one of numpy; its memory
// where it can be. Error(input) for anything else, and for masked arrays.
py::array array_of(const py::handle& value, const std::string& name);
// An array of real numbers out of whatever holds one: numpy's, nested lists, DLPack of the CPU.
// Error(input) for anything else, for masked arrays and for numbers that are not finite.
py::array_t<double> real_array(const py::handle& value, const std::string& name, int axes);
Matrix matrix_of(const py::handle& value, const std::string& name);  // (rows, cols); None: empty
Vector vector_of(const py::handle& value, const std::string& name);  // None: empty
// (n, d) points, in memory of their own.
HostSwarm swarm_of(const py::handle& value, const std::string& name);
// The same where they lie, if a swarm can use them there, else in memory of their own. The array
// lives as long as the swarm.
HostSwarm swarm_at(const py::handle& value, const std::string& name);

// Where the points of a Swarm or of an array of numpy lie, if a swarm can use them there: doubles
// of this machine, one coordinate of all particles after another, neighbours side by side. The
// caller keeps the array.
struct Lent {
  Shape shape{};
  BorrowedMemory memory{};
};
std::optional<Lent> lent_by(const py::handle& value);
// Where results can be written: Error(input) for what is not there to be written to.
Lent room_in(const py::handle& value, const std::string& name);
bool overlap(const Lent& a, const Lent& b);  // whether they share a number
// A number that is not finite is refused.
void require_finite(const HostSwarm& x, const std::string& name);

// Views without a copy: `owner` lives as long as they do. They cannot be written to.
py::array view_of(const Matrix& m, const py::handle& owner);
py::array view_of(const Vector& v, const py::handle& owner);
// (n, d) of a swarm in host memory: coordinate after coordinate, as engines keep it. It can be
// written to where the swarm can.
py::array view_of(HostSwarm& x, const py::handle& owner);
py::array view_of(const HostSwarm& x, const py::handle& owner);
// The numbers of `values` without a copy, kept alive by the array.
py::array owned(std::vector<double> values, std::vector<py::ssize_t> shape);

// Keywords of a constructor, each asked for once.
class Keywords {
 public:
  Keywords(const char* type, const py::kwargs& given) : type_(type), given_(given) {}
  double number(const char* name, double otherwise);
  bool flag(const char* name, bool otherwise);
  std::string word(const char* name, const std::string& otherwise);
  Matrix matrix(const char* name) { return matrix_of(take(name), where(name)); }
  Vector vector(const char* name) { return vector_of(take(name), where(name)); }
  py::object take(const char* name);  // None where it was not given
  void finish() const;                // Error(input) for a keyword that nobody asked for
  std::string where(const char* name) const { return std::string(type_) + "(" + name + "=...)"; }

 private:
  const char* type_;
  const py::kwargs& given_;
  std::vector<std::string> known_{};
};

// The interpreter's lock, let go while an engine computes, and taken for what is Python's. When the
// interpreter comes to its end, Python would end a thread that is still under way (a daemon) in its
// try to take the lock, in the middle of C++; here such a thread waits for the end of the process.
// While it computes, Ctrl-C is looked for between blocks of work: what its handler raises is then
// the error of Python, and Stopped is thrown.
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
// With the lock: whether Ctrl-C, or what its handler raised, is the error of Python.
bool signal_raised();
class Locked {
 public:
  Locked();

 private:
  std::optional<py::gil_scoped_acquire> lock_{};
};

// One user at a time of what owns scratch memory: Error(runtime) for a second thread.
class Turn {
 public:
  Turn(std::atomic<bool>& busy, const char* what);
  ~Turn() { busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& busy_;
};

// An experiment out of the words of murmur simulate and of objects that no words say.
struct Request {
  std::vector<std::string> words{};        // preset or path, key=value
  py::object init = py::none();            // points
  py::object dynamics = py::none();        // Dynamics in place of the words' forces
  std::vector<py::object> external{};      // External
  std::vector<std::string> names() const;  // of the external forces
};
struct Prepared {
  Settings words{};
  Experiment experiment{};
  std::vector<ExternalForce> external{};
  bool of_objects = false;  // forces are those of a Dynamics that no words say
};
Prepared prepare(const Request& request);
std::unique_ptr<Engine> engine_for(const Prepared& prepared);
// Arguments as Python hands them over: words, init, dynamics, external.
Request request_of(const std::vector<std::string>& words, const py::object& init,
                   const py::object& dynamics, const py::list& external);

// How far work is, as a dictionary.
py::dict dictionary_of(const Progress& progress);

}  // namespace murmur::python
