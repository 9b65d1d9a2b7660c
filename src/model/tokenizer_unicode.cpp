// tokenizer_unicode.cpp: characters, categories and normal forms by ICU, the 256 characters that
// GPT-2 writes for bytes, and every normaliser by its name in the file.

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tokenizer_parts.h"
#include "murmur/error.h"
#include "run/base64.h"

namespace murmur::tokenizer {

namespace {

void require(UErrorCode status, const char* what) {
  if (U_FAILURE(status))
    throw Error(Fault::runtime, fmt::format("ICU cannot {}: {}", what, u_errorName(status)),
                "Unicode data of the system", "install libicu again; use shorter texts");
}

// The library that defines tokenizer.json takes its categories from Unicode 8 (unicode_categories
// 0.1.1) and its normal forms from Unicode 9 (unicode-normalization-alignments 0.1.12). Later
// characters have no category and no normal form there, and none here, so that the ids are the
// same.
constexpr int kCategories = 8, kNormalForms = 9;

bool is_as_old_as(char32_t c, int version) {
  if (c < 0x80) return true;
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(c), age);
  return age[0] > 0 && age[0] <= version;
}

bool has_category(char32_t c, std::uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

// One of the four normal forms, for the characters of Unicode 9.
class OlderForm {
 public:
  explicit OlderForm(const icu::Normalizer2* (*form)(UErrorCode&)) {
    UErrorCode status = U_ZERO_ERROR;
    known_.applyPattern(icu::UnicodeString(fmt::format("[:age={}.0:]", kNormalForms).c_str()),
                        status);
    known_.freeze();
    const icu::Normalizer2* whole = form(status);
    require(status, "normalise");
    filtered_ = std::make_unique<const icu::FilteredNormalizer2>(*whole, known_);
  }
  const icu::Normalizer2& get() const { return *filtered_; }

 private:
  icu::UnicodeSet known_{};
  std::unique_ptr<const icu::FilteredNormalizer2> filtered_{};
};

const icu::Normalizer2& normaliser_of(NormalForm form) {
  static const OlderForm nfc(icu::Normalizer2::getNFCInstance);
  static const OlderForm nfd(icu::Normalizer2::getNFDInstance);
  static const OlderForm nfkc(icu::Normalizer2::getNFKCInstance);
  static const OlderForm nfkd(icu::Normalizer2::getNFKDInstance);
  switch (form) {
    case NormalForm::nfc:
      return nfc.get();
    case NormalForm::nfd:
      return nfd.get();
    case NormalForm::nfkc:
      return nfkc.get();
    case NormalForm::nfkd:
      return nfkd.get();
  }
  return nfc.get();
}

bool is_ascii(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

}  // namespace

char32_t next_character(std::string_view text, std::size_t& at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 c = 0;
  U8_NEXT_OR_FFFD(bytes, at, text.size(), c);
  return static_cast<char32_t>(c);
}

char32_t last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && U8_IS_TRAIL(static_cast<std::uint8_t>(text[at]))) --at;
  return next_character(text, at);
}

void append(std::string& text, char32_t character) {
  char bytes[U8_MAX_LENGTH];
  std::size_t length = 0;
  UBool failed = false;
  U8_APPEND(bytes, length, sizeof bytes, static_cast<UChar32>(character), failed);
  assert(!failed);
  text.append(bytes, length);
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) points += next_character(text, at);
  return points;
}

std::string utf8_of(std::u32string_view points) {
  std::string text;
  for (const char32_t c : points) append(text, c);
  return text;
}

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += !U8_IS_TRAIL(static_cast<std::uint8_t>(c));
  return count;
}

bool is_utf8(std::string_view bytes) {
  const auto* start = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (std::size_t at = 0; at < bytes.size();) {
    UChar32 c = 0;
    U8_NEXT(start, at, bytes.size(), c);
    if (c < 0) return false;
  }
  return true;
}

std::string repaired_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) append(text, next_character(bytes, at));
  return text;
}

bool is_space(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)); }

bool is_punctuation(char32_t c) {
  if (c < 0x80) return c > 0x20 && c < 0x7f && !u_isalnum(static_cast<UChar32>(c));
  return has_category(c, U_GC_P_MASK) && is_as_old_as(c, kCategories);
}

bool is_number(char32_t c) { return has_category(c, U_GC_N_MASK); }

bool is_word(char32_t c) {
  return u_isUAlphabetic(static_cast<UChar32>(c)) ||
         has_category(c, U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK) ||
         u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_JOIN_CONTROL);
}

bool is_mark(char32_t c) { return has_category(c, U_GC_M_MASK) && is_as_old_as(c, kNormalForms); }

bool is_nonspacing_mark(char32_t c) {
  return has_category(c, U_GC_MN_MASK) && is_as_old_as(c, kCategories);
}

bool is_other(char32_t c) {
  // That library has only the first and the last character of each private use area.
  if (has_category(c, U_GC_CO_MASK))
    return !has_category(c - 1, U_GC_CO_MASK) || !has_category(c + 1, U_GC_CO_MASK);
  return has_category(c, U_GC_CC_MASK | U_GC_CF_MASK) && is_as_old_as(c, kCategories);
}

std::string normal_form(std::string_view text, NormalForm form) {
  if (is_ascii(text)) return std::string(text);
  std::string out;
  icu::StringByteSink<std::string> sink(&out, static_cast<std::int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  normaliser_of(form).normalizeUTF8(
      0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, nullptr,
      status);
  require(status, "normalise a text");
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(next_character(text, at));
    if (c < 0x80) {
      out += static_cast<char>(u_tolower(c));
      continue;
    }
    UChar from[2], to[8];
    std::int32_t length = 0;
    U16_APPEND_UNSAFE(from, length, c);
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t made = u_strToLower(to, 8, from, length, "", &status);
    require(status, "write in lower case");
    for (std::int32_t k = 0; k < made;) {
      UChar32 lower = 0;
      U16_NEXT(to, k, made, lower);
      append(out, static_cast<char32_t>(lower));
    }
  }
  return out;
}

void visit_graphemes(std::string_view text, const std::function<void(std::string_view)>& visit) {
  if (is_ascii(text) && text.find("\r\n") == std::string_view::npos) {
    for (std::size_t at = 0; at < text.size(); ++at) visit(text.substr(at, 1));
    return;
  }
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  require(status, "find graphemes");
  UText* opened =
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
  breaks->setText(opened, status);
  utext_close(opened);  // the iterator has a copy that refers to the same bytes
  require(status, "find graphemes");
  std::int32_t from = breaks->first();
  for (std::int32_t to = breaks->next(); to != icu::BreakIterator::DONE; to = breaks->next()) {
    visit(text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
    from = to;
  }
}

namespace {

struct ByteCharacters {
  std::array<char32_t, 256> of_byte{};
  std::array<int, 0x144>
      byte_of{};  // by character; 188 bytes are their own characters, 68 start at U+0100

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
