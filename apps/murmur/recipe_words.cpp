// recipe_words.cpp: takes command lines apart, for recipes that are written and for those read.
#include "recipe_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>

#include "command.h"
#include "declared.h"
#include "reproduce/parameters.h"
#include "reproduce/reproduce.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct Flag {
  const char* name;
  bool takes_value = false;
};

// Flags that say where and how loudly, and change no picture.
constexpr Flag kPlaces[] = {{"-o", true},
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

// A command of recipes, with the flags that change its picture.
struct Row {
  const char* name;
  std::span<const Flag> flags{};
  bool makes_run = false;
  bool takes_texts = false;  // its words are no parameters
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

// A part of a command line: a flag with its value, or a word.
struct Part {
  enum Kind { word, flag, place, unknown } kind = word;
  std::vector<std::string> words{};
  std::string value{};  // of a flag
};

bool is_assignment(const std::string& word) { return !sort_words({word}).assignments.empty(); }

// -qo PATH: flags of one letter in one word. The last one may take a value.
Part part_of_letters(const std::string& word, bool& takes_next) {
  for (std::size_t k = 1; k < word.size(); ++k) {
    const Flag* flag = find_flag(kPlaces, std::string("-") + word[k]);
    if (flag == nullptr) return {Part::unknown, {word}};
    if (!flag->takes_value) continue;
    takes_next = k + 1 == word.size();
    break;
  }
  return {Part::place, {word}};
}

Part part_of_flag(const std::string& command, std::span<const Flag> known, const std::string& word,
                  bool& takes_next) {
  if (word[1] != '-') return part_of_letters(word, takes_next);
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const Flag* telling = find_flag(known, name);
  const Flag* flag = telling != nullptr ? telling : find_flag(kPlaces, name);
  if (flag == nullptr) return {Part::unknown, {word}};
  const bool takes_value =
      flag->takes_value && !(name == "--resume" && command == "reproduce");  // there it takes none
  takes_next = takes_value && equals == std::string::npos;
  Part part{telling != nullptr ? Part::flag : Part::place, {word}};
  if (equals != std::string::npos) part.value = word.substr(equals + 1);
  if (!takes_value && equals != std::string::npos && telling != nullptr) part.kind = Part::unknown;
  return part;
}

std::vector<Part> parts_of(const std::vector<std::string>& words) {
  const Row* row = words.empty() ? nullptr : find_row(words[0]);
  const std::span<const Flag> known = row != nullptr ? row->flags : std::span<const Flag>();
  std::vector<Part> parts;
  bool only_words = false;  // after --
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (only_words || word.size() < 2 || word[0] != '-') {
      const bool text = row != nullptr && row->takes_texts;
      const bool threads = !text && word.rfind("threads=", 0) == 0;
      parts.push_back({threads ? Part::place : Part::word, {word}});
      continue;
    }
    if (word == "--") {
      only_words = true;
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

// Texts may have several lines; nothing else has.
bool holds_controls(const std::string& word, bool text) {
  return std::any_of(word.begin(), word.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < 0x20 && !(text && (c == '\n' || c == '\t')));
  });
}

// What the program could take for a flag is no value; numbers below 0 are none.
bool is_value(const std::string& value) {
  if (value.empty()) return false;
  if (value[0] != '-') return true;
  return value.size() > 1 &&
         (std::isdigit(static_cast<unsigned char>(value[1])) || value[1] == '.');
}

bool is_among(std::span<const Parameter> table, const std::string& key) {
  return std::any_of(table.begin(), table.end(), [&](const Parameter& p) { return key == p.name; });
}

// The rows that a figure's or a paper's name stands for; none for other words.
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

// A trained swarm that is no run: a run could only be one that the recipe does not make.
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
  std::error_code ignored;  // a diagram of meanfield: a preset or a file of settings
  return plain.empty() || (plain.size() == 1 && !fs::is_directory(plain[0], ignored));
}

// The words of one command, which comes after one that makes the run, or is the first.
std::optional<std::string> refusal_of(const std::vector<std::string>& words, bool after_run) {
  const Row* row = words.empty() ? nullptr : find_row(words[0]);
  if (row == nullptr) return "the picture names a command that makes no picture";
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
    if (part.kind == Part::place) return "the picture's command says where to write";
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
      keys.push_back(word.substr(0, word.find('=')));
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

std::vector<std::string> telling_words(const std::vector<std::string>& argv) {
  const std::vector<std::string> words(argv.begin() + std::min<std::ptrdiff_t>(1, argv.size()),
                                       argv.end());
  if (words.empty()) return words;
  std::vector<std::string> telling{words[0]};
  for (const Part& part : parts_of(words))
    if (part.kind != Part::place)
      telling.insert(telling.end(), part.words.begin(), part.words.end());
  return telling;
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

}  // namespace murmur::app
