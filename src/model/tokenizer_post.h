// tokenizer_post.h: the post-processors of a tokenizer.json: which tokens stand around a text's
// own.
#pragma once

#include <functional>
#include <vector>

#include "model/tokenizer_fields.h"
#include "murmur/tokenizer.h"

namespace murmur::tokenizer {

struct Frame {
  std::vector<TokenId> before{}, after{};
};

// Of one text; what the file says of pairs is not read. Error(input) for an id that is not `known`.
Frame make_frame(const Field& field, const std::function<bool(TokenId)>& known);

}  // namespace murmur::tokenizer
