// columns_test.cpp: text tables fit the lines of a terminal.
#include "run/columns.h"

#include <gtest/gtest.h>

#include <sstream>

#include "reproduce/reproduce.h"

namespace murmur::testing {
namespace {

TEST(Columns, WidthsAreInCharactersAndNotInBytes) {
  EXPECT_EQ(width_of("√β"), 2u);
  EXPECT_EQ(column_widths({{"a", "bb"}, {"ccc", "√β"}}), (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(column_widths({{"a", "bb"}}, 3), (std::vector<std::size_t>{3, 3}));
}

TEST(Columns, PartsBeginWithTheFirstColumnAndKeepEveryCell) {
  const TextRows rows = {{"b", "one", "two", "three"}, {"1", "2", "3", "4"}};
  const auto parts = [&](std::size_t most) {
    return split_columns(rows, column_widths(rows), 1, most);
  };
  EXPECT_EQ(parts(100), (std::vector<TextRows>{rows}));
  EXPECT_EQ(parts(16), (std::vector<TextRows>{rows}));
  EXPECT_EQ(parts(15), (std::vector<TextRows>{{{"b", "one", "two"}, {"1", "2", "3"}},
                                              {{"b", "three"}, {"1", "4"}}}));
  EXPECT_EQ(parts(1).size(), 3u);  // two columns each, however narrow the line is
}

// Checks of every rule, with the longest numbers and with words that are longer than a line.
TEST(Columns, EveryTableOfChecksFitsTheTerminal) {
  for (const Rule& rule : rules()) {
    Reproduction r{.name = "sample"};
    r.checks = {{.what = std::string(200, 'w') + " of √β " + std::string(60, 'x'),
                 .published = -12345.678901234567,
                 .ours = -12345.678901234569,
                 .tolerance = 1e-17,
                 .answer = Answer::disagrees,
                 .rule_name = rule.name,
                 .rule = rule.asks + std::string(60, 'y'),
                 .more = {{"standard error", 1e300}, {"cases", -1e-300}}},
                {.what = "short",
                 .published = 1e300,
                 .ours = -1e300,
                 .tolerance = 1e299,
                 .rule_name = rule.name}};
    std::istringstream lines(markdown_of(r));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 120u) << line;
  }
}

TEST(Columns, TablesOfNumbersContinueBelow) {
  Reproduction r{.name = "sample"};
  ColumnTable table{"wide", {"x"}};
  for (int k = 0; k < 9; ++k) table.columns.push_back("standard error, t = " + std::to_string(k));
  table.rows.push_back(std::vector<ColumnTable::Cell>(10, 0.125));
  r.tables = {table};
  const std::string text = markdown_of(r);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 120u) << line;
  for (const std::string& column : table.columns)
    EXPECT_NE(text.find("| " + column), std::string::npos) << column;
}

}  // namespace
}  // namespace murmur::testing
