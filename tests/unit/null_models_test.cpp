// null_models_test.cpp: every rule rejects the null models, but for those that it names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <set>
#include <tuple>

#include "murmur/error.h"
#include "reproduce/reproduce.h"
#include "stored_report.h"
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

// Nothing, and why, where the null model leads to no answer at all, which is no agreement.
struct Computed {
  std::optional<Reproduction> done{};
  std::string error{};
};

Computed compute(const std::string& name, NullModel null, bool quick) {
  const test::TemporaryDirectory folder;
  const ReproductionControl control{.quick = quick,
                                    .seeds = 1,
                                    .runs = folder.path(),
                                    .models = models(),
                                    .figures = false,
                                    .wrong = {.null = null}};
  try {
    return {.done = reproduce(name, control)};
  } catch (const Error& error) {
    return {.error = error.summary};
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

// Checks that the right model is known to fail do not count, unless a rule has no others.
NullOutcome judge(const Reproduction& done, const Rule& rule) {
  const std::vector<Check> checks = checks_of(done, rule);
  if (checks.empty()) return NullOutcome::inapplicable;
  const auto is_expected = [&](const Check& c) {
    return expected_answer(done, c) == Answer::agrees;
  };
  const bool any = std::any_of(checks.begin(), checks.end(), is_expected);
  const auto passes = [&](const Check& c) {
    return c.answer == Answer::agrees || (any && !is_expected(c));
  };
  return std::all_of(checks.begin(), checks.end(), passes) ? NullOutcome::agrees
                                                           : NullOutcome::rejects;
}

NullOutcome listed_outcome(const Rule& rule, NullModel null) {
  const NullAnswer* listed = null_answer(rule, null);
  return listed == nullptr ? NullOutcome::rejects : listed->outcome;
}

// One line per rule: rule | null model | answer | the numbers of every check, or why there are
// none.
void print(const Rule& rule, NullModel null, std::string_view answer, const std::string& numbers) {
  if (is_long())
    std::cout << rule.name << " | " << name_of(null) << " | " << answer << " | " << numbers
              << std::endl;
}

std::string all_numbers(const std::vector<Check>& checks) {
  std::vector<std::string> all;
  for (const Check& check : checks) {
    const CheckText numbers = numbers_of(check);
    all.push_back(fmt::format("{}: {} for {}, {}", check.what, numbers.ours, numbers.published,
                              name_of(check.answer)));
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

// Where a model does not apply for a reason of the rule's own, nothing is computed. That a rule
// asks for one number is computed. Long tests compute what is listed as not run, and print it.
bool is_run(const Rule& rule, NullModel null) {
  const NullAnswer* listed = null_answer(rule, null);
  if (listed == nullptr || listed->explanation == std::string_view(kOneNumber)) return true;
  return listed->outcome == NullOutcome::agrees ||
         (listed->outcome == NullOutcome::not_run && is_long());
}

void expect_listed(const Rule& rule, NullModel null, NullOutcome found) {
  const NullOutcome expected = listed_outcome(rule, null);
  if (expected == NullOutcome::not_run || !is_run(rule, null)) return;
  EXPECT_EQ(name_of(found), name_of(expected)) << rule.name << ", " << name_of(null);
}

void compare(const Rule& rule, NullModel null, NullOutcome found,
             const std::vector<Check>& checks) {
  print(rule, null, name_of(found), all_numbers(checks));
  expect_listed(rule, null, found);
}

bool misses_its_models(const Reproduction& done) {
  return std::all_of(done.checks.begin(), done.checks.end(),
                     [](const Check& check) { return !check.missing.empty(); });
}

// One figure and one null model.
class NullModels : public ::testing::TestWithParam<std::tuple<const ReproductionRow*, NullModel>> {
};

TEST_P(NullModels, AreRejectedByTheRulesOfAFigure) {
  const auto& [row, null] = GetParam();
  const std::string name = row->name;
  const bool is_constant = null == NullModel::constant;  // in the place of the right numbers
  if (kSlow.count(name) != 0 && !is_long()) GTEST_SKIP() << "a long test";
  for (const bool whole : {false, true}) {  // --quick, and what needs the whole figure
    std::vector<const Rule*> asked;
    for (const Rule& rule : rules())
      if (reproduction_of(rule) == name && rule.slow == whole && is_run(rule, null))
        asked.push_back(&rule);
    if (asked.empty() || (whole && !is_long())) continue;
    const auto [done, error] = compute(name, is_constant ? NullModel::none : null, !whole);
    if (done && misses_its_models(*done)) GTEST_SKIP() << "trained transformers are not here";
    for (const Rule* rule : asked) {
      if (done) {
        const std::vector<Check> checks = checks_of(*done, *rule);
        compare(*rule, null, is_constant ? judge_constant(checks) : judge(*done, *rule), checks);
        continue;
      }
      EXPECT_FALSE(is_constant) << rule->name << ": " << error;
      print(*rule, null, "no answer", error);
      expect_listed(*rule, null, NullOutcome::rejects);
    }
  }
}

// Nothing is trained: the readers of the null model give every sample the same class.
TEST(NullReaders, OfAConstantAnswerAreRejected) {
  for (const char* name : {"ladder", "order", "flock-argument", "swarm-table"})
    for (const bool quick : {true, false}) {
      const auto [done, error] = compute(name, NullModel::constant, quick);
      ASSERT_TRUE(done.has_value()) << name << ": " << error;
      for (const Rule& rule : rules())
        if (reproduction_of(rule) == name && rule.slow != quick && !checks_of(*done, rule).empty())
          compare(rule, NullModel::constant, judge(*done, rule), checks_of(*done, rule));
    }
}

// A stored run without a late rate has no check, which is no agreement.
TEST(NullReport, LateRateOfAStoredRunIsRejected) {
  const Rule& rule = rule_of("report.late-rate");
  for (const NullModel null : {NullModel::still, NullModel::random}) {
    const Reproduction done = report_of_eight_tokens({.null = null});
    if (done.checks.empty()) {
      print(rule, null, "no answer", "1 - ρ is never between 1e-10 and 0.01 for long enough");
      expect_listed(rule, null, NullOutcome::rejects);
    } else {
      compare(rule, null, judge(done, rule), done.checks);
    }
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

TEST(NullModelList, HasReasons) {
  for (const Rule& rule : rules())
    for (const NullModel null : null_models()) {
      const NullAnswer* answer = null_answer(rule, null);
      if (answer == nullptr) continue;
      EXPECT_GT(std::string_view(answer->explanation).size(), 20u) << rule.name;
      EXPECT_EQ(std::string_view(answer->explanation).find('|'), std::string_view::npos)
          << rule.name;
    }
}

std::vector<const ReproductionRow*> figures() {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow& row : reproductions())
    if (!row.trains) rows.push_back(&row);
  return rows;
}

// readout_zero_field, readout_constant_answer, ...
std::string name_of_pair(const std::tuple<const ReproductionRow*, NullModel>& pair) {
  std::string name = fmt::format("{}_{}", std::get<0>(pair)->name, name_of(std::get<1>(pair)));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rules, NullModels,
                         ::testing::Combine(::testing::ValuesIn(figures()),
                                            ::testing::ValuesIn(null_models())),
                         [](const auto& info) { return name_of_pair(info.param); });

}  // namespace
}  // namespace murmur::testing
