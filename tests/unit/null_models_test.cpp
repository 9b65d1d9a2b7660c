// null_models_test.cpp: every rule rejects the null models, but for those that it names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <set>

#include "murmur/error.h"
#include "reproduce/reproduce.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

std::string reproduction_of(const Rule& rule) {
  const std::string_view name = rule.name;
  return std::string(name.substr(0, name.find('.')));
}

bool is_long() { return std::getenv("MURMUR_LONG") != nullptr; }
// Those whose quick form takes more than seconds are tried in long tests.
const std::set<std::string> kSlow = {"phase-diagram",
                                     "random-weights",
                                     "noisy-bifurcation",
                                     "perceptron-ascent",
                                     "perceptron-clusters",
                                     "lost-in-the-middle",
                                     "next-token",
                                     "redraw-diffusion",
                                     "heads-approximation",
                                     "skipped-blocks",
                                     "mean-field",
                                     "readout",
                                     "chaos",
                                     "escape-times",
                                     "real-models"};

std::vector<std::filesystem::path> models() {
  const char* given = std::getenv("MURMUR_MODELS");
  return given == nullptr ? std::vector<std::filesystem::path>{}
                          : std::vector<std::filesystem::path>{given};
}

// Nothing where the null model leads to no answer at all, which is no agreement.
std::optional<Reproduction> answers_of(const std::string& name, NullModel null, bool quick) {
  const test::TemporaryDirectory folder;
  const ReproductionControl control{.quick = quick,
                                    .seeds = 1,
                                    .runs = folder.path(),
                                    .models = models(),
                                    .figures = false,
                                    .wrong = {.null = null}};
  try {
    return reproduce(name, control);
  } catch (const Error& error) {
    if (is_long())
      std::cout << name << " | " << name_of(null) << " | no answer | " << error.summary
                << std::endl;
    return std::nullopt;
  }
}

// Those of transformers that are here.
std::vector<Check> checks_of(const Reproduction& done, const Rule& rule) {
  std::vector<Check> checks;
  for (const Check& check : done.checks)
    if (check.rule_name == rule.name && check.missing.empty()) checks.push_back(check);
  return checks;
}

// Whether one number in the place of all of ours would agree, where ours are compared with several.
NullOutcome judge_constant(const std::vector<Check>& checks) {
  std::vector<Check> numbers;
  for (const Check& check : checks)
    if (std::isfinite(check.published) && std::isfinite(check.tolerance)) numbers.push_back(check);
  const auto differs = [&](const Check& c) { return c.published != numbers.front().published; };
  if (std::none_of(numbers.begin(), numbers.end(), differs)) return NullOutcome::inapplicable;
  double low = -INFINITY, high = INFINITY;
  for (const Check& check : numbers) {
    low = std::max(low, check.published - check.tolerance);
    high = std::min(high, check.published + check.tolerance);
  }
  return low <= high ? NullOutcome::agrees : NullOutcome::rejects;
}

NullOutcome judge(const std::optional<Reproduction>& done, const Rule& rule) {
  if (!done) return NullOutcome::rejects;
  const std::vector<Check> checks = checks_of(*done, rule);
  if (checks.empty()) return NullOutcome::inapplicable;
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& c) { return c.answer == Answer::agrees; })
             ? NullOutcome::agrees
             : NullOutcome::rejects;
}

NullOutcome listed_outcome(const Rule& rule, NullModel null) {
  const NullAnswer* listed = null_answer(rule, null);
  return listed == nullptr ? NullOutcome::rejects : listed->outcome;
}

void compare(const Rule& rule, NullModel null, NullOutcome found,
             const std::vector<Check>& checks) {
  const NullOutcome expected = listed_outcome(rule, null);
  if (is_long())
    for (const Check& check : checks) {
      const CheckText numbers = numbers_of(check);
      std::cout << rule.name << " | " << name_of(null) << " | " << name_of(found) << " | "
                << check.what << " | " << numbers.published << " | " << numbers.ours << " | "
                << name_of(check.answer) << std::endl;
    }
  if (expected == NullOutcome::not_run) return;
  if (expected == NullOutcome::inapplicable && *null_answer(rule, null)->rule != 0) return;
  EXPECT_EQ(name_of(found), name_of(expected)) << rule.name << ", " << name_of(null);
}

