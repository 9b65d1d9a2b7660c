// describe_test.cpp: what a description gives: JSON in both directions, CSV cells, lists of fields.
#include "run/describe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "experiment/landscape_setup.h"
#include "experiment/rows.h"
#include "murmur/error.h"

namespace murmur {
namespace {

enum class Colour { red, green };
const char* name_of(Colour colour) { return colour == Colour::red ? "red" : "green"; }

struct Inner {
  double size = 0;
};
struct Outer {
  double energy = 0, bound = 0, old = 1;
  int count = 0;
  bool flag = false;
  std::string name{};
  Vector shares{};
  Matrix places{};
  Colour colour = Colour::red;
  Inner inner{};
  std::vector<Inner> rows{};
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Inner>) {
  v(&Inner::size, "size", "a size", {.least = 0});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<Outer>) {
  v(&Outer::energy, "energy", "an energy");
  v(&Outer::bound, "bound", "a bound", {.null = Null::infinity});
  v(&Outer::old, "old", "a late field", {.null = Null::nan, .optional = true});
  v(&Outer::count, "count", "a count");
  v(&Outer::flag, "flag", "a flag");
  v(&Outer::name, "name", "a name");
  v(&Outer::shares, "shares", "shares", {.least = 0, .greatest = 1});
  v(&Outer::places, "places", "rows of two");
  v.choice(&Outer::colour, Colour::green, "colour", "a colour");
  v.part(&Outer::inner);
  v.list(&Outer::rows, "rows", "a list");
  v.derived([](const Outer& o) { return o.count + 1; }, "next", "count + 1");
}

Outer sample() {
  return {.energy = -1.5,
          .bound = std::numeric_limits<double>::infinity(),
          .old = 2,
          .count = 3,
          .flag = true,
          .name = "a, b",
          .shares = {0.25, 0.75},
          .places = {2, 2, {1, 0, 0, 1}},
          .colour = Colour::green,
          .inner = {4},
          .rows = {{1}, {2}}};
}

nlohmann::json json_of_sample() {
  nlohmann::json json = nlohmann::json::object();
  write_fields(sample(), json);
  return json;
}

Outer read(const nlohmann::json& json) {
  Outer outer;
  read_fields(KeptJson::parse(json.dump(), "here"), 2, outer);
  return outer;
}

TEST(Describe, WritesEveryFieldOnce) {
  EXPECT_EQ(json_of_sample().dump(),
            R"({"bound":null,"colour":"green","count":3,"energy":-1.5,"flag":true,"name":"a, b",)"
            R"("next":4,"old":2.0,"places":[[1.0,0.0],[0.0,1.0]],"rows":[{"size":1.0},)"
            R"({"size":2.0}],"shares":[0.25,0.75],"size":4.0})");
}

TEST(Describe, ReadsBackWhatItWrote) {
  const Outer again = read(json_of_sample());
  EXPECT_TRUE(std::isinf(again.bound));
  EXPECT_EQ(again.places.data, sample().places.data);
  EXPECT_EQ(again.rows.size(), 2u);
  nlohmann::json json = nlohmann::json::object();
  write_fields(again, json);
  EXPECT_EQ(json, json_of_sample());
}

TEST(Describe, LeavesOptionalFieldsOfOldFilesUnknown) {
  nlohmann::json json = json_of_sample();
  json.erase("old");
  json.erase("rows");
  EXPECT_TRUE(std::isnan(read(json).old));
  EXPECT_TRUE(read(json).rows.empty());
}

TEST(Describe, RefusesMissingFieldsAndNumbersOutOfRange) {
  const auto refuses = [](const char* key, const nlohmann::json& value) {
    nlohmann::json json = json_of_sample();
    if (value.is_discarded())
      json.erase(key);
    else
      json[key] = value;
    EXPECT_THROW(read(json), Error) << key;
  };
  refuses("energy", nlohmann::json(nlohmann::json::value_t::discarded));
  refuses("energy", nullptr);
  refuses("count", 1.5);
  refuses("size", -1);
  refuses("shares", {0.5, 1.5});
  refuses("places", nlohmann::json::array());
  refuses("places", {{1, 2, 3}});
  refuses("colour", "blue");
}

TEST(Describe, MakesCellsOfTheColumnsAskedFor) {
  constexpr std::string_view columns[] = {"name", "places", "bound", "flag", "colour", "next"};
  EXPECT_EQ(csv_line(sample(), columns), "\"a, b\",2,,1,green,4\n");
}

struct Pairs {
  std::optional<Inner> here{}, absent{};
  std::vector<std::pair<int, int>> swapped{};
  std::map<std::string, double> numbers{};
  int first = 1, second = 2;
  std::vector<int> both() const { return {first, second}; }
  void set_both(const std::vector<int>& values) { first = values.at(0), second = values.at(1); }
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Pairs>) {
  v(&Pairs::here, "here", "null when empty");
  v(&Pairs::absent, "absent", "absent when empty", {.optional = true});
  v(&Pairs::swapped, "swapped", "pairs");
  v(&Pairs::numbers, "numbers", "numbers by name", {.null = Null::nan});
  v.computed(&Pairs::both, &Pairs::set_both, "both", "two numbers as a list");
}

TEST(Describe, WritesAndReadsOptionalsPairsMapsAndComputedValues) {
  const Pairs pairs{.swapped = {{3, 4}}, .numbers = {{"a", std::nan("")}, {"b", 2}}};
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  write_fields(pairs, json);
  const std::string text =
      R"({"here":null,"swapped":[[3,4]],"numbers":{"a":null,"b":2.0},"both":[1,2]})";
  EXPECT_EQ(json.dump(), text);
  Pairs again{.here = Inner{7}, .absent = Inner{8}};
  read_fields(KeptJson::parse(
                  R"({"here":{"size":5},"swapped":[],"numbers":{"a":null},"both":[6,7]})", "here"),
              0, again);
  EXPECT_EQ(again.here->size, 5);
  EXPECT_EQ(again.second, 7);
  EXPECT_TRUE(std::isnan(again.numbers.at("a")));
  EXPECT_THROW(
      read_fields(KeptJson::parse(R"({"here":null,"swapped":[[1]],"numbers":{},"both":[1,2]})", ""),
                  0, again),
      Error);
}

TEST(Describe, TurnsFieldsIntoTheNumbersOfACheckpointAndBack) {
  CriticalPoint point{.energy = -1.5, .index = 3, .second_order = true};
  point.certificate.reason = Certificate::Reason::samples;
  described::NumbersByKey numbers = numbers_of(point);
  EXPECT_EQ(numbers.at("energy"), Vector{-1.5});
  EXPECT_EQ(numbers.count("answer"), 0u);  // is derived
  CriticalPoint again;
  EXPECT_TRUE(set_numbers(numbers, again));
  EXPECT_EQ(again.index, 3);
  EXPECT_TRUE(again.second_order);
  EXPECT_EQ(again.certificate.reason, Certificate::Reason::samples);
  numbers["reason"] = {99};
  EXPECT_FALSE(set_numbers(numbers, again));
}

TEST(Describe, HasDifferentKeysAndAMeaningForEachFieldOfAScan) {
  std::set<std::string_view> keys;
  for (const FieldInfo& field : fields_of<ScanPoint>()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_FALSE(field.meaning.empty()) << field.key;
  }
  EXPECT_EQ(keys.size(), 34u);
}

struct Spec {
  double rate = 1e-8, share = 0.5;
  int count = 0;
  std::optional<double> end{};
  Clock clock = Clock::u2;
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<Spec>) {
  v(&Spec::rate, "rate", "a rate", {.least = 0, .above = true});
  v(&Spec::share, "share", "a share", {.least = 0, .greatest = 1});
  v(&Spec::count, "count", "a count", {.least = 2, .greatest = 9, .zero = "auto"});
  v(&Spec::end, "end", "an end", {.least = 0, .empty = "none"});
  v(&Spec::clock, "clock", "a clock", {.greatest = static_cast<double>(Clock::u3)});
}

TEST(Describe, GivesDefaultsAndValuesOfParameters) {
  std::string text;
  for (const Row<Spec>& row : make_rows<Spec>())
    text += std::string(row.parameter.name) + "=" + row.parameter.initial + " (" +
            row.parameter.values + ") ";
  EXPECT_EQ(text,
            "rate=1e-8 (above 0) share=0.5 (0 to 1) count=auto (auto, or 2 or more) "
            "end=none (none, 0 or more) clock=U2 (U1, U2, U3) ");
}

TEST(Describe, RefusesValuesOfParametersOutOfRange) {
  const auto read = [](const char* name, const char* text) {
    Spec spec;
    for (const Row<Spec>& row : make_rows<Spec>())
      if (name == std::string_view(row.parameter.name)) row.read({{name, {text, "here"}}}, spec);
    return spec;
  };
  EXPECT_EQ(read("count", "auto").count, 0);
  EXPECT_EQ(read("count", "9").count, 9);
  EXPECT_EQ(read("end", "0.5").end, 0.5);
  EXPECT_EQ(read("end", "none").end, std::nullopt);
  EXPECT_EQ(read("clock", "U3").clock, Clock::u3);
  EXPECT_THROW(read("rate", "0"), Error);
  EXPECT_THROW(read("share", "1.5"), Error);
  EXPECT_THROW(read("count", "1"), Error);
  EXPECT_THROW(read("count", "10"), Error);
  EXPECT_THROW(read("end", "-1"), Error);
  EXPECT_THROW(read("clock", "U4"), Error);
}

}  // namespace
}  // namespace murmur
