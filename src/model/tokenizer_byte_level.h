// tokenizer_byte_level.h: bytes written as printable characters, as GPT-2 did first.
#pragma once

#include <string>
#include <string_view>

namespace murmur::tokenizer {

// Printable bytes of Latin-1 stand for themselves; the others, in order, for U+0100, U+0101, ...
std::string byte_level_text(std::string_view bytes);

// The byte that a character stands for; -1 for one that stands for none.
int byte_of_character(char32_t c);

}  // namespace murmur::tokenizer
