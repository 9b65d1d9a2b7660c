// rules_test.cpp: every verdict has a rule, and every rule rejects the wrong model that it names.
#include "reproduce/rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "reproduce/author_settings.h"
#include "reproduce/reproduce.h"
#include "stored_report.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

std::string reproduction_of(const Rule& rule) {
  const std::string_view name = rule.name;
  return std::string(name.substr(0, name.find('.')));
}

TEST(Rules, SayWhereTheirNumbersComeFrom) {
  std::set<std::string> names, reproduced = {"report"};
  for (const ReproductionRow& row : reproductions()) reproduced.insert(row.name);
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_EQ(reproduced.count(reproduction_of(rule)), 1u) << rule.name;
    for (const std::string_view text : {rule.source, rule.asks, rule.since}) {
      EXPECT_FALSE(text.empty()) << rule.name;
      EXPECT_EQ(text.find_first_of("|\""), text.npos) << rule.name << ": tables and CSV";
    }
    EXPECT_EQ(std::string_view(rule.since).size(), 10u) << rule.name << ": a day, 2026-11-15";
  }
  EXPECT_THROW(rule_of("kinetic.euler"), std::logic_error);
}

TEST(Rules, ExpectedAnswersAreOfRulesAndAreNoAgreement) {
  for (const ExpectedAnswer& one : expected_answers()) {
    EXPECT_NO_THROW(rule_of(one.rule)) << one.rule;
    EXPECT_NE(one.answer, Answer::agrees) << one.rule;
    EXPECT_GT(std::string_view(one.explanation).size(), 40u) << one.rule;
  }
}

TEST(AuthorSettings, AreOfEveryReproductionInItsOrder) {
  const auto rows = reproductions();
  ASSERT_EQ(author_settings().size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const AuthorSetting& setting = author_settings()[k];
    EXPECT_STREQ(setting.name, rows[k].name);
    EXPECT_FALSE(std::string_view(setting.source).empty()) << setting.name;
    EXPECT_EQ(*setting.theirs == 0, *setting.ours == 0) << setting.name << ": both or neither";
    for (const std::string_view text : {setting.theirs, setting.source, setting.ours})
      EXPECT_EQ(text.find('|'), text.npos) << setting.name << ": a table";
  }
  EXPECT_EQ(author_setting("none"), nullptr);
}

// A rule that expects no agreement has nothing to reject; every other names a wrong model.
bool never_agrees(const Rule& rule) {
  return std::any_of(expected_answers().begin(), expected_answers().end(), [&](const auto& one) {
    return one.rule == std::string_view(rule.name) && std::string_view(one.what).empty() &&
           one.size == ExpectedAnswer::always;
  });
}

TEST(Rules, NameTheWrongModelThatTheyReject) {
  for (const Rule& rule : rules())
    EXPECT_NE(rule.rejects.is_wrong(), never_agrees(rule)) << rule.name;
}

// Trained transformers lie where MURMUR_MODELS says.
std::vector<std::filesystem::path> models() {
  const char* given = std::getenv("MURMUR_MODELS");
  return given == nullptr ? std::vector<std::filesystem::path>{}
                          : std::vector<std::filesystem::path>{given};
}

// Reproductions whose quick form takes seconds are tried always, others in long tests.
bool is_long() { return std::getenv("MURMUR_LONG") != nullptr; }
const std::set<std::string> kSlow = {
    "phase-diagram",       "random-weights",      "mean-field",
    "noisy-bifurcation",   "perceptron-ascent",   "chaos",
    "perceptron-clusters", "lost-in-the-middle",  "next-token",
    "redraw-diffusion",    "heads-approximation", "skipped-blocks"};

class Controls : public ::testing::TestWithParam<const ReproductionRow*> {
 protected:
  Reproduction run(const WrongModel& wrong, bool quick) {
    const ReproductionControl control{.quick = quick,
                                      .runs = folder_.path(),
                                      .models = models(),
                                      .figures = false,
                                      .wrong = wrong};
    return reproduce(GetParam()->name, control).value();
  }

 private:
  test::TemporaryDirectory folder_{};
};

// Every check of a rule with both numbers, so that a long test leaves a record of its controls.
void tell(const Reproduction& done, const Rule& rule, const std::string& model) {
  for (const Check& check : done.checks) {
    if (check.rule_name != rule.name) continue;
    const CheckText numbers = numbers_of(check);
    std::cout << rule.name << " | " << model << " | " << check.what << " | " << numbers.published
              << " | " << numbers.ours << " | " << name_of(check.answer) << std::endl;
  }
}

