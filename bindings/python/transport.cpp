// transport.cpp: distances between swarms, bound for Python.
#include "murmur/transport.h"

#include <cmath>

#include "python.h"

namespace murmur::python {

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
  const auto weigh = [](HostSwarm& of, const py::object& masses, const char* name) {
    if (masses.is_none()) return;
    of.mass = vector_of(masses, name);
    double sum = 0;
    for (const double m : of.mass) sum += m >= 0 ? m : NAN;
    if (of.mass.size() != static_cast<std::size_t>(of.n()) || !(sum > 0) || std::isinf(sum))
      refuse("the masses are not one of 0 or above for each particle", name,
             "give " + std::to_string(of.n()) + " numbers");
    for (double& m : of.mass) m /= sum;
  };
  weigh(pair.x, x_masses, "x_masses");
  weigh(pair.y, y_masses, "y_masses");
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
