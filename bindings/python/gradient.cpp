// gradient.cpp: derivatives of a loss of a flight, bound for Python.
#include "python.h"

namespace murmur::python {

void bind_gradient(py::module_&) {}

}  // namespace murmur::python
