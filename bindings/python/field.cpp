// field.cpp: Field: a dynamics made ready, asked for velocities, energies and clusters.
#include <cmath>
#include <limits>

#include "murmur/observe.h"
#include "python.h"

namespace murmur::python {

namespace {

// Kept ready between calls: the arrays handed over are used where they lie.
class PreparedField {
 public:
  explicit PreparedField(Prepared prepared)
      : prepared_(std::move(prepared)),
        engine_(engine_for(prepared_)),
        field_(prepare_field(prepared_.experiment, *engine_)) {
    const auto placed = engine_->place(prepared_.experiment.swarm);
    in_host_ = dynamic_cast<HostSwarm*>(placed.get()) != nullptr;
  }

  const Experiment& experiment() const { return prepared_.experiment; }
  const Settings& words() const { return prepared_.words; }
  std::string engine() const { return engine_->name(); }

  // `x` and `out` are used where they lie; an `x` that lies otherwise is copied.
  py::object velocity(const py::object& x, double t, const py::object& out) {
    const Turn turn(busy_, "field");
    if (!std::isfinite(t)) refuse("t is not a finite time", "t", "give a number");
    py::object given = x;  // what is lent lives until the end
    const std::optional<Lent> from = points(given);
    if (out.is_none()) {
      const auto fresh = std::make_shared<HostSwarm>(own().shape());
      fresh->mass = own().mass;
      py::object result = view_of(*fresh, py::cast(fresh));  // keeps it
      compute(t, from, *fresh);
      return result;
    }
    const Lent to = room_in(out, "out");
    require_shape(to.shape, "out");
    if (from && overlap(*from, to))
      refuse("x and out share memory: what is read would be written over", "out",
             "give an array of its own");
    compute(t, from, stand_in(to_, to));
    return out;
  }

  // A row of observables by name.
  py::dict observe_row(const py::object& x, double t) {
    const Turn turn(busy_, "field");
    const HostSwarm at = fitted(x);
    std::vector<double> row;
    {
      const Unlocked others;
      row = observe(at, experiment().dynamics, observe_settings(experiment(), t));
    }
    py::dict all;
    const std::vector<std::string> names = observable_names(experiment().dynamics);
    for (std::size_t k = 0; k < names.size(); ++k) all[names[k].c_str()] = row[k];
    return all;
  }

  Clusters clusters_of(const py::object& x) {
    const Turn turn(busy_, "field");
    const HostSwarm at = fitted(x);
    const Unlocked others;
    return clusters(at, experiment().dynamics, experiment().observe.cluster_tol);
  }

 private:
  const HostSwarm& own() const { return prepared_.experiment.swarm; }

  void require_shape(Shape shape, const char* name) const {
    if (shape == own().shape()) return;
    refuse("the field was made ready for (" + std::to_string(own().n()) + ", " +
               std::to_string(own().d()) + ") points, not (" + std::to_string(shape.n) + ", " +
               std::to_string(shape.d) + ")",
           name, "give as many, or make another Field");
  }

  // Where the points lie: in the array that `x` then is, or in copied_; nowhere: the field's own.
  std::optional<Lent> points(py::object& x) {
    if (x.is_none()) return std::nullopt;
    if (!py::isinstance<HostSwarm>(x)) x = array_of(x, "x");
    std::optional<Lent> lent = lent_by(x);
    if (!lent) {
      copied_ = swarm_of(x, "x");
      lent = Lent{copied_.shape(), {copied_.axis(0), copied_.stride(), nullptr, false}};
    }
    require_shape(lent->shape, "x");
    return lent;
  }

  HostSwarm fitted(const py::object& x) {
    HostSwarm at = x.is_none() ? experiment().swarm : swarm_of(x, "x");
    if (at.shape() != experiment().swarm.shape())
      refuse("the field was made ready for other points", "x",
             "give as many, or make another Field");
    at.mass = experiment().swarm.mass;
    fit_to_manifold(at, experiment().dynamics.manifold, "x");
    return at;
  }

  void compute(double t, const std::optional<Lent>& from, HostSwarm& v) {
    if (!from) return compute(t, own(), v);
    const HostSwarm& at = stand_in(from_, *from);
    require_finite(at, "x");
    compute(t, at, v);
  }

