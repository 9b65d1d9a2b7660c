// error_text.cpp: the sentence about the error bound of an engine that has one.
#include "error_text.h"

#include <fmt/format.h>

#include <cmath>

namespace murmur::app {

std::string error_text(double bound, const std::string& kind, double tolerance) {
  const std::string which = "the error of a particle's sum of forces";
  const std::string instead = "engine=simd sums pair by pair, and bounds no error";
  if (!std::isfinite(bound)) return which + " has no bound; " + instead;
  const std::string text = fmt::format("{} is at most {:.2g} ({})", which, bound, kind);
  if (bound <= tolerance) return text;
  return fmt::format("{}, above the tolerance {:g}; {}", text, tolerance, instead);
}

}  // namespace murmur::app
