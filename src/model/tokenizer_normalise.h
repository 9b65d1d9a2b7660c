// tokenizer_normalise.h: the normalisers of a tokenizer.json: each writes a text in another way.
#pragma once

#include <functional>
#include <string>

#include "model/tokenizer_budget.h"
#include "model/tokenizer_fields.h"

namespace murmur::tokenizer {

// A part of the given text.
struct Piece {
  std::string text{};
  bool at_start = false;     // its first character is the given text's first character
  Budget* budget = nullptr;  // of the call that it belongs to
};

using Normaliser = std::function<void(Piece&)>;

Normaliser make_normaliser(const Field& field);

}  // namespace murmur::tokenizer
