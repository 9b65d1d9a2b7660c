// run_program.h: runs another program to its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace murmur::app {

// What it says goes to our stderr, its data nowhere. The exit code, 128 and the signal that ended
// it, or nothing where it could not be started. `words` begin with its name.
std::optional<int> run_program(const std::string& program, std::vector<std::string> words);

// What a program says and how it ends; nothing where it could not be started.
struct ProgramOutput {
  int code = 0;
  std::string out{}, err{};
};
std::optional<ProgramOutput> output_of(std::vector<std::string> words);

}  // namespace murmur::app