// A reason of its own that a model does not apply is enough. That a rule asks for one number is
// not.
bool is_run(const Rule& rule, NullModel null) {
  const NullAnswer* listed = null_answer(rule, null);
  return listed == nullptr || listed->outcome == NullOutcome::agrees || *listed->rule == 0;
}

bool misses_its_models(const Reproduction& done) {
  return std::all_of(done.checks.begin(), done.checks.end(),
                     [](const Check& check) { return !check.missing.empty(); });
}

class NullModels : public ::testing::TestWithParam<const ReproductionRow*> {};

TEST_P(NullModels, AreRejectedByTheRulesOfAFigure) {
  const std::string name = GetParam()->name;
  if (kSlow.count(name) != 0 && !is_long()) GTEST_SKIP() << "a long test";
  for (const bool whole : {false, true}) {  // --quick, and what needs the whole figure
    std::vector<const Rule*> asked;
    for (const Rule& rule : rules())
      if (reproduction_of(rule) == name && rule.slow == whole) asked.push_back(&rule);
    if (asked.empty() || (whole && !is_long())) continue;
    for (const NullModel null : {NullModel::still, NullModel::random}) {
      if (std::none_of(asked.begin(), asked.end(), [&](auto* r) { return is_run(*r, null); }))
        continue;
      const auto done = answers_of(name, null, !whole);
      if (done && misses_its_models(*done)) GTEST_SKIP() << "trained transformers are not here";
      for (const Rule* rule : asked)
        compare(*rule, null, judge(done, *rule),
                done ? checks_of(*done, *rule) : std::vector<Check>{});
    }
    if (std::none_of(asked.begin(), asked.end(),
                     [&](auto* r) { return is_run(*r, NullModel::constant); }))
      continue;
    const auto right = answers_of(name, NullModel::none, !whole);
    for (const Rule* rule : asked) {
      const std::vector<Check> checks = checks_of(right.value(), *rule);
      compare(*rule, NullModel::constant, judge_constant(checks), checks);
    }
  }
}

// Nothing is trained: the readers of the null model give every sample the same class.
TEST(NullReaders, OfAConstantAnswerAreRejected) {
  for (const char* name : {"ladder", "order", "flock-argument", "swarm-table"})
    for (const bool quick : {true, false}) {
      const auto done = answers_of(name, NullModel::constant, quick);
      ASSERT_TRUE(done.has_value()) << name;
      for (const Rule& rule : rules())
        if (reproduction_of(rule) == name && rule.slow != quick && !checks_of(*done, rule).empty())
          compare(rule, NullModel::constant, judge(done, rule), checks_of(*done, rule));
    }
}

// A rule that counts says something of a paper or a theorem: no null model may agree with it.
TEST(NullModelList, NoRuleThatCountsAgreesWithANullModel) {
  for (const Rule& rule : rules())
    for (const NullModel null : null_models()) {
      const NullAnswer* answer = null_answer(rule, null);
      EXPECT_FALSE(counts(rule) && answer != nullptr && answer->outcome == NullOutcome::agrees)
          << rule.name << ", " << name_of(null);
    }
}

TEST(NullModelList, IsOfRulesWithReasons) {
  for (const NullAnswer& one : null_answers()) {
    const auto is_of = [&](const Rule& rule) {
      return one.rule == std::string_view(rule.name) || one.rule == reproduction_of(rule);
    };
    EXPECT_TRUE(std::any_of(rules().begin(), rules().end(), is_of)) << one.rule;
    EXPECT_GT(std::string_view(one.explanation).size(), 20u) << one.rule;
    EXPECT_EQ(std::string_view(one.explanation).find('|'), std::string_view::npos) << one.rule;
    EXPECT_NE(one.outcome, NullOutcome::rejects) << one.rule;
  }
}

std::vector<const ReproductionRow*> figures() {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow& row : reproductions())
    if (!row.trains) rows.push_back(&row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Rules, NullModels, ::testing::ValuesIn(figures()), [](const auto& info) {
  std::string name = info.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace murmur::testing
