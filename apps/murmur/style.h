// style.h: the flag --style of commands that draw figures.
#pragma once

#include <string>

#include "options.h"

namespace murmur::app {

inline void add_style(Options& sub, std::string& style) {
  sub.add_option("--style", style, "look of the figures").among({"paper", "slides", "dark"});
}

}  // namespace murmur::app