TEST_P(Controls, RightModelsAnswerAsExpectedAndWrongOnesDoNotAgree) {
  const std::string name = GetParam()->name;
  if (kSlow.count(name) != 0 && !is_long()) GTEST_SKIP() << "a long test";
  const auto of = [&](const Rule& rule, bool whole) {
    return reproduction_of(rule) == name && rule.slow == whole && !never_agrees(rule);
  };
  for (const bool whole : {false, true}) {  // --quick, and what needs the whole figure
    if (whole && !is_long()) continue;
    if (std::none_of(rules().begin(), rules().end(), [&](const auto& r) { return of(r, whole); }))
      continue;
    const Reproduction right = run({}, !whole);
    for (const Check& check : right.checks) {
      if (!check.missing.empty()) GTEST_SKIP() << check.what << ": " << check.missing;
      EXPECT_EQ(check.answer, expected_answer(right, check)) << check.what;
      EXPECT_EQ(reproduction_of(rule_of(check.rule_name)), name) << check.rule_name;
    }
    std::map<std::string, Reproduction> wrong;  // by the words of the model
    for (const Rule& rule : rules()) {
      if (!of(rule, whole)) continue;
      const std::string words = rule.rejects.words();
      const auto [at, fresh] = wrong.try_emplace(words);
      if (fresh) at->second = run(rule.rejects, !whole);
      const auto agrees = [&](const Check& check) {
        return check.rule_name != rule.name || check.answer == Answer::agrees;
      };
      const auto is_asked = [&](const Check& check) { return check.rule_name == rule.name; };
      EXPECT_TRUE(std::any_of(right.checks.begin(), right.checks.end(), is_asked))
          << rule.name << " has no check";
      const auto& checks = at->second.checks;
      EXPECT_FALSE(std::all_of(checks.begin(), checks.end(), agrees))
          << rule.name << ": " << words << " agrees";
      if (!is_long()) continue;
      tell(right, rule, "right");
      tell(at->second, rule, words);
    }
  }
}

// The report of a stored run: eight tokens in R^16, by the exact flow and by layers.
TEST(ReportControl, TheLateRateOfLayersDoesNotAgree) {
  const Rule& rule = rule_of("report.late-rate");
  for (const WrongModel& model : {WrongModel{}, rule.rejects}) {
    const Reproduction done = report_of_eight_tokens(model);
    ASSERT_EQ(done.checks.size(), 1u);
    EXPECT_EQ(done.checks[0].answer == Answer::agrees, !model.is_wrong()) << done.checks[0].ours;
    if (is_long()) tell(done, rule, model.is_wrong() ? model.words() : "right");
  }
}

Reproduction trained_wrong(const Rule& rule, const char* data) {
  const test::TemporaryDirectory folder;
  std::vector<std::string> changed;
  if (rule.slow && rule.rejects.words() != "epochs=1") changed.emplace_back("epochs=1");
  const ReproductionControl control{.quick = !rule.slow,
                                    .seeds = 8,
                                    .runs = folder.path(),
                                    .data = data,
                                    .changed = changed,
                                    .figures = false,
                                    .wrong = rule.rejects};
  return reproduce(reproduction_of(rule), control).value();
}

// Whether a rule's name begins with one of the beginnings, given as "flock-argument,ladder.bag".
bool is_chosen(const std::string& name, const std::string& beginnings) {
  std::istringstream list(beginnings);
  for (std::string start; std::getline(list, start, ',');)
    if (name.compare(0, start.size(), start) == 0) return true;
  return beginnings.empty();
}

// Trainings of one epoch, or of a quick figure's few, judged as whole ones are; the right models
// are the figures themselves. MURMUR_RULE names the beginnings of those that are tried alone.
TEST(TrainingControls, WrongTrainingsDoNotAgree) {
  const char* data = std::getenv("MURMUR_DATA");
  const char* chosen = std::getenv("MURMUR_RULE");
  if (!is_long() || data == nullptr) GTEST_SKIP() << "a long test that needs the digits";
  std::map<std::string, Reproduction> wrong;  // by reproduction, model and size
  std::set<std::string> trained;
  for (const ReproductionRow& row : reproductions())
    if (row.trains) trained.insert(row.name);
  for (const Rule& rule : rules()) {
    if (trained.count(reproduction_of(rule)) == 0 || !rule.rejects.is_wrong()) continue;
    if (!is_chosen(rule.name, chosen != nullptr ? chosen : "")) continue;
    const auto [at, fresh] = wrong.try_emplace(
        fmt::format("{} {} {}", reproduction_of(rule), rule.rejects.words(), rule.slow));
    if (fresh) at->second = trained_wrong(rule, data);
    const Reproduction& done = at->second;
    const auto stays = [&](const Check& check) {
      return check.rule_name != rule.name || check.answer == Answer::agrees;
    };
    EXPECT_FALSE(std::all_of(done.checks.begin(), done.checks.end(), stays)) << rule.name;
    tell(done, rule, rule.rejects.words());
  }
}

std::vector<const ReproductionRow*> figures() {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow& row : reproductions())
    if (!row.trains) rows.push_back(&row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Rules, Controls, ::testing::ValuesIn(figures()), [](const auto& info) {
  std::string name = info.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace murmur::testing
