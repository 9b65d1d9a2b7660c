// png_test.cpp: PNGs of every kind become the same ink, and drawings lie as MNIST's digits do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/data_set.h"
#include "image_files.h"
#include "murmur/images.h"
#include "temporary.h"

namespace murmur {
namespace {

using test::expect_refused;
using test::grey_png;
using test::PngRecipe;

Picture parse(const std::string& text) {
  return parse_png(std::as_bytes(std::span(text)), "drawing.png");
}

// A stroke of shades on black paper, (5, 6).
const std::vector<std::uint8_t> stroke{0, 0,   0,   0, 0,  0,  //
                                       0, 255, 128, 3, 0,  0,  //
                                       0, 200, 0,   0, 70, 0,  //
                                       0, 100, 255, 9, 80, 0,  //
                                       0, 0,   0,   0, 0,  0};

std::vector<std::uint8_t> negative(std::vector<std::uint8_t> pixels) {
  for (std::uint8_t& p : pixels) p = static_cast<std::uint8_t>(255 - p);
  return pixels;
}

TEST(Png, GreyComesBackAsItIs) {
  const Picture picture = parse(grey_png(5, 6, stroke));
  EXPECT_EQ(picture.height, 5);
  EXPECT_EQ(picture.width, 6);
  EXPECT_EQ(picture.pixels, stroke);
}

TEST(Png, DarkInkOnLightPaperIsTurnedRound) {
  EXPECT_EQ(parse(grey_png(5, 6, negative(stroke))).pixels, stroke);
}

TEST(Png, GreyPaperBecomesZero) {
  std::vector<std::uint8_t> scan(100, 200);  // paper 200, ink 20
  for (int k : {33, 34, 44, 54, 64, 65}) scan[k] = 20;
  const Picture picture = parse(grey_png(10, 10, scan));
  EXPECT_EQ(picture.pixels[0], 0);
  EXPECT_EQ(picture.pixels[44], std::lround(180 * 255. / 200));
}

TEST(Png, EveryColourTypeAndDepthIsRead) {
  const auto with = [](int colour, int depth, auto pixel) {
    PngRecipe recipe{.height = 5, .width = 6, .colour = colour, .depth = depth};
    for (int row = 0; row < 5; ++row) {
      recipe.rows.emplace_back();
      for (int col = 0; col < 6; ++col) recipe.rows.back() += pixel(stroke[row * 6 + col]);
    }
    return recipe;
  };
  const auto one = [](std::uint8_t p) { return std::string(1, static_cast<char>(p)); };
  const auto three = [](std::uint8_t p) { return std::string(3, static_cast<char>(p)); };
  const auto clear = [](std::uint8_t p) {  // black ink on nothing
    return std::string{0, 0, 0, static_cast<char>(p)};
  };
  std::vector<PngRecipe> recipes{
      with(PNG_COLOR_TYPE_GRAY, 8, one), with(PNG_COLOR_TYPE_RGB, 8, three),
      with(PNG_COLOR_TYPE_PALETTE, 8, one), with(PNG_COLOR_TYPE_GRAY, 16, [](std::uint8_t p) {
        return std::string(2, static_cast<char>(p));
      })};
  for (int p = 0; p < 256; ++p) {
    const auto shade = static_cast<png_byte>(p);
    recipes[2].palette.push_back({shade, shade, shade});
  }
  for (PngRecipe& recipe : recipes)
    for (bool interlaced : {false, true}) {
      recipe.interlaced = interlaced;
      const Picture picture = parse(test::png(recipe));
      ASSERT_EQ(picture.pixels.size(), stroke.size());
      for (std::size_t k = 0; k < stroke.size(); ++k)
        EXPECT_NEAR(picture.pixels[k], stroke[k], 1) << recipe.colour << " " << recipe.depth;
    }
  EXPECT_EQ(parse(test::png(with(PNG_COLOR_TYPE_RGB_ALPHA, 8, clear))).pixels, stroke);
}

TEST(Png, ColoursStayWhereTheyAreAskedFor) {
  const test::TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "colours.png";
  test::write(
      path, test::png({.height = 1, .width = 2, .colour = PNG_COLOR_TYPE_RGB, .rows = {"abcdef"}}));
  EXPECT_EQ(read_colours(path, 3).pixels, (std::vector<std::uint8_t>{97, 98, 99, 100, 101, 102}));
  test::write(path, test::png({.height = 1, .width = 2, .rows = {"az"}}));
  EXPECT_EQ(read_colours(path, 3).pixels, (std::vector<std::uint8_t>{97, 97, 97, 122, 122, 122}));
  EXPECT_EQ(read_colours(path, 1).pixels, (std::vector<std::uint8_t>{97, 122}));
}

TEST(Png, WhatCannotBeReadIsRefused) {
  const std::string good = grey_png(5, 6, stroke);
  const auto refused = [](const std::string& text, const std::string& what) {
    expect_refused([&] { parse(text); }, what, "drawing.png");
  };
  refused("", "cannot be read");
  refused("hello", "cannot be read");
  for (std::size_t length = 0; length < good.size(); ++length)
    refused(good.substr(0, length), "cannot be read");
  std::string damaged = good;
  damaged[20] ^= 1;
  refused(damaged, "cannot be read");
  refused(grey_png(1, 5000, std::vector<std::uint8_t>(5000)), "1 x 5000 pixels");
  std::string vast = good;  // a header that claims more than any memory: width, height, CRC
  vast.replace(16, 8, test::big_endian(0x7fffffff) + test::big_endian(0x7fffffff));
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(vast.data() + 12), 17);
  vast.replace(29, 4, test::big_endian(static_cast<std::uint32_t>(sum)));
  refused(vast, "2147483647 x 2147483647 pixels");
  expect_refused([] { read_png("/nowhere/a.png"); }, "no such file", "/nowhere/a.png");
}

Picture drawing(int height, int width) {
  return {height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(height) * width)};
}

