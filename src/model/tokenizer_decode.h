// tokenizer_decode.h: the decoders of a tokenizer.json: each brings tokens nearer to a text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/tokenizer_budget.h"
#include "model/tokenizer_fields.h"

namespace murmur::tokenizer {

// Tokens in order become texts in order, which are joined in the end.
using Decoder = std::function<std::vector<std::string>(std::vector<std::string>, Budget&)>;

Decoder make_decoder(const Field& field);

}  // namespace murmur::tokenizer
