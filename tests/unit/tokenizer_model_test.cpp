// tokenizer_model_test.cpp: models against their definitions on random words; added tokens,
// post-processors and limits on small files.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "murmur/error.h"
#include "murmur/tokenizer.h"
#include "refused.h"
#include "run/json_text.h"

namespace murmur {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<TokenId>;

Tokenizer made(const Json& file) { return Tokenizer::parse(json_text(file), "test"); }

// One pair of texts; braces alone would make an object of it.
Json one_merge(const char* left, const char* right) {
  return Json::array({Json::array({left, right})});
}

Json scored(const std::vector<std::pair<std::string, double>>& tokens) {
  Json list = Json::array();
  for (const auto& [token, score] : tokens) list.push_back(Json::array({token, score}));
  return list;
}

std::string random_word(std::mt19937& random, const std::string& letters, std::size_t most) {
  std::string word;
  for (std::size_t k = random() % (most + 1); k > 0; --k)
    word += letters[random() % letters.size()];
  return word;
}

// A vocabulary of a, b, c and the results of random merges of what is there.
struct RandomBpe {
  std::vector<std::string> tokens{"a", "b", "c"};
  std::vector<std::pair<std::string, std::string>> merges{};

  explicit RandomBpe(std::mt19937& random) {
    for (int k = 0; k < 25; ++k) {
      const std::string left = tokens[random() % tokens.size()];
      const std::string right = tokens[random() % tokens.size()];
      if (std::find(tokens.begin(), tokens.end(), left + right) != tokens.end()) continue;
      merges.emplace_back(left, right);
      tokens.push_back(left + right);
    }
  }

  Json file(bool older) const {
    Json vocab = Json::object(), list = Json::array();
    for (std::size_t k = 0; k < tokens.size(); ++k) vocab[tokens[k]] = k;
    for (const auto& [left, right] : merges)
      list.push_back(older ? Json(left + " " + right) : Json::array({left, right}));
    return {{"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", list}}}};
  }

  // The definition: as long as there is one, the first of the merges of lowest rank is made.
  std::vector<std::string> plain(const std::string& word) const {
    std::vector<std::string> parts;
    for (const char c : word) parts.emplace_back(1, c);
    for (;;) {
      std::size_t rank = merges.size(), place = 0;
      for (std::size_t k = 0; k + 1 < parts.size(); ++k)
        for (std::size_t r = 0; r < rank; ++r)
          if (merges[r] == std::pair(parts[k], parts[k + 1])) {
            rank = r;
            place = k;
          }
      if (rank == merges.size()) return parts;
      parts[place] += parts[place + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }
};

TEST(TokenizerBpe, MergesAreMadeInTheirOrder) {
  std::mt19937 random(5);
  for (int vocabulary = 0; vocabulary < 40; ++vocabulary) {
    const RandomBpe bpe(random);
    const Tokenizer newer = made(bpe.file(false)), older = made(bpe.file(true));
    for (int k = 0; k < 40; ++k) {
      const std::string word = random_word(random, "abc", 30);
      std::vector<std::string> parts;
      const Ids ids = newer.encode(word);
      for (const TokenId id : ids) parts.push_back(*newer.token(id));
      EXPECT_EQ(parts, bpe.plain(word)) << word;
      EXPECT_EQ(older.encode(word), ids) << word;
    }
  }
}

TEST(TokenizerBpe, UnknownLetters) {
  Json file = {{"model",
                {{"type", "BPE"},
                 {"unk_token", "?"},
                 {"fuse_unk", false},
                 {"vocab", {{"?", 0}, {"a", 1}, {"<0xC3>", 2}, {"<0xA9>", 3}, {"aa", 4}}},
                 {"merges", one_merge("a", "a")}}}};
  EXPECT_EQ(made(file).encode("aaxya"), (Ids{4, 0, 0, 1}));
  file["model"]["fuse_unk"] = true;
  EXPECT_EQ(made(file).encode("aaxya"), (Ids{4, 0, 1}));
  file["model"]["byte_fallback"] = true;
  EXPECT_EQ(made(file).encode("a\u00e9x"), (Ids{1, 2, 3, 0}));
  file["model"]["unk_token"] = nullptr;
  EXPECT_EQ(made(file).encode("axa"), (Ids{4}));  // dropped, as the library does
}

TEST(TokenizerBpe, PrefixesSuffixesAndWholeWords) {
  const Json vocab = {{"a", 0}, {"##b", 1}, {"ab", 2}, {"##c", 3}, {"abc", 4}};
  Json file = {{"model",
                {{"type", "BPE"},
                 {"continuing_subword_prefix", "##"},
                 {"vocab", vocab},
                 {"merges", one_merge("a", "##b")}}}};
  EXPECT_EQ(made(file).encode("abc"), (Ids{2, 3}));
  file["model"]["ignore_merges"] = true;
  EXPECT_EQ(made(file).encode("abc"), (Ids{4}));
  const Json suffixed = {{"model",
                          {{"type", "BPE"},
                           {"end_of_word_suffix", "</w>"},
                           {"vocab", {{"a", 0}, {"b</w>", 1}, {"ab</w>", 2}, {"b", 3}}},
                           {"merges", one_merge("a", "b</w>")}}}};
  EXPECT_EQ(made(suffixed).encode("ab"), (Ids{2}));
}

// The best sum of scores over all ways to cut a word, by trying them all.
double best_score(const std::map<std::string, double>& scores, const std::string& word) {
  if (word.empty()) return 0;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k <= word.size(); ++k)
    if (const auto found = scores.find(word.substr(0, k)); found != scores.end())
      best = std::max(best, found->second + best_score(scores, word.substr(k)));
  return best;
}

