// figure_test.cpp: figures as data are drawn by the right program, with their numbers beside.
#include "picture/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "murmur/error.h"
#include "picture/render.h"
#include "refused.h"
#include "temporary.h"

namespace murmur {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Panel map_panel() {
  Panel panel{.title = "n = 8", .x = {.label = "time t", .name = "t"}, .y = {.name = "beta"}};
  panel.map = {.x = {0, 1, 3},
               .y = {1, 2},
               .value = {0.25, 0.5, 1, 0, kNothing, 0.75},
               .error = {0, 0.125, 0, 0, kNothing, 0.5},
               .name = "order"};
  panel.curves = {{.name = "predicted", .x = {0, 3}, .y = {1, 2}}};
  return panel;
}

TEST(Figure, MapsAreDrawnWithTheirNumbersBeside) {
  const test::TemporaryDirectory folder;
  const Figure figure{.layout = Figure::maps, .panels = {map_panel(), map_panel()}};
  for (const char* name : {"a.svg", "a.png", "a.pdf"}) {
    draw(figure, folder / name);
    EXPECT_GT(std::filesystem::file_size(folder / name), 1000u) << name;
  }
  draw({.panels = {{.curves = {{.name = "line", .x = {0, 1}, .y = {0, 1}}}}}}, folder / "b.pdf");
  for (const char* name : {"a.pdf", "b.pdf"})  // by Cairo, and by gnuplot
    EXPECT_NE(bytes_of(folder / name).find("19700101000000Z)"), std::string::npos)
        << "the same figure has the same bytes on any day: " << name;
  const std::string rows =
      "n = 8,1,0,0.25,0\nn = 8,1,1,0.5,0.125\nn = 8,1,3,1,0\n"
      "n = 8,2,0,0,0\nn = 8,2,1,,\nn = 8,2,3,0.75,0.5\n";
  EXPECT_EQ(bytes_of(folder / "a.csv"), "panel,beta,t,order,order_se\n" + rows + rows);
}

TEST(Figure, MapsThatDoNotFitTheirAxesAreRefusedAndLeaveNoFile) {
  const test::TemporaryDirectory folder;
  std::vector<Panel> wrong(5, map_panel());
  wrong[0].map.value.pop_back();
  wrong[1].map.error.pop_back();
  wrong[2].map.x = {0, 1, 1};
  wrong[3].x.log = true;
  wrong[4].map.high = wrong[4].map.low;
  for (const Panel& panel : wrong)
    EXPECT_EQ(
        fault_of([&] { draw({.layout = Figure::maps, .panels = {panel}}, folder / "a.svg"); }),
        Fault::input);
  EXPECT_EQ(fault_of([&] { draw({.layout = Figure::maps}, folder / "a.svg"); }), Fault::input);
  EXPECT_EQ(fault_of([&] { draw({}, folder / "a.svg"); }), Fault::input) << "a grid of nothing";
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Figure, EveryMarkOfACurveHasItsOwnWayOfBeingPlotted) {
  std::vector<Curve::Mark> marks{Curve::linespoints, Curve::line,  Curve::dashes,
                                 Curve::points,      Curve::rings, Curve::steps,
                                 Curve::dots,        Curve::path,  Curve::area,
                                 Curve::histogram,   Curve::bars,  Curve::diamonds};
  std::vector<std::string> scripts;
  for (const Curve::Mark mark : marks)
    scripts.push_back(picture::script_of_grid(
        {.panels = {{.curves = {{.x = {0, 1}, .y = {1, 2}, .mark = mark}}}}}, ".svg"));
  for (std::size_t a = 0; a < scripts.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(scripts[a], scripts[b]) << a << " " << b;
}

// What an axis cannot show is left out, and a curve breaks where x is NaN.
TEST(Figure, CurvesAreCutToWhatTheirAxesCanShow) {
  Panel panel{.x = {.log = true}, .y = {.log = true, .from = 0.5}};
  panel.curves = {{.x = {0, 1, kNothing, 2}, .y = {1, 3, 0, -1}}};
  const std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_NE(script.find("<< ENDOFDATA\n1 3 0\n\nENDOFDATA"), std::string::npos) << script;
  EXPECT_NE(script.find("set yrange [0.5:"), std::string::npos);
}

TEST(Figure, LineEndsInTextsStartNoCommand) {
  const std::string hostile = "x'\nsystem('true')\r\"\nsystem(\"true\")\n`true`";
  Panel panel{.title = hostile, .x = {.label = hostile}, .y = {.label = hostile}};
  panel.curves.push_back({.name = hostile, .x = {1, 2}, .y = {1, 2}});
  panel.guides.push_back({.name = hostile, .x = 1});
  const std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_EQ(script.find("\nsystem"), std::string::npos) << script;
  EXPECT_EQ(script.find('\r'), std::string::npos) << script;
}

bool has(const std::string& script, const std::string& what) {
  return script.find(what) != std::string::npos;
}

// No mark is cut in two by the frame, and bars stand on 0.
TEST(Figure, AxesShowALittleMoreThanTheData) {
  Panel panel;
  panel.curves = {{.x = {1, 2}, .y = {0, 10}, .mark = Curve::points, .error = {0, 5}}};
  std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "set xrange [0.96:2.04]")) << script;
  EXPECT_TRUE(has(script, "set yrange [-0.6:15.6]")) << script;
  panel.curves[0].mark = Curve::bars;
  script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "set yrange [0:15.6]")) << script;
  panel.y.to = 20;
  panel.x.mark_every = 1;
  script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "set yrange [0:20]") && has(script, "set xtics nomirror 1\n")) << script;
}

