// tokenizer_parts_test.cpp: normalisers, pre-tokenisers and decoders one by one, on small texts.
#include "model/tokenizer_parts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/json_text.h"

namespace murmur::tokenizer {
namespace {

using Texts = std::vector<std::string>;

std::string normalised(const char* json, const std::string& text) {
  const nlohmann::json value = json_of_text(json);
  Budget budget(text.size());
  Piece piece{text, true, &budget};
  make_normaliser(Field(value, "test"))(piece);
  return piece.text;
}

Texts split(const char* json, const std::string& text, bool at_start = true) {
  const nlohmann::json value = json_of_text(json);
  std::vector<Piece> pieces;
  Budget budget(text.size());
  pieces.push_back({text, at_start, &budget});
  Texts words;
  for (Piece& word : split_all(make_splitter(Field(value, "test")), std::move(pieces)))
    words.push_back(std::move(word.text));
  return words;
}

Texts decoded(const char* json, Texts tokens) {
  const nlohmann::json value = json_of_text(json);
  Budget budget(1'000);
  return make_decoder(Field(value, "test"))(std::move(tokens), budget);
}

TEST(TokenizerNormalise, Forms) {
  EXPECT_EQ(normalised(R"({"type":"NFC"})", "e\u0301"), "\u00e9");
  EXPECT_EQ(normalised(R"({"type":"NFD"})", "\u00e9"), "e\u0301");
  EXPECT_EQ(normalised(R"({"type":"NFKC"})", "\ufb01e\u0301"), "fi\u00e9");
  EXPECT_EQ(normalised(R"({"type":"NFKD"})", "\ufb01\u00e9"), "fie\u0301");
  // A letter of Unicode 13, which the library's tables of Unicode 9 leave as it is.
  EXPECT_EQ(normalised(R"({"type":"NFD"})", "\U00011938"), "\U00011938");
}

TEST(TokenizerNormalise, Letters) {
  EXPECT_EQ(normalised(R"({"type":"Lowercase"})", "A\u03a3\u0130"), "a\u03c3i\u0307");
  EXPECT_EQ(normalised(R"({"type":"StripAccents"})", "e\u0301\u0903o"), "eo");
  EXPECT_EQ(normalised(R"({"type":"Prepend","prepend":"_"})", "a"), "_a");
  EXPECT_EQ(normalised(R"({"type":"Prepend","prepend":"_"})", ""), "");
  EXPECT_EQ(normalised(R"({"type":"ByteLevel"})", " \u00e9"), "\u0120\u00c3\u00a9");
  EXPECT_EQ(normalised(R"({"type":"Nmt"})", "a\u0001\tb\u200bc\u2581"), "a b c ");
  EXPECT_EQ(normalised(R"({"type":"Strip","strip_left":true,"strip_right":true})", " \u2003a b\n"),
            "a b");
  EXPECT_EQ(normalised(R"({"type":"Strip","strip_left":false,"strip_right":true})", " a "), " a");
}

TEST(TokenizerNormalise, Replace) {
  EXPECT_EQ(normalised(R"({"type":"Replace","pattern":{"String":"aa"},"content":"b"})", "aaaac"),
            "bbc");
  EXPECT_EQ(
      normalised(R"({"type":"Replace","pattern":{"Regex":" {2,}"},"content":"\u2581"})", "a  b c"),
      "a\u2581b c");
  // Characters beyond the basic plane are two units of UTF-16 and four bytes.
  EXPECT_EQ(normalised(R"({"type":"Replace","pattern":{"Regex":"b"},"content":"-"})",
                       "\U0001F600b\u20acb"),
            "\U0001F600-\u20ac-");
}

TEST(TokenizerNormalise, Bert) {
  const char* whole = R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,
                          "strip_accents":null,"lowercase":true})";
  EXPECT_EQ(normalised(whole, "\u00c9a\u0007\t\u4e2d"), "ea  \u4e2d ");
  EXPECT_EQ(normalised(whole, "\ue000\ue001\ufffd"), "\ue001");
  const char* cased = R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":false,
                          "strip_accents":null,"lowercase":false})";
  EXPECT_EQ(normalised(cased, "\u00c9\u4e2d"), "\u00c9\u4e2d");
}

