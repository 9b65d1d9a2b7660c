// kept_json.h: JSON that a run keeps, read back value by value; an error names file and key.
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

// Objects and lists may lie this deep in each other: what walks a JSON value calls itself.
constexpr int kDeepestJson = 64;

// Error(input) where brackets are nested deeper than kDeepestJson, at whatever syntax.
void require_shallow_json(std::string_view text, const std::string& where);

// One value of such a file. Every accessor checks: Error(input) where the value is of another kind,
// missing or out of range.
class KeptJson {
 public:
  static KeptJson read(const std::filesystem::path& file);
  static KeptJson parse(std::string_view text, const std::string& where);

  const nlohmann::json& json() const { return *value_; }
  KeptJson at(const std::string& key) const;  // of an object
  bool has(const std::string& key) const;     // false of what is no object
  bool is_null() const { return value_->is_null(); }

  double number(double least = -std::numeric_limits<double>::max(),
                double greatest = std::numeric_limits<double>::max()) const;
  double number_or(double otherwise) const;  // null: `otherwise`
  std::int64_t whole(std::int64_t least = 0, std::int64_t greatest = 2'147'483'647) const;
  int small_whole(int least = 0) const {  // that fits an int
    return static_cast<int>(whole(least));
  }
  std::uint64_t natural() const;  // any that 64 bits hold
  bool flag() const;
  std::string text() const;
  std::vector<KeptJson> list() const;
  std::vector<std::pair<std::string, KeptJson>> members() const;  // of an object
  std::vector<double> numbers() const;                            // a list of nothing else
  std::vector<std::vector<double>> rows(std::size_t columns) const;
  std::vector<std::string> texts() const;                    // a list of nothing else
  std::map<std::string, std::string> texts_by_name() const;  // an object of nothing else

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
  std::string file_, key_;  // key_: "points[3].energy"; empty for the whole
};

}  // namespace murmur
