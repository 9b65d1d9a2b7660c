// tokenizer_split.cpp: cuts texts: added tokens out of a text, then words by every pre-tokeniser by
// its name in the file; with searches for a literal text or, by ICU, for a regular expression.
#include <fmt/format.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "model/tokenizer_parts.h"
#include "murmur/error.h"

namespace murmur::tokenizer {

namespace {

constexpr TokenId kHighestId = 1u << 24;

bool single(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && is_word(last_character(text.substr(0, begin)))) return false;
  std::size_t at = end;
  return end == text.size() || !is_word(next_character(text, at));
}

std::size_t blanks_before(std::string_view text, std::size_t end, std::size_t least) {
  while (end > least && is_space(last_character(text.substr(0, end)))) {
    --end;
    while (end > least && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  return end;
}

std::size_t blanks_behind(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size() && is_space(next_character(text, at));) begin = at;
  return begin;
}

}  // namespace

AddedTokens::AddedTokens(const Field& list, const Vocabulary& vocabulary) {
  for (const Field& field : list.list()) {
    AddedToken token;
    token.text = field.at("content").text();
    if (token.text.empty()) continue;
    token.id = field.at("id").whole(kHighestId);
    token.special = field.flag_or("special", false);
    token.single_word = field.flag_or("single_word", false);
    token.left = field.flag_or("lstrip", false);
    token.right = field.flag_or("rstrip", false);
    token.normalised = field.flag_or("normalized", !token.special);
    const std::optional<TokenId> known = vocabulary.id(token.text);
    if (known && *known != token.id)
      field.refuse(fmt::format("is {} with the id {}, and the vocabulary says {}", token.text,
                               token.id, *known));
    const auto other = vocabulary.token(token.id);
    if (other && *other != token.text)
      field.refuse(
          fmt::format("has the id {}, which the vocabulary gives to {}", token.id, *other));
    if (!by_id_.emplace(token.id, all_.size()).second)
      field.refuse(fmt::format("has the id {}, as one before it has", token.id));
    if (!by_text_.emplace(token.text, all_.size()).second)
      field.refuse(fmt::format("is {}, as one before it is", token.text));
    all_.push_back(std::move(token));
  }
}

void AddedTokens::prepare(const Normaliser& normaliser) {
  std::vector<Trie::Key> raw, normalised;
  std::size_t given = 0, made = 0;
  for (const AddedToken& token : all_) given += token.text.size();
  Budget budget(given);
  searched_.reserve(all_.size());  // the keys refer to them
  for (std::size_t k = 0; k < all_.size(); ++k) {
    Piece searched{all_[k].text, true, &budget};
    if (all_[k].normalised && normaliser) normaliser(searched);
    budget.require_room(made += searched.text.size());
    searched_.push_back(std::move(searched.text));
    if (!searched_[k].empty())
      (all_[k].normalised ? normalised : raw)
          .push_back({searched_[k], static_cast<std::uint32_t>(k)});
  }
  raw_ = Trie(std::move(raw));
  normalised_ = Trie(std::move(normalised));
}

std::optional<AddedTokens::Found> AddedTokens::find(std::string_view text, std::size_t from,
                                                    const Trie& trie, Budget& budget) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!trie.begins(static_cast<unsigned char>(text[begin]))) continue;
    Found found{begin, begin, nullptr};
    budget.spend(trie.visit_prefixes(text.substr(begin), [&](std::size_t length, std::uint32_t k) {
      found = {begin, begin + length, &all_[k]};
    }));
    if (found.token == nullptr) continue;
    if (!found.token->single_word || single(text, found.begin, found.end)) return found;
    begin = found.end - 1;  // continues after the refused match
  }
  return std::nullopt;
}

std::vector<Cut> AddedTokens::cut(Piece piece, bool normalised) const {
  const Trie& trie = normalised ? normalised_ : raw_;
  const std::string_view text = piece.text;
  std::vector<Cut> cuts;
  std::size_t done = 0, from = 0;
  const auto keep = [&](std::size_t begin, std::size_t end) {
    if (end > begin)
      cuts.push_back({{std::string(text.substr(begin, end - begin)), piece.at_start && begin == 0,
                       piece.budget},
                      std::nullopt});
  };
  while (const std::optional<Found> found = find(text, from, trie, *piece.budget)) {
    from = found->end;
    if (found->begin < done) continue;  // inside the blanks of the token before
    std::size_t begin = found->begin, end = found->end;
    if (found->token->left) begin = blanks_before(text, begin, done);
    if (found->token->right) end = blanks_behind(text, end);
    keep(done, begin);
    cuts.push_back({{}, found->token->id});
    done = end;
  }
  keep(done, text.size());
  return cuts;
}

