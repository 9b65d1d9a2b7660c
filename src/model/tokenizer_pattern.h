// tokenizer_pattern.h: what a text is searched for: a literal text or a regular expression.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer_budget.h"
#include "model/tokenizer_fields.h"

namespace murmur::tokenizer {

// A stretch of bytes of a text; all stretches together are the text.
struct Stretch {
  std::size_t begin = 0, end = 0;
  bool match = false;
};

using Finder = std::function<std::vector<Stretch>(std::string_view, Budget&)>;

// Of a field {"String": ...} or {"Regex": ...}. Error(input) for an expression that is none.
Finder make_finder(const Field& field);
Finder make_regex_finder(const std::string& expression, const Field& field);
// Each character that `holds` is a match of its own.
std::vector<Stretch> find_characters(std::string_view text, bool (*holds)(char32_t));

// Every match becomes `by`; Error(input) where that is beyond the budget.
std::string replaced(std::string_view text, const Finder& find, std::string_view by,
                     Budget& budget);

}  // namespace murmur::tokenizer