// The double array of a few keys, built as darts-clone lays one out: a unit holds its label,
// whether a value hangs below, and the offset to its children.
class DoubleArray {
 public:
  void build(std::vector<std::pair<std::string, std::uint32_t>> keys) {
    std::sort(keys.begin(), keys.end());
    keys_ = std::move(keys);
    units_.assign(2048, 0);
    taken_.assign(units_.size(), false);
    taken_[0] = true;
    place(0, 0, keys_.size(), 0);
  }
  // u32 length, units, texts; as base64.
  std::string base64(const std::string& texts) const {
    std::string bytes;
    const auto put = [&](std::uint32_t value) {
      for (int k = 0; k < 4; ++k) bytes += static_cast<char>(value >> 8 * k & 0xFF);
    };
    put(static_cast<std::uint32_t>(4 * units_.size()));
    for (const std::uint32_t unit : units_) put(unit);
    bytes += texts;
    constexpr const char* digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
      std::uint32_t three = 0;
      for (std::size_t j = 0; j < 3; ++j)
        three = three << 8 | (k + j < bytes.size() ? static_cast<unsigned char>(bytes[k + j]) : 0);
      for (std::size_t j = 0; j < 4; ++j)
        out += k + j <= bytes.size() ? digits[three >> (18 - 6 * j) & 63] : '=';
    }
    return out;
  }

 private:
  void place(std::size_t node, std::size_t begin, std::size_t end, std::size_t depth) {
    std::vector<std::size_t> labels;  // 0 stands for a key that ends here
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t label =
          keys_[k].first.size() == depth ? 0 : static_cast<unsigned char>(keys_[k].first[depth]);
      if (labels.empty() || labels.back() != label) labels.push_back(label);
    }
    std::size_t offset = 1;
    const auto fits = [&] {
      for (const std::size_t label : labels)
        if (taken_.at(node ^ offset ^ label)) return false;
      return true;
    };
    while (!fits()) ++offset;
    units_[node] |= static_cast<std::uint32_t>(offset) << 10;
    for (const std::size_t label : labels) taken_[node ^ offset ^ label] = true;
    std::size_t from = begin;
    for (const std::size_t label : labels) {
      const std::size_t child = node ^ offset ^ label;
      if (label == 0) {
        units_[node] |= 1u << 8;
        units_[child] = keys_[from++].second | 1u << 31;
        continue;
      }
      std::size_t to = from;
      while (to < end && static_cast<unsigned char>(keys_[to].first[depth]) == label) ++to;
      units_[child] = static_cast<std::uint32_t>(label);
      place(child, from, to, depth + 1);
      from = to;
    }
  }

  std::vector<std::pair<std::string, std::uint32_t>> keys_{};
  std::vector<std::uint32_t> units_{};
  std::vector<bool> taken_{};
};

