// tokenizer_normalise.h: the normalisers of a tokenizer.json: each writes a text in another way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "model/tokenizer_fields.h"

namespace murmur::tokenizer {

// A part of the given text.
struct Piece {
  std::string text{};
  bool at_start = false;        // its first character is the given text's first character
  std::size_t most = SIZE_MAX;  // bytes that it and its like may become; see require_room
};

// Replacements that feed each other can grow beyond any memory: Error(input) where a text of
// `bytes` has become more than `most`.
std::size_t most_bytes(std::size_t given);
void require_room(std::size_t bytes, std::size_t most);

using Normaliser = std::function<void(Piece&)>;

Normaliser make_normaliser(const Field& field);

}  // namespace murmur::tokenizer
