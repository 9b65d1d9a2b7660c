// arrays.cpp: arrays across the border: what is taken in, and views of what lies here.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "python.h"

namespace murmur::python {

namespace {

std::string shape_text(const py::array& a) {
  std::string text = "(";
  for (py::ssize_t k = 0; k < a.ndim(); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(a.shape(k));
  return text + (a.ndim() == 1 ? ",)" : ")");
}

// Whatever holds an array, as one of numpy.
py::array numpy_of(const py::handle& value, const std::string& name) {
  const py::module_ numpy = py::module_::import("numpy");
  if (py::isinstance<py::array>(value)) {
    if (py::hasattr(value, "mask"))
      refuse("a masked array has numbers that are not there", name,
             "fill it first: array.filled(...)");
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

}  // namespace

py::array_t<double> real_array(const py::handle& value, const std::string& name, int axes) {
  const py::array a = numpy_of(value, name);
  const char kind = a.dtype().kind();
  const bool real = (kind == 'f' && a.itemsize() <= 8) || kind == 'i' || kind == 'u';
  if (!real)
    refuse("the array holds " + std::string(py::str(a.dtype())) + ", not real numbers", name,
           "convert it: array.astype(numpy.float64)");
  if (a.ndim() != axes)
    refuse("the array has the shape " + shape_text(a), name,
           axes == 2 ? "give two axes: one row a particle, one column a coordinate"
                     : "give an array of " + std::to_string(axes) + " axes");
  if (a.size() == 0) refuse("the array is empty: " + shape_text(a), name, "give some numbers");
  py::array_t<double> doubles = py::array_t<double, py::array::forcecast>::ensure(a);
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

HostSwarm swarm_of(const py::handle& value, const std::string& name) {
  if (py::isinstance<HostSwarm>(value)) return value.cast<const HostSwarm&>();
  const py::array_t<double> a = real_array(value, name, 2);
  if (a.shape(0) > 1'000'000'000 || a.shape(1) > 1'000'000)
    refuse("the array is too large for a swarm: " + shape_text(a), name, "give fewer particles");
  const auto entry = a.unchecked<2>();
  HostSwarm x({static_cast<int>(a.shape(0)), static_cast<int>(a.shape(1))});
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) x.axis(k)[i] = entry(i, k);
  return x;
}

namespace {

py::array read_only(py::array a) {
  a.attr("flags").attr("writeable") = false;
  return a;
}

constexpr py::ssize_t kDouble = sizeof(double);

}  // namespace

py::array view_of(const Matrix& m, const py::handle& owner) {
  return read_only(py::array_t<double>({m.rows, m.cols}, m.data.data(),
                                       py::reinterpret_borrow<py::object>(owner)));
}

py::array view_of(const Vector& v, const py::handle& owner) {
  return read_only(py::array_t<double>(static_cast<py::ssize_t>(v.size()), v.data(),
                                       py::reinterpret_borrow<py::object>(owner)));
}

py::array view_of(HostSwarm& x, const py::handle& owner, bool writeable) {
  const std::vector<py::ssize_t> shape = {x.n(), x.d()};
  const std::vector<py::ssize_t> steps = {kDouble, kDouble * static_cast<py::ssize_t>(x.stride())};
  py::array_t<double> view(shape, steps, x.axis(0), py::reinterpret_borrow<py::object>(owner));
  return writeable ? py::array(view) : read_only(view);
}

py::array owned(std::vector<double> values, std::vector<py::ssize_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<double>*>(p); });
  return py::array_t<double>(std::move(shape), kept->data(), owner);
}

HostSwarm* swarm_behind(const py::handle& array) {
  if (py::isinstance<HostSwarm>(array)) return array.cast<HostSwarm*>();
  if (!py::isinstance<py::array_t<double>>(array)) return nullptr;
  const auto a = py::reinterpret_borrow<py::array>(array);
  const py::object base = a.base();
  if (!base || !py::isinstance<HostSwarm>(base)) return nullptr;
  auto* x = base.cast<HostSwarm*>();
  const bool whole =
      a.ndim() == 2 && a.shape(0) == x->n() && a.shape(1) == x->d() && a.data() == x->axis(0) &&
      (x->n() == 1 || a.strides(0) == kDouble) &&
      (x->d() == 1 || a.strides(1) == kDouble * static_cast<py::ssize_t>(x->stride()));
  return whole ? x : nullptr;
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
    refuse("it is not a word: " + std::string(py::repr(value)), where(name), "write a string");
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
