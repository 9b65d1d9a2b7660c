// sentence.h: draws whom a word of a sentence listens to, block by block.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "picture/picture.h"

namespace murmur {

struct SentencePicture {
  std::vector<std::string> words{};  // (tokens)
  int asked = 0;                     // whose weights are shown
  Matrix weights{};                  // (blocks, tokens) a_{asked j}, of several heads the mean
  std::vector<double> chance{};      // (blocks + 1) of the first class, after so many blocks
  std::string classes[2]{};
  std::string title{};
};
// A row a block, a column a word: the darker, the more the asked word hears of it; at the right how
// the verdict comes about. Error(input) where the parts do not fit each other.
void draw_sentence(const SentencePicture& sentence, const PictureStyle& style,
                   const std::filesystem::path& png);

}  // namespace murmur