  // `swarm` in the memory that is lent for this call; its masses stay from call to call.
  HostSwarm& stand_in(HostSwarm& swarm, const Lent& lent) const {
    std::vector<double> mass = swarm.mass.empty() ? own().mass : std::move(swarm.mass);
    swarm = HostSwarm(lent.shape, lent.memory, std::move(mass));
    return swarm;
  }

  void compute(double t, const HostSwarm& at, HostSwarm& v) {
    const Unlocked others;
    if (in_host_) {
      field_->velocity(t, at, v);
    } else {
      const auto x = engine_->place(at);
      const auto there = x->like();
      field_->velocity(t, *x, *there);
      const HostSwarm back = engine_->fetch(*there);
      for (int k = 0; k < v.d(); ++k) std::copy_n(back.axis(k), v.n(), v.axis(k));
    }
    check_finite(v);
  }

  // As murmur velocity refuses it.
  void check_finite(const HostSwarm& v) const {
    const double most = experiment().engine.precision == Precision::f32
                            ? std::numeric_limits<float>::max()
                            : std::numeric_limits<double>::max();
    for (int k = 0; k < v.d(); ++k)
      for (int i = 0; i < v.n(); ++i)
        if (!(std::fabs(v.axis(k)[i]) <= most))
          throw Error(Fault::numerical, "a velocity is not a finite number of its precision",
                      "particle " + std::to_string(i) + ", coordinate " + std::to_string(k),
                      "use a smaller beta or clock=U2: USA overflows beyond beta 709, f32 beyond "
                      "88");
  }

  Prepared prepared_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Field> field_;
  HostSwarm copied_{};       // points that lie otherwise
  HostSwarm from_{}, to_{};  // what x and out are to the engine during a call
  bool in_host_ = true;
  std::atomic<bool> busy_{false};
};

std::unique_ptr<PreparedField> field_of(const std::vector<std::string>& words,
                                        const py::object& init, const py::object& dynamics,
                                        const py::list& external) {
  return std::make_unique<PreparedField>(prepare(request_of(words, init, dynamics, external)));
}

}  // namespace
}  // namespace murmur::python

template <>
class pybind11::detail::type_caster<murmur::python::PreparedField>
    : public murmur::python::FilledCaster<murmur::python::PreparedField> {};

namespace murmur::python {

void bind_field(py::module_& m) {
  py::class_<PreparedField, std::shared_ptr<PreparedField>> field(m, "Field");
  refuse_pickling(field);
  field
      .def(py::init(&field_of), py::arg("words"), py::arg("init") = py::none(),
           py::arg("dynamics") = py::none(), py::arg("external") = py::list())
      .def("velocity", &PreparedField::velocity, py::arg("x") = py::none(), py::arg("t") = 0.0,
           py::arg("out") = py::none())
      .def("observe", &PreparedField::observe_row, py::arg("x") = py::none(), py::arg("t") = 0.0)
      .def(
          "clusters",
          [](PreparedField& field, const py::object& x) {
            const Clusters c = field.clusters_of(x);
            return py::make_tuple(c.count, py::array(py::cast(c.label)),
                                  py::array(py::cast(c.size)), py::array(py::cast(c.mass)));
          },
          py::arg("x") = py::none())
      .def_property_readonly("n", [](const PreparedField& f) { return f.experiment().swarm.n(); })
      .def_property_readonly("d", [](const PreparedField& f) { return f.experiment().swarm.d(); })
      .def_property_readonly("engine", &PreparedField::engine)
      .def_property_readonly("config", [](const PreparedField& f) { return f.experiment().config; })
      .def_property_readonly("x",
                             [](const PreparedField& f) {
                               auto kept = std::make_shared<HostSwarm>(f.experiment().swarm);
                               const py::object owner = py::cast(kept);
                               return view_of(*kept, owner);
                             })
      .def_property_readonly("dynamics",
                             [](const PreparedField& f) { return f.experiment().dynamics; })
      .def_property_readonly("equation", [](const PreparedField& f) {
        return equation_text(f.experiment(), f.words());
      });
}

}  // namespace murmur::python