TEST(Figure, BarsOfTwoCurvesStandSideBySide) {
  Panel panel;
  panel.curves = {{.x = {1, 2}, .y = {3, 4}, .mark = Curve::bars},
                  {.x = {1, 2}, .y = {5, 6}, .mark = Curve::bars}};
  const std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "($1+(-0.2)):2:") && has(script, "($1+(0.2)):2:")) << script;
}

// Points with their bars move aside by a part of the axis, on a logarithmic one by a factor, about
// the true x; lines stay.
TEST(Figure, PointsOfOnePlaceStandSideBySideWhereAskedTo) {
  Panel panel;
  panel.curves = {{.x = {0, 100}, .y = {3, 4}, .mark = Curve::points, .error = {1, 1}},
                  {.x = {0, 100}, .y = {5, 6}, .mark = Curve::rings},
                  {.x = {0, 100}, .y = {5, 6}, .mark = Curve::line}};
  std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_FALSE(has(script, "($1")) << "not asked to" << script;
  panel.side_by_side = true;
  panel.x = {.from = 0, .to = 100};
  script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "$data0_0 using ($1+(-0.65)):2 with points")) << script;
  EXPECT_TRUE(has(script, "$data0_0 using ($1+(-0.65)):($2-$3)")) << script;
  EXPECT_TRUE(has(script, "$data0_1 using ($1+(0.65)):2 with points")) << script;
  EXPECT_TRUE(has(script, "$data0_2 using 1:2 with lines")) << script;
  panel.x = {.log = true, .from = 1, .to = 100};
  script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "$data0_1 using ($1*1.03038")) << script;  // 100^(0.0065)
}

// The outermost of them is as far from the frame as a mark that stands alone.
TEST(Figure, PointsSideBySideStayOffTheFrame) {
  for (const bool log : {false, true}) {
    Panel panel{.x = {.log = log}, .side_by_side = true};
    for (int k = 0; k < 6; ++k)
      panel.curves.push_back({.x = {1, 2}, .y = {3, 4}, .mark = Curve::points});
    const std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
    double low = 0, high = 0, aside = 0;
    ASSERT_EQ(std::sscanf(script.c_str() + script.find("set xrange"), "set xrange [%lf:%lf]", &low,
                          &high),
              2);
    ASSERT_EQ(
        std::sscanf(script.c_str() + script.find("using ($1") + 9, log ? "*%lf" : "+(%lf", &aside),
        1);
    const double room =
        log ? std::log(aside / low) / std::log(high / low) : (1 + aside - low) / (high - low);
    EXPECT_NEAR(room, 0.035, 0.005) << script;
  }
}

