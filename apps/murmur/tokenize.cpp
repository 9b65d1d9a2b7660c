// tokenize.cpp: murmur tokenize: texts to token ids and back, line by line.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "command.h"
#include "known_models.h"
#include "model/open_model.h"
#include "murmur/error.h"
#include "run/json_text.h"

namespace murmur::app {

namespace {

bool decodes, without_special, keeps_special, within_limits;

[[noreturn]] void refuse_line(std::size_t number, const std::string& what,
                              const std::string& remedy) {
  throw Error(Fault::input, what, fmt::format("standard input, line {}", number), remedy);
}

std::string text_of(const std::string& line, std::size_t number) {
  const nlohmann::json value = json_of_text(line);
  if (!value.is_string())
    refuse_line(number, "the line is no JSON string", "write one text a line, as \"Hello\\n\"");
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
    refuse_line(number, "the line is no JSON array of ids",
                "write one array a line, as [101, 102]");
  return ids;
}

nlohmann::ordered_json encoded(const Tokenizer& tokenizer, const std::string& text, bool whole) {
  const std::vector<TokenId> ids =
      tokenizer.encode(text, {.special = !without_special, .limits = within_limits});
  if (!whole) return ids;
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
  for (const TokenId id : ids) tokens.push_back(tokenizer.token(id).value_or(""));
  return {{"ids", ids}, {"tokens", tokens}};
}

nlohmann::ordered_json decoded(const Tokenizer& tokenizer, const std::vector<TokenId>& ids,
                               bool whole) {
  const std::string text = tokenizer.decode(ids, {.special = keeps_special});
  if (!whole) return text;
  return {{"text", text}};
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (words.size() != 1)
    usage("tokenize takes one tokenizer.json, or a model", "murmur tokenize PATH < lines");
  if (decodes && (without_special || within_limits))
    usage("--no-special and --limits are for encoding", "leave them out with --decode");
  if (!decodes && keeps_special)
    usage("--keep-special is for decoding", "add --decode, or leave it out");
  const Tokenizer tokenizer = open_tokenizer(model_path(words[0]));
  const bool watched = isatty(STDIN_FILENO) != 0;
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) try {
      const nlohmann::ordered_json made =
          decodes ? decoded(tokenizer, ids_of(line, number), flags.json)
                  : encoded(tokenizer, text_of(line, number), flags.json);
      data(json_text(made) + "\n");
      if (watched) std::fflush(stdout);
      if (std::ferror(stdout) != 0) break;  // nothing more can be written
    } catch (const Error& error) {          // says which line it was
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
          "Turn JSON strings, one a line on standard input, into token ids and back.",
          "  murmur tokenize model/tokenizer.json < texts.jsonl > ids.jsonl\n"
          "  murmur tokenize model --decode < ids.jsonl",
          [](Options& sub, Flags&) {
            sub.add_flag("--decode", decodes, "arrays of ids in, JSON strings out");
            sub.add_flag("--no-special", without_special,
                         "encode without the tokens that the post-processor adds");
            sub.add_flag("--keep-special", keeps_special, "decode special tokens too");
            sub.add_flag("--limits", within_limits, "truncate and pad as the file says");
          },
          run,
          true};
}

}  // namespace murmur::app
