// tokenizer_fields.cpp: accessors that say which field of which file is off.
#include "model/tokenizer_fields.h"

#include <fmt/format.h>

#include "model/tokenizer_unicode.h"
#include "murmur/error.h"

namespace murmur::tokenizer {

void Field::refuse(std::string_view what, std::string_view remedy) const {
  const std::string name = key_.empty() ? "the whole" : key_;
  throw Error(Fault::input, fmt::format("{} {}", name, what), fmt::format("{}: {}", file_, name),
              std::string(remedy.empty() ? "download the tokenizer.json again" : remedy));
}

void Field::count_part() const {
  if (++budget_->parts > kMostParts)
    refuse(fmt::format("is one of more than {} parts", kMostParts), "use another tokeniser");
}

void Field::count_expression(std::size_t characters) const {
  budget_->expression_characters += characters;
  if (budget_->expression_characters > kMostExpressionCharacters)
    refuse(fmt::format("is one of expressions of more than {} characters together",
                       kMostExpressionCharacters),
           "use another tokeniser");
}

bool Field::has(const std::string& key) const {
  if (!value_->is_object()) refuse("is not an object");
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

Field Field::at(const std::string& key) const {
  const std::string inner = key_.empty() ? key : key_ + "." + key;
  if (!has(key)) Field(*this, *value_, inner).refuse("is missing");
  return Field(*this, *value_->find(key), inner);
}

std::vector<Field> Field::list(std::size_t most) const {
  if (!value_->is_array()) refuse("is not a list");
  if (value_->size() > most) refuse(fmt::format("has more than {} entries", most));
  std::vector<Field> found;
  for (const nlohmann::json& value : *value_)
    found.push_back(Field(*this, value, fmt::format("{}[{}]", key_, found.size())));
  return found;
}

std::vector<std::pair<std::string, Field>> Field::members() const {
  if (!value_->is_object()) refuse("is not an object");
  std::vector<std::pair<std::string, Field>> found;
  for (const auto& [key, value] : value_->items())
    found.emplace_back(key, Field(*this, value, key_ + "." + key));
  return found;
}

std::string Field::text() const {
  if (!value_->is_string()) refuse("is not a text");
  return value_->get<std::string>();
}

char32_t Field::character() const {
  const std::string text = this->text();
  const std::u32string points = code_points(text);
  if (points.size() != 1) refuse("is not one character");
  return points[0];
}

bool Field::flag() const {
  if (!value_->is_boolean()) refuse("is neither true nor false");
  return value_->get<bool>();
}

std::uint32_t Field::whole(std::uint32_t most) const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > most)
    refuse(fmt::format("is not a whole number from 0 to {}", most));
  return value_->get<std::uint32_t>();
}

std::string Field::text_or(const std::string& key, std::string_view otherwise) const {
  return has(key) ? at(key).text() : std::string(otherwise);
}

bool Field::flag_or(const std::string& key, bool otherwise) const {
  return has(key) ? at(key).flag() : otherwise;
}

void refuse_type(const Field& field, const std::string& type,
                 const std::vector<std::string>& known) {
  field.refuse(fmt::format("is of the type {}, which is not known here", type),
               fmt::format("use a tokeniser made of {}", fmt::join(known, ", ")));
}

}  // namespace murmur::tokenizer
