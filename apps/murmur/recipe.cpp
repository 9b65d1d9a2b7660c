// recipe.cpp: writes recipes of pictures, and checks those that are read.
#include "recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "command.h"
#include "generated/version.h"
#include "program.h"
#include "reproduce/parameters.h"
#include "reproduce/reproduce.h"
#include "run/shell.h"
#include "run_kind.h"
#include "trace/trace_file.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct Flag {
  const char* name;
  bool takes_value = false;
};

// Flags for output paths and messages, which do not change a picture.
constexpr Flag kOutputFlags[] = {{"-o", true},
                                 {"--out", true},
                                 {"--runs", true},
                                 {"--json"},
                                 {"-q"},
                                 {"--quiet"},
                                 {"-v"},
                                 {"--verbose"},
                                 {"--color", true},
                                 {"--force"},
                                 {"--all"},
                                 {"--progress", true},
                                 {"--resume", true},
                                 {"--dry-run"},
                                 {"--checkpoint", true}};

constexpr Flag kRender[] = {{"--frame", true}, {"--plot", true},    {"--strip", true},
                            {"--size", true},  {"--seconds", true}, {"--fps", true},
                            {"--light"},       {"--log-time"},      {"--style", true}};
constexpr Flag kReport[] = {{"--no-film"}, {"--style", true}};
constexpr Flag kClassify[] = {{"--no-film"}};
constexpr Flag kReproduce[] = {{"--quick"}, {"--style", true}};
constexpr Flag kImport[] = {{"--tensor", true}, {"--tokens", true}, {"--causal"}};
constexpr Flag kTrace[] = {{"--file", true},
                           {"--whole"},
                           {"--ids", true},
                           {"--tokenizer", true},
                           {"--continue", true},
                           {"--temperature", true},
                           {"--seed", true},
                           {"--repeat", true},
                           {"--no-ffn"},
                           {"--no-attention"},
                           {"--no-norm"},
                           {"--parts"},
                           {"--random-weights", true},
                           {"--swap-layer", true},
                           {"--patch", true},
                           {"--answers", true},
                           {"--no-activations"},
                           {"--engine", true},
                           {"--threads", true}};

// A command of a recipe, with the flags that change its picture.
struct Row {
  const char* name;
  std::span<const Flag> flags{};
  bool makes_run = false;
  bool takes_texts = false;  // its arguments are texts, not parameters
};
const Row kRows[] = {{.name = "simulate", .makes_run = true},
                     {.name = "train", .makes_run = true},
                     {.name = "meanfield", .makes_run = true},
                     {.name = "landscape", .makes_run = true},
                     {.name = "sweep", .makes_run = true},
                     {"trace", kTrace, true, true},
                     {"import", kImport, true, true},
                     {"render", kRender},
                     {"report", kReport},
                     {"reproduce", kReproduce},
                     {"classify", kClassify}};

const Row* find_row(const std::string& command) {
  const auto found = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const Row& row) { return command == row.name; });
  return found == std::end(kRows) ? nullptr : found;
}

const Flag* find_flag(std::span<const Flag> flags, const std::string& name) {
  const auto found =
      std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return name == flag.name; });
  return found == flags.end() ? nullptr : &*found;
}

// A part of a command line: a flag with its value, or another argument.
struct Part {
  enum Kind { argument, flag, output_flag, unknown } kind = argument;
  std::vector<std::string> words{};
  std::string value{};  // of a flag
};

bool is_assignment(const std::string& word) { return !parse_arguments({word}).assignments.empty(); }

// -qo PATH: several flags of one letter in one word. The last one may take a value.
Part part_of_letters(const std::string& word, bool& takes_next) {
  for (std::size_t k = 1; k < word.size(); ++k) {
    const Flag* flag = find_flag(kOutputFlags, std::string("-") + word[k]);
    if (flag == nullptr) return {Part::unknown, {word}};
    if (!flag->takes_value) continue;
    takes_next = k + 1 == word.size();
    break;
  }
  return {Part::output_flag, {word}};
}

