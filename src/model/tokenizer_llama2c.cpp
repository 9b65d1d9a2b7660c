// tokenizer_llama2c.cpp: the tokeniser of llama2.c told as a tokenizer.json.
//
// It merges the neighbours whose token together has the best score, so the merges that lead to a
// token have its score as their rank.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "model/llama2c_vocabulary.h"
#include "model/open_model.h"
#include "model/tokenizer_budget.h"
#include "model/tokenizer_unicode.h"
#include "murmur/error.h"
#include "run/file.h"
#include "run/json_text.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kLargestFile = 64 << 20;

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
  throw Error(Fault::input, what, where, "give the tokenizer.bin that belongs to the model");
}

// A file of tokens that are all parts of each other has more merges than any memory.
nlohmann::json merges_of(const std::vector<ScoredToken>& tokens,
                         const std::unordered_map<std::string, std::size_t>& ids,
                         tokenizer::Budget budget) {
  std::vector<std::size_t> order(tokens.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tokens[a].score > tokens[b].score; });
  nlohmann::json merges = nlohmann::json::array();
  std::size_t bytes = 0;
  for (const std::size_t id : order) {
    const std::string& text = tokens[id].text;
    if (id < kLlama2cFixed) continue;
    for (std::size_t at = 1; at < text.size(); ++at) {
      const std::string left = text.substr(0, at), right = text.substr(at);
      budget.spend(text.size());
      if (ids.count(left) == 0 || ids.count(right) == 0) continue;
      budget.require_room(bytes += text.size());
      merges.push_back({left, right});
    }
  }
  return merges;
}

}  // namespace

Tokenizer parse_llama2c_tokenizer(std::string_view bytes, const std::string& where) {
  std::vector<ScoredToken> tokens = parse_llama2c_tokens(bytes, where);
  for (std::size_t id = 0; id < tokens.size(); ++id)
    if (!tokenizer::is_utf8(tokens[id].text))
      refuse(fmt::format("token {} of the tokeniser is not UTF-8", id), where);
  const char* const special[] = {"<unk>", "<s>", "</s>"};  // llama2.c knows these by their ids
  for (std::size_t id = 0; id < 3; ++id) tokens[id].text = special[id];
  std::unordered_map<std::string, std::size_t> ids;
  nlohmann::json vocabulary = nlohmann::json::object(), added = nlohmann::json::array();
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (!ids.try_emplace(tokens[id].text, id).second)
      tokens[id].text = fmt::format("<{}>", id);  // never reached by a text, as in llama2.c
    ids.try_emplace(tokens[id].text, id);
    vocabulary[tokens[id].text] = id;
  }
  for (std::size_t id = 0; id < 3; ++id)
    added.push_back({{"id", id}, {"content", special[id]}, {"special", true}});
  const nlohmann::json start = {{"id", "<s>"}, {"type_id", 0}};
  const nlohmann::json told = {
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", {{"type", "Prepend"}, {"prepend", " "}}},
      {"pre_tokenizer", nullptr},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {{{"SpecialToken", start}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"special_tokens",
         {{"<s>", {{"id", "<s>"}, {"ids", {1}}, {"tokens", nlohmann::json::array({"<s>"})}}}}}}},
      {"decoder",
       {{"type", "Sequence"},
        {"decoders",
         {{{"type", "ByteFallback"}},
          {{"type", "Fuse"}},
          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
      {"model",
       {{"type", "BPE"},
        {"unk_token", "<unk>"},
        {"byte_fallback", true},
        {"vocab", vocabulary},
        {"merges", merges_of(tokens, ids, tokenizer::Budget(bytes.size()))}}}};
  return Tokenizer::parse(json_text(told), where);
}

Tokenizer read_llama2c_tokenizer(const fs::path& path) {
  std::error_code gone;
  const auto size = fs::file_size(path, gone);
  if (gone || size > kLargestFile) refuse("the tokeniser cannot be read", path.string());
  return parse_llama2c_tokenizer(read_text(path), path.string());
}

}  // namespace murmur
