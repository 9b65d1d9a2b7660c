// recipe_words.h: the words of commands that a picture's recipe may hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace murmur::app {

// The words of a command line that a picture depends on, the command's name first. Threads, places
// of output and flags that change no picture are left out.
std::vector<std::string> telling_words(const std::vector<std::string>& argv);

// What the words of a recipe's commands may be. Pictures come from anywhere, so this is a list of
// what is allowed: commands that make runs and pictures, each with its known flags and parameters,
// and no run but the one that the recipe itself makes. None of the words says where to write.
// Returns what is wrong, or nothing.
std::optional<std::string> refusal_of(const std::vector<std::vector<std::string>>& commands);

bool makes_run(const std::vector<std::string>& command);  // of a recipe: its run is @run

}  // namespace murmur::app
