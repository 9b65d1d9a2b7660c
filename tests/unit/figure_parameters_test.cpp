// figure_parameters_test.cpp: the parameters of reproductions: what is declared, what is refused,
// and which rules are left unjudged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "refused.h"
#include "reproduce/reproduce.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

std::vector<std::string> figures() {
  std::vector<std::string> names;
  for (const ReproductionRow& row : reproductions())
    if (!row.trains) names.emplace_back(row.name);
  return names;
}

// Text outside the range of a parameter; empty where it has no end.
std::string outside(const FigureParameter& p) {
  if (p.kind == FigureParameter::experiment) return "";
  if (std::isfinite(p.low)) return fmt::format("{}", p.low - 1);
  return std::isfinite(p.high) ? fmt::format("{}", p.high + 1) : "";
}

TEST(FigureParameters, EveryFigureDeclaresThem) {
  std::vector<std::string> described;
  for (const FigureDescription& one : figure_descriptions()) described.push_back(one.figure);
  EXPECT_EQ(described, figures());
  for (const FigureDescription& one : figure_descriptions()) {
    EXPECT_NE(one.parameters.empty(), one.none.empty()) << one.figure;
    std::set<std::string> names;
    for (const FigureParameter& p : one.parameters) {
      EXPECT_TRUE(names.insert(p.name).second) << one.figure << " " << p.name;
      EXPECT_FALSE(p.meaning.empty()) << one.figure << " " << p.name;
      EXPECT_FALSE(takes(p).empty()) << one.figure << " " << p.name;
    }
  }
}

TEST(FigureParameters, EveryDefaultIsTakenAndEveryRangeIsKept) {
  for (const std::string& figure : figures())
    for (const bool quick : {false, true}) {
      EXPECT_FALSE(FigureValues(figure, quick, {}).any_changed());
      for (const FigureParameter& p : parameters_of(figure)) {
        const std::string as_it_is = p.name + "=" + default_of(p, quick);
        EXPECT_TRUE(FigureValues(figure, quick, {as_it_is}).is_changed(p.name)) << as_it_is;
        const std::string wrong = outside(p);
        if (wrong.empty()) continue;
        EXPECT_EQ(fault_of([&] { FigureValues(figure, quick, {p.name + "=" + wrong}); }),
                  Fault::input)
            << figure << " " << p.name << "=" << wrong;
      }
    }
}

TEST(FigureParameters, RulesThatStillApplyAreRulesOfTheFigure) {
  std::set<std::string> known;
  for (const Rule& rule : rules()) known.insert(rule.name);
  for (const std::string& figure : figures())
    for (const FigureParameter& p : parameters_of(figure)) {
      std::istringstream kept(p.keeps);
      for (std::string name; kept >> name;)
        EXPECT_TRUE(name == "*" || known.count(figure + "." + name) == 1)
            << figure << " " << p.name << " keeps " << name;
    }
}