TEST(TokenizerUnigram, TheMostProbableCutIsTaken) {
  std::mt19937 random(6);
  for (int vocabulary = 0; vocabulary < 40; ++vocabulary) {
    std::map<std::string, double> scores;
    for (const char* letter : {"a", "b", "c"}) scores[letter] = -4 - double(random() % 100) / 10;
    for (int k = 0; k < 12; ++k)
      if (const std::string token = random_word(random, "abc", 4); token.size() > 1)
        scores[token] = -4 - double(random() % 100) / 10;
    Json vocab = Json::array({Json::array({"<unk>", 0.0})});
    for (const auto& [token, score] : scores) vocab.push_back(Json::array({token, score}));
    const Tokenizer tokenizer =
        made({{"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocab}}}});
    for (int k = 0; k < 40; ++k) {
      const std::string word = random_word(random, "abc", 12);
      double sum = 0;
      std::string whole;
      for (const TokenId id : tokenizer.encode(word)) {
        whole += *tokenizer.token(id);
        sum += scores.at(*tokenizer.token(id));
      }
      EXPECT_EQ(whole, word);
      EXPECT_NEAR(sum, best_score(scores, word), 1e-9) << word;
    }
  }
}

TEST(TokenizerUnigram, UnknownCharactersAreOneTokenOrBytes) {
  Json file = {
      {"model",
       {{"type", "Unigram"},
        {"unk_id", 0},
        {"vocab", scored({{"<unk>", 0.0}, {"a", -1.0}, {"<0xC3>", -2.0}, {"<0xA9>", -2.0}})}}}};
  EXPECT_EQ(made(file).encode("a\u00e9\u00e9a"), (Ids{1, 0, 1}));
  file["model"]["byte_fallback"] = true;
  EXPECT_EQ(made(file).encode("a\u00e9a"), (Ids{1, 2, 3, 1}));
  file["model"]["unk_id"] = nullptr;
  EXPECT_EQ(fault_of([&] { made(file).encode("ax"); }), Fault::input);
}

Json words(const Json& added) {
  return {{"added_tokens", added},
          {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
          {"model",
           {{"type", "WordLevel"},
            {"unk_token", "?"},
            {"vocab", {{"?", 0}, {"a", 1}, {"b", 2}, {"ab", 3}}}}}};
}

Json token(TokenId id, const std::string& content, const Json& more = Json::object()) {
  Json made = {
      {"id", id},        {"content", content}, {"special", false},   {"single_word", false},
      {"lstrip", false}, {"rstrip", false},    {"normalized", false}};
  made.update(more);
  return made;
}

TEST(TokenizerAdded, AreCutOut) {
  const Tokenizer plain = made(words(Json::array({token(4, "<x>"), token(5, "<x>y")})));
  EXPECT_EQ(plain.encode("a<x>b <x>yb"), (Ids{1, 4, 2, 5, 2}));  // the longest one
  EXPECT_EQ(plain.size(), 6u);
  EXPECT_EQ(plain.id("<x>y"), 5u);
  EXPECT_EQ(plain.token(7), std::nullopt);
  const Tokenizer single =
      made(words(Json::array({token(4, "b", {{"id", 2}, {"single_word", true}})})));
  EXPECT_EQ(single.encode("ab b"), (Ids{3, 2}));
  EXPECT_EQ(single.encode("a-b b_ b."), (Ids{0, 2, 0, 2, 0}));
}

TEST(TokenizerAdded, TakeTheBlanksBesideThem) {
  Json file = words(
      Json::array({token(4, "<l>", {{"lstrip", true}}), token(5, "<r>", {{"rstrip", true}})}));
  file["pre_tokenizer"] = nullptr;  // a piece is a word: blanks that are left make it unknown
  const Tokenizer tokenizer = made(file);
  EXPECT_EQ(tokenizer.encode("a \u3000<l>b"), (Ids{1, 4, 2}));
  EXPECT_EQ(tokenizer.encode("a<l> b"), (Ids{1, 4, 0}));
  EXPECT_EQ(tokenizer.encode("a<r> \tb"), (Ids{1, 5, 2}));
  EXPECT_EQ(tokenizer.encode("a<r>  <l>b"), (Ids{1, 5, 4, 2}));
}

TEST(TokenizerAdded, AreFoundBeforeOrBehindTheNormaliser) {
  Json file = words(
      Json::array({token(4, "B", {{"normalized", false}}), token(5, "C", {{"normalized", true}})}));
  file["normalizer"] = {{"type", "Lowercase"}};
  const Tokenizer tokenizer = made(file);
  EXPECT_EQ(tokenizer.encode("B b C c"), (Ids{4, 2, 5, 5}));
}

TEST(TokenizerPost, FramesAndLimits) {
  Json file = words(Json::array(
      {token(4, "[CLS]", {{"special", true}}), token(5, "[SEP]", {{"special", true}})}));
  file["post_processor"] = {{"type", "BertProcessing"},
                            {"sep", Json::array({"[SEP]", 5})},
                            {"cls", Json::array({"[CLS]", 4})}};
  file["truncation"] = {{"max_length", 4}, {"strategy", "LongestFirst"}, {"stride", 0}};
  file["padding"] = {{"strategy", {{"Fixed", 3}}}, {"direction", "Right"}, {"pad_id", 0}};
  const Tokenizer bert = made(file);
  EXPECT_EQ(bert.encode("a b a"), (Ids{4, 1, 2, 1, 5}));
  EXPECT_EQ(bert.encode("a b a", {.special = false}), (Ids{1, 2, 1}));
  EXPECT_EQ(bert.encode("a b a", {.limits = true}), (Ids{4, 1, 2, 5}));
  EXPECT_EQ(bert.encode("", {.limits = true}), (Ids{4, 5, 0}));
  EXPECT_EQ(bert.decode(Ids{4, 1, 5}), "a");
  EXPECT_EQ(bert.decode(Ids{4, 1, 5}, {.special = true}), "[CLS] a [SEP]");
  file["truncation"]["direction"] = "Left";
  file["padding"]["direction"] = "Left";
  file["padding"]["pad_to_multiple_of"] = 8;
  EXPECT_EQ(made(file).encode("a b a", {.limits = true}), (Ids{0, 0, 0, 0, 4, 2, 1, 5}));
  file["post_processor"] = {
      {"type", "Sequence"},
      {"processors",
       {{{"type", "ByteLevel"}},
        {{"type", "TemplateProcessing"},
         {"single",
          {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
           {{"SpecialToken", {{"id", "end"}, {"type_id", 0}}}}}},
         {"special_tokens",
          {{"end", {{"id", "end"}, {"ids", {5, 4}}, {"tokens", {"x", "y"}}}}}}}}}};
  EXPECT_EQ(made(file).encode("a"), (Ids{1, 5, 4}));
}

TEST(TokenizerWordPiece, LongestPieceFirst) {
  const Json file = {{"model",
                      {{"type", "WordPiece"},
                       {"unk_token", "?"},
                       {"continuing_subword_prefix", "##"},
                       {"max_input_chars_per_word", 5},
                       {"vocab", {{"?", 0}, {"a", 1}, {"##b", 2}, {"##bc", 3}, {"\u00e9", 4}}}}}};
  const Tokenizer tokenizer = made(file);
  EXPECT_EQ(tokenizer.encode("abcb"), (Ids{1, 3, 2}));
  EXPECT_EQ(tokenizer.encode("abd"), (Ids{0}));     // not covered: unknown as a whole
  EXPECT_EQ(tokenizer.encode("abbbbb"), (Ids{0}));  // six characters
  EXPECT_EQ(tokenizer.encode("\u00e9bbbb"), (Ids{4, 2, 2, 2, 2}));
}

TEST(TokenizerModel, OlderFilesDoNotNameTheirModel) {
  EXPECT_EQ(made({{"model", {{"vocab", {{"a", 0}, {"aa", 1}}}, {"merges", Json::array({"a a"})}}}})
                .encode("aa"),
            (Ids{1}));
  EXPECT_EQ(made({{"model", {{"vocab", scored({{"<unk>", 0.0}, {"a", -1.0}})}, {"unk_id", 0}}}})
                .encode("a"),
            (Ids{1}));
}

}  // namespace
}  // namespace murmur
