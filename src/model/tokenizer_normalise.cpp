// tokenizer_normalise.cpp: every normaliser by its name in the file.
#include "model/tokenizer_normalise.h"

#include <utility>
#include <vector>

#include "model/tokenizer_byte_level.h"
#include "model/tokenizer_pattern.h"
#include "model/tokenizer_precompiled.h"
#include "model/tokenizer_unicode.h"

namespace murmur::tokenizer {
namespace {

// Keeps what `keep` says, and writes it as `as` does.
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

// The blocks that BERT's authors call Chinese (google-research/bert, tokenization.py).
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
      const std::vector<Stretch> found = find(piece.text, *piece.budget);
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

// Control characters go, blanks of all kinds become spaces, as in the training of machine
// translation by SentencePiece (its rule nmt_nfkc).
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
