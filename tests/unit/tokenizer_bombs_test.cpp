// tokenizer_bombs_test.cpp: small tokenizer.json that would take all memory or all time are refused
// by a count of work, so by the same text on every machine.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "model/model_folder.h"
#include "murmur/tokenizer.h"
#include "refused.h"
#include "run/json_text.h"

namespace murmur {
namespace {

using Json = nlohmann::json;

constexpr const char* kRoom = "longer without end";
constexpr const char* kWork = "takes too long";

Json bpe() {
  return {
      {"model",
       {{"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}, {"x", 2}}}, {"merges", Json::array()}}}};
}

Json sequence(const char* key, const Json& part, int times) {
  Json made = {{"type", "Sequence"}, {key, Json::array()}};
  for (int k = 0; k < times; ++k) made[key].push_back(part);
  return made;
}

Json replacing(const std::string& from, const std::string& by) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", by}};
}

Json splitting(const std::string& expression) {
  return {{"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}};
}

std::function<void()> encoding(const Json& file, const std::string& text) {
  return [=] { Tokenizer::parse(json_text(file), "test").encode(text); };
}

std::function<void()> parsing(const Json& file) {
  return [=] { Tokenizer::parse(json_text(file), "test"); };
}

const std::string& letters(std::size_t count) {
  static std::map<std::size_t, std::string> made;
  return made.try_emplace(count, count, 'a').first->second;
}

// Each of four steps makes 60 letters of one.
TEST(TokenizerBombs, DecodersThatGrowStepByStep) {
  Json file = bpe();
  file["decoder"] = sequence("decoders", replacing("a", letters(60)), 4);
  expect_refused({{kRoom, [&] {
                     Tokenizer::parse(json_text(file), "test").decode(std::vector<TokenId>{0});
                   }}});
}

TEST(TokenizerBombs, DecodersOfTokensThatAreLong) {
  Json file = bpe();
  file["model"]["vocab"][letters(50'000)] = 3;
  const Tokenizer tokenizer = Tokenizer::parse(json_text(file), "test");
  EXPECT_EQ(tokenizer.decode(std::vector<TokenId>{3}).size(), 50'000u);
  expect_refused({{kRoom, [&] { tokenizer.decode(std::vector<TokenId>(2'000, 3)); }}});
}

TEST(TokenizerBombs, TemplatesOfManyIds) {
  Json file = bpe();
  Json single = Json::array({{{"Sequence", {{"id", "A"}}}}});
  for (int k = 0; k < 1000; ++k) single.push_back({{"SpecialToken", {{"id", "s"}}}});
  const Json ids = std::vector<int>(1000, 0);
  file["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single", single},
                            {"special_tokens", {{"s", {{"id", "s"}, {"ids", ids}}}}}};
  expect_refused({{"more than 65536 ids", parsing(file)}});
}

// One letter becomes as many as the room allows, and the search begins anew at each of them.
TEST(TokenizerBombs, AnAddedTokenThatNearlyMatchesEverywhere) {
  Json file = bpe();
  file["normalizer"] = replacing("x", letters(60'000));
  file["added_tokens"] = Json::array(
      {{{"id", 3}, {"content", letters(30'000) + "b"}, {"special", false}, {"normalized", true}}});
  expect_refused({{kWork, encoding(file, "x")}});
  EXPECT_EQ(Tokenizer::parse(json_text(file), "test").encode("ab").size(), 2u);
}

TEST(TokenizerBombs, ATokenOfUnigramThatNearlyMatchesEverywhere) {
  Json file;
  file["model"] = {{"type", "Unigram"},
                   {"unk_id", 0},
                   {"vocab", Json::array({Json::array({"<unk>", 0.0}), Json::array({"a", -1.0}),
                                          Json::array({letters(20'000) + "b", -2.0})})}};
  expect_refused({{kWork, encoding(file, letters(20'000))}});
}

TEST(TokenizerBombs, SplitsAfterSplits) {
  Json file = bpe();
  file["pre_tokenizer"] = sequence("pretokenizers", splitting("(a*)*(a*)*(a*)*c"), 300);
  file["pre_tokenizer"]["pretokenizers"][0] = {{"type", "FixedLength"}, {"length", 10}};
  expect_refused({{kWork, encoding(file, letters(2'000))}});
}

TEST(TokenizerBombs, ManyExpressionsAndManyParts) {
  Json expressions = bpe(), parts = bpe();
  expressions["pre_tokenizer"] = sequence("pretokenizers", splitting(std::string(200, '.')), 300);
  parts["normalizer"] = sequence("normalizers", {{"type", "Lowercase"}}, 2'000);
  expect_refused(
      {{"more than 20000 characters", parsing(expressions)}, {"more than 1000", parsing(parts)}});
}

TEST(TokenizerBombs, APrefixOfManyBytes) {
  Json file = bpe();
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
    file["model"]["vocab"][name] = 3 + byte;
  }
  file["model"]["byte_fallback"] = true;
  file["model"]["continuing_subword_prefix"] = letters(50'000);
  expect_refused({{kRoom, encoding(file, letters(3))}, {kRoom, encoding(file, letters(200))}});
}

TEST(TokenizerBombs, AWordOfManyPieces) {
  Json file;
  file["model"] = {{"type", "WordPiece"},
                   {"unk_token", "?"},
                   {"max_input_chars_per_word", 1 << 20},
                   {"vocab", {{"?", 0}, {"a", 1}, {"##a", 2}}}};
  expect_refused({{kWork, encoding(file, letters(4'000))}});
  file["model"].erase("max_input_chars_per_word");
  EXPECT_EQ(Tokenizer::parse(json_text(file), "test").encode(letters(100)).size(), 100u);
}

// A character of many marks, each of which becomes a long text.
TEST(TokenizerBombs, AMapOfCharactersThatBecomeLong) {
  // A double array: the root leads by 0x61 to a node with a value, the place 0 of the texts.
  const auto unit = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::string units = unit(1u << 10);  // the root's children begin at 1
  for (int k = 1; k < 256; ++k) units += unit(k == (1 ^ 0x61) ? (1u << 8 | 2u << 10 | 0x61u) : 0u);
  units.replace(4 * static_cast<std::size_t>((1 ^ 0x61) ^ 2), 4, unit(1u << 31));
  const std::string bytes =
      unit(static_cast<std::uint32_t>(units.size())) + units + letters(100'000);
  const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  for (std::size_t at = 0; at + 3 <= bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | static_cast<unsigned char>(bytes[at + k]);
    for (int shift = 18; shift >= 0; shift -= 6) base64 += digits[three >> shift & 63u];
  }
  Json file = bpe();
  file["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", base64}};
  expect_refused({{kRoom, encoding(file, "a")}});
}

TEST(TokenizerBombs, MergesOfLlama2cThatAreAllThere) {
  std::string file;
  const auto put = [&](const auto& value) {
    file.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::int32_t{1024});
  const auto token = [&](const std::string& text) {
    put(0.0f);
    put(static_cast<std::int32_t>(text.size()));
    file += text;
  };
  for (int k = 0; k < 259; ++k) token("<" + std::to_string(k) + ">");
  for (std::size_t k = 1; k <= 400; ++k) token(letters(k));
  expect_refused({{kRoom, [&] { parse_llama2c_tokenizer(file, "tok.bin"); }}});
}

// The same request, the same refusal: nothing looks at a clock.
TEST(TokenizerBombs, BudgetsDoNotDependOnTime) {
  Json file = bpe();
  file["pre_tokenizer"] = splitting("(a*)*(a*)*(a*)*c");
  std::size_t least = 0;  // the shortest text that is refused
  for (int again = 0; again < 2; ++again) {
    const Tokenizer tokenizer = Tokenizer::parse(json_text(file), "test");
    std::size_t length = 1;
    for (; length < 400; ++length) try {
        tokenizer.encode(letters(length));
      } catch (const Error&) {
        break;
      }
    EXPECT_LT(length, 400u);
    if (again == 1) {
      EXPECT_EQ(length, least);
    }
    least = length;
  }
}

}  // namespace
}  // namespace murmur
