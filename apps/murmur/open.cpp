// open.cpp: murmur open: tells what made a picture, and makes it again.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.h"
#include "generated/version.h"
#include "murmur/error.h"
#include "picture/recipe.h"
#include "recipe.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/kept_json.h"
#include "run_program.h"
#include "workshop.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

using Steps = std::vector<std::vector<std::string>>;

// What a picture says of itself, checked.
struct Recipe {
  std::string version{}, commit{}, command{}, config{}, file{};
  std::string run = "run";  // name of its folder
  Steps make{};
  bool branch = false;
};

const std::vector<std::string> kMakers = {"simulate", "train", "meanfield", "landscape",
                                          "sweep",    "trace", "import"};
const std::vector<std::string> kDrawers = {"render", "report", "reproduce", "classify"};

bool is_among(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

[[noreturn]] void refuse_recipe(const std::string& picture, const std::string& what) {
  throw Error(Fault::input, what, picture, "open a picture as a murmur command wrote it");
}

std::string text_or_nothing(const KeptJson& json, const char* key) {
  return json.has(key) ? json.at(key).text() : std::string();
}

// Pictures come from anywhere: only commands that make runs and draw are run, into a folder of our
// own, and none of their words says where to.
void check(const Recipe& recipe, const std::string& picture) {
  if (recipe.make.empty() || recipe.make.size() > 2)
    refuse_recipe(picture, "the picture does not say how it was made");
  for (const auto& words : recipe.make) {
    if (words.empty() || !(is_among(kMakers, words[0]) || is_among(kDrawers, words[0])))
      refuse_recipe(picture, "the picture names a command that makes no picture");
    if (telling_words([&] {
          std::vector<std::string> argv = {"murmur"};
          argv.insert(argv.end(), words.begin(), words.end());
          return argv;
        }()) != words)
      refuse_recipe(picture, "the picture's command says where to write");
  }
  const fs::path file(recipe.file);
  if (file.is_absolute() || std::find(file.begin(), file.end(), fs::path("..")) != file.end())
    refuse_recipe(picture, "the picture lies outside of what makes it");
  if (recipe.run.empty() || recipe.run[0] == '.' || recipe.run.find('/') != recipe.run.npos)
    refuse_recipe(picture, "the picture's run has no name of a folder");
}

std::string text_of(const std::string& picture) {
  const fs::path path(picture);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    throw Error(Fault::input, "there is no such picture", picture,
                "give a PNG, SVG, PDF or MP4 that murmur made");
  return read_text(path);
}

Recipe read_recipe(const std::string& picture, const std::string& text) {
  const KeptJson json = KeptJson::parse(text, picture);
  Recipe recipe;
  recipe.version = json.at("murmur").text();
  recipe.commit = json.at("commit").text();
  recipe.command = json.at("command").text();
  recipe.config = text_or_nothing(json, "config");
  recipe.file = text_or_nothing(json, "file");
  if (json.has("run")) recipe.run = json.at("run").text();
  recipe.branch = json.has("branch");
  const nlohmann::json whole = nlohmann::json::parse(text);
  const auto is_words = [](const nlohmann::json& words) {
    return words.is_array() && std::all_of(words.begin(), words.end(),
                                           [](const auto& word) { return word.is_string(); });
  };
  if (!whole.contains("make") || !whole["make"].is_array() ||
      !std::all_of(whole["make"].begin(), whole["make"].end(), is_words))
    refuse_recipe(picture, "the picture does not say how it was made");
  recipe.make = whole["make"].get<Steps>();
  check(recipe, picture);
  return recipe;
}

// Runs this very program; what it says goes to our stderr, its data nowhere. The exit code.
int run_murmur(std::vector<std::string> words) {
  words.insert(words.begin(), "murmur");
  const std::optional<int> code = run_program("/proc/self/exe", std::move(words));
  if (!code)
    throw Error(Fault::runtime, "the program could not be started again", "/proc/self/exe",
                "check the limit of processes");
  return *code;
}

// Where the commands of a recipe write: runs into `made`, what classify keeps into a folder of its
// own.
fs::path kept_folder(const Recipe& recipe, const Workshop& shop) {
  return recipe.make.back()[0] == "classify" ? shop.path() / "kept"
                                             : shop.path() / "made" / recipe.run;
}

// Makes the picture in the workshop; the exit code of the first command that failed.
int make_again(const Recipe& recipe, const Workshop& shop, const fs::path& made,
               const Flags& flags) {
  const fs::path run = shop.path() / "made" / recipe.run, config = shop.path() / "config.toml";
  write_file_atomically(config, recipe.config);
  for (std::vector<std::string> words : recipe.make) {
    for (std::string& word : words) {
      if (word == "@config") word = config.string();
      if (word == "@run") word = run.string();
    }
    const bool diagram = recipe.make.size() == 1 && recipe.file.empty();  // no run is made
    if (is_among(kMakers, words[0])) {
      words.insert(words.end(), {"-o", (diagram ? made : run).string()});
    } else if (words[0] == "classify") {
      words.insert(words.end(), {"-o", kept_folder(recipe, shop).string()});
    } else if (words[0] == "reproduce") {
      words.insert(words.end(), {"--runs", run.string()});
    } else if (recipe.file.empty()) {
      words.insert(words.end(), {"-o", made.string()});
    }
    if (flags.quiet) words.emplace_back("-q");
    // A reproduction ends with 7 where an answer is not the expected one; its figure is drawn.
    const int code = run_murmur(words);
    if (code != 0 && !(words[0] == "reproduce" && code == 7)) return code;
  }
  return 0;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (sorted.plain.size() != 1 || !sorted.assignments.empty())
    usage("open takes one picture",
          "murmur open figure.png, or murmur open figure.png -o again.png");
  const std::string& picture = sorted.plain[0];
  const auto text = picture::recipe_in(text_of(picture));
  if (!text)
    throw Error(Fault::input, "the picture carries no recipe", picture,
                "give a PNG, SVG, PDF or MP4 that murmur made, not a copy that lost its metadata");
  const Recipe recipe = read_recipe(picture, *text);
  if (flags.out.empty()) {
    if (flags.json) {
      report(nlohmann::json::parse(*text));
      return 0;
    }
    std::string lines =
        fmt::format("made by murmur {} ({}): {}\n", recipe.version, recipe.commit, recipe.command);
    for (const auto& step : recipe.make)
      lines += fmt::format("  murmur {}\n", fmt::join(step, " "));
    if (!recipe.file.empty()) lines += fmt::format("  and is its {}\n", recipe.file);
    if (!recipe.branch)
      lines += fmt::format(
          "made again by: {}\n",
          shell_line({"open", picture, "-o", "again" + fs::path(picture).extension().string()}));
    data(lines + (recipe.config.empty() ? "" : "@config is\n" + recipe.config));
    return 0;
  }
  if (recipe.branch)
    throw Error(Fault::input, "the picture is of a branch, which its settings do not make again",
                picture, "draw it from the run directory of the branch");
  const fs::path place = output_file(flags);
  if (place.extension() != fs::path(picture).extension())
    usage("the new picture must be of the same kind",
          fmt::format("let its name end in {}", fs::path(picture).extension().string()));
  if (recipe.version != MURMUR_VERSION || recipe.commit != MURMUR_COMMIT)
    say(flags, fmt::format("made by murmur {} ({}); this one may draw it with other bytes",
                           recipe.version, recipe.commit));
  const Workshop shop;
  const fs::path made = recipe.file.empty() ? shop.path() / ("picture" + place.extension().string())
                                            : kept_folder(recipe, shop) / recipe.file;
  if (const int code = make_again(recipe, shop, made, flags); code != 0) return code;
  write_file_atomically(place, text_of(made.string()));
  data(place.string() + "\n");
  return 0;
}

}  // namespace

Command open_command() {
  return {"open", "Tell what made a picture, or make it again from what it says of itself.",
          "  murmur open runs/flock-0-1/figures/end.png\n"
          "  murmur open flight.mp4 -o again.mp4\n"
          "  murmur open figure.svg --json",
          nullptr, run};
}

}  // namespace murmur::app