TEST(FigureParameters, ListsAreNumbersWithCommasOrARange) {
  const auto betas = [](const std::string& text) {
    return FigureValues("next-token", true, {"betas=" + text}).numbers("betas");
  };
  EXPECT_EQ(betas("1,2.5"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(betas("1:3:5"), (std::vector<double>{1, 1.5, 2, 2.5, 3}));
  expect_refused(
      {{"betas takes no 1,x", [&] { betas("1,x"); }},
       {"betas takes no 1:2", [&] { betas("1:2"); }},
       {"betas takes no", [&] { betas(""); }},
       {"betas does not ascend", [&] { betas("9,4"); }},
       {"betas does not ascend", [&] { betas("3:1:5"); }},
       {"betas names 3 twice", [&] { betas("3:3:2"); }},
       {"starts takes no 2.5", [&] { FigureValues("next-token", true, {"starts=2.5"}); }},
       {"did you mean starts?", [&] { FigureValues("next-token", true, {"start=3"}); }},
       {"n=-3", [&] { FigureValues("next-token", true, {"n=-3"}); }}});
}

// Lists whose default descends, or is a pair of others, are taken as they are.
TEST(FigureParameters, ListsThatDescendByDefaultAreTakenInAnyOrder) {
  for (const char* steps : {"steps=0.1,0.2", "steps=0.2,0.1"})
    EXPECT_EQ(FigureValues("layers-clock", true, {steps}).numbers("steps").size(), 2u);
  EXPECT_EQ(FigureValues("chaos", true, {"clouds=10,30,20"}).wholes("clouds").size(), 3u);
}

TEST(FigureParameters, EveryRangeRunsUpwards) {
  int ranges = 0;
  for (const std::string& figure : figures())
    for (const FigureParameter& p : parameters_of(figure)) {
      if (!p.name.ends_with("_min")) continue;
      ++ranges;
      const std::string most = p.name.substr(0, p.name.size() - 3) + "max";
      for (const char* top : {"2", "5"})  // below, and equal
        EXPECT_EQ(fault_of([&] {
                    FigureValues(figure, true, {p.name + "=5", most + "=" + top});
                  }),
                  Fault::input)
            << figure << " " << most << "=" << top;
    }
  EXPECT_GE(ranges, 1);
}

TEST(FigureParameters, ExperimentsOfPresetsAreChangedByTheSameNames) {
  const FigureValues values("kinetic", true, {"beta=5", "T=100"});
  EXPECT_EQ(values.spec("kinetic").dynamics.beta, 5);
  EXPECT_EQ(values.spec("kinetic").T, 100);
  EXPECT_EQ(FigureValues("kinetic", true, {}).spec("kinetic").dynamics.beta, 4);
}

TEST(FigureParameters, RulesSayOnWhatTheyDepend) {
  const std::vector<std::string> of_flow = depends_on(rule_of("kinetic.flow"));
  EXPECT_EQ(of_flow, (std::vector<std::string>{"beta", "T"}));
  EXPECT_EQ(changes_against(rule_of("kinetic.flow"), {"beta=5"}), "beta");
  EXPECT_EQ(changes_against(rule_of("kinetic.families"), {"beta=5"}), "");
  EXPECT_EQ(changes_against(rule_of("swarm-table.best"), {"hidden=4"}), "hidden");
  EXPECT_EQ(changes_against(rule_of("ladder.additive"), {"hidden=4"}), "");
  EXPECT_EQ(changes_against(rule_of("order.chance"), {"epochs=1"}), "");
  EXPECT_EQ(changes_against(rule_of("order.chance"), {"positions=rotary"}), "positions");
}

TEST(FigureParameters, ARuleThatDoesNotApplyIsNotJudged) {
  const test::TemporaryDirectory folder;
  const Reproduction done =
      reproduce("layers-clock", {.quick = true, .runs = folder.path(), .changed = {"beta=3"}})
          .value();
  EXPECT_EQ(done.label(), "changed: beta=3 instead of 4");
  int applying = 0, unjudged = 0;
  for (const Check& check : done.checks) {
    const bool clusters = check.rule_name == "layers-clock.clusters";
    EXPECT_EQ(check.answer, clusters ? Answer::agrees : Answer::inapplicable) << check.what;
    EXPECT_EQ(check.against, clusters ? "" : "beta") << check.what;
    EXPECT_EQ(std::isnan(check.published), !clusters) << check.what;
    (clusters ? applying : unjudged) += 1;
  }
  EXPECT_EQ(applying, 4);
  EXPECT_EQ(unjudged, 4);
  EXPECT_TRUE(done.as_expected());
  const auto json = nlohmann::json::parse(json_of(done));
  EXPECT_EQ(json["label"], done.label());
  EXPECT_EQ(json["changed"], nlohmann::json({"beta=3"}));
  EXPECT_EQ(json["counted"]["does_not_apply"], 4);
  EXPECT_NE(done.figures.front().title.find("(changed)"), std::string::npos);
  EXPECT_EQ(done.captions.at("layers-clock").rfind("Changed: beta=3 instead of 4.", 0), 0u);
  EXPECT_TRUE(std::filesystem::exists(done.folder / "result-quick-changed.json"));
  EXPECT_FALSE(std::filesystem::exists(done.folder / "result-quick.json"));
}

TEST(FigureParameters, PapersAreReadOutOfTheSource) {
  std::map<std::string, std::vector<std::string>> papers;
  for (const ReproductionRow& row : reproductions()) papers[row.name] = papers_of(row);
  EXPECT_EQ(papers["normalisation"], (std::vector<std::string>{"2510.22026", "2512.01868"}));
  EXPECT_TRUE(papers["chaos"].empty());
}

}  // namespace
}  // namespace murmur::testing
