// tokenizer_limits.h: how long a file wants its sequences of ids: truncation and padding.
#pragma once

#include <optional>
#include <vector>

#include "model/tokenizer_fields.h"
#include "murmur/tokenizer.h"

namespace murmur::tokenizer {

struct Limits {
  std::optional<std::size_t> most{};  // ids, those of the post-processor included
  bool keeps_end = false;             // truncated on the left
  bool pads = false, pads_left = false;
  std::size_t length = 0;    // padded to this at least
  std::size_t multiple = 1;  // and to a multiple of this
  TokenId pad = 0;
};

Limits limits_of(const Field& root);
void truncate(std::vector<TokenId>& ids, const Limits& limits, std::size_t to_come);
void pad(std::vector<TokenId>& ids, const Limits& limits);

}  // namespace murmur::tokenizer
