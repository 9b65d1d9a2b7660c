// tokenizer_unicode.h: characters, categories and normal forms of Unicode, by ICU, and bytes
// written as characters. All texts are valid UTF-8.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace murmur::tokenizer {

// Returns the character that begins at `at`, and moves `at` behind it.
char32_t next_character(std::string_view text, std::size_t& at);
char32_t last_character(std::string_view text);  // of a text that is not empty
void append(std::string& text, char32_t character);
std::u32string code_points(std::string_view text);
std::string utf8_of(std::u32string_view points);
std::size_t characters_in(std::string_view text);
bool is_utf8(std::string_view bytes);
// Replaces each longest part of an incomplete character with U+FFFD (Unicode 15, 3.9, table 3-8).
std::string repaired_utf8(std::string_view bytes);

bool is_space(char32_t c);        // White_Space
bool is_punctuation(char32_t c);  // ispunct for ASCII, else category P
bool is_number(char32_t c);       // category N
bool is_word(char32_t c);         // \w: alphabetic, mark, decimal digit, connector, joiner
bool is_mark(char32_t c);         // category M
bool is_nonspacing_mark(char32_t c);
bool is_other(char32_t c);  // control, format, ends of private use

enum class NormalForm { nfc, nfd, nfkc, nfkd };
std::string normal_form(std::string_view text, NormalForm form);
std::string lower_case(std::string_view text);  // character by character: no final sigma
// Calls `visit` with each extended grapheme cluster.
void visit_graphemes(std::string_view text, const std::function<void(std::string_view)>& visit);

// Writes each byte as a character, as GPT-2: printable bytes of Latin-1 as themselves, the others,
// in order, as U+0100, U+0101, ...
std::string byte_level_text(std::string_view bytes);

// The byte that byte_level_text writes as this character; -1 for other characters.
int byte_of_character(char32_t c);

}  // namespace murmur::tokenizer
