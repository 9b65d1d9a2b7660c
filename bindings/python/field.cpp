// field.cpp: experiments from arguments and objects of Python, and Field, which evaluates
// velocities, observables and clusters.
#include <cmath>
#include <limits>

#include "embedded.h"
#include "murmur/observe.h"
#include "python.h"

namespace murmur::python {

namespace {

py::array_t<double> copy_of(const HostSwarm& x) {
  py::array_t<double> rows({x.n(), x.d()});
  auto entry = rows.mutable_unchecked<2>();
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) entry(i, k) = x.at(i, k);
  return rows;
}

// a_i += function(t, x)_i; exceptions of Python pass through.
void add_result(const py::function& function, const std::string& name, double t, const HostSwarm& x,
                HostSwarm& a) {
  const py::object result = function(t, copy_of(x));
  const std::string where = "External '" + name + "' at t = " + std::string(py::str(py::float_(t)));
  py::array given = py::array::ensure(result);
  if (!given) {
    PyErr_Clear();
    refuse("the function returned no array", where, "return one of the shape of x");
  }
  const char kind = given.dtype().kind();
  const bool fits = given.ndim() == 2 && given.shape(0) == x.n() && given.shape(1) == x.d();
  if (!fits || (kind != 'f' && kind != 'i' && kind != 'u'))
    refuse("the function returned " + std::string(py::str(given.dtype())) + " of shape " +
               std::string(py::str(given.attr("shape"))),
           where,
           "return real numbers of shape (" + std::to_string(x.n()) + ", " + std::to_string(x.d()) +
               ")");
  const auto rows = Aligned::ensure(given);
  if (!rows) throw py::error_already_set();
  const auto entry = rows.unchecked<2>();
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) a.at(i, k) += entry(i, k);
}

ExternalForce force_of(const py::object& external) {
  const auto name = external.attr("name").cast<std::string>();
  const std::shared_ptr<py::function> function(
      new py::function(external.attr("function").cast<py::function>()), [](py::function* last) {
        const Locked lock;
        delete last;
      });
  return {name, [function, name](double t, const HostSwarm& x, HostSwarm& a) {
            const Locked lock;
            add_result(*function, name, t, x, a);
          }};
}

}  // namespace

std::vector<std::string> Request::names() const {
  std::vector<std::string> all;
  for (const py::object& force : external) all.push_back(force.attr("name").cast<std::string>());
  return all;
}

Request request_of(const std::vector<std::string>& words, const py::object& init,
                   const py::object& dynamics, const py::list& external) {
  Request request{words, init, dynamics};
  for (const py::handle force : external)
    request.external.push_back(py::reinterpret_borrow<py::object>(force));
  return request;
}

Prepared prepare(const Request& request) {
  Prepared prepared;
  prepared.words = app::settings_of_words(request.words);
  add_external(prepared.words, request.names());
  WordedSpec worded{spec_of(prepared.words), prepared.words};
  if (!request.init.is_none()) {
    const HostSwarm x = swarm_at(request.init, "init");  // not copied if possible
    worded.spec.init = InitialPoints{{x.n(), x.d(), to_rows(x)}};
  }
  for (const py::object& force : request.external) prepared.external.push_back(force_of(force));
  if (request.dynamics.is_none()) {
    prepared.experiment = make_experiment(worded);
  } else {
    auto dynamics = request.dynamics.cast<Dynamics>();
    if (!request.external.empty() && !dynamics.sublayers.back().forces.empty())
      dynamics.sublayers.push_back({});
    prepared.experiment = make_experiment(worded, dynamics);
    prepared.of_objects = true;
  }
  return prepared;
}

std::unique_ptr<Engine> engine_for(const Prepared& prepared) {
  if (!prepared.external.empty()) return make_reference_engine(prepared.external);
  return make_engine(prepared.experiment.engine);
}

py::dict dictionary_of(const Progress& p) {
  py::dict all;
  all["what"] = p.what;
  all["done"] = p.done;
  all["of"] = p.of;
  all["fraction"] = p.fraction();
  all["speed"] = p.speed;
  all["speed_of"] = p.speed_of;
  all["seconds_left"] = p.seconds_left;
  all["live"] = p.live;
  all["position"] = p.position;
  return all;
}

namespace {

// A field that is kept between calls. Arrays are used without a copy if possible.
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

  // `x` and `out` are used without a copy; an `x` of another layout is copied.
  py::object velocity(const py::object& x, double t, const py::object& out) {
    const Turn turn(busy_, "field");
    if (!std::isfinite(t)) refuse("t is not a finite time", "t", "give a number");
    py::object given = x;  // keeps the memory until the end
    const std::optional<LentMemory> from = points(given);
    if (out.is_none()) {
      const auto fresh = std::make_shared<HostSwarm>(own().shape());
      fresh->mass = own().mass;
      py::object result = view_of(*fresh, py::cast(fresh));  // keeps it
      compute(t, from, *fresh);
      return result;
    }
    const LentMemory to = writable_memory(out, "out");
    require_shape(to.shape, "out");
    if (from && overlap(*from, to))
      refuse("x and out share memory", "out", "give an array of its own");
    compute(t, from, borrow(to_, to));
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
    refuse("the field was prepared for (" + std::to_string(own().n()) + ", " +
               std::to_string(own().d()) + ") points, not (" + std::to_string(shape.n) + ", " +
               std::to_string(shape.d) + ")",
           name, "give as many, or make another Field");
  }

  // The memory of the points: of the array in `x`, or copied_; nothing: the points of the field.
  std::optional<LentMemory> points(py::object& x) {
    if (x.is_none()) return std::nullopt;
    if (!py::isinstance<HostSwarm>(x)) x = array_of(x, "x");
    std::optional<LentMemory> lent = lent_by(x);
    if (!lent) {
      copied_ = swarm_of(x, "x");
      lent = LentMemory{copied_.shape(), {copied_.axis(0), copied_.stride(), nullptr, false}};
    }
    require_shape(lent->shape, "x");
    return lent;
  }

  HostSwarm fitted(const py::object& x) {
    HostSwarm at = x.is_none() ? experiment().swarm : swarm_of(x, "x");
    if (at.shape() != experiment().swarm.shape())
      refuse("the field was prepared for other points", "x", "give as many, or make another Field");
    at.mass = experiment().swarm.mass;
    fit_to_manifold(at, experiment().dynamics.manifold, "x");
    return at;
  }

  void compute(double t, const std::optional<LentMemory>& from, HostSwarm& v) {
    if (!from) return compute(t, own(), v);
    const HostSwarm& at = borrow(from_, *from);
    require_finite(at, "x");
    compute(t, at, v);
  }

  // Lets `swarm` use the memory for this call; it keeps its masses.
  HostSwarm& borrow(HostSwarm& swarm, const LentMemory& lent) const {
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

  // The same check as in murmur velocity.
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
  HostSwarm copied_{};       // points of another layout
  HostSwarm from_{}, to_{};  // x and out as swarms during a call
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
