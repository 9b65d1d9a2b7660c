// arrays.cpp: reads arrays of Python, and makes views of arrays of C++.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "python.h"

namespace murmur::python {

namespace {

std::string shape_text(const py::array& a) {
  std::string text = "(";
  for (py::ssize_t k = 0; k < a.ndim(); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(a.shape(k));
  return text + (a.ndim() == 1 ? ",)" : ")");
}

}  // namespace

py::array array_of(const py::handle& value, const std::string& name) {
  if (Py_TYPE(value.ptr()) == py::detail::npy_api::get().PyArray_Type_)  // and no subclass
    return py::reinterpret_borrow<py::array>(value);
  const py::module_ numpy = py::module_::import("numpy");
  if (py::isinstance<py::array>(value)) {
    if (py::hasattr(value, "mask"))
      refuse("a masked array has missing numbers", name, "fill it first: array.filled(...)");
    return py::reinterpret_borrow<py::array>(value);
  }
  try {
    if (!py::hasattr(value, "__array__") && py::hasattr(value, "__dlpack__"))
      return numpy.attr("from_dlpack")(value);
    return numpy.attr("asarray")(value);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    refuse("it cannot be read as an array: " + std::string(py::str(error.value())), name,
           "give an array of numbers in the memory of the CPU");
  }
}

py::array_t<double> real_array(const py::handle& value, const std::string& name, int axes) {
  const py::array a = array_of(value, name);
  const char kind = a.dtype().kind();
  const bool real = (kind == 'f' && a.itemsize() <= 8) || kind == 'i' || kind == 'u';
  if (!real)
    refuse("the array holds " + std::string(py::str(a.dtype())) + ", not real numbers", name,
           "convert it: array.astype(numpy.float64)");
  if (a.ndim() != axes)
    refuse("the array has the shape " + shape_text(a), name,
           axes == 2 ? "give two axes: one row per particle, one column per coordinate"
                     : "give an array of " + std::to_string(axes) + " axes");
  if (a.size() == 0) refuse("the array is empty: " + shape_text(a), name, "give some numbers");
  for (py::ssize_t k = 0; k < a.ndim(); ++k)
    if (a.shape(k) > std::numeric_limits<int>::max())
      refuse("the array is too large: " + shape_text(a), name,
             "give fewer than 2,147,483,648 along each axis");
  py::array_t<double> doubles = Aligned::ensure(a);
  if (!doubles) throw py::error_already_set();
  const py::object finite = py::module_::import("numpy").attr("isfinite")(doubles).attr("all")();
  if (!finite.cast<bool>()) refuse("a number is not finite", name, "leave out NaN and infinities");
  return doubles;
}

Matrix matrix_of(const py::handle& value, const std::string& name) {
  if (value.is_none()) return {};
  const py::array_t<double> a = real_array(value, name, 2);
  const auto entry = a.unchecked<2>();
  Matrix m = zeros(static_cast<int>(a.shape(0)), static_cast<int>(a.shape(1)));
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j) m(i, j) = entry(i, j);
  return m;
}

Vector vector_of(const py::handle& value, const std::string& name) {
  if (value.is_none()) return {};
  const py::array_t<double> a = real_array(value, name, 1);
  const auto entry = a.unchecked<1>();
  Vector v(static_cast<std::size_t>(a.shape(0)));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = entry(static_cast<py::ssize_t>(i));
  return v;
}

namespace {

constexpr py::ssize_t kDouble = sizeof(double);

void require_room(const py::array& a, const std::string& name) {
  if (a.shape(0) > 1'000'000'000 || a.shape(1) > 1'000'000)
    refuse("the array is too large for a swarm: " + shape_text(a), name, "give fewer particles");
}

HostSwarm copied(const py::array_t<double>& a) {
  const auto entry = a.unchecked<2>();
  HostSwarm x({static_cast<int>(a.shape(0)), static_cast<int>(a.shape(1))});
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) x.axis(k)[i] = entry(i, k);
  return x;
}

// Keeps an object alive; any thread may release it.
std::shared_ptr<const void> hold(const py::object& object) {
  return {object.inc_ref().ptr(), [](const void* held) {
            const Locked lock;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
          }};
}

}  // namespace

std::optional<LentMemory> lent_by(const py::handle& value) {
  if (py::isinstance<HostSwarm>(value)) {
    auto& x = value.cast<HostSwarm&>();
    return LentMemory{x.shape(), {x.axis(0), x.stride(), nullptr, x.read_only()}};
  }
  if (!py::isinstance<py::array_t<double>>(value)) return std::nullopt;  // of this byte order
  const auto a = py::reinterpret_borrow<py::array>(value);
  if (a.ndim() != 2 || a.size() == 0 || a.shape(0) > 1'000'000'000 || a.shape(1) > 1'000'000)
    return std::nullopt;
  const py::ssize_t n = a.shape(0), d = a.shape(1), along = a.strides(0);
  const py::ssize_t across = d == 1 ? n * kDouble : a.strides(1);
  if ((n > 1 && along != kDouble) || across < n * kDouble || across % kDouble != 0 ||
      reinterpret_cast<std::uintptr_t>(a.data()) % alignof(double) != 0)
    return std::nullopt;
  return LentMemory{{static_cast<int>(n), static_cast<int>(d)},
                    {const_cast<double*>(static_cast<const double*>(a.data())),
                     static_cast<std::size_t>(across / kDouble), nullptr, !a.writeable()}};
}

LentMemory writable_memory(const py::handle& value, const std::string& name) {
  py::object room = py::reinterpret_borrow<py::object>(value);
  const bool swarm = py::isinstance<HostSwarm>(value), array = py::isinstance<py::array>(value);
  if (array) array_of(value, name);  // no masks
  if (!swarm && !array) {  // a tensor: its view in numpy is used if it is the memory of the tensor
    const bool shared = py::hasattr(value, "__array__") && py::hasattr(value, "__dlpack__");
    if (shared) room = array_of(value, name);
    const auto where = [](const py::handle& a) {
      return py::reinterpret_borrow<py::array>(a).data();
    };
    if (!shared || where(room) != where(py::module_::import("numpy").attr("from_dlpack")(value)))
      refuse("results cannot be written into a " +
                 std::string(py::str(py::type::of(value).attr("__name__"))),
             name, "give an array of numpy, a Swarm, or a tensor in the memory of the CPU");
  }
  const std::optional<LentMemory> lent = lent_by(room);
  if (lent && lent->memory.read_only)
    refuse("the array cannot be written to", name, "give one that can: array.copy(order='F')");
  if (lent) return *lent;
  const auto a = py::reinterpret_borrow<py::array>(room);
  refuse("results are written coordinate after coordinate; this array of " +
             std::string(py::str(a.dtype())) + " with shape " + shape_text(a) +
             " has another layout",
         name, "give numpy.empty((d, n)).T, the x of a Swarm, or the result of an earlier call");
}

bool overlap(const LentMemory& a, const LentMemory& b) {
  const auto first = [](const LentMemory& of, int k) {
    return reinterpret_cast<std::uintptr_t>(of.memory.x) + k * of.memory.stride * sizeof(double);
  };
  const auto end = [&](const LentMemory& of, int k) {
    return first(of, k) + static_cast<std::size_t>(of.shape.n) * sizeof(double);
  };
  if (end(a, a.shape.d - 1) <= first(b, 0) || end(b, b.shape.d - 1) <= first(a, 0)) return false;
  for (int k = 0; k < a.shape.d; ++k)
    for (int l = 0; l < b.shape.d; ++l)
      if (first(a, k) < end(b, l) && first(b, l) < end(a, k)) return true;
  return false;
}

void require_finite(const HostSwarm& x, const std::string& name) {
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i)
      if (!std::isfinite(x.axis(k)[i]))
        refuse("a number is not finite", name, "leave out NaN and infinities");
}

HostSwarm swarm_of(const py::handle& value, const std::string& name) {
  if (py::isinstance<HostSwarm>(value)) return value.cast<const HostSwarm&>();
  const py::array a = array_of(value, name);
  if (a.ndim() == 2) require_room(a, name);
  return copied(real_array(a, name, 2));
}

HostSwarm swarm_at(const py::handle& value, const std::string& name) {
  const py::object given = py::isinstance<HostSwarm>(value)
                               ? py::reinterpret_borrow<py::object>(value)
                               : py::object(array_of(value, name));
  std::optional<LentMemory> lent = lent_by(given);
  if (!lent) return swarm_of(given, name);
  lent->memory.owner = hold(given);
  std::vector<double> mass = py::isinstance<HostSwarm>(given)
                                 ? given.cast<const HostSwarm&>().mass
                                 : std::vector<double>(lent->shape.n, 1.0 / lent->shape.n);
  HostSwarm x(lent->shape, std::move(lent->memory), std::move(mass));
  require_finite(x, name);
  return x;
}

namespace {

py::array read_only(py::array a) {
  a.attr("flags").attr("writeable") = false;
  return a;
}

}  // namespace

py::array view_of(const Matrix& m, const py::handle& owner) {
  return read_only(py::array_t<double>({m.rows, m.cols}, m.data.data(),
                                       py::reinterpret_borrow<py::object>(owner)));
}

py::array view_of(const Vector& v, const py::handle& owner) {
  return read_only(py::array_t<double>(static_cast<py::ssize_t>(v.size()), v.data(),
                                       py::reinterpret_borrow<py::object>(owner)));
}

py::array view_of(HostSwarm& x, const py::handle& owner) {
  const std::vector<py::ssize_t> shape = {x.n(), x.d()};
  const std::vector<py::ssize_t> steps = {kDouble, kDouble * static_cast<py::ssize_t>(x.stride())};
  py::array_t<double> view(shape, steps, x.axis(0), py::reinterpret_borrow<py::object>(owner));
  return x.read_only() ? read_only(view) : py::array(view);
}

py::array view_of(const HostSwarm& x, const py::handle& owner) {
  return read_only(view_of(const_cast<HostSwarm&>(x), owner));
}

py::array owned(std::vector<double> values, std::vector<py::ssize_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<double>*>(p); });
  return py::array_t<double>(std::move(shape), kept->data(), owner);
}

