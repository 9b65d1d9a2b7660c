// swarm.cpp: Swarm, positions and masses in memory that numpy and the engines share, and the
// distances between swarms.
#include <algorithm>
#include <cmath>

#include "murmur/transport.h"
#include "python.h"

namespace murmur::python {

namespace {

// copy: None if needed, True always, False never.
std::unique_ptr<HostSwarm> from_array(const py::object& array, const py::object& copy) {
  const char* name = "Swarm(array)";
  if (!copy.is_none() && !py::isinstance<py::bool_>(copy))
    refuse("copy is not True, False or None", "Swarm(array, copy=...)", "write copy=False");
  const bool always = !copy.is_none() && copy.cast<bool>();
  auto x = std::make_unique<HostSwarm>(always ? swarm_of(array, name) : swarm_at(array, name));
  if (!copy.is_none() && !always && !x->borrows())
    refuse("this array is not stored coordinate after coordinate, and copy=False",
           "Swarm(array, copy=False)",
           "convert it once: array = numpy.asfortranarray(array, dtype=float)");
  return x;
}

std::unique_ptr<HostSwarm> empty_swarm(std::int64_t n, std::int64_t d) {
  if (n < 1 || d < 1 || n > 1'000'000'000 || d > 1'000'000)
    refuse("a swarm has 1 to 1,000,000,000 particles of 1 to 1,000,000 coordinates",
           "Swarm(n=" + std::to_string(n) + ", d=" + std::to_string(d) + ")",
           "give numbers in this range");
  return std::make_unique<HostSwarm>(Shape{static_cast<int>(n), static_cast<int>(d)});
}

// The masses of n particles, divided by their sum.
Vector read_masses(const py::object& masses, int n, const char* name) {
  Vector mass = vector_of(masses, name);
  double sum = 0;
  for (const double m : mass) {
    if (m < 0) refuse("a mass is negative", name, "give masses of 0 or above");
    sum += m;
  }
  if (mass.size() != static_cast<std::size_t>(n) || !(sum > 0) || std::isinf(sum))
    refuse("the masses are not one for each particle, or their sum is 0 or infinite", name,
           "give " + std::to_string(n) + " numbers");
  for (double& m : mass) m /= sum;
  return mass;
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
          [](HostSwarm& x, const py::object& masses) {
            const Vector mass = read_masses(masses, x.n(), "masses");
            std::copy(mass.begin(), mass.end(), x.mass.begin());
          })
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

namespace {

struct Pair {
  HostSwarm x, y;
};

Pair pair_of(const py::object& x, const py::object& y, const py::object& x_masses,
             const py::object& y_masses) {
  Pair pair{swarm_of(x, "x"), swarm_of(y, "y")};
  if (pair.x.d() != pair.y.d())
    refuse("the swarms have " + std::to_string(pair.x.d()) + " and " + std::to_string(pair.y.d()) +
               " coordinates",
           "x, y", "give points of one space");
  if (!x_masses.is_none()) pair.x.mass = read_masses(x_masses, pair.x.n(), "x_masses");
  if (!y_masses.is_none()) pair.y.mass = read_masses(y_masses, pair.y.n(), "y_masses");
  return pair;
}

Ground ground_of(const std::string& word) {
  if (word == "chord") return Ground::chord;
  if (word == "arc") return Ground::arc;
  refuse("there is no ground '" + word + "'", "ground", "use chord or arc");
}

void require_order(int p) {
  if (p != 1 && p != 2) refuse("p is not 1 or 2", "p", "use p=1 or p=2");
}

}  // namespace

void bind_transport(py::module_& m) {
  m.def("circle_distance", [](const py::object& x, const py::object& y, int p,
                              const py::object& x_masses, const py::object& y_masses) {
    require_order(p);
    const Pair pair = pair_of(x, y, x_masses, y_masses);
    const Unlocked others;
    const CircleDistance found = circle_distance(circle_atoms(pair.x), circle_atoms(pair.y), p);
    return std::vector<double>{found.distance, found.min};
  });
  m.def("assignment_distance",
        [](const py::object& x, const py::object& y, const std::string& ground, int p) {
          require_order(p);
          const Pair pair = pair_of(x, y, py::none(), py::none());
          const Ground on = ground_of(ground);
          Assignment found;
          {
            const Unlocked others;
            found = assignment_distance(pair.x, pair.y, on, p);
          }
          return py::make_tuple(found.distance, found.min, py::array(py::cast(found.partner)));
        });
  m.def("entropic_distance",
        [](const py::object& x, const py::object& y, const std::string& ground, double epsilon,
           int threads, const py::object& x_masses, const py::object& y_masses) {
          const Pair pair = pair_of(x, y, x_masses, y_masses);
          const EntropicSettings settings{
              .ground = ground_of(ground), .epsilon = epsilon, .threads = threads};
          const Unlocked others;
          const EntropicDistance found = entropic_distance(pair.x, pair.y, settings);
          return std::vector<double>{found.distance, found.min, found.most, found.epsilon,
                                     found.margin_error};
        });
  m.def("sliced_distance", [](const py::object& x, const py::object& y, const std::string& ground,
                              int slices, std::uint64_t seed, int threads,
                              const py::object& x_masses, const py::object& y_masses) {
    const Pair pair = pair_of(x, y, x_masses, y_masses);
    const SlicedSettings settings{
        .ground = ground_of(ground), .slices = slices, .seed = seed, .threads = threads};
    const Unlocked others;
    const SlicedDistance found = sliced_distance(pair.x, pair.y, settings);
    return std::vector<double>{found.distance, found.error};
  });
}

}  // namespace murmur::python
