// tokenizer_unicode.cpp: characters, categories and normal forms by ICU, and the 256 characters
// that GPT-2 writes for bytes.
#include "model/tokenizer_unicode.h"

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
#include <memory>

#include "murmur/error.h"

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

}  // namespace murmur::tokenizer