TEST(TokenizerNormalise, Precompiled) {
  // fi, then A, then e with acute, then a space, each with a zero byte behind it.
  const std::string texts("fi\0A\0\xc3\xa9\0 \0", 10);
  DoubleArray map;
  map.build({{"\ufb01", 0}, {"\uff21", 3}, {"e\u0301", 5}, {"\u3000", 8}, {"x", 3}});
  const nlohmann::json json = {{"type", "Precompiled"},
                               {"precompiled_charsmap", map.base64(texts)}};
  const auto becomes = [&](const std::string& text) {
    return normalised(json_text(json).c_str(), text);
  };
  EXPECT_EQ(becomes("\ufb01n\u3000\uff21b"), "fin Ab");
  EXPECT_EQ(becomes("e\u0301e"), "\u00e9e");  // a grapheme of two characters is one key
  EXPECT_EQ(becomes("x\u0301"), "A");         // the shortest key stands for the whole grapheme
  EXPECT_EQ(becomes("\U0001F600\u20dd\uff21"), "\U0001F600\u20ddA");  // a grapheme of 7 bytes
  EXPECT_EQ(becomes(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(TokenizerSplit, Behaviours) {
  const auto by = [](const char* behaviour, bool invert = false) {
    const std::string json = R"({"type":"Split","pattern":{"String":"-"},"behavior":")" +
                             std::string(behaviour) + R"(","invert":)" +
                             (invert ? "true}" : "false}");
    return split(json.c_str(), "the-final--countdown");
  };
  // The five examples of the library's documentation.
  EXPECT_EQ(by("Removed"), (Texts{"the", "final", "countdown"}));
  EXPECT_EQ(by("Isolated"), (Texts{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(by("MergedWithPrevious"), (Texts{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(by("MergedWithNext"), (Texts{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(by("Contiguous"), (Texts{"the", "-", "final", "--", "countdown"}));
  EXPECT_EQ(by("Removed", true), (Texts{"-", "-", "-"}));
}

TEST(TokenizerSplit, Words) {
  EXPECT_EQ(split(R"({"type":"Whitespace"})", "Hey man!?  caf\u00e9_1"),
            (Texts{"Hey", "man", "!?", "caf\u00e9_1"}));
  EXPECT_EQ(split(R"({"type":"WhitespaceSplit"})", " Hey\u2003man! "), (Texts{"Hey", "man!"}));
  EXPECT_EQ(split(R"({"type":"BertPreTokenizer"})", "Hey, \u201cman\u201d"),
            (Texts{"Hey", ",", "\u201c", "man", "\u201d"}));
  EXPECT_EQ(split(R"({"type":"Punctuation"})", "a?!b"), (Texts{"a", "?", "!", "b"}));
  EXPECT_EQ(split(R"({"type":"Punctuation","behavior":"Contiguous"})", "a?!b"),
            (Texts{"a", "?!", "b"}));
  EXPECT_EQ(split(R"({"type":"Digits","individual_digits":true})", "a12\u2167"),
            (Texts{"a", "1", "2", "\u2167"}));
  EXPECT_EQ(split(R"({"type":"Digits","individual_digits":false})", "a12b"),
            (Texts{"a", "12", "b"}));
  EXPECT_EQ(split(R"({"type":"CharDelimiterSplit","delimiter":"|"})", "|a||b"), (Texts{"a", "b"}));
  EXPECT_EQ(split(R"({"type":"FixedLength","length":2})", "\u00e9bcde"),
            (Texts{"\u00e9b", "cd", "e"}));
}

TEST(TokenizerSplit, Metaspace) {
  const char* always = R"({"type":"Metaspace","replacement":"_","prepend_scheme":"always"})";
  const char* first = R"({"type":"Metaspace","replacement":"_","prepend_scheme":"first"})";
  const char* older = R"({"type":"Metaspace","replacement":"_","add_prefix_space":false})";
  const char* whole =
      R"({"type":"Metaspace","replacement":"_","prepend_scheme":"never","split":false})";
  EXPECT_EQ(split(always, "Hey   friend"), (Texts{"_Hey", "_", "_", "_friend"}));
  EXPECT_EQ(split(always, " Hey", false), (Texts{"_Hey"}));
  EXPECT_EQ(split(first, "Hey", true), (Texts{"_Hey"}));
  EXPECT_EQ(split(first, "Hey", false), (Texts{"Hey"}));
  EXPECT_EQ(split(older, "Hey you"), (Texts{"Hey", "_you"}));
  EXPECT_EQ(split(whole, "Hey you"), (Texts{"Hey_you"}));
}

TEST(TokenizerSplit, ByteLevelAndSequence) {
  EXPECT_EQ(split(R"({"type":"ByteLevel","add_prefix_space":true})", "it's  12"),
            (Texts{"\u0120it", "'s", "\u0120", "\u012012"}));
  EXPECT_EQ(split(R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})", "a b"),
            (Texts{"a\u0120b"}));
  EXPECT_EQ(split(R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
                      {"type":"Digits","individual_digits":true}]})",
                  "a1 2b"),
            (Texts{"a", "1", "2", "b"}));
}

TEST(TokenizerDecode, One) {
  EXPECT_EQ(decoded(R"({"type":"WordPiece","prefix":"##","cleanup":true})",
                    {"##uelo", "Ara", "##\u00fajo", "!", "do", "n't"}),
            (Texts{"##uelo", " Ara", "\u00fajo", "!", " do", "n't"}));
  EXPECT_EQ(decoded(R"({"type":"WordPiece","prefix":"##","cleanup":false})", {"a", "!"}),
            (Texts{"a", " !"}));
  EXPECT_EQ(decoded(R"({"type":"Metaspace","replacement":"_","prepend_scheme":"always"})",
                    {"_Hey", "_friend!"}),
            (Texts{"Hey", " friend!"}));
  EXPECT_EQ(decoded(R"({"type":"Metaspace","replacement":"_","prepend_scheme":"never"})",
                    {"_Hey", "_friend!"}),
            (Texts{" Hey", " friend!"}));
  EXPECT_EQ(decoded(R"({"type":"Strip","content":"H","start":1,"stop":0})", {"Hey", "HHH"}),
            (Texts{"ey", "HH"}));
  EXPECT_EQ(decoded(R"({"type":"Strip","content":"y","start":0,"stop":3})", {"Hey", "yy"}),
            (Texts{"He", ""}));
  EXPECT_EQ(decoded(R"({"type":"BPEDecoder","suffix":"</w>"})", {"He", "y</w>", "you</w>"}),
            (Texts{"He", "y ", "you"}));
  EXPECT_EQ(decoded(R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|",
                        "cleanup":true})",
                    {"<pad>", "h", "h", "<pad>", "h", "|", "|", "o"}),
            (Texts{"h", "h", " ", "o"}));
  EXPECT_EQ(decoded(R"({"type":"Fuse"})", {"a", "b"}), (Texts{"ab"}));
  EXPECT_EQ(decoded(R"({"type":"Replace","pattern":{"String":"_"},"content":" "})", {"_a_"}),
            (Texts{" a "}));
}

TEST(TokenizerDecode, Bytes) {
  const char* fallback = R"({"type":"ByteFallback"})";
  EXPECT_EQ(decoded(fallback, {"Hey", "<0xE5>", "<0x8f>", "<0xAB>", "a"}),
            (Texts{"Hey", "\u53eb", "a"}));
  EXPECT_EQ(decoded(fallback, {"<0xE5>", "<0x8F>", "a"}), (Texts{"\ufffd", "\ufffd", "a"}));
  EXPECT_EQ(decoded(fallback, {"<0xZZ>"}), (Texts{"<0xZZ>"}));
  const char* level = R"({"type":"ByteLevel"})";
  EXPECT_EQ(decoded(level, {"\u0120\u00c3", "\u00a9"}), (Texts{" \u00e9"}));
  EXPECT_EQ(decoded(level, {"\u00e5\u0131"}), (Texts{"\ufffd"}));  // two of three bytes
  EXPECT_EQ(decoded(level, {"\u53eb", "!"}), (Texts{"\u53eb!"}));  // stands for no byte
}

TEST(TokenizerUnicode, Repairs) {
  EXPECT_EQ(repaired_utf8("a\xe5\x8f"), "a\ufffd");
  EXPECT_EQ(repaired_utf8("\xf0\x80\x80!"), "\ufffd\ufffd\ufffd!");
  EXPECT_EQ(repaired_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");
  EXPECT_FALSE(is_utf8("\xc0\x80"));
  EXPECT_TRUE(is_utf8("\U0010ffff"));
}

}  // namespace
}  // namespace murmur::tokenizer
