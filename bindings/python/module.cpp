// module.cpp: murmur._core, the compiled half of the Python package; its parts are in this folder.
#include "python.h"

PYBIND11_MODULE(_core, m) {
  using namespace murmur::python;
  m.attr("version") = MURMUR_PYTHON_VERSION;
  m.doc() = "The engine of Murmuration; import murmur, which is made of it.";
  bind_lock(m);
  bind_errors(m);
  bind_swarm(m);
  bind_dynamics(m);
  bind_field(m);
  bind_flow(m);
  bind_record(m);
  bind_transport(m);
  bind_commands(m);
  bind_gradient(m);
}
