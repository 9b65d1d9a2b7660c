// run_program.h: runs another program to its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace murmur::app {

// What it says goes to our stderr, its data nowhere. The exit code, 128 and the signal that ended
// it, or nothing where it could not be started. `words` begin with its name.
std::optional<int> run_program(const std::string& program, std::vector<std::string> words);

// The same, with its data: what it has written to its standard output, where it ended with code 0.
std::optional<std::string> output_of_program(const std::string& program,
                                             std::vector<std::string> words);

}  // namespace murmur::app
