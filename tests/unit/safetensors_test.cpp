// safetensors_test.cpp: named arrays go out and come back; each known attack on readers is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "run/file.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

std::string safetensors(std::string_view header, std::string_view data, std::uint64_t extra = 0) {
  const std::uint64_t length = header.size() + extra;
  std::string text(reinterpret_cast<const char*>(&length), 8);
  return text.append(header).append(data);
}

std::string tensor(std::string name, std::string dtype, std::string shape, std::string offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

Safetensors parse(const std::string& text) {
  return parse_safetensors(std::as_bytes(std::span(text)), "file.safetensors");
}

void expect_refused(const std::string& text, const std::string& what) {
  try {
    parse(text);
    ADD_FAILURE() << "accepted, though: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::input);
    EXPECT_NE(error.summary.find(what), std::string::npos) << error.summary;
    EXPECT_EQ(error.where.rfind("file.safetensors: byte ", 0), 0u) << error.where;
    EXPECT_FALSE(error.remedy.empty());
  }
}

TEST(Safetensors, EverythingComesBackAndEqualContentGivesEqualBytes) {
  const test::TemporaryDirectory directory;
  Safetensors content;
  content.tensors["byte"] = {{3}, std::vector<std::uint8_t>{1, 2, 255}};
  content.tensors["double"] = {{2, 1}, std::vector<double>{0.1, -0.0}};
  content.tensors["float"] = {{}, std::vector<float>{3}};
  content.tensors["int"] = {{1, 1, 1}, std::vector<std::int32_t>{-7}};
  content.tensors["long \"\\\n\xc3\xa9\xf0\x9f\x90\xa6"] = array_of(std::int64_t{INT64_MIN});
  content.tensors["none"] = {{0, 5}, std::vector<double>{}};
  content.metadata = {{"format", "murmur"}, {"", "\t"}};
  write_safetensors(directory / "a", content);
  const Safetensors back = read_safetensors(directory / "a");
  EXPECT_EQ(back.metadata, content.metadata);
  ASSERT_EQ(back.tensors.size(), content.tensors.size());
  for (const auto& [name, array] : content.tensors) {
    EXPECT_EQ(back.tensors.at(name).shape, array.shape) << name;
    EXPECT_EQ(back.tensors.at(name).values, array.values) << name;
  }
  write_safetensors(directory / "b", back);
  EXPECT_EQ(read_text(directory / "a"), read_text(directory / "b"));
  std::uint64_t length = 0;
  read_text(directory / "a").copy(reinterpret_cast<char*>(&length), 8);
  EXPECT_EQ(length % 8, 0u);
}

TEST(Safetensors, EmptyFileHoldsNothing) {
  EXPECT_TRUE(parse(safetensors("{}", "")).tensors.empty());
  EXPECT_TRUE(parse(safetensors("{}      ", "")).tensors.empty());
}

TEST(Safetensors, HalvesBecomeFloats) {
  const std::string header = "{" + tensor("h", "F16", "9", "0,18") + "}";
  const std::vector<std::uint16_t> halves{0x0000, 0x8000, 0x3c00, 0xc000, 0x0001,
                                          0x03ff, 0x7bff, 0x7c00, 0x7e00};
  const std::string data(reinterpret_cast<const char*>(halves.data()), 18);
  const std::vector<double> h = parse(safetensors(header, data)).tensors.at("h").doubles();
  const std::vector<double> expected{0, -0.0, 1, -2, 0x1p-24, 1023 * 0x1p-24, 65504};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(h[k], expected[k]);
  EXPECT_TRUE(std::signbit(h[1]));
  EXPECT_TRUE(std::isinf(h[7]));
  EXPECT_TRUE(std::isnan(h[8]));
  const std::string brain = "{" + tensor("b", "BF16", "2", "0,4") + "}";
  EXPECT_EQ(parse(safetensors(brain, {"\x80\x3f\x40\xc0", 4})).tensors.at("b").doubles(),
            (std::vector<double>{1, -3}));
}

TEST(Safetensors, TheLengthIsNotTrusted) {
  expect_refused("", "too short");
  expect_refused(safetensors("{}", "", 1), "more than there can be");
  expect_refused(safetensors("{}", "", std::numeric_limits<std::uint64_t>::max() - 2), "more than");
  expect_refused(safetensors("{}", "", 100'000'001), "more than");
  expect_refused(safetensors(" {}", ""), "begin with '{'");
  expect_refused(safetensors("", "{}"), "begin with '{'");
}

TEST(Safetensors, OffsetsMustTileTheData) {
  const auto two = [](std::string first, std::string second) {
    return "{" + tensor("a", "U8", "2", first) + "," + tensor("b", "U8", "2", second) + "}";
  };
  EXPECT_NO_THROW(parse(safetensors(two("2,4", "0,2"), "1234")));
  expect_refused(safetensors(two("0,2", "1,3"), "123"), "overlaps or leaves a hole");
  expect_refused(safetensors(two("0,2", "3,5"), "12345"), "hole");
  expect_refused(safetensors(two("1,3", "3,5"), "12345"), "hole");
  expect_refused(safetensors(two("0,2", "0,2"), "12"), "overlaps");
  expect_refused(safetensors(two("0,2", "2,4"), "123"), "truncated: 1 bytes are missing of 4");
  expect_refused(safetensors(two("0,2", "2,4"), "12345"), "goes on for 1 bytes");
  expect_refused(safetensors(two("2,0", "2,4"), "1234"), "rising");
  expect_refused(safetensors(two("0,2", "2,5"), "12345"), "disagree");
}

TEST(Safetensors, ShapesMustNotOverflow) {
  const std::string huge = "{" + tensor("a", "F64", "4294967296,4294967296", "0,0") + "}";
  expect_refused(safetensors(huge, ""), "disagree");
  const std::string wrapped = "{" + tensor("a", "F64", "2305843009213693952", "0,0") + "}";
  expect_refused(safetensors(wrapped, ""), "disagree");
  const std::string beyond = "{" + tensor("a", "U8", "18446744073709551616", "0,0") + "}";
  expect_refused(safetensors(beyond, ""), "too large");
  EXPECT_NO_THROW(parse(safetensors("{" + tensor("a", "F64", "0,4294967296", "0,0") + "}", "")));
}

TEST(Safetensors, NamesComeOnce) {
  const std::string a = tensor("a", "U8", "0", "0,0");
  expect_refused(safetensors("{" + a + "," + a + "}", ""), "one tensor twice");
  expect_refused(safetensors("{" + a + "," + tensor("\\u0061", "U8", "0", "0,0") + "}", ""),
                 "one tensor twice");
  expect_refused(safetensors(R"({"__metadata__":{},"__metadata__":{}})", ""), "twice");
  expect_refused(safetensors(R"({"__metadata__":{"k":"1","k":"2"}})", ""), "one name twice");
  expect_refused(
      safetensors(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", ""),
      "repeated key");
}

TEST(Safetensors, HeadersAreReadStrictly) {
  expect_refused(safetensors("{" + tensor("a", "F8", "0", "0,0") + "}", ""), "none of F64");
  expect_refused(safetensors("{" + tensor("a", "U8", "00", "0,0") + "}", ""), "begins with 0");
  expect_refused(safetensors("{" + tensor("a", "U8", "-1", "0,0") + "}", ""), "whole number");
  expect_refused(safetensors("{" + tensor("a", "U8", "1.0", "0,1") + "}", "x"), "lacks a ']'");
  expect_refused(safetensors("{" + tensor("a", "U8", "1", "0,1,1") + "}", "x"), "more than two");
  expect_refused(safetensors("{" + tensor("a", "U8", "1", "0") + "}", "x"), "pair");
  expect_refused(safetensors(R"({"a":{}})", ""), "lacks dtype");
  expect_refused(safetensors(R"({"a":{"more":1}})", ""), "unknown or repeated");
  expect_refused(safetensors(R"({"a":[]})", ""), "lacks a '{'");
  expect_refused(safetensors(R"({"__metadata__":{"k":1}})", ""), "lacks a '\"'");
  expect_refused(safetensors("{} x", ""), "goes on after");
  expect_refused(safetensors("{,}", ""), "lacks a '\"'");
  expect_refused(safetensors(R"({"a)", ""), "does not end");
  expect_refused(safetensors("{\"a\nb\":{}}", ""), "control character");
  expect_refused(safetensors("{\"\xc0\x80\":{}}", ""), "UTF-8");
  expect_refused(safetensors("{\"\xed\xa0\x80\":{}}", ""), "UTF-8");
  expect_refused(safetensors("{\"\xff\":{}}", ""), "UTF-8");
  expect_refused(safetensors(R"({"\ud800":{}})", ""), "half a character");
  expect_refused(safetensors(R"({"\ud800\u0061":{}})", ""), "half a character");
  expect_refused(safetensors(R"({"\udc00":{}})", ""), "half a character");
  expect_refused(safetensors("{\"\xc3(\":{}}", ""), "UTF-8");
  expect_refused(safetensors("{\"\xf4\x90\x80\x80\":{}}", ""), "UTF-8");
  expect_refused(safetensors(R"({"\x":{}})", ""), "unknown escape");
  expect_refused(safetensors(R"({"\u00g1":{}})", ""), "unknown escape");
  expect_refused(safetensors(R"({"a" {}})", ""), "lacks a ':'");
  expect_refused(safetensors("{" + std::string(1000, '['), ""), "lacks a '\"'");
  std::string shape = "1";
  for (int k = 0; k < 32; ++k) shape += ",1";
  expect_refused(safetensors("{" + tensor("a", "U8", shape, "0,1") + "}", "x"), "32 axes");
}

TEST(Safetensors, MetadataIsBounded) {
  std::string entries;
  for (int k = 0; k < 512; ++k) entries += (k > 0 ? ",\"" : "\"") + std::to_string(k) + "\":\"\"";
  const auto with = [](const std::string& text) {
    return safetensors("{\"__metadata__\":{" + text + "}}", "");
  };
  EXPECT_EQ(parse(with(entries)).metadata.size(), 512u);
  expect_refused(with(entries + ",\"more\":\"\""), "more than 512 entries");
}

TEST(Safetensors, TextAcrossReadingWindowsIsWhole) {
  for (std::size_t length = 4080; length <= 4100; ++length) {
    const std::string name = std::string(length, 'n') + "\\u00e9\xf0\x9f\x90\xa6";
    const auto back = parse(safetensors("{" + tensor(name, "U8", "1", "0,1") + "}", "x"));
    EXPECT_EQ(back.tensors.begin()->first, std::string(length, 'n') + "\xc3\xa9\xf0\x9f\x90\xa6");
  }
}

TEST(Safetensors, TruncationAtEveryByteIsRefused) {
  const std::string whole =
      safetensors("{" + tensor("a", "F64", "2", "0,16") + "}   ", std::string(16, 'x'));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse(whole.substr(0, length)), Error) << length;
  EXPECT_NO_THROW(parse(whole));
}

}  // namespace
}  // namespace murmur
