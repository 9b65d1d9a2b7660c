// swarm.cpp: Swarm: positions and masses in memory that numpy and the engines share.
#include <cmath>

#include "python.h"

namespace murmur::python {

namespace {

// copy: None as it comes, True always, False never.
std::unique_ptr<HostSwarm> from_array(const py::object& array, const py::object& copy) {
  const char* name = "Swarm(array)";
  if (!copy.is_none() && !py::isinstance<py::bool_>(copy))
    refuse("copy is not True, False or None", "Swarm(array, copy=...)", "write copy=False");
  const bool always = !copy.is_none() && copy.cast<bool>();
  auto x = std::make_unique<HostSwarm>(always ? swarm_of(array, name) : swarm_at(array, name));
  if (!copy.is_none() && !always && !x->borrows())
    refuse("this array does not lie coordinate after coordinate, and a copy is not wanted",
           "Swarm(array, copy=False)",
           "make it so once: array = numpy.asfortranarray(array, dtype=float)");
  return x;
}

std::unique_ptr<HostSwarm> empty_swarm(std::int64_t n, std::int64_t d) {
  if (n < 1 || d < 1 || n > 1'000'000'000 || d > 1'000'000)
    refuse("a swarm has 1 to 1,000,000,000 particles of 1 to 1,000,000 coordinates",
           "Swarm(n=" + std::to_string(n) + ", d=" + std::to_string(d) + ")",
           "give numbers in this range");
  return std::make_unique<HostSwarm>(Shape{static_cast<int>(n), static_cast<int>(d)});
}

void set_masses(HostSwarm& x, const py::object& masses) {
  Vector mass = vector_of(masses, "masses");
  double sum = 0;
  for (const double m : mass) {
    if (m < 0) refuse("a mass is negative", "masses", "give masses of 0 or above");
    sum += m;
  }
  if (mass.size() != static_cast<std::size_t>(x.n()) || !(sum > 0) || std::isinf(sum))
    refuse("the masses are not one for each particle, or sum to 0 or beyond all numbers", "masses",
           "give " + std::to_string(x.n()) + " numbers");
  for (double& m : mass) m /= sum;
  std::copy(mass.begin(), mass.end(), x.mass.begin());
}

}  // namespace

void bind_swarm(py::module_& m) {
  py::class_<HostSwarm, std::shared_ptr<HostSwarm>> swarm(m, "Swarm");
  refuse_pickling(swarm);
  swarm.def(py::init(&from_array), py::arg("array"), py::kw_only(), py::arg("copy") = py::none())
      .def(py::init(&empty_swarm), py::kw_only(), py::arg("n"), py::arg("d"))
      .def_property_readonly("n", &HostSwarm::n)
      .def_property_readonly("d", &HostSwarm::d)
      .def_property_readonly(
          "x", [](const py::object& self) { return view_of(self.cast<HostSwarm&>(), self); })
      .def_property(
          "masses",
          [](const py::object& self) { return view_of(self.cast<HostSwarm&>().mass, self); },
          &set_masses)
      .def_property_readonly(
          "address", [](HostSwarm& x) { return reinterpret_cast<std::uintptr_t>(x.axis(0)); })
      .def_property_readonly("borrowed", &HostSwarm::borrows)
      .def(
          "__array__",
          [](const py::object& self, const py::object& type) -> py::object {
            const py::array view = view_of(self.cast<HostSwarm&>(), self);
            return type.is_none() ? py::object(view) : py::object(view.attr("astype")(type));
          },
          py::arg("dtype") = py::none())
      .def("__dlpack__",
           [](const py::object& self, const py::kwargs& how) {
             return view_of(self.cast<HostSwarm&>(), self).attr("__dlpack__")(**how);
           })
      .def("__dlpack_device__", [](const HostSwarm&) { return py::make_tuple(1, 0); })
      .def("__len__", &HostSwarm::n)
      .def("__repr__", [](const HostSwarm& x) {
        return "Swarm(n=" + std::to_string(x.n()) + ", d=" + std::to_string(x.d()) + ")";
      });
}

}  // namespace murmur::python
