// record.cpp: a simulation with functions of Python among its forces, kept in a run directory.
#include <signal.h>

#include <optional>

#include "embedded.h"
#include "python.h"

namespace murmur::python {

namespace {

// (directory, None) where it came to the end, (directory, "") after Ctrl-C, else what, where and
// what to do.
py::tuple record(const std::vector<std::string>& words, const py::object& init,
                 const py::list& external, const app::Place& place, const py::object& progress) {
  const Prepared prepared = prepare(request_of(words, init, py::none(), external));
  const auto engine = engine_for(prepared);
  Run run = app::new_simulation(place, prepared.experiment, engine->name());
  std::atomic<int> signal{0};
  std::optional<py::error_already_set> raised;
  ProcessControl control{.signal = &signal};
  control.report = [&](const Progress& told) {
    const Locked lock;
    try {
      if (signal_raised()) throw py::error_already_set();
      if (!progress.is_none()) progress(dictionary_of(told));
    } catch (py::error_already_set& error) {
      if (!raised) raised.emplace(error);
      signal = SIGINT;
    }
  };
  Outcome outcome;
  {
    const Unlocked others(&signal);
    outcome = simulate(prepared.experiment, *engine, run, control);
  }
  if (!raised && PyErr_Occurred() != nullptr) raised.emplace();
  const std::string directory = run.directory().string();
  if (raised && !raised->matches(PyExc_KeyboardInterrupt)) throw *raised;
  if (raised) return py::make_tuple(directory, "", "", "");
  if (outcome.ok()) return py::make_tuple(directory, py::none(), "", "");
  return py::make_tuple(directory, outcome.what,
                        directory + ": t = " + std::string(py::str(py::float_(outcome.t))),
                        outcome.remedy);
}

}  // namespace

void bind_record(py::module_& m) {
  m.def("record", [](const std::vector<std::string>& words, const py::object& init,
                     const py::list& external, const std::string& out, const std::string& runs,
                     bool force, const py::object& progress) {
    return record(words, init, external, {out, runs, force}, progress);
  });
}

}  // namespace murmur::python
