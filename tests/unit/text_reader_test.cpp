// text_reader_test.cpp: the page's small transformer, its vocabulary, and the file of the view
// Words.
#include "murmur/text_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/model_folder.h"
#include "murmur/random.h"
#include "refused.h"
#include "run/base64.h"
#include "run/file.h"
#include "run/json_text.h"
#include "run/sha256.h"
#include "trace/words_run.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = fs::path(__FILE__).parent_path().parent_path().parent_path();
const fs::path kModel = kRoot / "studio/public/words/stories260K.bin";
const fs::path kTokens = kRoot / "studio/public/words/tok512.bin";

TextReader reader() {
  const std::string weights = read_text(kModel), tokens = read_text(kTokens);
  return {std::as_bytes(std::span(weights)), std::as_bytes(std::span(tokens))};
}

// Without a library of Unicode the ids and the texts are those of the Tokenizer.
TEST(Llama2cVocabulary, CutsTextsAsTheTokenizerDoes) {
  const std::string bytes = read_text(kTokens);
  const Llama2cVocabulary plain(bytes, "tokens");
  const Tokenizer tokenizer = read_llama2c_tokenizer(kTokens);
  int compared = 0;
  for (const auto& value :
       json_of_text(read_text(kRoot / "tests/fixtures/tokenizers/strings.json"))) {
    const auto text = value.get<std::string>();
    if (text.find("<s>") != std::string::npos || text.find("</s>") != std::string::npos ||
        text.find("<unk>") != std::string::npos)
      continue;  // texts in which special tokens are spelled out: the page's are plain
    const std::vector<TokenId> ids = tokenizer.encode(text);
    const std::vector<std::int64_t> own = plain.encode(text);
    EXPECT_EQ(std::vector<TokenId>(own.begin(), own.end()), ids) << text;
    EXPECT_EQ(plain.decode(own), tokenizer.decode(ids)) << text;
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

TEST(TextReader, TracesByTheReferencePass) {
  const OpenedModel opened = open_model(kModel);
  const ReadText read = reader().read("Once upon a time", 3, "stories260K");
  const auto told = json_of_text(read.words);
  EXPECT_EQ(told["schema"], "murmur-words-2");
  const nlohmann::json& text = told["texts"][0];
  EXPECT_EQ(text["text"], "Once upon a time, there was");  // as llama2.c goes on
  std::vector<std::int64_t> ids;
  for (const TokenId id : opened.tokenizer->encode(text["text"].get<std::string>()))
    ids.push_back(id);
  ASSERT_EQ(text["tokens"].size(), ids.size());
  const Trace trace = opened.model->pass(ids, {.engine = PassEngine::reference});
  std::vector<float> states = trace.before[0], attention;
  for (const auto& after : trace.after) states.insert(states.end(), after.begin(), after.end());
  for (const auto& block : trace.attention)
    attention.insert(attention.end(), block.begin(), block.end());
  EXPECT_EQ(read.states, states);
  EXPECT_EQ(read.attention, attention);
  // What the last layer says is what the logits say.
  const auto& last = trace.logits;
  const auto v = static_cast<std::size_t>(opened.model->description().vocabulary);
  const auto best =
      std::max_element(last.end() - static_cast<std::ptrdiff_t>(v), last.end()) - last.end();
  EXPECT_EQ(text["lens"][5][0]["token"],
            *opened.tokenizer->token(static_cast<TokenId>(static_cast<std::ptrdiff_t>(v) + best)));
}

// The reference pass gives these very bits, on every compiler and machine.
TEST(TextReader, GivesTheseBits) {
  const ReadText read = reader().read("Once upon a time", 8, "stories260K");
  Sha256 sha;
  sha.update(std::as_bytes(std::span(read.states)));
  sha.update(std::as_bytes(std::span(read.attention)));
  EXPECT_EQ(sha.hex(), "dcaf19b24c32fb22461fc76893a4d8a2fcc58739996360dfadfb2e832eb82f03");
}

TEST(TextReader, RefusesWhatIsOff) {
  const std::string weights = read_text(kModel), tokens = read_text(kTokens);
  const auto made = [](std::string_view w, std::string_view t) {
    return [w, t] { TextReader(std::as_bytes(std::span(w)), std::as_bytes(std::span(t))); };
  };
  const std::string_view w = weights, t = tokens;
  expect_refused({{"numbers", made(w.substr(0, 5000), t)},
                  {"middle of a token", made(w, t.substr(0, 6000 - 1))},
                  {"tokens in all", [] { reader().read("a", TextReader::kMostTokens, ""); }},
                  {"tokens in all", [] { reader().read("a", -1, ""); }}});
}

HostSwarm random_sphere(int n, int d, std::uint64_t seed) {
  HostSwarm x({n, d});
  const Draw draw{.seed = seed, .stream = Stream::samples};
  for (int i = 0; i < n; ++i) {
    double square = 0;
    for (int k = 0; k < d; ++k) {
      x.at(i, k) = draw.uniform(i * d + k) - 0.5;
      square += x.at(i, k) * x.at(i, k);
    }
    for (int k = 0; k < d; ++k) x.at(i, k) /= std::sqrt(square);
  }
  return x;
}

std::vector<float> floats_of(const std::string& letters) {
  static const std::string kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int held = 0;
  for (const char letter : letters) {
    if (letter == '=') break;
    group = group << 6 | static_cast<std::uint32_t>(kLetters.find(letter));
    held += 6;
    if (held >= 8) bytes += static_cast<char>(group >> (held -= 8) & 0xff);
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

// In three coordinates the axes lose nothing: distances are kept, and shares add up to one. The
// shared token's cosine is the product of its two states, and the twin starts where the tokens do.
TEST(WordsFile, KeepsDistancesAndSharedTokens) {
  WordsTrace trace{.model = "m", .family = "f", .d = 3, .heads = 1, .block_beta = {2.0}};
  for (int t = 0; t < 2; ++t) {
    WordsText text{.text = "t", .given = 4, .ids = {7, 5, 7, 9}, .tokens = {"a", "b", "a", "c"}};
    for (int f = 0; f < 2; ++f) text.frames.push_back(random_sphere(4, 3, 10 * t + f + 1));
    text.attention.push_back(std::vector<float>(16, 0.25f));
    trace.texts.push_back(std::move(text));
  }
  const auto told = words_file(trace);
  double share = 0;
  for (const auto& axis : told["axes"]) share += axis.get<double>();
  EXPECT_NEAR(share, 1, 1e-5);
  const HostSwarm& x = trace.texts[1].frames[1];
  const auto places = floats_of(told["texts"][1]["places"]);
  const auto twin = floats_of(told["texts"][1]["twin"]["places"]);
  ASSERT_EQ(places.size(), 24u);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) {
      double real = 0, drawn = 0;
      for (int k = 0; k < 3; ++k) {
        real += std::pow(x.at(i, k) - x.at(j, k), 2);
        drawn += std::pow(places[12 + 3 * i + k] - places[12 + 3 * j + k], 2);
      }
      EXPECT_NEAR(drawn, real, 1e-5);
    }
  EXPECT_TRUE(std::equal(twin.begin(), twin.begin() + 12, places.begin()));
  ASSERT_EQ(told["shared"].size(), 4u);
  EXPECT_EQ(told["shared"][2]["second"], 2);
  double cosine = 0;
  for (int k = 0; k < 3; ++k)
    cosine += trace.texts[0].frames[1].at(1, k) * trace.texts[1].frames[1].at(1, k);
  EXPECT_NEAR(told["shared"][1]["cosine"][1].get<double>(), cosine, 1e-6);
  const std::vector<std::uint16_t> even(16, 0x3400);  // 1/4 of half precision
  EXPECT_EQ(told["texts"][0]["attention"], base64(std::as_bytes(std::span(even))));
}

// The value of 16 bits of half precision, as IEEE 754 has it.
double value_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, part = bits & 1023;
  return exponent == 0 ? std::ldexp(part, -24) : std::ldexp(1024 + part, exponent - 25);
}

TEST(WordsFile, KeepsSharesToAPartInTwoThousand) {
  EXPECT_EQ(half_of_share(0), 0);
  EXPECT_EQ(half_of_share(1), 0x3c00);
  EXPECT_EQ(half_of_share(0x1p-14f), 0x0400);
  EXPECT_EQ(half_of_share(0.1f), 0x2e66);
  EXPECT_EQ(half_of_share(0.99999f), 0x3c00);             // rounded up over a power of two
  EXPECT_EQ(half_of_share(0x1p-14f - 0x1p-30f), 0x0400);  // and out of the smallest ones
  for (int k = 1; k < 4000; ++k) {
    const auto share = static_cast<float>(std::pow(0.995, k));
    const double kept = value_of_half(half_of_share(share));
    EXPECT_LE(std::abs(kept - share), std::max(share * 0x1p-11, 0x1p-25)) << share;
  }
  EXPECT_EQ(half_of_share(-1), 0);
  EXPECT_EQ(half_of_share(7), 0x3c00);
}

TEST(WordsFile, RefusesATextTooLongForThePage) {
  WordsTrace trace{.d = 2, .heads = 1};
  trace.texts.push_back({.tokens = std::vector<std::string>(kMostWordsTokens + 1, "a")});
  expect_refused({{"the page shows", [&] { words_file(trace); }}});
}

}  // namespace
}  // namespace murmur