// Classes have a level of the colour bar each, about their number; what was measured has none.
TEST(Figure, WholeNumbersOfAMapAreClasses) {
  Panel panel;
  panel.map = {.x = {0, 1}, .y = {0, 1}, .value = {1, 2, 3, kNothing}, .high = 3};
  std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "set cbrange [0.5:3.5]")) << script;
  EXPECT_TRUE(has(script, "(0 '#440154', 1 '#440154', 1 '")) << script;
  for (const std::vector<double>& value :
       {std::vector<double>{1, 2, 3, 2.5}, {1, 2, 4, 1}, {0, 1, 0, 1}}) {
    panel.map.value = value;
    script = picture::script_of_grid({.panels = {panel}}, ".svg");
    EXPECT_TRUE(has(script, "set cbrange [0:3]")) << script;
    EXPECT_FALSE(has(script, "1 '#440154'")) << script;
  }
}

TEST(Figure, NumbersBelowZeroHaveAMinusSign) {
  const test::TemporaryDirectory folder;
  draw({.panels = {{.curves = {{.x = {-1, 1}, .y = {0, 1}}}}}}, folder / "a.svg");
  EXPECT_TRUE(has(bytes_of(folder / "a.svg"), "−1")) << "gnuplot from 5.4 on";
}

TEST(Figure, AnglesAreMarkedAtQuartersOfATurn) {
  Panel panel{.x = {.angle = true}};
  panel.curves = {{.x = {0, 1}, .y = {0, 1}}};
  const std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "set xrange [-3.14159")) << script;
  EXPECT_TRUE(has(script, "('−π' -3.14159") && has(script, "'π/2' 1.5707")) << script;
}

// In names and labels only _{...} and ^{...} are markup.
TEST(Figure, TextIsMarkedUpByBracesAlone) {
  const auto label = [](const std::string& text) {
    return picture::script_of_grid({.panels = {{.x = {.label = text}}}}, ".svg");
  };
  EXPECT_TRUE(has(label("t_{crit}"), "set xlabel 't_{crit}'"));
  EXPECT_TRUE(has(label("close_pairs"), "set xlabel 'close\\_pairs'"));
  EXPECT_TRUE(has(label("it's {x} ^{2"), "set xlabel 'it''s \\{x\\} \\^\\{2'"));
}

// Guides and curves without places are told in the key; the key is as high as its names need.
TEST(Figure, GuidesAndSamplesAreInTheKey) {
  Panel panel;
  panel.curves = {{.x = {0, 1}, .y = {0, 1}},
                  {.name = "theory", .mark = Curve::line, .colour = Curve::kInk}};
  panel.guides = {{"half", kNothing, 0.5}, {"half", kNothing, 2}, {"", 0.25, kNothing}};
  const std::string script = picture::script_of_grid({.panels = {panel}}, ".svg");
  EXPECT_TRUE(has(script, "NaN with lines") && has(script, "title 'theory'")) << script;
  EXPECT_EQ(script.find("title 'half'"), script.rfind("title 'half'")) << "once";
  EXPECT_TRUE(has(script, "from graph 0, first 0.5 to graph 1, first 0.5 nohead"));
  EXPECT_TRUE(has(script, "from first 0.25, graph 0 to first 0.25, graph 1 nohead"));
  EXPECT_TRUE(has(script, "set yrange [-0.08:2.08]")) << "guides are inside" << script;
  const auto dashes = [&](const std::string& from) {
    const std::size_t at = script.find("dashtype", script.find(from));
    return script.substr(at, script.find('\n', at) - at);
  };
  EXPECT_EQ(dashes("first 0.5 to"), dashes("first 2 to")) << "of one name";
  EXPECT_NE(dashes("first 0.5 to"), dashes("first 0.25, graph 0 to")) << "of two names";
}

// Where a text of an SVG stands.
struct Place {
  double x = kNothing, y = kNothing;
};
Place place_of(const std::string& svg, const std::string& text) {
  const std::size_t at = svg.find(">" + text + "</tspan>");
  Place place;
  if (at != std::string::npos)
    std::sscanf(svg.c_str() + svg.rfind("translate(", at), "translate(%lf,%lf)", &place.x,
                &place.y);
  return place;
}

