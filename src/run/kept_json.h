// kept_json.h: reads JSON files of a run value by value; an error names file and key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace murmur {

// Error(input) if the text has an excess (json_text.h), even if it is not JSON.
void require_bounded_json(std::string_view text, const std::string& where);

// One value of such a file. Every accessor throws Error(input) if the value is of another type,
// missing or out of range.
class KeptJson {
 public:
  static KeptJson read(const std::filesystem::path& file);
  static KeptJson parse(std::string_view text, const std::string& where);

  const nlohmann::json& json() const { return *value_; }
  KeptJson at(const std::string& key) const;  // of an object
  bool has(const std::string& key) const;     // false if this is not an object
  bool is_null() const { return value_->is_null(); }

  double number(double least = -std::numeric_limits<double>::max(),
                double greatest = std::numeric_limits<double>::max()) const;
  double number_or(double otherwise) const;  // `otherwise` for null
  std::int64_t whole(std::int64_t least = 0, std::int64_t greatest = 2'147'483'647) const;
  int small_whole(int least = 0) const {  // which fits into an int
    return static_cast<int>(whole(least));
  }
  std::uint64_t natural() const;  // any that fits into 64 bits
  bool flag() const;
  std::string text() const;
  std::vector<KeptJson> list() const;
  std::vector<std::pair<std::string, KeptJson>> members() const;  // of an object
  std::vector<double> numbers() const;                            // a list of only these
  std::vector<std::vector<double>> rows(std::size_t columns) const;
  std::vector<std::string> texts() const;                    // a list of only these
  std::map<std::string, std::string> texts_by_name() const;  // an object of only these

  [[noreturn]] void refuse(std::string_view why) const;  // "{key} {why}"

 private:
  KeptJson(std::shared_ptr<const nlohmann::json> document, const nlohmann::json* value,
           std::string file, std::string key)
      : document_(std::move(document)),
        value_(value),
        file_(std::move(file)),
        key_(std::move(key)) {}
  KeptJson inner(const nlohmann::json& value, const std::string& key) const;

  std::shared_ptr<const nlohmann::json> document_;
  const nlohmann::json* value_;
  std::string file_, key_;  // key_: "points[3].energy"; empty for the whole file
};

}  // namespace murmur
