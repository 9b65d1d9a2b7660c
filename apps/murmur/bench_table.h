// bench_table.h: our engines beside numpy, PyTorch and what this machine can do at most.
#pragma once

#include <string>

#include "command.h"

namespace murmur::app {

struct TableChoice {
  int repetitions = 9;      // the best of so many counts
  std::string python = "";  // the interpreter of the peers; empty: one that has numpy, if any
};

int print_bench_table(const Flags& flags, const TableChoice& choice);

}  // namespace murmur::app