// gnuplot lays out an SVG by other sizes of letters than those that are seen.
TEST(Figure, KeysOfAnSvgStandBelowTheLabelsAndInsideThePicture) {
  const test::TemporaryDirectory folder;
  Panel panel{.x = {.label = "arc-length time"}};
  for (const char* name : {"β = 500", "β = 1000", "β = 1500", "β = 2000", "β = 3000", "β = 4000",
                           "predicted half-height", "predicted plateaus"})
    panel.curves.push_back({.name = name, .x = {0, 1}, .y = {0, 1}});
  for (const FigureStyle style : {FigureStyle::paper, FigureStyle::slides}) {
    draw({.style = style, .panels = {panel}}, folder / "a.svg");
    const std::string svg = bytes_of(folder / "a.svg");
    double width = 0, height = 0;
    std::sscanf(svg.c_str() + svg.find("viewBox="), "viewBox=\"0 0 %lf %lf", &width, &height);
    const double type = style == FigureStyle::slides ? 13 : 10;
    const Place label = place_of(svg, "arc-length time"), ticks = place_of(svg, "0.4");
    EXPECT_GT(label.y, ticks.y + type);
    for (const Curve& curve : panel.curves) {
      const Place name = place_of(svg, curve.name);
      EXPECT_GT(name.y, label.y + 1.3 * type) << curve.name;
      EXPECT_LT(name.y, height - 0.3 * type) << curve.name;
      EXPECT_GT(name.x, 0) << curve.name;
      EXPECT_LT(name.x + 0.55 * type * static_cast<double>(curve.name.size()), width) << curve.name;
    }
  }
}

// A mark reaches as far in every kind of file, and a cell of a map has sharp edges in an SVG.
TEST(Figure, MarksAndCellsLookAlikeInEveryKindOfFile) {
  Panel panel{.curves = {{.x = {0, 1}, .y = {1, 2}, .mark = Curve::points}}};
  std::vector<double> reach;
  for (const char* ending : {".svg", ".png", ".pdf"}) {
    const std::string script = picture::script_of_grid({.panels = {panel}}, ending);
    double size = 0;
    std::sscanf(script.c_str() + script.find("pointsize"), "pointsize %lf", &size);
    reach.push_back(size * picture::measure_of(ending).mark);
  }
  EXPECT_GT(reach[0], 1.5);
  EXPECT_NEAR(reach[1], reach[0], 0.02);
  EXPECT_NEAR(reach[2], reach[0], 0.02);
  panel.map = {.x = {0, 1}, .y = {0, 1}, .value = {0.25, 0.5, 1, 0}};
  const auto rows = [&](const char* ending) {
    const std::string script = picture::script_of_grid({.panels = {panel}}, ending);
    const std::size_t from = script.find("$map0 <<"), to = script.find("ENDOFDATA\n", from + 20);
    return std::count(script.begin() + static_cast<std::ptrdiff_t>(from),
                      script.begin() + static_cast<std::ptrdiff_t>(to), '\n') -
           1;
  };
  EXPECT_EQ(rows(".png"), 4);
  EXPECT_EQ(rows(".svg"), 240 * 240);
}

TEST(Figure, AStackShowsAsMuchAsItsAxesSayOrTheDataHave) {
  Panel panel{.title = "clusters", .y = {.name = "clusters"}};
  panel.curves = {{.x = {0, 1, 2}, .y = {4, kNothing, 2}, .mark = Curve::steps}};
  std::string script =
      picture::script_of_stack({.layout = Figure::stack, .panels = {panel}}, ".svg");
  EXPECT_NE(script.find("set xrange [0:2]"), std::string::npos) << script;
  EXPECT_NE(script.find("ENDOFDATA\n0 4\n\n2 2\nENDOFDATA"), std::string::npos) << script;
  panel.x.from = -1;
  script = picture::script_of_stack({.layout = Figure::stack, .panels = {panel}}, ".svg");
  EXPECT_NE(script.find("set xrange [-1:2]"), std::string::npos) << script;
}

TEST(Figure, StylesAreKnownByTheirWords) {
  EXPECT_EQ(style_of("paper"), FigureStyle::paper);
  EXPECT_EQ(style_of("slides"), FigureStyle::slides);
  EXPECT_EQ(style_of("dark"), FigureStyle::dark);
}

}  // namespace
}  // namespace murmur
