// words.h: reads typed values from settings; errors name the value, its origin and a remedy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

inline constexpr int kMostInRange = 10'000;  // points of FROM:TO:POINTS

// Refuses the value of `key` with a reason and a remedy, and names its origin.
[[noreturn]] void refuse(const Settings& settings, const std::string& key,
                         const std::string& reason, const std::string& remedy);

const Setting& setting(const Settings& settings, const std::string& key);
bool is_given(const Settings& settings, const std::string& key);  // not a default
bool is_typed(const Settings& settings, const std::string& key);  // on the command line
double number(const Settings& settings, const std::string& key);  // finite
double positive(const Settings& settings, const std::string& key);
// Refuses the given value of `key` unless it is above 0, or whole and in range.
struct WholeRange {
  std::int64_t min, max;
};
void check_positive(const Settings& settings, const std::string& key, double value);
void check_whole(const Settings& settings, const std::string& key, double value, WholeRange range);
std::int64_t whole(const Settings& settings, const std::string& key, std::int64_t min,
                   std::int64_t most);
std::uint64_t seed_of(const Settings& settings);
std::uint32_t replica_of(const Settings& settings);
std::string run_name(const Settings& settings);  // valid in the name of a directory
bool flag(const Settings& settings, const std::string& key);
// Returns the index of the value among `choices`.
int choice(const Settings& settings, const std::string& key,
           const std::vector<std::string>& choices);

Method method_of(const Settings& settings);  // by its name in the table of methods

// Reads FROM:TO:POINTS, increasing, from above 0, with 2 to `most` points; nothing if the value is
// none.
struct Range {
  double from = 0, to = 0;
  int points = 0;
  bool operator==(const Range&) const = default;
};
std::optional<Range> range_of(const Settings& settings, const std::string& key, int most);

// "cap:0.5" -> {"cap", "0.5"}; "uniform" -> {"uniform"}.
std::vector<std::string> split(const std::string& text, char separator);
bool parse_number(const std::string& text, double& value);  // the whole text, finite
bool ends_with(const std::string& text, const std::string& ending);
// Returns the array typed after the first colon of the value of `key`: points:1,0;0,1 -> (2, 2).
Array typed_rows(const Settings& settings, const std::string& key);

}  // namespace murmur
