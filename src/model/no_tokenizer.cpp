// no_tokenizer.cpp: stands in for tokenizer.cpp where there is no library of Unicode: no token is
// spelled.
#include "murmur/tokenizer.h"

namespace murmur {

std::optional<std::string> Tokenizer::token(TokenId) const { return std::nullopt; }

}  // namespace murmur
