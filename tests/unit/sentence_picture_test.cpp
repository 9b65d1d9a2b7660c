// sentence_picture_test.cpp: whom a word listens to is drawn, dark and light, or refused.
#include <gtest/gtest.h>

#include <filesystem>

#include "picture/digit_pictures.h"
#include "refused.h"
#include "temporary.h"

namespace murmur {
namespace {

SentencePicture some_sentence() {
  SentencePicture s{.words = {"the", "boat", "stood", "near", "bank"}, .asked = 4};
  s.weights = zeros(2, 5);
  s.weights(0, 1) = 0.9;
  s.weights(0, 4) = 0.1;
  s.weights(1, 0) = 1;
  s.chance = {0.5, 0.8, 0.97};
  s.classes[0] = "water";
  s.classes[1] = "money";
  s.title = "bank: water";
  return s;
}

TEST(SentencePicture, IsDrawnDarkAndLight) {
  const test::TemporaryDirectory folder;
  for (const bool dark : {true, false}) {
    const auto png = folder / (dark ? "dark.png" : "light.png");
    draw_sentence(some_sentence(), {.dark = dark}, png);
    EXPECT_GT(std::filesystem::file_size(png), 5000u);
  }
}

TEST(SentencePicture, PartsThatDoNotFitAreRefused) {
  const test::TemporaryDirectory folder;
  const auto refused = [&](const auto& perturb) {
    SentencePicture s = some_sentence();
    perturb(s);
    EXPECT_EQ(fault_of([&] { draw_sentence(s, {}, folder / "x.png"); }), Fault::input);
  };
  refused([](SentencePicture& s) { s.words.pop_back(); });
  refused([](SentencePicture& s) { s.asked = 5; });
  refused([](SentencePicture& s) { s.chance.pop_back(); });
  refused([](SentencePicture& s) { s.weights(0, 0) = -1; });
  refused([](SentencePicture& s) { s.chance[0] = 2; });
}

}  // namespace
}  // namespace murmur
