// tokenizer_split.cpp: every pre-tokeniser by its name in the file.
#include "model/tokenizer_split.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "model/tokenizer_byte_level.h"
#include "model/tokenizer_metaspace.h"
#include "model/tokenizer_pattern.h"
#include "model/tokenizer_unicode.h"

namespace murmur::tokenizer {
namespace {

// What becomes of a match: cut out, dropped, or one piece with its neighbours.
enum class Behaviour { removed, isolated, with_previous, with_next, contiguous };

Behaviour behaviour_of(const Field& field) {
  const std::string word = field.text();
  if (word == "Removed") return Behaviour::removed;
  if (word == "Isolated") return Behaviour::isolated;
  if (word == "MergedWithPrevious") return Behaviour::with_previous;
  if (word == "MergedWithNext") return Behaviour::with_next;
  if (word == "Contiguous") return Behaviour::contiguous;
  field.refuse(fmt::format("is {}, which is not known here", word),
               "Removed, Isolated, MergedWithPrevious, MergedWithNext and Contiguous are known");
}

// Stretches of text, some of them joined and some dropped.
std::vector<Stretch> arranged(std::vector<Stretch> found, Behaviour behaviour) {
  std::vector<Stretch> out;
  bool previous = false;  // whether the stretch before was a match
  const auto join_forward = [&](bool joins, const Stretch& s) {
    if (joins && !out.empty())
      out.back().end = s.end;
    else
      out.push_back(s);
    previous = s.match;
  };
  switch (behaviour) {
    case Behaviour::isolated:
      return found;
    case Behaviour::removed:
      for (const Stretch& s : found)
        if (!s.match) out.push_back(s);
      return out;
    case Behaviour::contiguous:
      for (const Stretch& s : found) join_forward(s.match == previous, s);
      return out;
    case Behaviour::with_previous:
      for (const Stretch& s : found) join_forward(s.match && !previous, s);
      return out;
    case Behaviour::with_next:
      for (std::size_t k = found.size(); k-- > 0;) {
        if (found[k].match && !previous && !out.empty())
          out.back().begin = found[k].begin;
        else
          out.push_back(found[k]);
        previous = found[k].match;
      }
      return {out.rbegin(), out.rend()};
  }
  return out;
}

void cut(const Piece& piece, const std::vector<Stretch>& where, std::vector<Piece>& out) {
  for (const Stretch& s : where)
    if (s.end > s.begin)
      out.push_back({piece.text.substr(s.begin, s.end - s.begin), piece.at_start && s.begin == 0,
                     piece.budget});
}

Splitter by_characters(bool (*holds)(char32_t), Behaviour behaviour) {
  return [=](Piece piece, std::vector<Piece>& out) {
    cut(piece, arranged(find_characters(piece.text, holds), behaviour), out);
  };
}

Splitter in_turn(std::vector<Splitter> parts) {
  return [parts](Piece piece, std::vector<Piece>& out) {
    std::vector<Piece> pieces;
    pieces.push_back(std::move(piece));
    for (const Splitter& part : parts) pieces = split_all(part, std::move(pieces));
    for (Piece& made : pieces) out.push_back(std::move(made));
  };
}

Splitter bert(const Field&) {
  return in_turn({by_characters(is_space, Behaviour::removed),
                  by_characters(is_punctuation, Behaviour::isolated)});
}

// Contractions, letters, numbers and the rest, each with one space before it; a run of blanks
// leaves its last one to what follows (openai/gpt-2, encoder.py).
constexpr const char* kByteLevelWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Splitter byte_level(const Field& field) {
  const bool space_before = field.flag_or("add_prefix_space", true);
  Finder find{};
  if (field.flag_or("use_regex", true)) find = make_regex_finder(kByteLevelWords, field);
  return [=](Piece piece, std::vector<Piece>& out) {
    if (space_before && !piece.text.starts_with(' ')) piece.text = " " + piece.text;
    const std::size_t before = out.size();
    if (find)
      cut(piece, find(piece.text, *piece.budget), out);
    else
      out.push_back(std::move(piece));
    for (std::size_t k = before; k < out.size(); ++k) out[k].text = byte_level_text(out[k].text);
  };
}

Splitter metaspace(const Field& field) {
  const Metaspace rule = metaspace_of(field);
  const std::string mark = utf8_of(std::u32string(1, rule.mark));
  return [=](Piece piece, std::vector<Piece>& out) {
    std::string text;
    for (const char c : piece.text) c == ' ' ? text += mark : text += c;
    const bool prepends = rule.prepend == Metaspace::Prepend::always ||
                          (rule.prepend == Metaspace::Prepend::first && piece.at_start);
    if (prepends && !text.starts_with(mark)) text.insert(0, mark);
    piece.text = std::move(text);
    if (!rule.split) return out.push_back(std::move(piece));
    std::vector<Stretch> words;  // each mark begins one
    std::size_t from = 0;
    for (std::size_t at = piece.text.find(mark, 0); at != std::string::npos;
         at = piece.text.find(mark, at + mark.size())) {
      words.push_back({from, at, false});
      from = at;
    }
    words.push_back({from, piece.text.size(), false});
    cut(piece, words, out);
  };
}

Splitter split(const Field& field) {
  const Finder find = make_finder(field.at("pattern"));
  const Behaviour behaviour = behaviour_of(field.at("behavior"));
  const bool invert = field.flag_or("invert", false);
  return [=](Piece piece, std::vector<Piece>& out) {
    std::vector<Stretch> found = find(piece.text, *piece.budget);
    for (Stretch& s : found) s.match = s.match != invert;
    cut(piece, arranged(std::move(found), behaviour), out);
  };
}

// Runs of word characters and runs of what is neither word nor blank.
Splitter whitespace(const Field&) {
  return [](Piece piece, std::vector<Piece>& out) {
    std::vector<Stretch> runs;
    int before = 0;  // 0 blank, 1 word, 2 neither
    for (std::size_t at = 0; at < piece.text.size();) {
      const std::size_t begin = at;
      const char32_t c = next_character(piece.text, at);
      const int kind = is_word(c) ? 1 : is_space(c) ? 0 : 2;
      if (kind != 0 && kind == before)
        runs.back().end = at;
      else if (kind != 0)
        runs.push_back({begin, at, false});
      before = kind;
    }
    cut(piece, runs, out);
  };
}

Splitter whitespace_split(const Field&) { return by_characters(is_space, Behaviour::removed); }

Splitter punctuation(const Field& field) {
  return by_characters(is_punctuation, field.has("behavior") ? behaviour_of(field.at("behavior"))
                                                             : Behaviour::isolated);
}

Splitter digits(const Field& field) {
  const bool each = field.flag_or("individual_digits", false);
  return by_characters(is_number, each ? Behaviour::isolated : Behaviour::contiguous);
}

Splitter delimiter(const Field& field) {
  const std::string mark = utf8_of(std::u32string(1, field.at("delimiter").character()));
  return [=](Piece piece, std::vector<Piece>& out) {
    std::size_t from = 0;
    std::vector<Stretch> parts;
    for (std::size_t at = piece.text.find(mark); at != std::string::npos;
         at = piece.text.find(mark, from)) {
      parts.push_back({from, at, false});
      from = at + mark.size();
    }
    parts.push_back({from, piece.text.size(), false});
    cut(piece, parts, out);
  };
}

Splitter fixed_length(const Field& field) {
  const std::uint32_t length = field.has("length") ? field.at("length").whole(1u << 30) : 5;
  if (length == 0) field.refuse("has the length 0");
  return [=](Piece piece, std::vector<Piece>& out) {
    std::vector<Stretch> parts;
    for (std::size_t at = 0; at < piece.text.size();) {
      const std::size_t begin = at;
      for (std::uint32_t k = 0; k < length && at < piece.text.size(); ++k)
        next_character(piece.text, at);
      parts.push_back({begin, at, false});
    }
    cut(piece, parts, out);
  };
}

Splitter sequence(const Field& field) {
  std::vector<Splitter> parts;
  for (const Field& part : field.at("pretokenizers").list(kMostParts))
    parts.push_back(make_splitter(part));
  return in_turn(std::move(parts));
}

}  // namespace

std::vector<Piece> split_all(const Splitter& split, std::vector<Piece> pieces) {
  std::vector<Piece> out;
  out.reserve(pieces.size());
  std::size_t bytes = 0;
  for (Piece& piece : pieces) {
    const std::size_t before = out.size();
    Budget& budget = *piece.budget;
    split(std::move(piece), out);
    for (std::size_t k = before; k < out.size(); ++k) bytes += out[k].text.size();
    budget.require_room(bytes);
  }
  std::erase_if(out, [](const Piece& piece) { return piece.text.empty(); });
  return out;
}

Splitter make_splitter(const Field& field) {
  static const Makers<Splitter> makers = {{"BertPreTokenizer", bert},
                                          {"ByteLevel", byte_level},
                                          {"CharDelimiterSplit", delimiter},
                                          {"Digits", digits},
                                          {"FixedLength", fixed_length},
                                          {"Metaspace", metaspace},
                                          {"Punctuation", punctuation},
                                          {"Sequence", sequence},
                                          {"Split", split},
                                          {"Whitespace", whitespace},
                                          {"WhitespaceSplit", whitespace_split}};
  return [made = make_by_type(makers, field)](Piece piece, std::vector<Piece>& out) {
    piece.budget->spend(piece.text.size() + 16);
    made(std::move(piece), out);
  };
}

}  // namespace murmur::tokenizer
