// tokenizer_precompiled.cpp: reads the map's two blocks and walks its double array.
//
// The bytes are: u32 n (little endian), n bytes of 32-bit units, then the texts. A unit of the
// double array (darts-clone, S. Yata) holds
//   bit 31 and bits 0-7   label of the byte that leads here; bit 31 set: a value, bits 0-30
//   bit 8                 a value hangs below
//   bit 9, bits 10-31     offset to the children: bits 10-31, times 256 where bit 9 is set
#include "model/tokenizer_precompiled.h"

#include <array>

#include "model/tokenizer_unicode.h"
#include "run/base64.h"

namespace murmur::tokenizer {
namespace {

constexpr std::size_t kLongestGrapheme = 5;  // bytes of a grapheme that is looked up whole

std::string from_base64(const Field& field) {
  const auto bytes = bytes_of_base64(field.text());
  if (!bytes) field.refuse("is not base64");
  return *bytes;
}

std::uint32_t unit_at(std::string_view bytes, std::size_t at) {
  std::uint32_t unit = 0;
  for (std::size_t k = 4; k-- > 0;) unit = unit << 8 | static_cast<unsigned char>(bytes[at + k]);
  return unit;
}

bool has_value(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFF; }
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000FF; }
std::uint32_t offset_of(std::uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }

}  // namespace

CharacterMap::CharacterMap(const Field& base64) {
  const std::string bytes = from_base64(base64);
  if (bytes.size() < 4) base64.refuse("is cut off");
  const std::uint32_t length = unit_at(bytes, 0);
  if (length % 4 != 0 || length > bytes.size() - 4)
    base64.refuse("says that its trie is longer than it is");
  for (std::size_t at = 4; at < 4 + std::size_t{length}; at += 4)
    units_.push_back(unit_at(bytes, at));
  texts_ = bytes.substr(4 + length);
  if (!is_utf8(texts_)) base64.refuse("holds texts that are not UTF-8");
}

std::optional<std::string_view> CharacterMap::becomes(std::string_view text) const {
  if (units_.empty()) return std::nullopt;
  std::size_t node = offset_of(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return std::nullopt;
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) return std::nullopt;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_value(unit)) continue;
    // The shortest key wins, as in the library that defines tokenizer.json.
    if (node >= units_.size()) return std::nullopt;
    const std::uint32_t at = value_of(units_[node]);
    if (at >= texts_.size()) return std::nullopt;
    if ((static_cast<unsigned char>(texts_[at]) & 0xC0) == 0x80) return std::nullopt;
    const std::size_t end = texts_.find('\0', at);
    return std::string_view(texts_).substr(at, end == std::string::npos ? end : end - at);
  }
  return std::nullopt;
}

std::string CharacterMap::apply(std::string_view text, Budget& budget) const {
  std::string out;
  out.reserve(text.size());
  const auto put = [&](std::string_view part) {
    budget.require_room(out.size() + part.size());
    out += part;
  };
  visit_graphemes(text, [&](std::string_view grapheme) {
    if (grapheme.size() <= kLongestGrapheme)
      if (const auto whole = becomes(grapheme)) return put(*whole);
    for (std::size_t at = 0; at < grapheme.size();) {
      const std::size_t begin = at;
      next_character(grapheme, at);
      const std::string_view character = grapheme.substr(begin, at - begin);
      put(becomes(character).value_or(character));
    }
  });
  return out;
}

}  // namespace murmur::tokenizer
