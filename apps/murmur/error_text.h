// error_text.h: the sentence about the error bound of an engine that has one.
#pragma once

#include <string>

namespace murmur::app {

// `kind`: certified or estimated (ErrorBound of murmur/engine.h).
std::string error_text(double bound, const std::string& kind, double tolerance);

}  // namespace murmur::app