Part part_of_flag(const std::string& command, std::span<const Flag> known, const std::string& word,
                  bool& takes_next) {
  if (word[1] != '-') return part_of_letters(word, takes_next);
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const Flag* of_picture = find_flag(known, name);
  const Flag* flag = of_picture != nullptr ? of_picture : find_flag(kOutputFlags, name);
  if (flag == nullptr) return {Part::unknown, {word}};
  const bool takes_value = flag->takes_value && !(name == "--resume" && command == "reproduce");
  takes_next = takes_value && equals == std::string::npos;
  Part part{of_picture != nullptr ? Part::flag : Part::output_flag, {word}};
  if (equals != std::string::npos) part.value = word.substr(equals + 1);
  if (!takes_value && equals != std::string::npos && of_picture != nullptr)
    part.kind = Part::unknown;
  return part;
}

std::vector<Part> parts_of(const std::vector<std::string>& words) {
  const Row* row = words.empty() ? nullptr : find_row(words[0]);
  const std::span<const Flag> known = row != nullptr ? row->flags : std::span<const Flag>();
  std::vector<Part> parts;
  bool no_more_flags = false;  // after --
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (no_more_flags || word.size() < 2 || word[0] != '-') {
      const bool text = row != nullptr && row->takes_texts;
      const bool threads = !text && split_assignment(word).key == "threads" && is_assignment(word);
      parts.push_back({threads ? Part::output_flag : Part::argument, {word}});
      continue;
    }
    if (word == "--") {
      no_more_flags = true;
      parts.push_back({Part::flag, {word}});
      continue;
    }
    bool takes_next = false;
    parts.push_back(part_of_flag(words[0], known, word, takes_next));
    if (!takes_next) continue;
    if (k + 1 == words.size()) {
      parts.back().kind = Part::unknown;
    } else {
      parts.back().words.push_back(words[++k]);
      parts.back().value = words[k];
    }
  }
  return parts;
}

// Only texts may have several lines.
bool holds_controls(const std::string& word, bool text) {
  return std::any_of(word.begin(), word.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < 0x20 && !(text && (c == '\n' || c == '\t')));
  });
}

// Whether it cannot be read as a flag; negative numbers are values.
bool is_value(const std::string& value) {
  if (value.empty()) return false;
  if (value[0] != '-') return true;
  return value.size() > 1 &&
         (std::isdigit(static_cast<unsigned char>(value[1])) || value[1] == '.');
}

bool is_among(std::span<const Parameter> table, const std::string& key) {
  return std::any_of(table.begin(), table.end(), [&](const Parameter& p) { return key == p.name; });
}

// The rows that the name of a figure or of a paper selects; none for other words.
std::vector<std::string> figures_of(const std::string& name) {
  std::vector<std::string> figures;
  for (const ReproductionRow& row : reproductions())
    if (const auto papers = papers_of(row);
        name == row.name || std::find(papers.begin(), papers.end(), name) != papers.end())
      figures.emplace_back(row.name);
  return figures;
}

bool takes_parameter(const Row& row, const std::vector<std::string>& plain,
                     const std::string& key) {
  const std::string command = row.name;
  if (is_among(declared_parameters(command), key)) return true;
  if (command == "render" || command == "report") return is_among(parameters(), key);
  if (command != "reproduce" || plain.empty()) return false;
  for (const std::string& figure : figures_of(plain[0])) {
    const std::vector<FigureParameter>& own = parameters_of(figure);
    if (std::any_of(own.begin(), own.end(), [&](const auto& p) { return p.name == key; }))
      return true;
  }
  return false;
}

// Whether it is the file of a trained swarm. A run is refused, because the recipe does not create
// it.
bool is_model_file(const std::string& word) {
  std::error_code ignored;
  return fs::path(word).is_absolute() && !is_run_directory(word) &&
         !fs::exists(fs::path(word) / "manifest.json", ignored);
}

