// fuzz_tokenizer_folder.cpp: folders with a tokenizer.json made of known parts with odd fields. Any
// folder either is a tokeniser, whose ids and texts go both ways, or is refused by an Error; memory
// and work stay within the budget of a call.
#include <fuzzer/FuzzedDataProvider.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "model/model_folder.h"
#include "model/tokenizer_parts.h"
#include "murmur/error.h"
#include "peak_allocation.h"

using namespace murmur;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kTexts[] = {
    "",      "a",      "b",       "ab",           "aaaaaaaaaaaa", " ",
    "  ",    "\u2581", "\u0120",  "##",           "</w>",         "x",
    "\n",    "\u00e9", "e\u0301", "\u4e2d\u6587", "\U0001F600",   "\uFFFD",
    "0",     "42",     "<0x41>",  "<0xFF>",       "<s>",          "[UNK]",
    "don't", "\u0130", "\ufb01",  "A b,c. d!",    "\u200b",       "."};

constexpr const char* kExpressions[] = {"a",
                                        ".",
                                        "\\s+",
                                        "\\p{L}+",
                                        "a*",
                                        "(a*)*b",
                                        "(a|a)*(a|a)*c",
                                        "^",
                                        "$",
                                        "",
                                        "(",
                                        "[^a]",
                                        "(?!a)",
                                        "(?<=a)b",
                                        "\\b",
                                        ".*",
                                        "(a+)+$",
                                        "'s|'t| ?\\p{L}+| ?\\p{N}+|\\s+(?!\\S)|\\s+"};

template <std::size_t n>
std::string one_of(FuzzedDataProvider& input, const char* const (&list)[n]) {
  return list[input.ConsumeIntegralInRange<std::size_t>(0, n - 1)];
}

// A short text, now and then many times itself.
std::string text_of(FuzzedDataProvider& input) {
  std::string text;
  for (int k = input.ConsumeIntegralInRange(0, 3); k-- > 0;) text += one_of(input, kTexts);
  if (input.ConsumeIntegralInRange(0, 9) > 0) return text;
  const int times = input.ConsumeIntegralInRange(1, 400);
  std::string many;
  for (int k = 0; k < times; ++k) many += text;
  return many;
}

Json pattern_of(FuzzedDataProvider& input) {
  if (input.ConsumeBool()) return {{"String", text_of(input)}};
  return {{"Regex", one_of(input, kExpressions)}};
}

constexpr const char* kNormalisers[] = {
    "BertNormalizer", "ByteLevel",    "Lowercase",   "NFC",     "NFD",
    "NFKC",           "NFKD",         "Nmt",         "Prepend", "Replace",
    "Strip",          "StripAccents", "Precompiled", "Sequence"};
constexpr const char* kSplitters[] = {"BertPreTokenizer", "ByteLevel",   "CharDelimiterSplit",
                                      "Digits",           "FixedLength", "Metaspace",
                                      "Punctuation",      "Split",       "Whitespace",
                                      "WhitespaceSplit",  "Sequence"};
constexpr const char* kDecoders[] = {"BPEDecoder", "ByteFallback", "ByteLevel", "CTC",
                                     "Fuse",       "Metaspace",    "Replace",   "Strip",
                                     "WordPiece",  "Sequence"};
constexpr const char* kFrames[] = {"BertProcessing", "ByteLevel", "RobertaProcessing",
                                   "TemplateProcessing", "Sequence"};
constexpr const char* kBehaviours[] = {"Removed", "Isolated", "MergedWithPrevious",
                                       "MergedWithNext", "Contiguous"};
constexpr const char* kSchemes[] = {"always", "first", "never"};

// A part of one of these types, with every field that any part has.
template <std::size_t n>
Json part_of(FuzzedDataProvider& input, const char* const (&types)[n], const char* list,
             int depth) {
  const std::string type = one_of(input, types);
  if (type == "Sequence") {
    Json made = {{"type", type}, {list, Json::array()}};
    const int parts = input.ConsumeIntegralInRange(0, depth > 0 ? 5 : 0);
    for (int k = 0; k < parts; ++k) made[list].push_back(part_of(input, types, list, depth - 1));
    if (parts > 0 && input.ConsumeIntegralInRange(0, 15) == 0)  // the same part again and again
      for (int k = input.ConsumeIntegralInRange(0, 60); k-- > 0;)
        made[list].push_back(made[list][0]);
    return made;
  }
  Json made = {{"type", type}, {"pattern", pattern_of(input)}, {"content", text_of(input)}};
  if (input.ConsumeBool()) made["content"] = " ";
  made["behavior"] = one_of(input, kBehaviours);
  made["invert"] = input.ConsumeBool();
  made["prepend"] = text_of(input);
  made["length"] = input.ConsumeIntegralInRange(0, 20);
  made["delimiter"] = input.ConsumeBool() ? std::string("a") : one_of(input, kTexts);
  made["individual_digits"] = input.ConsumeBool();
  made["add_prefix_space"] = input.ConsumeBool();
  made["prepend_scheme"] = one_of(input, kSchemes);
  made["use_regex"] = input.ConsumeBool();
  made["replacement"] = "\u2581";
  made["start"] = input.ConsumeIntegralInRange(0, 3);
  made["stop"] = input.ConsumeIntegralInRange(0, 3);
  made["prefix"] = made["suffix"] = text_of(input);
  made["pad_token"] = made["word_delimiter_token"] = text_of(input);
  made["cleanup"] = input.ConsumeBool();
  made["strip_left"] = made["strip_right"] = true;
  made["precompiled_charsmap"] = "AAAAAA==";
  made["cls"] = Json::array({"<s>", input.ConsumeIntegralInRange(0, 40)});
  made["sep"] = Json::array({"<s>", input.ConsumeIntegralInRange(0, 40)});
  made["single"] = Json::array();
  const int specials = input.ConsumeIntegralInRange(0, 3);
  for (int k = 0; k < specials; ++k)
    made["single"].push_back({{"SpecialToken", {{"id", "s"}, {"type_id", 0}}}});
  made["single"].push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  Json ids = Json::array();
  for (int k = input.ConsumeIntegralInRange(0, 3); k-- > 0;)
    ids.push_back(input.ConsumeIntegralInRange(0, 40));
  made["special_tokens"] = {{"s", {{"id", "s"}, {"ids", ids}}}};
  return made;
}

