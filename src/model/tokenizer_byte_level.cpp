// tokenizer_byte_level.cpp: the 256 characters that stand for bytes, and back.
#include "model/tokenizer_byte_level.h"

#include <array>

#include "model/tokenizer_unicode.h"

namespace murmur::tokenizer {
namespace {

struct ByteCharacters {
  std::array<char32_t, 256> of_byte{};
  std::array<int, 0x144> byte_of{};  // by character; 188 stand for themselves, 68 from U+0100 on

  ByteCharacters() {
    byte_of.fill(-1);
    char32_t next = 0x100;
    for (int b = 0; b < 256; ++b) {
      const bool prints = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
      const char32_t c = prints ? static_cast<char32_t>(b) : next++;
      of_byte[static_cast<std::size_t>(b)] = c;
      byte_of[c] = b;
    }
  }
};

const ByteCharacters& table() {
  static const ByteCharacters made;
  return made;
}

}  // namespace

std::string byte_level_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 4);
  for (const char b : bytes) append(text, table().of_byte[static_cast<unsigned char>(b)]);
  return text;
}

int byte_of_character(char32_t c) { return c < table().byte_of.size() ? table().byte_of[c] : -1; }

}  // namespace murmur::tokenizer