bool are_allowed(const Row& row, const std::vector<std::string>& plain, bool after_run) {
  const std::string command = row.name;
  if (command == "render" || command == "report")
    return after_run && plain == std::vector<std::string>{"@run"};
  if (command == "classify")
    return plain.size() == 1 && (after_run ? plain[0] == "@run" : is_model_file(plain[0]));
  if (command == "reproduce")
    return !after_run && plain.size() == 1 && !figures_of(plain[0]).empty();
  if (command == "import") return plain.size() == 1;
  if (command == "trace") return !plain.empty();
  std::error_code ignored;  // meanfield: a preset or a file of settings
  return plain.empty() || (plain.size() == 1 && !fs::is_directory(plain[0], ignored));
}

// Checks one command; `after_run`: the command before it creates the run.
std::optional<std::string> refusal_of(const std::vector<std::string>& words, bool after_run) {
  const Row* row = words.empty() ? nullptr : find_row(words[0]);
  if (row == nullptr) return "the picture names a command that creates no picture";
  if (row->makes_run && after_run) return "the picture is made by two runs";
  for (const std::string& word : words)
    if (holds_controls(word, row->takes_texts))
      return "the picture's command holds control characters";
  if (makes_run(words) && !row->takes_texts) return std::nullopt;
  if (row->makes_run && !row->takes_texts && words[0] != "meanfield")
    return "the picture's run is not made from its settings";
  std::vector<std::string> plain;
  std::vector<std::string> keys;
  for (const Part& part : parts_of(words)) {
    if (part.kind == Part::output_flag) return "the picture's command says where to write";
    if (part.kind == Part::unknown)
      return fmt::format("the picture's command has an unknown flag {}", part.words[0]);
    if (part.kind == Part::flag) {
      if ((part.words.size() > 1 || part.words[0].find('=') != std::string::npos) &&
          !is_value(part.value))
        return fmt::format("the picture's command has no value for {}", part.words[0]);
      continue;
    }
    const std::string& word = part.words[0];
    if (!row->takes_texts && is_assignment(word))
      keys.push_back(split_assignment(word).key);
    else
      plain.push_back(word);
  }
  for (const std::string& key : keys)
    if (!takes_parameter(*row, plain, key))
      return fmt::format("the picture's command has an unknown parameter {}", key);
  if (!are_allowed(*row, plain, after_run))
    return "the picture is not drawn from the run that it makes";
  return std::nullopt;
}

}  // namespace

std::vector<std::string> picture_arguments(const std::vector<std::string>& argv) {
  const std::vector<std::string> words(argv.begin() + std::min<std::ptrdiff_t>(1, argv.size()),
                                       argv.end());
  if (words.empty()) return words;
  std::vector<std::string> kept{words[0]};
  for (const Part& part : parts_of(words))
    if (part.kind != Part::output_flag)
      kept.insert(kept.end(), part.words.begin(), part.words.end());
  return kept;
}

bool makes_run(const std::vector<std::string>& command) {
  const Row* row = command.empty() ? nullptr : find_row(command[0]);
  return row != nullptr && row->makes_run &&
         (row->takes_texts || (command.size() == 2 && command[1] == "@config"));
}

std::optional<std::string> refusal_of(const std::vector<std::vector<std::string>>& commands) {
  if (commands.empty() || commands.size() > 2) return "the picture does not say how it was made";
  bool after_run = false;
  for (const std::vector<std::string>& words : commands) {
    if (const auto refusal = refusal_of(words, after_run)) return refusal;
    after_run = makes_run(words);
  }
  if (commands.size() == 2 && !makes_run(commands[0]))
    return "the picture is not drawn from a run that it makes";
  return std::nullopt;
}

namespace {

// Removes the number of threads, on which no result depends.
std::string without_threads(const std::string& config) {
  std::istringstream lines(config);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("threads =", 0) != 0) kept += line + "\n";
  return kept;
}

