// module.cpp: murmur._core, the compiled half of the Python package; its parts are in this folder.
#include "python.h"

namespace {

newfunc make_instance = nullptr;  // pybind11's own

// pybind11 throws through the interpreter where its base class is called, as pickles of protocols 0
// and 1 do: the process would end.
PyObject* make_instance_of_class(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  if (!pybind11::detail::all_type_info(type).empty()) return make_instance(type, args, keywords);
  PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
  return nullptr;
}

// Before there are classes: they take it over.
void guard_base_class() {
  auto* base = reinterpret_cast<PyTypeObject*>(pybind11::detail::get_internals().instance_base);
  if (base->tp_new == make_instance_of_class) return;  // of an interpreter before this one
  make_instance = base->tp_new;
  base->tp_new = make_instance_of_class;
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  using namespace murmur::python;
  guard_base_class();
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
