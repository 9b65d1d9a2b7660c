// fields_test.cpp: quiver plots have their colours, their arrows a least length, and bad fields are
// refused.
#include "picture/fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "murmur/error.h"
#include "refused.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

FieldSheet make_sheet(int dimensions, double length, int rows = 1) {
  FieldSheet sheet{.title = "Fields", .caption = "Made up.", .dimensions = dimensions};
  const int points = dimensions == 2 ? 25 : 125;
  for (int r = 0; r < rows; ++r) {
    sheet.rows.emplace_back();
    if (rows > 1) sheet.row_names.push_back("row " + std::to_string(r));
    for (const char* name : kFieldNames) {
      VectorField field{.name = name};
      for (int p = 0; p < points; ++p) {
        for (int k = 0, rest = p; k < dimensions; ++k, rest /= 5) {
          field.at.push_back(5.0 * (rest % 5) - 10);
          field.arrow.push_back(length * std::sin(1.0 + p + k));
        }
        if (dimensions == 2) field.out.push_back(p % 2 == 0 ? 50 * length : 0);
      }
      sheet.rows.back().push_back(field);
    }
  }
  return sheet;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Fields : public ::testing::Test {
 protected:
  test::TemporaryDirectory folder_{};
};

TEST_F(Fields, ArrowsAreOfALengthThatCanBeRead) {
  EXPECT_DOUBLE_EQ(arrow_length(4, 4, 50, 6), 50);
  EXPECT_DOUBLE_EQ(arrow_length(1, 4, 50, 6), 25) << "as the square root";
  EXPECT_EQ(arrow_length(4 * 0.0143, 4, 50, 6), 0) << "shorter than 6 none is drawn";
  EXPECT_GT(arrow_length(4 * 0.0145, 4, 50, 6), 6);
  EXPECT_EQ(arrow_length(0, 4, 50, 6), 0);
  EXPECT_EQ(arrow_length(1, 0, 50, 6), 0);
}

TEST_F(Fields, EveryKindIsDrawnInEveryStyleAndEnding) {
  for (const FigureStyle style : {FigureStyle::paper, FigureStyle::dark})
    for (const FieldSheet& sheet :
         {make_sheet(2, 3), make_sheet(3, 1e-3), make_sheet(2, 3, 3), make_sheet(3, 0)}) {
      const auto made = draw_fields_svg_and_png(sheet, {style}, folder_.path(), "f");
      ASSERT_EQ(made.size(), 2u);
      EXPECT_NE(text_of(made[0]).find("</svg>"), std::string::npos);
      EXPECT_GT(fs::file_size(made[1]), 20'000u);
      draw_fields(sheet, {style, 900, 900}, folder_ / "f.pdf");
      EXPECT_TRUE(text_of(folder_ / "f.pdf").starts_with("%PDF"));
    }
}

TEST_F(Fields, TheSameFieldsHaveTheSameBytes) {
  draw_fields(make_sheet(3, 2), {}, folder_ / "one.svg");
  draw_fields(make_sheet(3, 2), {}, folder_ / "two.svg");
  EXPECT_EQ(text_of(folder_ / "one.svg"), text_of(folder_ / "two.svg"));
  draw_fields(make_sheet(3, 3), {FigureStyle::dark}, folder_ / "two.svg");
  EXPECT_NE(text_of(folder_ / "one.svg"), text_of(folder_ / "two.svg"));
}

TEST_F(Fields, FieldsThatDoNotFitAreRefused) {
  const fs::path png = folder_ / "no.png";
  const auto refused = [&](const FieldSheet& sheet) {
    EXPECT_EQ(fault_of([&] { draw_fields(sheet, {}, png); }), Fault::input);
    EXPECT_FALSE(fs::exists(png));
  };
  FieldSheet sheet = make_sheet(3, 1);
  sheet.rows[0][1].arrow.pop_back();
  refused(sheet);
  sheet = make_sheet(3, 1);
  sheet.rows[0][2].arrow[4] = std::numeric_limits<double>::quiet_NaN();
  refused(sheet);
  sheet = make_sheet(2, 1);
  sheet.rows[0][0].out.pop_back();
  refused(sheet);
  sheet = make_sheet(2, 1, 2);
  sheet.rows[1].pop_back();
  refused(sheet);
  sheet = make_sheet(2, 1, 2);
  sheet.row_names.pop_back();
  refused(sheet);
  refused({});
  sheet = make_sheet(2, 1);
  sheet.dimensions = 4;
  refused(sheet);
  EXPECT_EQ(fault_of([&] { draw_fields(make_sheet(2, 1), {{}, 901, 900}, png); }), Fault::input);
}

}  // namespace
}  // namespace murmur