const AddedToken* AddedTokens::by_id(TokenId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &all_[found->second];
}

const AddedToken* AddedTokens::by_text(std::string_view text) const {
  const auto found = by_text_.find(std::string(text));
  return found == by_text_.end() ? nullptr : &all_[found->second];
}

Metaspace metaspace_of(const Field& field) {
  Metaspace made;
  if (field.has("replacement")) made.mark = field.at("replacement").character();
  made.split = field.flag_or("split", true);
  const std::string scheme = field.text_or("prepend_scheme", "always");
  if (scheme == "first")
    made.prepend = Metaspace::Prepend::first;
  else if (scheme == "never")
    made.prepend = Metaspace::Prepend::never;
  else if (scheme != "always")
    field.at("prepend_scheme")
        .refuse(fmt::format("is {}, which is not known here", scheme),
                "always, first and never are known");
  if (!field.flag_or("add_prefix_space", true)) made.prepend = Metaspace::Prepend::never;
  return made;
}

namespace {

// Whether a match is removed, a separate piece, or joined with its neighbours.
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

// Joins or removes ranges of a text.
std::vector<Range> arranged(std::vector<Range> found, Behaviour behaviour) {
  std::vector<Range> out;
  bool previous = false;  // whether the range before was a match
  const auto join_forward = [&](bool joins, const Range& s) {
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
      for (const Range& s : found)
        if (!s.match) out.push_back(s);
      return out;
    case Behaviour::contiguous:
      for (const Range& s : found) join_forward(s.match == previous, s);
      return out;
    case Behaviour::with_previous:
      for (const Range& s : found) join_forward(s.match && !previous, s);
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

void cut(const Piece& piece, const std::vector<Range>& where, std::vector<Piece>& out) {
  for (const Range& s : where)
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

// Contractions, letters, numbers and the rest, each with one space before it; the last blank of
// several belongs to the piece that follows (openai/gpt-2, encoder.py).
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
    std::vector<Range> words;  // each starts at a mark
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
    std::vector<Range> found = find(piece.text, *piece.budget);
    for (Range& s : found) s.match = s.match != invert;
    cut(piece, arranged(std::move(found), behaviour), out);
  };
}

// Sequences of word characters, and sequences of characters that are neither word characters nor
// blanks.
Splitter whitespace(const Field&) {
  return [](Piece piece, std::vector<Piece>& out) {
    std::vector<Range> runs;
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
    std::vector<Range> parts;
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
    std::vector<Range> parts;
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

namespace {

// Expressions of real tokenisers have some hundred characters, and read each character of a text a
// few times. Expressions beyond these limits are refused. ICU counts in ticks and does not report
// fractions of a tick, so each search is charged more than it needs.
constexpr std::int32_t kStackBytes = 32'000'000;
constexpr std::size_t kTick = 10'000;  // steps
constexpr std::size_t kStepsOfByte = 16;

// 200 steps for each byte.
std::size_t most_ticks(std::size_t bytes) { return 500 + bytes / 50; }

UBool count_tick(const void* ticks, std::int32_t) {
  ++*const_cast<std::size_t*>(static_cast<const std::size_t*>(ticks));
  return true;
}

std::u16string utf16_of(std::string_view text) {
  std::u16string units(text.size(), u'\0');  // never more units than bytes
  std::int32_t made = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8(units.data(), static_cast<std::int32_t>(units.size()), &made, text.data(),
                static_cast<std::int32_t>(text.size()), &status);
  units.resize(U_SUCCESS(status) ? static_cast<std::size_t>(made) : 0);
  return units;
}

struct Close {
  void operator()(URegularExpression* regex) const { uregex_close(regex); }
};
using Matcher = std::unique_ptr<URegularExpression, Close>;

// A compiled expression. A matcher of ICU serves one thread at a time, so threads borrow matchers.
class Regex {
 public:
  Regex(const std::string& expression, const Field& field) : expression_(expression) {
    field.count_expression(expression.size());
    const std::u16string units = utf16_of(expression);
    UParseError at{};
    UErrorCode status = U_ZERO_ERROR;
    compiled_.reset(
        uregex_open(units.data(), static_cast<std::int32_t>(units.size()), 0, &at, &status));
    if (U_FAILURE(status))
      field.refuse(fmt::format("is no regular expression: {} at character {}", u_errorName(status),
                               at.offset),
                   "write it in the syntax of ICU's regular expressions");
  }

  std::vector<Range> find(std::string_view text, Budget& budget) const {
    budget.spend(expression_.size() + kStepsOfByte * text.size());
    const std::u16string units = utf16_of(text);
    Matcher matcher = borrow();
    UErrorCode status = U_ZERO_ERROR;
    const std::size_t most = std::min(most_ticks(text.size()), budget.left() / kTick + 1);
    std::size_t ticks = 0;
    uregex_setTimeLimit(matcher.get(), static_cast<std::int32_t>(most), &status);
    uregex_setMatchCallback(matcher.get(), count_tick, &ticks, &status);
    uregex_setText(matcher.get(), units.data(), static_cast<std::int32_t>(units.size()), &status);
    std::vector<Range> found;
    std::size_t unit = 0, byte = 0;  // the same place in both encodings
    const auto byte_of = [&](std::int32_t wanted) {
      for (; unit < static_cast<std::size_t>(wanted); ++unit) {
        const char16_t c = units[unit];
        byte += c < 0x80 ? 1 : c < 0x800 || U16_IS_SURROGATE(c) ? 2 : 3;
      }
      return byte;
    };
    std::size_t from = 0;
    while (uregex_findNext(matcher.get(), &status) && U_SUCCESS(status)) {
      const std::size_t begin = byte_of(uregex_start(matcher.get(), 0, &status));
      const std::size_t end = byte_of(uregex_end(matcher.get(), 0, &status));
      if (from != begin) found.push_back({from, begin, false});
      found.push_back({begin, end, true});
      from = end;
    }
    if (U_FAILURE(status))
      throw Error(Fault::input,
                  fmt::format("a regular expression of the tokeniser takes too long: {}",
                              u_errorName(status)),
                  expression_, "give shorter texts, or use another tokeniser");
    if (from != text.size()) found.push_back({from, text.size(), false});
    give_back(std::move(matcher));
    budget.spend(kTick * ticks);
    return found;
  }

 private:
  Matcher borrow() const {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Matcher matcher = std::move(free_.back());
        free_.pop_back();
        return matcher;
      }
    }
    UErrorCode status = U_ZERO_ERROR;
    Matcher matcher(uregex_clone(compiled_.get(), &status));
    uregex_setStackLimit(matcher.get(), kStackBytes, &status);
    if (U_FAILURE(status)) throw std::bad_alloc();
    return matcher;
  }

  void give_back(Matcher matcher) const {
    UErrorCode status = U_ZERO_ERROR;
    uregex_setText(matcher.get(), u"", 0, &status);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(matcher));
  }

  std::string expression_;
  Matcher compiled_{};
  mutable std::mutex mutex_{};
  mutable std::vector<Matcher> free_{};
};

Finder make_text_finder(const std::string& wanted) {
  return [wanted](std::string_view text, Budget& budget) {
    budget.spend_on_search(text, wanted);
    std::vector<Range> found;
    std::size_t from = 0;
    while (!wanted.empty()) {
      const std::size_t begin = text.find(wanted, from);
      if (begin == std::string_view::npos) break;
      if (from != begin) found.push_back({from, begin, false});
      found.push_back({begin, begin + wanted.size(), true});
      from = begin + wanted.size();
    }
    if (from != text.size()) found.push_back({from, text.size(), false});
    return found;
  };
}

}  // namespace

Finder make_regex_finder(const std::string& expression, const Field& field) {
  const auto regex = std::make_shared<const Regex>(expression, field);
  return [regex](std::string_view text, Budget& budget) { return regex->find(text, budget); };
}

Finder make_finder(const Field& field) {
  if (field.is_text()) return make_text_finder(field.text());
  if (field.has("String")) return make_text_finder(field.at("String").text());
  if (field.has("Regex")) return make_regex_finder(field.at("Regex").text(), field.at("Regex"));
  field.refuse("is neither a String nor a Regex");
}

std::vector<Range> find_characters(std::string_view text, bool (*holds)(char32_t)) {
  std::vector<Range> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool match = holds(next_character(text, at));
    if (!match && !found.empty() && !found.back().match)
      found.back().end = at;
    else
      found.push_back({begin, at, match});
  }
  return found;
}

std::string replaced(std::string_view text, const Finder& find, std::string_view by,
                     Budget& budget) {
  std::string out;
  for (const Range& s : find(text, budget)) {
    const std::string_view part = s.match ? by : text.substr(s.begin, s.end - s.begin);
    budget.require_room(out.size() + part.size());
    out += part;
  }
  return out;
}

}  // namespace murmur::tokenizer