double Keywords::number(const char* name, double otherwise) {
  const py::object value = take(name);
  if (value.is_none()) return otherwise;
  try {
    const double number = value.cast<double>();
    if (std::isfinite(number)) return number;
  } catch (const py::cast_error&) {
  }
  refuse("it is not a finite number: " + std::string(py::repr(value)), where(name),
         "write a number");
}

bool Keywords::flag(const char* name, bool otherwise) {
  const py::object value = take(name);
  if (value.is_none()) return otherwise;
  if (!py::isinstance<py::bool_>(value))
    refuse("it is not True or False: " + std::string(py::repr(value)), where(name),
           "write True or False");
  return value.cast<bool>();
}

std::string Keywords::word(const char* name, const std::string& otherwise) {
  const py::object value = take(name);
  if (value.is_none()) return otherwise;
  if (!py::isinstance<py::str>(value))
    refuse("it is not a string: " + std::string(py::repr(value)), where(name), "write a string");
  return value.cast<std::string>();
}

py::object Keywords::take(const char* name) {
  known_.emplace_back(name);
  return given_.contains(name) ? py::object(given_[name]) : py::none();
}

void Keywords::finish() const {
  for (const auto& [key, value] : given_) {
    const auto name = key.cast<std::string>();
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string near = did_you_mean(name, known_);
    std::string all;
    for (const std::string& known : known_) all += (all.empty() ? "" : ", ") + known;
    refuse(std::string(type_) + " has no " + name, std::string(type_) + "(" + name + "=...)",
           near.empty() ? "it has " + all : "did you mean " + near + "?");
  }
}

}  // namespace murmur::python
