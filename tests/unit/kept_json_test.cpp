// kept_json_test.cpp: values read back from kept files with their places, and how deep texts may
// lie.
#include "run/kept_json.h"

#include <gtest/gtest.h>

#include <fstream>

#include "experiment/config.h"
#include "murmur/error.h"
#include "picture/process.h"
#include "run/json_text.h"
#include "temporary.h"

namespace murmur {
namespace {

KeptJson parsed(const std::string& text) { return KeptJson::parse(text, "a.json"); }

template <class Deed>
std::string refusal(const Deed& deed) {
  try {
    deed();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::input);
    return error.summary + " | " + error.where;
  }
  return "";
}

TEST(KeptJson, ReadsWhatIsThere) {
  const KeptJson kept = parsed(R"({"a": 2, "b": [1, 2.5], "c": {"d": "x"}, "e": null, "f": true})");
  EXPECT_EQ(kept.at("a").whole(), 2);
  EXPECT_EQ(kept.at("b").numbers(), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(kept.at("c").at("d").text(), "x");
  EXPECT_EQ(kept.at("e").number_or(7), 7);
  EXPECT_TRUE(kept.at("f").flag());
  EXPECT_EQ(kept.at("c").members().size(), 1u);
  EXPECT_EQ(parsed("[[1, 2], [3, 4]]").rows(2)[1][0], 3);
}

TEST(KeptJson, NamesFileAndKey) {
  const KeptJson kept = parsed(R"({"points": [{"mass": "x"}, {}], "n": 1.5, "big": 1e300})");
  EXPECT_EQ(refusal([&] { kept.at("points").list()[0].at("mass").number(); }),
            "points[0].mass is not a number | a.json: points[0].mass");
  EXPECT_EQ(refusal([&] { kept.at("points").list()[1].at("mass"); }),
            "points[1].mass is missing | a.json: points[1].mass");
  EXPECT_EQ(refusal([&] { kept.at("n").whole(); }), "n is not a whole number | a.json: n");
  EXPECT_NE(refusal([&] { kept.at("big").small_whole(); }), "");
  EXPECT_NE(refusal([&] { kept.at("n").number(2, 3); }), "");
  EXPECT_NE(refusal([&] { kept.at("n").at("m"); }), "");
  EXPECT_NE(refusal([&] { kept.at("n").list(); }), "");
  EXPECT_NE(refusal([&] { kept.at("points").numbers(); }), "");
  EXPECT_NE(refusal([&] { parsed("[[1], [1, 2]]").rows(1); }), "");
  for (const char* text : {"", "{", "[1,", "NaN", "1e999", "{\"a\": NaN}"})
    EXPECT_NE(refusal([&] { parsed(text); }), "") << text;
}

TEST(KeptJson, SaysWhatAValueIsNot) {
  const KeptJson kept = parsed(R"({"n": 1, "list": [1, "x"], "object": {}})");
  const auto told = [&](const auto& deed) { return refusal(deed).substr(0, 40); };
  EXPECT_EQ(told([&] { kept.at("n").at("m"); }), "n is not an object | a.json: n");
  EXPECT_EQ(told([&] { kept.at("n").members(); }), "n is not an object | a.json: n");
  EXPECT_EQ(told([&] { kept.at("n").flag(); }), "n is neither true nor false | a.json: n");
  EXPECT_EQ(told([&] { kept.at("n").text(); }), "n is not a text | a.json: n");
  EXPECT_EQ(told([&] { kept.at("n").list(); }), "n is not a list | a.json: n");
  EXPECT_EQ(told([&] { kept.at("n").numbers(); }), "n is not a list | a.json: n");
  EXPECT_EQ(told([&] { kept.at("object").natural(); }).substr(0, 28),
            "object is not a whole number");
  EXPECT_EQ(refusal([] { KeptJson::read("/there/is/none.json"); }).substr(0, 35),
            "the run did not keep what it found ");
}

TEST(KeptJson, DepthIsBounded) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(refusal([&] { parsed(nested(kDeepestJson)); }), "");
  EXPECT_NE(refusal([&] { parsed(nested(kDeepestJson + 1)); }), "");
  EXPECT_EQ(refusal([&] { parsed("\"" + std::string(1000, '[') + "\\\"[[\""); }), "");
}

TEST(KeptJson, TheNumberOfValuesIsBounded) {
  const auto list = [](int values) {  // with the list itself
    return "[0" + [&] {
      std::string more;
      for (int k = 2; k < values; ++k) more += ",0";
      return more;
    }() + "]";
  };
  EXPECT_FALSE(excess_of_json(list(kMostJsonValues - 1)));
  EXPECT_TRUE(excess_of_json(list(kMostJsonValues + 1)));
  EXPECT_TRUE(json_of_text(list(kMostJsonValues + 1)).is_discarded());
}

TEST(TomlDepth, CountsBracketsAndDottedParts) {
  const auto told = [](const std::string& text) {
    return refusal([&] { require_shallow_toml(text, "a.toml"); });
  };
  const auto dotted = [](int parts) {
    std::string key = "a";
    for (int k = 1; k < parts; ++k) key += ".a";
    return key;
  };
  EXPECT_EQ(told(dotted(60) + " = 1.5\n" + dotted(60) + " = 2\n"), "");
  EXPECT_NE(told("n = 1\n" + dotted(70) + " = 1\n").find("a.toml:2:"), std::string::npos);
  EXPECT_NE(told("[" + dotted(70) + "]\n"), "");
  EXPECT_NE(told("a = " + std::string(70, '[')), "");
  EXPECT_NE(told("a = {" + dotted(40) + " = {" + dotted(40) + " = 1}}"), "");
  EXPECT_EQ(told("a = 'x" + std::string(70, '[') + "' # " + std::string(70, '{')), "");
  EXPECT_EQ(told("a = \"\"\"\n" + std::string(70, '[') + "\"\"\"\nb = [1.5, 2.5]\n"), "");
  for (const std::string quotes : {"\"\"\"", "'''"})  // such a string may end in four or five
    for (int more = 0; more <= 2; ++more)
      EXPECT_NE(told("a = [" + quotes + "x" + quotes + std::string(more, quotes[0]) + ", {" +
                     dotted(70) + " = 1}]\n"),
                "")
          << quotes << more;
  std::string points = "init = [";
  for (int k = 0; k < 500; ++k) points += "[0.5, -0.25],\n";
  EXPECT_EQ(told(points + "]\n"), "");
}

TEST(WholePicture, IsJudgedByItsFirstAndLastBytes) {
  const test::TemporaryDirectory folder;
  const auto whole = [&](const std::string& bytes, const std::string& ending) {
    std::ofstream(folder / "x", std::ios::binary) << bytes;
    return picture::is_whole_picture(folder / "x", ending);
  };
  EXPECT_TRUE(whole("<?xml version='1.0'?>\n<svg width='3'>\n</svg>\n", ".svg"));
  EXPECT_FALSE(whole("<?xml version='1.0'?>\n<svg width='3'>\n<path d=''", ".svg"));
  EXPECT_TRUE(whole("%PDF-1.5\nxref\n%%EOF\n", ".pdf"));
  EXPECT_FALSE(whole("%PDF-1.5\nxref and no more", ".pdf"));
  const auto box = [](const std::string& name, std::size_t size) {
    std::string bytes(size, '\0');
    for (int k = 0; k < 4; ++k) bytes[3 - k] = static_cast<char>(size >> 8 * k);
    return bytes.replace(4, 4, name);
  };
  const std::string film = box("ftyp", 32) + box("moov", 400) + box("free", 8) + box("mdat", 999);
  EXPECT_TRUE(whole(film, ".mp4"));
  EXPECT_FALSE(whole(film.substr(0, film.size() - 1), ".mp4"));
  EXPECT_FALSE(whole(box("ftyp", 32) + box("mdat", 999), ".mp4"));
  EXPECT_FALSE(whole(std::string(400, 'x'), ".mp4"));
}

}  // namespace
}  // namespace murmur
