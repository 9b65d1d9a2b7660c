// style.h: the flag --style of commands that draw figures.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace murmur::app {

inline void add_style(CLI::App& sub, std::string& style) {
  sub.add_option("--style", style, "look of the figures")
      ->check(CLI::IsMember({"paper", "slides", "dark"}));
}

}  // namespace murmur::app
