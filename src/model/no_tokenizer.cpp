// no_tokenizer.cpp: replaces tokenizer.cpp in builds without a Unicode library: tokens have no
// spelling.
#include "murmur/tokenizer.h"

namespace murmur {

std::optional<std::string> Tokenizer::token(TokenId) const { return std::nullopt; }

}  // namespace murmur
