// embedding.h: what changes while the commands are a part of another program.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "murmur/run.h"

namespace murmur::app {

// What the commands print and tell is kept here, progress is handed on, and signals are left to the
// program around them, which sets caught_signal.
struct Embedding {
  std::string data{}, talk{};
  std::function<void(const Progress&)> progress{};
};
extern Embedding* embedding;  // null: the program is its own

// Options declared from now on begin with the value that their variable had before the first line
// of words; those that lie in `line` itself, so many bytes, are new anyway.
void begin_line(const void* line, std::size_t bytes);

}  // namespace murmur::app