Json vocabulary_of(FuzzedDataProvider& input, bool scored) {
  Json made = scored ? Json::array() : Json::object();
  std::vector<std::string> tokens = {"<unk>", "a", "b", "ab", "##a", " ", "\u2581", "\u0120"};
  for (int k = input.ConsumeIntegralInRange(0, 8); k-- > 0;) tokens.push_back(text_of(input));
  if (input.ConsumeBool())
    for (int byte = 0; byte < 256; ++byte) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
      tokens.emplace_back(name);
    }
  for (std::size_t k = 0; k < tokens.size(); ++k)
    if (scored)
      made.push_back(Json::array({tokens[k], -static_cast<double>(k)}));
    else if (!made.contains(tokens[k]))
      made[tokens[k]] = made.size();
  return made;
}

Json model_of(FuzzedDataProvider& input) {
  constexpr const char* types[] = {"BPE", "Unigram", "WordLevel", "WordPiece"};
  const std::string type = one_of(input, types);
  Json made = {{"type", type}, {"vocab", vocabulary_of(input, type == "Unigram")}};
  made["unk_token"] = "<unk>";
  if (input.ConsumeIntegralInRange(0, 3) > 0) made["unk_id"] = 0;
  made["byte_fallback"] = input.ConsumeBool();
  made["fuse_unk"] = input.ConsumeBool();
  made["ignore_merges"] = input.ConsumeBool();
  made["merges"] = Json::array();
  if (input.ConsumeBool()) made["merges"].push_back(Json::array({"a", "b"}));
  if (input.ConsumeBool()) made["continuing_subword_prefix"] = text_of(input);
  if (input.ConsumeBool()) made["end_of_word_suffix"] = text_of(input);
  if (input.ConsumeBool()) made["max_input_chars_per_word"] = 1 << 20;
  return made;
}

Json added_of(FuzzedDataProvider& input, std::size_t first) {
  Json made = Json::array();
  for (int k = input.ConsumeIntegralInRange(0, 4); k-- > 0;)
    made.push_back({{"id", first++},
                    {"content", text_of(input)},
                    {"special", input.ConsumeBool()},
                    {"single_word", input.ConsumeBool()},
                    {"lstrip", input.ConsumeBool()},
                    {"rstrip", input.ConsumeBool()},
                    {"normalized", input.ConsumeBool()}});
  return made;
}

const fs::path& folder() {
  static const fs::path made = [] {
    const fs::path path = fs::path(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") /
                          ("murmur-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path);
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(folder(), ignored);
    });
    return path;
  }();
  return made;
}

void go_both_ways(const Tokenizer& tokenizer, FuzzedDataProvider& input) {
  for (int k = 0; k < 3; ++k) try {
      const std::string text = text_of(input);
      const EncodeOptions options{.special = input.ConsumeBool(), .limits = input.ConsumeBool()};
      const std::vector<TokenId> ids = tokenizer.encode(text, options);
      if (tokenizer.encode(text, options) != ids) std::abort();
      if (!options.limits)
        for (const TokenId id : ids)
          if (!tokenizer.token(id)) std::abort();
      if (!tokenizer::is_utf8(tokenizer.decode(ids, {.special = input.ConsumeBool()})))
        std::abort();
    } catch (const Error&) {
    }
  try {
    std::vector<TokenId> ids;
    for (int k = input.ConsumeIntegralInRange(0, 12); k-- > 0;)
      ids.push_back(input.ConsumeIntegralInRange<TokenId>(0, 30));
    if (!tokenizer::is_utf8(tokenizer.decode(ids))) std::abort();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  Json file = {{"version", "1.0"}, {"model", model_of(input)}};
  const std::size_t tokens = file["model"]["vocab"].size();
  if (input.ConsumeBool()) file["normalizer"] = part_of(input, kNormalisers, "normalizers", 2);
  if (input.ConsumeBool()) file["pre_tokenizer"] = part_of(input, kSplitters, "pretokenizers", 2);
  if (input.ConsumeBool()) file["post_processor"] = part_of(input, kFrames, "processors", 2);
  if (input.ConsumeBool()) file["decoder"] = part_of(input, kDecoders, "decoders", 2);
  if (input.ConsumeBool()) file["added_tokens"] = added_of(input, tokens);
  if (input.ConsumeBool())
    file["truncation"] = {{"max_length", input.ConsumeIntegralInRange(0, 9)},
                          {"direction", input.ConsumeBool() ? "Left" : "Right"}};
  if (input.ConsumeBool())
    file["padding"] = {{"strategy", {{"Fixed", input.ConsumeIntegralInRange(0, 99)}}},
                       {"pad_id", 0},
                       {"direction", input.ConsumeBool() ? "Left" : "Right"},
                       {"pad_to_multiple_of", input.ConsumeIntegralInRange(0, 9)}};
  const std::string text = file.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::ofstream(folder() / "tokenizer.json", std::ios::binary) << text;
  const fuzz::AllocationLimit limit(64 * text.size() + 16'000'000);
  try {
    go_both_ways(open_tokenizer(folder()), input);
  } catch (const Error&) {
  }
  return 0;
}
