// describe_test.cpp: what a description gives: JSON in both directions, CSV cells, lists of fields.
#include "run/describe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "experiment/landscape_setup.h"
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
  v(&Inner::size, {.key = "size", .meaning = "a size", .least = 0});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<Outer>) {
  v(&Outer::energy, {.key = "energy", .meaning = "an energy"});
  v(&Outer::bound, {.key = "bound", .meaning = "a bound", .null = Null::infinity});
  v(&Outer::old, {.key = "old", .meaning = "a late field", .null = Null::nan, .optional = true});
  v(&Outer::count, {.key = "count", .meaning = "a count"});
  v(&Outer::flag, {.key = "flag", .meaning = "a flag"});
  v(&Outer::name, {.key = "name", .meaning = "a name"});
  v(&Outer::shares, {.key = "shares", .meaning = "shares", .least = 0, .greatest = 1});
  v(&Outer::places, {.key = "places", .meaning = "rows of two"});
  v.choice(&Outer::colour, Colour::green, {.key = "colour", .meaning = "a colour"});
  v.part(&Outer::inner);
  v.list(&Outer::rows, {.key = "rows", .meaning = "a list"});
  v.derived([](const Outer& o) { return o.count + 1; }, {.key = "next", .meaning = "count + 1"});
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

TEST(Describe, HasDifferentKeysAndAMeaningForEachFieldOfAScan) {
  std::set<std::string_view> keys;
  for (const FieldInfo& field : fields_of<ScanPoint>()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_FALSE(field.meaning.empty()) << field.key;
  }
  EXPECT_EQ(keys.size(), 34u);
}

}  // namespace
}  // namespace murmur
