// vocabulary_test.cpp: files of words, drawn words, and requests for them.
#include <gtest/gtest.h>

#include <cmath>

#include "murmur/error.h"
#include "murmur/readout.h"
#include "report/next_word.h"

namespace murmur {
namespace {

std::string refusal_of(const std::string& csv) {
  try {
    parse_vocabulary(csv, "words.csv");
  } catch (const Error& error) {
    return error.summary;
  }
  return {};
}

TEST(Vocabulary, WordsAndPointsOfACsv) {
  const Vocabulary named = parse_vocabulary(
      "word,x,y\r\nsea,1,0\r\n\r\n\"a, \"\"b\"\"\",0,1\n7,-0.6,0.8\n", "words.csv");
  EXPECT_EQ(named.words, (std::vector<std::string>{"sea", "a, \"b\"", "7"}));
  EXPECT_EQ(named.points, (Matrix{3, 2, {1, 0, 0, 1, -0.6, 0.8}}));
  const Vocabulary plain = parse_vocabulary("1,0\n0,1", "words.csv");
  EXPECT_EQ(plain.points, (Matrix{2, 2, {1, 0, 0, 1}}));
  EXPECT_TRUE(plain.words.empty());
  EXPECT_EQ(plain.word(1), "1");
}

TEST(Vocabulary, RefusesWhatIsNone) {
  EXPECT_NE(refusal_of("").find("not a vocabulary"), std::string::npos);
  EXPECT_NE(refusal_of("word,x\n").find("not a vocabulary"), std::string::npos);
  EXPECT_NE(refusal_of("sea,1,0\nsky,1\n").find("2 fields"), std::string::npos);
  EXPECT_NE(refusal_of("sea,1,0\nsky,one,0\n").find("'one'"), std::string::npos);
  EXPECT_NE(refusal_of("sea,1,1\n").find("not 1"), std::string::npos);
  EXPECT_NE(refusal_of("sea,nan,0\n"), "");
  EXPECT_NE(refusal_of("\"sea,1,0\n").find("a quote is not closed"), std::string::npos);
  EXPECT_THROW(vocabulary_of({1, 2, {1, 0}}, {"a", "b"}, "here"), Error);
  EXPECT_THROW(draw_vocabulary(0, 3, 1), Error);
  EXPECT_THROW(draw_vocabulary(kMostWords + 1, 3, 1), Error);
}

// Words depend on seed and number alone: more of them leave the first where they were.
TEST(Vocabulary, DrawnWordsStayWhenMoreAreDrawn) {
  const Vocabulary few = draw_vocabulary(5, 3, 2), many = draw_vocabulary(9, 3, 2);
  for (std::size_t k = 0; k < few.points.data.size(); ++k)
    EXPECT_EQ(few.points.data[k], many.points.data[k]);
  EXPECT_NE(draw_vocabulary(5, 3, 3).points, few.points);
  for (int v = 0; v < 9; ++v)
    EXPECT_NEAR(std::hypot(many.points(v, 0), many.points(v, 1), many.points(v, 2)), 1, 1e-15);
}

TEST(Vocabulary, ARequestKnowsItsWords) {
  NextWordRequest request;
  EXPECT_TRUE(request.set("vocabulary", "30"));
  EXPECT_TRUE(request.set("kappa", "2.5"));
  EXPECT_TRUE(request.set("share", "0.1"));
  EXPECT_TRUE(request.set("token", "4"));
  EXPECT_FALSE(request.set("beta", "4"));
  EXPECT_EQ(request.count, 30);
  EXPECT_EQ(request.rule.kappa, 2.5);
  EXPECT_EQ(token_for(request, {5, 3}), 4);
  EXPECT_THROW(token_for(request, {4, 3}), Error);
  EXPECT_TRUE(request.set("token", "last"));
  EXPECT_EQ(token_for(request, {4, 3}), 3);
  for (const auto& [key, value] :
       {std::pair{"vocabulary", "1.5"}, {"kappa", "x"}, {"share", "1"}, {"token", "2a"}})
    EXPECT_THROW(request.set(key, value), Error) << key;
}

TEST(Vocabulary, APlaceOfOtherCoordinatesIsRefused) {
  const Vocabulary words = draw_vocabulary(5, 3, 2);
  EXPECT_THROW(next_word(words, Vector{1, 0}), Error);
  EXPECT_THROW(next_word(words, Vector{1, 0, NAN}), Error);
  EXPECT_THROW(next_word(words, Vector{1, 0, 0}, {.kappa = INFINITY}), Error);
  EXPECT_THROW(token_place(HostSwarm(Shape{3, 2}), 3), Error);
}

}  // namespace
}  // namespace murmur
