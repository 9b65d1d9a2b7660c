// tokenizer_fields.h: the fields of a tokenizer.json, each of which knows its place when it is off.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tokenizer_budget.h"

namespace murmur::tokenizer {

// One value of a document that outlives it.
class Field {
 public:
  Field(const nlohmann::json& value, std::string file)
      : value_(&value), file_(std::move(file)), budget_(std::make_shared<FileBudget>()) {}

  bool has(const std::string& key) const;  // and it is not null
  bool is_text() const { return value_->is_string(); }
  Field at(const std::string& key) const;  // of an object
  // Of an array of at most so many.
  std::vector<Field> list(std::size_t most = std::size_t{1} << 20) const;
  std::vector<std::pair<std::string, Field>> members() const;

  std::string text() const;
  char32_t character() const;  // a text of one character
  bool flag() const;
  std::uint32_t whole(std::uint32_t most) const;  // 0 .. most

  std::string text_or(const std::string& key, std::string_view otherwise) const;
  bool flag_or(const std::string& key, bool otherwise) const;

  [[noreturn]] void refuse(std::string_view what, std::string_view remedy = {}) const;

  // Error(input) where all parts of the file, or all their expressions, are more than it may have.
  void count_part() const;
  void count_expression(std::size_t characters) const;

 private:
  Field(const Field& parent, const nlohmann::json& value, std::string key)
      : value_(&value), file_(parent.file_), key_(std::move(key)), budget_(parent.budget_) {}

  const nlohmann::json* value_;
  std::string file_, key_{};  // key_: "pre_tokenizer.pretokenizers[1]"; empty for the whole
  std::shared_ptr<FileBudget> budget_;
};

// The makers of one kind of part by the name that `type` has in the file.
template <class Made>
using Makers = std::map<std::string, std::function<Made(const Field&)>>;

[[noreturn]] void refuse_type(const Field& field, const std::string& type,
                              const std::vector<std::string>& known);

template <class Made>
Made make_by_type(const Makers<Made>& makers, const Field& field) {
  field.count_part();
  const std::string type = field.at("type").text();
  const auto found = makers.find(type);
  if (found != makers.end()) return found->second(field);
  std::vector<std::string> known;
  for (const auto& [name, maker] : makers) known.push_back(name);
  refuse_type(field, type, known);
}

}  // namespace murmur::tokenizer
