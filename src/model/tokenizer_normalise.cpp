// tokenizer_normalise.cpp: every normaliser by its name in the file, with the character map that
// SentencePiece compiles into its unigram models.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tokenizer_parts.h"
#include "model/tokenizer_unicode.h"
#include "run/base64.h"

namespace murmur::tokenizer {

namespace {

// The character map of SentencePiece: a double array of byte strings, each with the place of its
// replacement. The bytes are: u32 n (little endian), n bytes of 32-bit units, then the texts. A
// unit of the double array (darts-clone, S. Yata) holds
//   bit 31 and bits 0-7   label: the byte of the edge to this unit; if bit 31 is set, bits 0-30 are
//   a value bit 8                 one of the children is a value bit 9, bits 10-31     offset to
//   the children: bits 10-31, times 256 if bit 9 is set
class CharacterMap {
 public:
  explicit CharacterMap(
      const Field& base64);  // Error(input) for a map that is cut off or not UTF-8

  // Looks up each short grapheme as a whole, others character by character. Error(input) if the
  // result exceeds the budget.
  std::string apply(std::string_view text, Budget& budget) const;

 private:
  std::optional<std::string_view> becomes(std::string_view text) const;

  std::vector<std::uint32_t> units_{};
  std::string texts_{};  // each ends with a zero byte
};

constexpr std::size_t kLongestGrapheme = 5;  // bytes of a grapheme that is looked up as a whole

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

// Keeps the characters for which `keep` is true, and writes each one c as as(c).
template <class Keep, class As>
void keep_characters(Piece& piece, Keep&& keep, As&& as) {
  std::string out;
  out.reserve(piece.text.size());
  for (std::size_t at = 0; at < piece.text.size();) {
    const bool first = at == 0;
    const char32_t c = next_character(piece.text, at);
    if (keep(c))
      append(out, as(c));
    else if (first)
      piece.at_start = false;
  }
  piece.text = std::move(out);
}

char32_t same(char32_t c) { return c; }

// The Unicode blocks that the authors of BERT call Chinese (google-research/bert, tokenization.py).
bool is_chinese(char32_t c) {
  constexpr std::pair<char32_t, char32_t> blocks[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& [first, last] : blocks)
    if (c >= first && c <= last) return true;
  return false;
}

void clean(Piece& piece) {
  keep_characters(
      piece,
      [](char32_t c) {
        const bool blank = c == U'\t' || c == U'\n' || c == U'\r';
        return c != 0 && c != 0xFFFD && (blank || !is_other(c));
      },
      [](char32_t c) { return is_space(c) ? U' ' : c; });
}

void set_chinese_apart(Piece& piece) {
  std::string out;
  for (std::size_t at = 0; at < piece.text.size();) {
    const char32_t c = next_character(piece.text, at);
    const bool apart = is_chinese(c);
    if (apart) out += ' ';
    append(out, c);
    if (apart) out += ' ';
  }
  piece.text = std::move(out);
}

Normaliser bert(const Field& field) {
  const bool cleans = field.flag_or("clean_text", true);
  const bool chinese = field.flag_or("handle_chinese_chars", true);
  const bool lower = field.flag_or("lowercase", true);
  const bool strips = field.flag_or("strip_accents", lower);
  return [=](Piece& piece) {
    if (cleans) clean(piece);
    if (chinese) set_chinese_apart(piece);
    if (strips) {
      piece.text = normal_form(piece.text, NormalForm::nfd);
      keep_characters(
          piece, [](char32_t c) { return !is_nonspacing_mark(c); }, same);
    }
    if (lower) piece.text = lower_case(piece.text);
  };
}

template <NormalForm form>
Normaliser in_form(const Field&) {
  return [](Piece& piece) { piece.text = normal_form(piece.text, form); };
}

Normaliser lowercase(const Field&) {
  return [](Piece& piece) { piece.text = lower_case(piece.text); };
}

Normaliser strip_accents(const Field&) {
  return [](Piece& piece) {
    keep_characters(
        piece, [](char32_t c) { return !is_mark(c); }, same);
  };
}

Normaliser strip(const Field& field) {
  const bool left = field.flag_or("strip_left", true);
  const bool right = field.flag_or("strip_right", true);
  return [=](Piece& piece) {
    std::string& text = piece.text;
    while (right && !text.empty() && is_space(last_character(text))) {
      while ((static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      text.pop_back();
    }
    std::size_t from = 0;
    for (std::size_t at = 0; left && at < text.size() && is_space(next_character(text, at));)
      from = at;
    if (from > 0) piece.at_start = false;
    text.erase(0, from);
  };
}

Normaliser replace(const Field& field) {
  const Finder find = make_finder(field.at("pattern"));
  const std::string by = field.at("content").text();
  return [=](Piece& piece) {
    if (by.empty() && piece.at_start) {
      const std::vector<Range> found = find(piece.text, *piece.budget);
      if (!found.empty() && found[0].match && found[0].end > 0) piece.at_start = false;
    }
    piece.text = replaced(piece.text, find, by, *piece.budget);
  };
}

Normaliser prepend(const Field& field) {
  const std::string before = field.at("prepend").text();
  return [=](Piece& piece) {
    if (piece.text.empty()) return;
    piece.budget->require_room(before.size() + piece.text.size());
    piece.text.insert(0, before);
  };
}

// Removes control characters and writes all kinds of blanks as spaces, as the rule nmt_nfkc of
// SentencePiece.
Normaliser nmt(const Field&) {
  return [](Piece& piece) {
    keep_characters(
        piece,
        [](char32_t c) {
          return !((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
                   c == 0x8F || c == 0x9F);
        },
        [](char32_t c) {
          const bool blank = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                             (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                             c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
          return blank ? U' ' : c;
        });
  };
}

Normaliser precompiled(const Field& field) {
  const auto map = std::make_shared<const CharacterMap>(field.at("precompiled_charsmap"));
  return [map](Piece& piece) { piece.text = map->apply(piece.text, *piece.budget); };
}

Normaliser byte_level(const Field&) {
  return [](Piece& piece) { piece.text = byte_level_text(piece.text); };
}

Normaliser sequence(const Field& field) {
  std::vector<Normaliser> parts;
  for (const Field& part : field.at("normalizers").list(kMostParts))
    parts.push_back(make_normaliser(part));
  return [parts](Piece& piece) {
    for (const Normaliser& part : parts) part(piece);
  };
}

}  // namespace

Normaliser make_normaliser(const Field& field) {
  static const Makers<Normaliser> makers = {{"BertNormalizer", bert},
                                            {"ByteLevel", byte_level},
                                            {"Lowercase", lowercase},
                                            {"NFC", in_form<NormalForm::nfc>},
                                            {"NFD", in_form<NormalForm::nfd>},
                                            {"NFKC", in_form<NormalForm::nfkc>},
                                            {"NFKD", in_form<NormalForm::nfkd>},
                                            {"Nmt", nmt},
                                            {"Precompiled", precompiled},
                                            {"Prepend", prepend},
                                            {"Replace", replace},
                                            {"Sequence", sequence},
                                            {"Strip", strip},
                                            {"StripAccents", strip_accents}};
  return [made = make_by_type(makers, field)](Piece& piece) {
    piece.budget->spend(piece.text.size() + 1);
    made(piece);
    piece.budget->require_room(piece.text.size());
  };
}

}  // namespace murmur::tokenizer
