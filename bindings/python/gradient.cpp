// gradient.cpp: DifferentiableFlow: a recorded simulation whose gradients are computed backwards.
#include "murmur/gradient.h"

#include <algorithm>
#include <optional>

#include "python.h"

namespace murmur::python {

namespace {

using Clock = std::chrono::steady_clock;

py::array array_of(std::span<const double> values, const std::vector<std::size_t>& shape) {
  return owned({values.begin(), values.end()}, {shape.begin(), shape.end()});
}

// Every number that has a gradient, except the starting points and the masses.
py::dict numbers_of(Dynamics dynamics, int d) {
  py::dict all;
  for (const ParameterSpan& p : parameter_spans(dynamics, d))
    all[p.name.c_str()] = array_of(p.values, p.shape);
  return all;
}

// Replaces numbers of the experiment: start, mass, or a name of parameter_spans.
void set_numbers(const std::string& name, const py::handle& value, Experiment& e) {
  const std::string where = "at['" + name + "']";
  const int n = e.swarm.n(), d = e.swarm.d();
  if (name == "start") {
    HostSwarm x = swarm_of(value, where);
    if (x.shape() != e.swarm.shape())
      refuse("the starting points have another shape", where,
             "give (" + std::to_string(n) + ", " + std::to_string(d) + ")");
    x.mass = e.swarm.mass;
    fit_to_manifold(x, e.dynamics.manifold, where);
    e.swarm = std::move(x);
    return;
  }
  if (name == "mass") {
    Vector mass = vector_of(value, where);
    if (static_cast<int>(mass.size()) != n ||
        std::any_of(mass.begin(), mass.end(), [](double m) { return m < 0; }))
      refuse("these are not masses of " + std::to_string(n) + " particles", where,
             "give one number of 0 or above per particle");
    e.swarm.mass = std::move(mass);
    return;
  }
  for (const ParameterSpan& p : parameter_spans(e.dynamics, d)) {
    if (p.name != name) continue;
    const py::array_t<double> given = real_array(value, where, static_cast<int>(p.shape.size()));
    const auto rows = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
    if (!std::equal(p.shape.begin(), p.shape.end(), given.shape()))
      refuse(
          "the array has another shape than " + name, where,
          "give one of shape " + std::string(py::str(array_of(p.values, p.shape).attr("shape"))));
    std::copy_n(rows.data(), p.values.size(), p.values.begin());
    return;
  }
  refuse("the flow has no parameter of this name", where,
         "use start, mass, or one of " +
             std::string(py::str(numbers_of(e.dynamics, d).attr("keys")())));
}

class DifferentiableFlow {
 public:
  DifferentiableFlow(Prepared prepared, const py::dict& at, int states)
      : prepared_(std::move(prepared)) {
    Experiment& e = prepared_.experiment;
    for (const auto& [name, value] : at) set_numbers(name.cast<std::string>(), value, e);
    if (e.engine.name != "reference" && e.engine.name != "simd" && !asks_for_engine())
      e.engine.name = "simd";  // auto chose an engine without gradients
    engine_ = engine_for(prepared_);
    field_ = engine_->prepare(e.dynamics, e.swarm.shape());
    GradientSettings settings{.states = states, .stop = [this] { return look(); }};
    guarded([&] {
      recorded_.emplace(Flow{*engine_, *field_, e.flow, e.random}, e.schedule, e.swarm, settings);
    });
    const Outcome& o = recorded_->outcome();
    if (!o.ok())
      throw Error(Fault::numerical, o.what,
                  "t = " + std::to_string(o.t) +
                      (o.particle >= 0 ? ", particle " + std::to_string(o.particle) : ""),
                  o.remedy);
  }

