// rules_test.cpp: every verdict has a rule, and every rule rejects the wrong model that it names.
#include "reproduce/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>

#include "reproduce/reproduce.h"
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
    EXPECT_NE(rule.origin, Origin::identity) << rule.name << ": a test, not a reproduction's";
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

// Reproductions whose quick form takes seconds are tried always, others in long tests.
bool is_long() { return std::getenv("MURMUR_LONG") != nullptr; }
const std::set<std::string> kSlow = {"phase-diagram",       "random-weights",     "mean-field",
                                     "noisy-bifurcation",   "perceptron-ascent",  "chaos",
                                     "perceptron-clusters", "lost-in-the-middle", "next-token"};

class Controls : public ::testing::TestWithParam<const ReproductionRow*> {
 protected:
  Reproduction run(const WrongModel& wrong) {
    const ReproductionControl control{
        .quick = true, .runs = folder_.path(), .figures = false, .wrong = wrong};
    return reproduce(GetParam()->name, control).value();
  }

 private:
  test::TemporaryDirectory folder_{};
};

TEST_P(Controls, RightModelsAnswerAsExpectedAndWrongOnesDoNotAgree) {
  const std::string name = GetParam()->name;
  if (kSlow.count(name) != 0 && !is_long()) GTEST_SKIP() << "a long test";
  const Reproduction right = run({});
  for (const std::string& line : dissents_of(right)) SCOPED_TRACE(line);
  std::map<std::string, Reproduction> wrong;  // by the words of the model
  for (const Check& check : right.checks) {
    EXPECT_EQ(check.answer, expected_answer(right, check)) << check.what;
    EXPECT_EQ(reproduction_of(rule_of(check.rule_name)), name) << check.rule_name;
  }
  for (const Rule& rule : rules()) {
    if (reproduction_of(rule) != name || never_agrees(rule)) continue;
    const auto of_rule = [&](const Check& check) { return check.rule_name == rule.name; };
    if (std::none_of(right.checks.begin(), right.checks.end(), of_rule)) {
      EXPECT_TRUE(rule.slow) << rule.name << " has no check";
      continue;
    }
    const auto [at, fresh] = wrong.try_emplace(rule.rejects.words());
    if (fresh) at->second = run(rule.rejects);
    int checks = 0, left = 0;
    for (const Check& check : at->second.checks) {
      if (!of_rule(check)) continue;
      ++checks;
      left += check.answer != Answer::agrees ? 1 : 0;
    }
    EXPECT_GT(left, 0) << rule.name << ": " << rule.rejects.words() << " agrees " << checks
                       << " times";
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
