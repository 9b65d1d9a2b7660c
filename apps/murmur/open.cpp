// open.cpp: murmur open: prints the recipe of a picture, and creates the picture again.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "generated/version.h"
#include "murmur/error.h"
#include "picture/recipe.h"
#include "process.h"
#include "recipe.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/kept_json.h"
#include "run/shell.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

using Steps = std::vector<std::vector<std::string>>;

// The recipe in a picture, after checking.
struct Recipe {
  std::string version{}, commit{}, command{}, config{}, file{};
  std::string run = "run";  // name of its folder
  Steps make{};
  bool branch = false;
};

[[noreturn]] void refuse_recipe(const std::string& picture, const std::string& what) {
  throw Error(Fault::input, what, picture, "open a picture as a murmur command wrote it");
}

std::string text_or_nothing(const KeptJson& json, const char* key) {
  return json.has(key) ? json.at(key).text() : std::string();
}

bool is_printable(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

// Pictures come from anywhere, so their commands must be allowed, and the names in the recipe must
// lie in the temporary folder.
void check(const Recipe& recipe, const std::string& picture) {
  if (const auto refusal = refusal_of(recipe.make)) refuse_recipe(picture, *refusal);
  const bool from_settings =
      makes_run(recipe.make[0]) && recipe.make[0].size() == 2 && recipe.make[0][1] == "@config";
  if (from_settings && recipe.config.empty())
    refuse_recipe(picture, "the picture does not keep the settings of its run");
  const std::string& last = recipe.make.back()[0];
  const bool lies_in_run = makes_run(recipe.make.back()) || last == "report" ||
                           last == "reproduce" || last == "classify";
  if (lies_in_run && recipe.file.empty())
    refuse_recipe(picture, "the picture does not contain its path in the run");
  const fs::path file(recipe.file);
  if (file.is_absolute() || std::find(file.begin(), file.end(), fs::path("..")) != file.end() ||
      !is_printable(recipe.file))
    refuse_recipe(picture, "the path of the picture is outside of its run");
  if (!recipe.file.empty() && file.extension() != fs::path(picture).extension())
    refuse_recipe(picture, "the recipe is for a picture of another kind");
  constexpr std::size_t kLongestName = 200;
  if (recipe.run.empty() || recipe.run.size() > kLongestName || recipe.run[0] == '.' ||
      recipe.run.find('/') != recipe.run.npos || !is_printable(recipe.run))
    refuse_recipe(picture, "the name of the picture's run is not the name of a folder");
}

std::string text_of(const std::string& picture) {
  const fs::path path(picture);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    throw Error(Fault::input, "there is no such picture", picture,
                "give a PNG, SVG, PDF or MP4 that murmur wrote");
  return read_text(path);
}

Recipe read_recipe(const std::string& picture, const std::string& text) try {
  const KeptJson json = KeptJson::parse(text, picture);
  Recipe recipe;
  recipe.version = json.at("murmur").text();
  recipe.commit = json.at("commit").text();
  recipe.command = json.at("command").text();
  recipe.config = text_or_nothing(json, "config");
  recipe.file = text_or_nothing(json, "file");
  if (json.has("run")) recipe.run = json.at("run").text();
  recipe.branch = json.has("branch");
  for (const KeptJson& step : json.at("make").list()) recipe.make.push_back(step.texts());
  check(recipe, picture);
  return recipe;
} catch (const Error& error) {
  refuse_recipe(picture, error.summary);
}

// Runs this program with its temporary files in `folder`; returns the exit code.
int run_murmur(std::vector<std::string> words, const TemporaryFolder& folder) {
  words.insert(words.begin(), "murmur");
  const std::optional<int> code =
      run_program("/proc/self/exe", std::move(words), folder.path().string());
  if (!code)
    throw Error(Fault::runtime, "the program could not be started again", "/proc/self/exe",
                "check the limit of processes");
  return *code;
}

// The folder to which the commands of a recipe write.
fs::path kept_folder(const Recipe& recipe, const TemporaryFolder& folder) {
  return recipe.make.back()[0] == "classify" ? folder.path() / "kept"
                                             : folder.path() / "made" / recipe.run;
}

// Flags that make a command write only into the temporary folder. They come before the arguments of
// the recipe, so that no argument can take them as its value.
std::vector<std::string> flags_of_place(const Recipe& recipe, const std::string& command,
                                        bool makes_the_run, const TemporaryFolder& folder,
                                        const fs::path& made) {
  const fs::path run = folder.path() / "made" / recipe.run;
  if (command == "reproduce") return {"--runs", run.string()};
  std::vector<std::string> flags = {"--runs", (folder.path() / "runs").string()};
  const std::string place = makes_the_run           ? run.string()
                            : command == "classify" ? kept_folder(recipe, folder).string()
                            : recipe.file.empty()   ? made.string()
                                                    : "";
  if (!place.empty()) flags.insert(flags.end(), {"-o", place});
  return flags;
}

// Creates the picture in the temporary folder; returns the exit code of the first command that
// failed.
int run_recipe(const Recipe& recipe, const TemporaryFolder& folder, const fs::path& made,
               const Flags& flags) {
  const fs::path run = folder.path() / "made" / recipe.run, config = folder.path() / "config.toml";
  write_file_atomically(config, recipe.config);
  for (const std::vector<std::string>& step : recipe.make) {
    const std::string& command = step[0];
    std::vector<std::string> words{command};
    for (const std::string& flag : flags_of_place(recipe, command, makes_run(step), folder, made))
      words.push_back(flag);
    if (flags.quiet) words.emplace_back("-q");
    for (std::size_t k = 1; k < step.size(); ++k)
      words.push_back(step[k] == "@config" ? config.string()
                      : step[k] == "@run"  ? run.string()
                                           : step[k]);
    const int code = run_murmur(words, folder);
    // A reproduction ends with 7 if an answer is not the expected one; its figure is drawn.
    if (code != 0 && !(command == "reproduce" && code == 7)) return code;
  }
  return 0;
}

// Creates the picture in a temporary folder and moves it to `place`.
int create_picture(const Recipe& recipe, const fs::path& place, const Flags& flags) {
  const BlockedSignals blocked;
  const TemporaryFolder folder;
  const fs::path made = recipe.file.empty()
                            ? folder.path() / ("picture" + place.extension().string())
                            : kept_folder(recipe, folder) / recipe.file;
  if (const int code = run_recipe(recipe, folder, made, flags); code != 0) return code;
  const std::string bytes = text_of(made.string());
  if (const int number = blocked.take_pending(); number != 0) return 128 + number;
  write_file_atomically(place, bytes);
  return 0;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  if (arguments.positional.size() != 1 || !arguments.assignments.empty())
    throw_usage_error("open takes one picture",
                      "murmur open figure.png, or murmur open figure.png -o again.png");
  const std::string& picture = arguments.positional[0];
  const auto text = picture::recipe_in(text_of(picture));
  if (!text)
    throw Error(Fault::input, "the picture carries no recipe", picture,
                "give a PNG, SVG, PDF or MP4 that murmur wrote, not a copy that lost its metadata");
  const Recipe recipe = read_recipe(picture, *text);
  if (flags.out.empty()) {
    if (flags.json) {
      print_json(nlohmann::json::parse(*text));
      return 0;
    }
    std::string lines =
        fmt::format("made by murmur {} ({}): {}\n", recipe.version, recipe.commit, recipe.command);
    for (const auto& step : recipe.make) lines += fmt::format("  {}\n", shell_line(step));
    if (!recipe.file.empty()) lines += fmt::format("  file: {}\n", recipe.file);
    if (!recipe.branch)
      lines +=
          fmt::format("to create it again: {}\n",
                      fmt::format("murmur open {} -o {}", shell_path(picture),
                                  shell_word("again" + fs::path(picture).extension().string())));
    print_text(lines + (recipe.config.empty() ? "" : "@config is\n" + recipe.config));
    return 0;
  }
  if (recipe.branch)
    throw Error(Fault::input, "the picture shows a branch, which settings cannot create again",
                picture, "draw it from the run directory of the branch");
  const fs::path place = output_path(flags);
  if (place.extension() != fs::path(picture).extension())
    throw_usage_error(
        "the new picture must be of the same kind",
        fmt::format("let its name end in {}", fs::path(picture).extension().string()));
  if (recipe.version != MURMUR_VERSION || recipe.commit != MURMUR_COMMIT)
    print_message(flags, fmt::format("made by murmur {} ({}); this version may write other bytes",
                                     recipe.version, recipe.commit));
  if (const int code = create_picture(recipe, place, flags); code != 0) return code;
  print_text(place.string() + "\n");
  return 0;
}

}  // namespace

Command open_command() {
  return {"open", "Print the commands that created a picture, or create the picture again.",
          "  murmur open runs/flock-0-1/figures/end.png\n"
          "  murmur open film.mp4 -o again.mp4\n"
          "  murmur open figure.svg --json",
          nullptr, run};
}

}  // namespace murmur::app