  py::array frames() const {
    const HostSwarm& x = recorded_->frames()[0];
    std::vector<double> all;
    for (const HostSwarm& frame : recorded_->frames()) {
      const std::vector<double> rows = to_rows(frame);
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return owned(std::move(all),
                 {static_cast<py::ssize_t>(recorded_->frames().size()), x.n(), x.d()});
  }
  py::array times() const { return array_of(recorded_->times(), {recorded_->times().size()}); }
  std::int64_t steps() const { return recorded_->steps(); }
  std::string engine() const { return engine_->name(); }

  // Gradients from cotangents (frames, n, d): start, mass, numbers by name, and as a Dynamics.
  py::tuple backward(const py::object& cotangents) {
    const Turn turn(busy_, "gradient");
    const py::array_t<double> given = real_array(cotangents, "cotangents", 3);
    const Shape shape = prepared_.experiment.swarm.shape();
    const auto count = static_cast<py::ssize_t>(recorded_->frames().size());
    if (given.shape(0) != count || given.shape(1) != shape.n || given.shape(2) != shape.d)
      refuse("the cotangents have another shape than the frames", "cotangents",
             "give (" + std::to_string(count) + ", " + std::to_string(shape.n) + ", " +
                 std::to_string(shape.d) + ")");
    const auto entry = given.unchecked<3>();
    std::vector<HostSwarm> all(static_cast<std::size_t>(count), HostSwarm(shape));
    for (py::ssize_t f = 0; f < count; ++f)
      for (int i = 0; i < shape.n; ++i)
        for (int k = 0; k < shape.d; ++k)
          all[static_cast<std::size_t>(f)].at(i, k) = entry(f, i, k);
    FlowGradient found;
    guarded([&] { found = recorded_->backward(all); });
    return py::make_tuple(owned(to_rows(found.start), {shape.n, shape.d}),
                          owned(found.mass, {shape.n}), numbers_of(found.dynamics, shape.d),
                          found.dynamics);
  }

 private:
  bool asks_for_engine() const {
    const auto engine = prepared_.words.find("engine");
    return engine != prepared_.words.end() && engine->second.text != "auto";
  }

  // Works without the lock of Python, but takes it regularly to check for Ctrl-C.
  void guarded(const std::function<void()>& work) {
    raised_.reset();
    try {
      const Unlocked others;
      work();
    } catch (const Error&) {
      if (raised_) throw *raised_;
      throw;
    }
    if (raised_) throw *raised_;
  }
  bool look() {
    const auto now = Clock::now();
    if (now - last_look_ < std::chrono::milliseconds(20)) return false;
    last_look_ = now;
    const Locked lock;
    if (!signal_raised()) return false;
    raised_.emplace();
    return true;
  }

  Prepared prepared_;
  std::unique_ptr<Engine> engine_{};
  std::unique_ptr<Field> field_{};
  std::optional<RecordedFlow> recorded_{};
  std::optional<py::error_already_set> raised_{};
  Clock::time_point last_look_ = Clock::now();
  std::atomic<bool> busy_{false};
};

}  // namespace
}  // namespace murmur::python

template <>
class pybind11::detail::type_caster<murmur::python::DifferentiableFlow>
    : public murmur::python::FilledCaster<murmur::python::DifferentiableFlow> {};

namespace murmur::python {

void bind_gradient(py::module_& m) {
  py::class_<DifferentiableFlow> recorded(m, "DifferentiableFlow");
  refuse_pickling(recorded);
  recorded
      .def(py::init([](const std::vector<std::string>& words, const py::object& init,
                       const py::object& dynamics, const py::list& external, const py::dict& at,
                       int states) {
             return std::make_unique<DifferentiableFlow>(
                 prepare(request_of(words, init, dynamics, external)), at, states);
           }),
           py::arg("words"), py::arg("init") = py::none(), py::arg("dynamics") = py::none(),
           py::arg("external") = py::list(), py::arg("at") = py::dict(), py::arg("states") = 512)
      .def_property_readonly("frames", &DifferentiableFlow::frames)
      .def_property_readonly("times", &DifferentiableFlow::times)
      .def_property_readonly("steps", &DifferentiableFlow::steps)
      .def_property_readonly("engine", &DifferentiableFlow::engine)
      .def("backward", &DifferentiableFlow::backward, py::arg("cotangents"));
  m.def(
      "parameters_of",
      [](const std::vector<std::string>& words, const py::object& init, const py::object& dynamics,
         const py::list& external) {
        const Experiment e = prepare(request_of(words, init, dynamics, external)).experiment;
        py::dict all = numbers_of(e.dynamics, e.swarm.d());
        all["start"] = owned(to_rows(e.swarm), {e.swarm.n(), e.swarm.d()});
        all["mass"] = owned(e.swarm.mass, {e.swarm.n()});
        return all;
      },
      py::arg("words"), py::arg("init") = py::none(), py::arg("dynamics") = py::none(),
      py::arg("external") = py::list());
}

}  // namespace murmur::python
