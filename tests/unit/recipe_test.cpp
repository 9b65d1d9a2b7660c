// recipe_test.cpp: pictures keep their recipe and stay pictures.
#include "picture/recipe.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "murmur/error.h"
#include "murmur/images.h"
#include "picture/canvas.h"
#include "picture/process.h"
#include "picture/render.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

const std::string kRecipe = R"({"murmur":"1","text":"a > b ]]> \n\u00e9"})";

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// With '>' written as JSON may write it.
std::string read_back(const std::string& text) {
  std::string plain = text;
  for (std::size_t at; (at = plain.find("\\u003e")) != plain.npos;) plain.replace(at, 6, ">");
  return plain;
}

class Recipes : public ::testing::TestWithParam<const char*> {
 protected:
  std::string draw(const std::string& recipe) {
    const auto place = folder_.path() / ("figure" + std::string(GetParam()));
    const picture::Signature signature([&](const std::filesystem::path& at) {
      EXPECT_EQ(at, place);
      return recipe;
    });
    picture::write_figure(place, {40, 30}, [](cairo_t* context) { cairo_paint(context); });
    EXPECT_TRUE(picture::is_whole_picture(place, GetParam()));
    return bytes_of(place);
  }
  test::TemporaryDirectory folder_{};
};

TEST_P(Recipes, AreReadBackAndAreAllThatTheyAdd) {
  const std::string plain = draw(""), with = draw(kRecipe);
  EXPECT_EQ(picture::recipe_in(plain), std::nullopt);
  ASSERT_TRUE(picture::recipe_in(with).has_value());
  EXPECT_EQ(read_back(*picture::recipe_in(with)), kRecipe);
  EXPECT_GT(with.size(), plain.size() + kRecipe.size());
  EXPECT_EQ(draw(kRecipe), with);
}

INSTANTIATE_TEST_SUITE_P(Endings, Recipes, ::testing::Values(".png", ".svg", ".pdf"),
                         [](const auto& info) { return std::string(info.param + 1); });

TEST(Recipe, APngWithOneIsReadByLibpng) {
  const test::TemporaryDirectory folder;
  const auto place = folder.path() / "scene.png";
  const picture::Signature signature([](const auto&) { return kRecipe; });
  picture::Canvas canvas(32, 20);
  canvas.save(place);
  const std::string bytes = bytes_of(place);
  const Picture read = parse_png(std::as_bytes(std::span(bytes)), "scene.png");
  EXPECT_EQ(read.width, 32);
  EXPECT_EQ(picture::recipe_in(bytes), kRecipe);
}

// One pixel; `colours` with a table of two for all pictures.
std::string small_gif(bool colours) {
  std::string gif("GIF89a\1\0\1\0\0\0\0", 13);
  if (colours) {
    gif[10] = '\x80';
    gif += std::string("\0\0\0\xff\xff\xff", 6);
  }
  gif += std::string("\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0", 19);
  return gif + std::string("\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0\x3b", 16);
}

TEST(Recipe, AGifKeepsOneOfAnyLength) {
  for (const bool colours : {false, true})
    for (const std::string& recipe : {kRecipe, std::string(255, 'a'), std::string(1000, 'b')}) {
      const std::string plain = small_gif(colours);
      const std::string with = picture::with_recipe(plain, ".gif", recipe);
      EXPECT_EQ(picture::recipe_in(plain), std::nullopt);
      EXPECT_EQ(picture::recipe_in(with), recipe);
      EXPECT_EQ(with.substr(with.size() - 16), plain.substr(plain.size() - 16));
      for (std::size_t size = 0; size < with.size(); ++size) {
        const auto found = picture::recipe_in(std::string_view(with).substr(0, size));
        EXPECT_TRUE(!found || *found == recipe) << size;
      }
    }
}

TEST(Recipe, NoSignatureNoRecipe) {
  EXPECT_EQ(picture::recipe_for("anywhere.png"), "");
  {
    const picture::Signature outer([](const auto&) { return "outer"; });
    {
      const picture::Signature inner([](const auto&) { return "inner"; });
      EXPECT_EQ(picture::recipe_for("x.png"), "inner");
    }
    EXPECT_EQ(picture::recipe_for("x.png"), "outer");
  }
  EXPECT_EQ(picture::recipe_for("anywhere.png"), "");
}

// Cut anywhere, a picture is read within its bytes and its recipe is whole or not there.
TEST_P(Recipes, CutFilesAreReadWithinTheirBytes) {
  const std::string with = draw(kRecipe);
  for (std::size_t size = 0; size < with.size(); ++size) {
    const auto found = picture::recipe_in(std::string_view(with).substr(0, size));
    if (found) {
      EXPECT_EQ(read_back(*found), kRecipe) << size;
    }
  }
}

}  // namespace
}  // namespace murmur::testing
