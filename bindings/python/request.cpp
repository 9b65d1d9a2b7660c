// request.cpp: an experiment out of words and of objects: points, forces, functions of Python.
#include "embedded.h"
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

// a_i += function(t, x)_i; what Python raises goes through.
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
    const HostSwarm x = swarm_at(request.init, "init");  // read where it lies
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

}  // namespace murmur::python
