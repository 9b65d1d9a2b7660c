// recipe.h: the recipe of a picture: the commands that make it again, as JSON inside its file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/run.h"
#include "picture/recipe.h"

namespace murmur::app {

// What a picture is made of, beside the command line at hand.
struct Ingredients {
  std::string kind{};                  // the command that makes the run; empty: none does
  std::string config{};                // its config.toml
  std::vector<std::string> made_by{};  // the command that made it, where its settings alone do not
  std::string name{};                  // of the run; empty: as its folder is called
  std::uint64_t seed = 0;
  bool parted = false;               // a branch, which its settings alone do not make again
  std::filesystem::path folder{};    // pictures in it are known by their path below it
  std::string subject{};             // word of the command line that names the run
  std::vector<std::string> words{};  // the command that draws; empty: the one at hand
};
Ingredients ingredients_of(const RunReader& run, const std::string& subject);

// {"murmur": version, "commit", "seed", "run", "command", "make": [[word, ...], ...], "config",
// "file"} Words @config and @run stand for files; `file` is the picture's path below the
// run or the folder of runs, absent where -o named it. Threads, -o and flags that change no picture
// are left out, so that the same picture has the same recipe; files that `images` and `data` name
// stand in `make` with their whole paths.
picture::RecipeOf recipe_of(Ingredients what);

// A command of murmur as a shell reads it.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace murmur::app
