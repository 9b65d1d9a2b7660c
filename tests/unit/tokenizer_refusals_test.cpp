// tokenizer_refusals_test.cpp: a tokenizer.json that is off is refused with the name of what is
// off.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "murmur/tokenizer.h"
#include "refused.h"
#include "run/json_text.h"
#include "temporary.h"

namespace murmur {
namespace {

using Json = nlohmann::json;

// One pair of texts; braces alone would make an object of it.
Json one_merge(const char* left, const char* right) {
  return Json::array({Json::array({left, right})});
}

Json bpe() {
  return {{"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}}},
            {"merges", one_merge("a", "b")}}}};
}

std::function<void()> reading(const Json& file, const char* text = "ab") {
  return [=] { Tokenizer::parse(json_text(file), "test").encode(text); };
}

// A good file with the value at a pointer changed.
std::function<void()> with(const char* pointer, const Json& value) {
  Json file = bpe();
  file[Json::json_pointer(pointer)] = value;
  return reading(file);
}

std::function<void()> text(std::string file) {
  return [file = std::move(file)] { Tokenizer::parse(file, "test"); };
}

TEST(TokenizerRefusals, NoJson) {
  ASSERT_NO_THROW(reading(bpe())());
  expect_refused({
      {"no JSON", text("")},
      {"byte 4", text("{\"a")},
      {"no JSON", text("{\"model\": \"\xff\"}")},
      {"no JSON", text("{\"model\": \"\\ud800\"}")},
      {"64 levels", text(std::string(100'000, '['))},
      {"nested too deep", text("{\"model\":{\"vocab\":" + std::string(100'000, '['))},
      {"model is missing", text("{}")},
      {"model is missing", text("{\"model\": null}")},
      {"is not an object", text("[]")},
      {"no vocab", text("{\"model\": [{\"vocab\": {}}]}")},
      {"no vocab", text("{\"model\": {\"type\": \"BPE\", \"merges\": []}}")},
      {"version is not 1.0", with("/version", "2.0")},
  });
}

TEST(TokenizerRefusals, Vocabularies) {
  expect_refused({
      {"id 4000000000 is out of range", with("/model/vocab/a", 4000000000u)},
      {"id 18446744073709551615 is out", with("/model/vocab/a", UINT64_MAX)},
      {"no whole number", with("/model/vocab/a", -1)},
      {"no whole number", with("/model/vocab/a", 0.5)},
      {"no whole number", with("/model/vocab/a", "0")},
      {"nested too deep", with("/model/vocab/a", Json::array())},
      {"stands for two tokens", with("/model/vocab/a", 1)},
      {"has two ids", text(R"({"model":{"type":"BPE","vocab":{"a":0,"a":1},"merges":[]}})")},
      {"is there twice", text(R"({"model":{"vocab":{"a":0},"vocab":{"b":1},"merges":[]}})")},
      {"without ids", with("/model/vocab", Json::array({Json::array({"a", 0.0})}))},
      {"not [token, score]", with("/model/vocab", Json::array({Json::array({0.0, "a"})}))},
      {"no pair", with("/model/vocab", Json::array({Json::array({"a"})}))},
      {"without scores", with("/model/type", "Unigram")},
      {"Wordle", with("/model/type", "Wordle")},
      {"unk_token is ?, which the vocabulary does not hold", with("/model/unk_token", "?")},
      {"unk_id is not in the vocabulary",
       text(R"({"model":{"type":"Unigram","unk_id":1,"vocab":[["a",0.0]]}})")},
  });
}

TEST(TokenizerRefusals, Merges) {
  expect_refused({
      {"c is not in the vocabulary", with("/model/merges/0/1", "c")},
      {"ba is not in the vocabulary", with("/model/merges/0", Json::array({"b", "a"}))},
      {"no pair", with("/model/merges/0", Json::array({"a"}))},
      {"no pair", with("/model/merges/0", Json::array({"a", "b", "ab"}))},
      {"not two tokens", with("/model/merges/0", "ab")},
      {"not two tokens", with("/model/merges/0", "a b c")},
      {"no merge", with("/model/merges/0", 5)},
      {"not a list", with("/model/merges", Json::object())},
      {"has no merges", text(R"({"model":{"type":"BPE","vocab":{"a":0}}})")},
      {"dropout is set", with("/model/dropout", 0.1)},
  });
  // A merge that leads back: an empty half, or a half that is nothing but the prefix.
  Json file = bpe();
  file["model"]["vocab"][""] = 3;
  file["model"]["merges"] = one_merge("", "b");
  expect_refused({{"leads back", reading(file)}});
  file["model"]["vocab"]["##"] = 4;
  file["model"]["continuing_subword_prefix"] = "##";
  file["model"]["merges"] = one_merge("a", "##");
  expect_refused({{"leads back", reading(file)}});
  file["model"]["merges"] = one_merge("a", "b");
  expect_refused({{"lacks the prefix", reading(file)}});
}

TEST(TokenizerRefusals, Parts) {
  const Json regex = {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}};
  const Json unit = {{"type", "Split"}, {"pattern", {{"Glob", "a*"}}}, {"behavior", "Isolated"}};
  const Json word = {{"type", "Split"}, {"pattern", {{"String", "a"}}}, {"behavior", "Kept"}};
  expect_refused({
      {"UnicodeScripts", with("/pre_tokenizer", {{"type", "UnicodeScripts"}})},
      {"pre_tokenizer.pretokenizers[0]",
       with("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {{{"type", "Scripts"}}}}})},
      {"Cyrillic", with("/normalizer", {{"type", "Cyrillic"}})},
      {"Telepathy", with("/decoder", {{"type", "Telepathy"}})},
      {"PairProcessing", with("/post_processor", {{"type", "PairProcessing"}})},
      {"type is missing", with("/normalizer", Json::object())},
      {"is no regular expression", with("/pre_tokenizer", regex)},
      {"neither a String nor a Regex", with("/pre_tokenizer", unit)},
      {"is Kept, which is not known", with("/pre_tokenizer", word)},
      {"not one character",
       with("/pre_tokenizer", {{"type", "CharDelimiterSplit"}, {"delimiter", "ab"}})},
      {"is sometimes, which is not known",
       with("/pre_tokenizer", {{"type", "Metaspace"}, {"prepend_scheme", "sometimes"}})},
      {"not base64", with("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "*"}})},
      {"is cut off", with("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", ""}})},
      {"longer than it is",
       with("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "/P///w=="}})},
      {"neither true nor false",
       with("/normalizer", {{"type", "BertNormalizer"}, {"lowercase", "yes"}})},
      {"not a whole number",
       with("/padding", {{"strategy", {{"Fixed", 1u << 19}}}, {"pad_id", 0}})},
      {"is Shortest, which", with("/padding", {{"strategy", "Shortest"}, {"pad_id", 0}})},
  });
}

TEST(TokenizerRefusals, AddedTokensAndFrames) {
  const auto added = [](TokenId id, const char* content) {
    return with("/added_tokens", Json::array({{{"id", id}, {"content", content}}}));
  };
  const auto framed = [](const Json& single, TokenId id) {
    return with("/post_processor",
                {{"type", "TemplateProcessing"},
                 {"single", single},
                 {"special_tokens", {{"x", {{"id", "x"}, {"ids", {id}}, {"tokens", {"x"}}}}}}});
  };
  const Json own = {{"Sequence", {{"id", "A"}}}}, other = {{"Sequence", {{"id", "B"}}}};
  const Json special = {{"SpecialToken", {{"id", "x"}}}}, lost = {{"SpecialToken", {{"id", "y"}}}};
  expect_refused({
      {"the vocabulary says 0", added(7, "a")},
      {"which the vocabulary gives to a", added(0, "x")},
      {"not a whole number", added(4000000000u, "x")},
      {"as one before it has",
       with("/added_tokens", {{{"id", 3}, {"content", "x"}}, {{"id", 3}, {"content", "y"}}})},
      {"adds the id 9, which no token has", framed(Json::array({special, own}), 9)},
      {"does not name the sequence A", framed(Json::array({special}), 0)},
      {"the sequence B", framed(Json::array({own, other}), 0)},
      {"the sequence A", framed(Json::array({own, own}), 0)},
      {"special_tokens lacks", framed(Json::array({lost, own}), 0)},
  });
}

// Files that are well formed and would take all memory or all time.
TEST(TokenizerRefusals, Explosions) {
  Json grows = {{"type", "Sequence"}, {"normalizers", Json::array()}};
  for (int k = 0; k < 60; ++k)
    grows["normalizers"].push_back(
        {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaaaaaa"}});
  const Json doubles = {{"type", "ByteLevel"}, {"add_prefix_space", true}};
  Json cuts = {{"type", "Sequence"}, {"pretokenizers", Json::array()}};
  for (int k = 0; k < 60; ++k) cuts["pretokenizers"].push_back(doubles);
  const Json slow = {
      {"type", "Split"}, {"pattern", {{"Regex", "(a*)*(a*)*(a*)*c"}}}, {"behavior", "Isolated"}};
  Json normalises = bpe(), splits = bpe(), searches = bpe();
  normalises["normalizer"] = grows;
  splits["pre_tokenizer"] = cuts;
  searches["pre_tokenizer"] = slow;
  static const std::string letters(2000, 'a');
  expect_refused({{"longer without end", reading(normalises)},
                  {"longer without end", reading(splits, "\u00e9")},
                  {"takes too long", reading(searches, letters.c_str())}});
}

TEST(TokenizerRefusals, Texts) {
  const Tokenizer tokenizer = Tokenizer::parse(json_text(bpe()), "test");
  expect_refused({
      {"not UTF-8", [&] { tokenizer.encode("\xff"); }},
      {"no token has the id 3",
       [&] {
         tokenizer.decode(std::vector<TokenId>{0, 3});
       }},
  });
}

TEST(TokenizerRefusals, Files) {
  const test::TemporaryDirectory folder;
  expect_refused({
      {"holds no tokenizer.json", [&] { Tokenizer::read(folder.path()); }},
      {"no such tokenizer.json", [&] { Tokenizer::read(folder / "nowhere.json"); }},
      {"no such tokenizer.json", [&] { Tokenizer::read("/dev/null"); }},
  });
  std::ofstream(folder / "tokenizer.json") << json_text(bpe());
  EXPECT_EQ(Tokenizer::read(folder.path()).size(), 3u);
  std::filesystem::resize_file(folder / "tokenizer.json", (std::uintmax_t{1} << 30) + 1);
  expect_refused({{"larger than", [&] { Tokenizer::read(folder.path()); }}});
}

}  // namespace
}  // namespace murmur
