// errors.cpp: errors of the library as exceptions of Python, one class an exit code.
#include <filesystem>

#include "python.h"

namespace murmur::python {

namespace {

void raise(const Error& error) {
  // The classes are Python's own: they carry what, where and do as attributes.
  const py::object raised = py::module_::import("murmur._errors")
                                .attr("error_of")(static_cast<int>(error.fault), error.summary,
                                                  error.where, error.remedy);
  PyErr_SetObject(py::type::of(raised).ptr(), raised.ptr());
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    } catch (const Stopped&) {  // the error of Python is set already
      if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const std::filesystem::filesystem_error& error) {
      raise({Fault::runtime, error.code().message(), error.path1().string(),
             "check the path, its length and its permissions"});
    }
  });
}

void refuse(const std::string& what, const std::string& where, const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

Turn::Turn(std::atomic<bool>& busy, const char* what) : busy_(busy) {
  if (busy_.exchange(true))
    throw Error(Fault::runtime, std::string("the ") + what + " is being used by another thread",
                what, std::string("give each thread a ") + what + " of its own");
}

}  // namespace murmur::python