void fill(Picture& picture, int top, int left, int height, int width) {
  for (int row = top; row < top + height; ++row)
    for (int col = left; col < left + width; ++col)
      picture.pixels[static_cast<std::size_t>(row) * picture.width + col] = 255;
}

struct Mass {
  double row = 0, col = 0;
  int height = 0, width = 0;  // of the box of ink
};

Mass mass_of(const Picture& picture) {
  double sum = 0, row_sum = 0, col_sum = 0;
  int top = picture.height, left = picture.width, bottom = -1, right = -1;
  for (int row = 0; row < picture.height; ++row)
    for (int col = 0; col < picture.width; ++col) {
      const int p = picture.pixels[static_cast<std::size_t>(row) * picture.width + col];
      sum += p, row_sum += row * p, col_sum += col * p;
      if (p == 0) continue;
      top = std::min(top, row), bottom = std::max(bottom, row);
      left = std::min(left, col), right = std::max(right, col);
    }
  return {row_sum / sum, col_sum / sum, bottom - top + 1, right - left + 1};
}

TEST(Centre, MassLiesInTheMiddleAndTheLongerSideIsTwenty) {
  for (int size : {30, 97, 280, 1000})
    for (int thickness : {size / 20 + 1, size / 5}) {
      Picture seven = drawing(size, size + 13);  // a bar and a leg, far off the middle
      fill(seven, 2, 1, thickness, size / 2);
      fill(seven, 2, 1 + size / 2 - thickness, 3 * size / 4, thickness);
      const Picture centred = centre_like_mnist(seven, "seven");
      ASSERT_EQ(centred.height, 28);
      ASSERT_EQ(centred.width, 28);
      const Mass mass = mass_of(centred);
      EXPECT_NEAR(mass.row, 14, 0.51) << size;
      EXPECT_NEAR(mass.col, 14, 0.51) << size;
      EXPECT_EQ(mass.height, 20) << size;
      EXPECT_NEAR(mass.width, 20 * 2 / 3., 1.01) << size;
      EXPECT_EQ(*std::max_element(centred.pixels.begin(), centred.pixels.end()), 255);
    }
}

TEST(Centre, NeitherPlaceNorWholeMultiplesMatter) {
  Picture small = drawing(60, 60), moved = drawing(90, 70), large = drawing(180, 180);
  const auto draw = [](Picture& to, int top, int left, int unit) {
    fill(to, top, left, 40 * unit, 10 * unit);
    fill(to, top + 30 * unit, left, 10 * unit, 30 * unit);
  };
  draw(small, 5, 5, 1);
  draw(moved, 45, 33, 1);
  draw(large, 7, 50, 3);
  const auto expected = centre_like_mnist(small, "small").pixels;
  EXPECT_EQ(centre_like_mnist(moved, "moved").pixels, expected);
  EXPECT_EQ(centre_like_mnist(large, "large").pixels, expected);
}

TEST(Centre, InkStaysInsideAndGrainDoesNotCount) {
  Picture lopsided = drawing(100, 100);  // a heavy foot on a long thin line
  fill(lopsided, 0, 50, 100, 1);
  fill(lopsided, 90, 40, 10, 21);
  EXPECT_EQ(mass_of(centre_like_mnist(lopsided, "foot")).height, 20);
  Picture grainy = drawing(100, 100);
  fill(grainy, 40, 40, 20, 20);
  const auto clean = centre_like_mnist(grainy, "clean").pixels;
  grainy.pixels[3] = grainy.pixels[9999] = 20;
  EXPECT_EQ(centre_like_mnist(grainy, "grainy").pixels, clean);
}

TEST(Centre, ExtremesOfShapeAreCarried) {
  Picture dot = drawing(3, 3), line = drawing(1, 4096);
  fill(dot, 1, 1, 1, 1);
  fill(line, 0, 0, 1, 4096);
  EXPECT_EQ(mass_of(centre_like_mnist(dot, "dot")).height, 20);
  const Mass thin = mass_of(centre_like_mnist(line, "line"));
  EXPECT_EQ(thin.height, 1);
  EXPECT_EQ(thin.width, 20);
}

TEST(Centre, AnEmptyPictureIsRefused) {
  expect_refused([] { centre_like_mnist(drawing(28, 28), "blank.png"); }, "no ink", "blank.png");
  expect_refused([] { centre_like_mnist(Picture{}, "blank.png"); }, "no ink", "blank.png");
  for (int shade : {0, 128, 255}) {  // a page of one shade is paper
    const Picture page = parse(grey_png(4, 4, std::vector<std::uint8_t>(16, shade)));
    expect_refused([&] { centre_like_mnist(page, "page.png"); }, "no ink", "page.png");
  }
}

}  // namespace
}  // namespace murmur
