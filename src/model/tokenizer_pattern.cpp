// tokenizer_pattern.cpp: searches of a text for a literal text or, by ICU, for a regular
// expression.
#include <fmt/format.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "model/tokenizer_parts.h"
#include "model/tokenizer_unicode.h"
#include "murmur/error.h"

namespace murmur::tokenizer {

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
