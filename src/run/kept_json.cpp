// kept_json.cpp: a bounded parser, and accessors whose errors name the file and the key.
#include "run/kept_json.h"

#include <fmt/format.h>

#include <cmath>

#include "murmur/error.h"
#include "run/file.h"
#include "run/json_text.h"

namespace murmur {
namespace {

constexpr const char* kRemedy = "restore the file, or make the run again";

}  // namespace

void require_bounded_json(std::string_view text, const std::string& where) {
  if (const auto excess = excess_of_json(text))
    throw Error(Fault::input, excess->what,
                fmt::format("{}:{}:{}", where, excess->line, excess->column), kRemedy);
}

KeptJson KeptJson::parse(std::string_view text, const std::string& where) {
  require_bounded_json(text, where);
  auto document = std::make_shared<const nlohmann::json>(json_of_text(text));
  if (document->is_discarded())
    throw Error(Fault::input, "the file is not JSON, or cut off", where, kRemedy);
  const nlohmann::json* value = document.get();
  return KeptJson(std::move(document), value, where, "");
}

KeptJson KeptJson::read(const std::filesystem::path& file) {
  if (std::error_code ignored; !std::filesystem::exists(file, ignored))
    throw Error(Fault::input, "the run did not keep what it found", file.string(),
                "run it again: murmur runs show RUN prints how it was made");
  return parse(read_text(file), file.string());
}

KeptJson KeptJson::inner(const nlohmann::json& value, const std::string& key) const {
  return KeptJson(document_, &value, file_,
                  key_.empty() || key[0] == '[' ? key_ + key : key_ + "." + key);
}

void KeptJson::refuse(std::string_view why) const {
  const std::string name = key_.empty() ? "the whole" : key_;
  throw Error(Fault::input, fmt::format("{} {}", name, why), fmt::format("{}: {}", file_, name),
              kRemedy);
}

KeptJson KeptJson::at(const std::string& key) const {
  if (!value_->is_object()) refuse("is not an object");
  const auto found = value_->find(key);
  if (found == value_->end()) inner(*value_, key).refuse("is missing");
  return inner(*found, key);
}

bool KeptJson::has(const std::string& key) const {
  return value_->is_object() && value_->contains(key);
}

double KeptJson::number(double least, double greatest) const {
  if (!value_->is_number()) refuse("is not a number");
  const auto number = value_->get<double>();
  if (!std::isfinite(number)) refuse("is not finite");
  if (number < least || number > greatest)
    refuse(fmt::format("= {} is not from {} to {}", number, least, greatest));
  return number;
}

double KeptJson::number_or(double otherwise) const { return is_null() ? otherwise : number(); }

std::int64_t KeptJson::whole(std::int64_t least, std::int64_t greatest) const {
  const double number = this->number(static_cast<double>(least), static_cast<double>(greatest));
  if (number != std::floor(number)) refuse("is not a whole number");
  return value_->is_number_integer() ? value_->get<std::int64_t>()
                                     : static_cast<std::int64_t>(number);
}

std::uint64_t KeptJson::natural() const {
  if (!value_->is_number_unsigned()) refuse("is not a whole number from 0");
  return value_->get<std::uint64_t>();
}

bool KeptJson::flag() const {
  if (!value_->is_boolean()) refuse("is neither true nor false");
  return value_->get<bool>();
}

std::string KeptJson::text() const {
  if (!value_->is_string()) refuse("is not a text");
  return value_->get<std::string>();
}

std::vector<KeptJson> KeptJson::list() const {
  if (!value_->is_array()) refuse("is not a list");
  std::vector<KeptJson> found;
  for (const nlohmann::json& value : *value_)
    found.push_back(inner(value, fmt::format("[{}]", found.size())));
  return found;
}

std::vector<std::pair<std::string, KeptJson>> KeptJson::members() const {
  if (!value_->is_object()) refuse("is not an object");
  std::vector<std::pair<std::string, KeptJson>> found;
  for (const auto& [key, value] : value_->items()) found.emplace_back(key, inner(value, key));
  return found;
}

std::vector<double> KeptJson::numbers() const {
  if (!value_->is_array()) refuse("is not a list");
  std::vector<double> found;
  for (const nlohmann::json& value : *value_) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      inner(value, fmt::format("[{}]", found.size())).refuse("is not a number");
    found.push_back(value.get<double>());
  }
  return found;
}

std::vector<std::string> KeptJson::texts() const {
  std::vector<std::string> found;
  for (const KeptJson& value : list()) found.push_back(value.text());
  return found;
}

std::map<std::string, std::string> KeptJson::texts_by_name() const {
  std::map<std::string, std::string> found;
  for (const auto& [name, value] : members()) found[name] = value.text();
  return found;
}

std::vector<std::vector<double>> KeptJson::rows(std::size_t columns) const {
  std::vector<std::vector<double>> found;
  for (const KeptJson& row : list()) {
    found.push_back(row.numbers());
    if (found.back().size() != columns)
      row.refuse(fmt::format("has {} numbers, not {}", found.back().size(), columns));
  }
  return found;
}

}  // namespace murmur
