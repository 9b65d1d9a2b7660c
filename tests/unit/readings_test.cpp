// readings_test.cpp: the registry of readings, their tables as text, and their options.
#include "report/readings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "murmur/error.h"

namespace murmur {
namespace {

std::vector<std::string> names_of(const std::vector<Parameter>& options) {
  std::vector<std::string> names;
  for (const Parameter& option : options) names.emplace_back(option.name);
  return names;
}

TEST(Readings, EachHasATableOrAPictureWithItsMeaning) {
  std::set<std::string> names;
  for (const Reading& reading : readings()) {
    EXPECT_TRUE(names.insert(reading.name).second) << reading.name;
    EXPECT_TRUE(has_table(reading) || has_picture(reading)) << reading.name;
    EXPECT_EQ(has_table(reading), *reading.table_meaning != '\0') << reading.name;
    EXPECT_EQ(has_picture(reading), *reading.picture_meaning != '\0') << reading.name;
    EXPECT_TRUE(has_table(reading) || reading.options.empty()) << reading.name;
    EXPECT_TRUE(has_picture(reading) || reading.picture_options.empty()) << reading.name;
    EXPECT_EQ(find_reading(reading.name), &reading);
  }
  EXPECT_EQ(find_reading("moon"), nullptr);
}

TEST(Readings, OptionsOfOneNameAreDescribedAlike) {
  for (std::vector<Parameter> Reading::*options : {&Reading::options, &Reading::picture_options}) {
    std::map<std::string, std::string> meanings;
    for (const Reading& reading : readings())
      for (const Parameter& option : reading.*options) {
        const auto [at, fresh] = meanings.try_emplace(option.name, option.meaning);
        EXPECT_EQ(at->second, option.meaning) << reading.name << ": " << option.name;
      }
  }
  const std::vector<std::string> tables = names_of(options_of_tables());
  EXPECT_EQ(std::set<std::string>(tables.begin(), tables.end()).size(), tables.size());
}

TEST(Readings, TablesAsTextLeaveCellsWithoutNumbersEmpty) {
  Table table{.columns = {"t", "word", "of", "all"},
              .rows = {{0.5, "a,b", {1, 2}, 1}, {std::nan(""), nullptr, INFINITY, true}},
              .only_in_json = 1};
  EXPECT_EQ(csv_of(table), "t,word,of\n0.5,\"a,b\",1+2\n,,\n");
  EXPECT_EQ(json_of(table).dump(), R"([{"all":1,"of":[1,2],"t":0.5,"word":"a,b"},)"
                                   R"({"all":true,"of":null,"t":null,"word":null}])");
  table.facts = {{"rank", 3}};
  table.rows_name = "rows";
  EXPECT_EQ(json_of(table)["rank"], 3);
  EXPECT_EQ(json_of(table)["rows"].size(), 2U);
  const Table matrix{.rows = {{0.25, 0.75}, {1, 0}}};
  EXPECT_EQ(csv_of(matrix), "0.25,0.75\n1,0\n");
  EXPECT_EQ(json_of(matrix).dump(), "[[0.25,0.75],[1,0]]");
}

TEST(Readings, OptionsHaveDefaultsAndRefuseOtherValues) {
  const std::vector<Parameter> known{{Parameter::whole, "bins", "50", "1 or more", "bins"}};
  const ReadingOptions defaults("histogram", known);
  EXPECT_EQ(defaults.whole("bins"), 50);
  EXPECT_FALSE(defaults.given("bins"));
  EXPECT_EQ(defaults.index("bins"), std::nullopt) << "not given";
  EXPECT_EQ(ReadingOptions("histogram", known, {{"bins", "8"}}).index("bins"), 8);
  EXPECT_THROW(ReadingOptions("histogram", known, {{"bins", "2.5"}}).whole("bins"), Error);
  EXPECT_THROW(ReadingOptions("histogram", known, {{"bins", "-1"}}).index("bins"), Error);
}

// The experiment of a preset is measured where it starts.
TEST(Readings, ViewOfAStartHasOneFrame) {
  const Settings settings = gather({.assignments = {"n=6", "d=3"}});
  const RunView view({}, "start", settings, {spec_of(settings), settings});
  ASSERT_EQ(view.history().count, 1);
  EXPECT_EQ(view.history().frame(0).n(), 6);
  EXPECT_EQ(&view.experiment(), &view.experiment());
  EXPECT_THROW(view.stored_run(), Error);
  const Reading& counts = *find_reading("counts");
  const Table table = counts.compute(view, ReadingOptions("counts", counts.options));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][1], 6);
}

}  // namespace
}  // namespace murmur