// The path of a picture relative to the folder; empty if it is outside of the folder.
std::string path_below(const fs::path& folder, const fs::path& place) {
  if (folder.empty()) return {};
  const fs::path below = fs::absolute(place).lexically_normal().lexically_relative(
      fs::absolute(folder).lexically_normal());
  if (below.empty() || *below.begin() == ".." || *below.begin() == ".") return {};
  return below.generic_string();
}

std::string absolute_path(const std::string& name) {
  std::error_code ignored;
  return fs::exists(name, ignored) ? fs::absolute(name).lexically_normal().string() : name;
}

// Makes the paths absolute in images=FILE, FILE:3-7 or LEFT+RIGHT, data=DIR and FILE.toml, because
// the picture may be created again in any folder. Names that are not files (test:8, mnist) stay.
void make_paths_absolute(std::vector<std::string>& words) {
  for (std::string& word : words) {
    const bool assigns = word.find('=') != std::string::npos;
    const auto [key, text] = split_assignment(word);
    if (!assigns && fs::path(word).extension() == ".toml") word = absolute_path(word);
    if (assigns && key == "data" && text != "mnist" && text != "fashion-mnist")
      word = "data=" + absolute_path(text);
    if (!assigns || key != "images") continue;
    std::string value;
    std::istringstream sides(text);
    for (std::string side; std::getline(sides, side, '+');) {
      const std::size_t colon = side.rfind(':');
      const std::string path = absolute_path(side);
      value += value.empty() ? "" : "+";
      value += path != side || colon == side.npos
                   ? path
                   : absolute_path(side.substr(0, colon)) + side.substr(colon);
    }
    word = "images=" + value;
  }
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line = "murmur";
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

PictureSource source_of_run(const RunReader& run, const std::string& subject) {
  const KeptJson manifest = kept_manifest(run);
  const std::string kind = kind_of(run).command;
  return {.kind = kind,
          .config = run.config(),
          .made_by = kind == "trace" ? read_trace_file(run.directory()).made_by
                                     : std::vector<std::string>{},
          .seed = static_cast<std::uint64_t>(manifest.at("seed").number()),
          .branch = manifest.has("parent"),
          .folder = run.directory(),
          .subject = subject};
}

picture::RecipeOf recipe_of_run(const RunReader& run, const std::string& subject) {
  return recipe_of(source_of_run(run, subject));
}

picture::RecipeOf recipe_of(PictureSource source) {
  std::vector<std::string> drawing =
      source.words.empty() ? picture_arguments(program_argv) : std::move(source.words);
  const fs::path folder = fs::absolute(source.folder / ".").lexically_normal();  // ends in a slash
  const std::string name =
      source.name.empty() ? folder.parent_path().filename().string() : source.name;
  nlohmann::json json = {
      {"murmur", MURMUR_VERSION}, {"commit", MURMUR_COMMIT}, {"seed", source.seed}};
  // A picture drawn by the command of the run depends on its settings, also after --resume.
  if (!source.kind.empty() && drawing.front() == source.kind)
    drawing = {source.kind, "config.toml"};
  std::vector<std::string> typed = drawing;
  if (!source.kind.empty()) {
    json["run"] = name;
    for (std::size_t k = 0; k < drawing.size(); ++k)
      if (drawing[k] == source.subject) {
        drawing[k] = "@run";
        typed[k] = name;  // without the folders of its path
      }
  }
  json["command"] = shell_line(typed);
  make_paths_absolute(drawing);
  nlohmann::json steps = nlohmann::json::array();
  if (!source.kind.empty()) {
    if (source.made_by.empty())
      steps.push_back({source.kind, "@config"});
    else
      steps.push_back(source.made_by);
    json["config"] = without_threads(source.config);
  }
  if (drawing.empty() || drawing[0] != source.kind) steps.push_back(drawing);
  json["make"] = std::move(steps);
  if (source.branch) json["branch"] = true;
  return [json, folder = source.folder](const fs::path& place) {
    nlohmann::json whole = json;
    const std::string file = path_below(folder, place);
    if (!file.empty()) whole["file"] = file;
    return whole.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
}

}  // namespace murmur::app
