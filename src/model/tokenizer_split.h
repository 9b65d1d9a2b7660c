// tokenizer_split.h: the pre-tokenisers of a tokenizer.json: each cuts a text into words.
#pragma once

#include <functional>
#include <vector>

#include "model/tokenizer_normalise.h"

namespace murmur::tokenizer {

// Takes a piece apart, in order; what is empty is dropped by the caller.
using Splitter = std::function<void(Piece, std::vector<Piece>&)>;

Splitter make_splitter(const Field& field);

// The pieces of all `pieces`, none of them empty.
std::vector<Piece> split_all(const Splitter& split, std::vector<Piece> pieces);

}  // namespace murmur::tokenizer
