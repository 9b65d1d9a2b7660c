// recipe.h: the recipe of a picture: the commands that create it again, stored as JSON in its file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/run.h"
#include "picture/recipe.h"

namespace murmur::app {

// The source of a picture, in addition to the current command line.
struct PictureSource {
  std::string kind{};                  // the command that creates the run; empty: there is no run
  std::string config{};                // config.toml of the run
  std::vector<std::string> made_by{};  // the command that created it, if settings are not enough
  std::string name{};                  // of the run; empty: the name of its folder
  std::uint64_t seed = 0;
  bool branch = false;               // the run is a branch, which settings cannot create again
  std::filesystem::path folder{};    // the recipe stores paths of pictures relative to this folder
  std::string subject{};             // the argument on the command line that names the run
  std::vector<std::string> words{};  // the command that draws; empty: the current one
};
PictureSource source_of_run(const RunReader& run, const std::string& subject);

// Returns a function that writes the recipe of a picture:
// {"murmur": version, "commit", "seed", "run", "command", "make": [[word, ...], ...], "config",
// "file"}. The words @config and @run represent files; `file` is the path of the picture relative
// to the run or the folder of runs, and absent if -o named it. Threads, -o and flags that do not
// change the picture are left out, so that equal pictures have equal recipes; files that `images`
// and `data` name are absolute paths in `make`.
picture::RecipeOf recipe_of(PictureSource source);
// The recipe of pictures of a run that the current command draws.
picture::RecipeOf recipe_of_run(const RunReader& run, const std::string& subject);

// Draws pictures of a finished run. An Error is printed after `failure` and does not end the
// command: the numbers of the run are kept.
template <class Draw>
void draw_or_print_error(const std::filesystem::path& run, const char* failure,
                         const Draw& draw) try {
  const picture::Signature signature(recipe_of_run(RunReader(run), {}));
  draw();
} catch (const Error& error) {
  print_picture_error(failure, error);
}

// A command of murmur as a shell reads it.
std::string shell_line(const std::vector<std::string>& words);

// The arguments of a command line on which a picture depends, after the name of the command.
// Threads, output paths and flags that do not change the picture are left out.
std::vector<std::string> picture_arguments(const std::vector<std::string>& argv);

// Checks the commands of a recipe against a list of what is allowed, because pictures come from
// anywhere: commands that create runs and pictures, with their known flags and parameters, only the
// run that the recipe itself creates, and no output path. Returns what is wrong, or nothing.
std::optional<std::string> refusal_of(const std::vector<std::vector<std::string>>& commands);

bool makes_run(const std::vector<std::string>& command);  // the run that @run represents

}  // namespace murmur::app
