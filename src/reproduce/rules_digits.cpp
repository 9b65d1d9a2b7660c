// rules_digits.cpp: rules of the swarms that read digits and of reports; answers that are no
// agreement.
#include "reproduce/rule_tables.h"

namespace murmur {

namespace {

constexpr const char* kFirst = "2026-11-15";
constexpr const char* kParted = "2026-11-16";

const Rule kRules[] = {
    {.name = "swarm-table.best",
     .origin = Origin::regression,
     .source = "two seeds of a re-implementation in a tensor library",
     .asks = "the recipe `best` reaches on average what is asked of it; with --quick the published "
             "accuracy less one point, two standard errors of 1850 pictures",
     .rejects = {.training = "epochs=1"},
     .since = kFirst,
     .slow = true},
    {.name = "swarm-table.published",
     .origin = Origin::published,
     .source = "README of the digit swarm: 96.43 %, one training without a seed",
     .asks = "it is not above every seed of ours and of PyTorch's 24: among N alike it would be "
             "with chance 1/(N + 1)",
     .rejects = {.training = "epochs=1"},
     .since = kParted,
     .changed = "the seeds had been seen; before, only PyTorch's mean was asked for",
     .slow = true},
    {.name = "swarm-table.peer",
     .origin = Origin::regression,
     .source = "the same recipe in PyTorch, 8 seeds",
     .asks = "the means differ by no more than 3 standard errors of their difference",
     .rejects = {.training = "epochs=1"},
     .since = kFirst,
     .slow = true},
    {.name = "flock-argument.lead",
     .origin = Origin::regression,
     .source = "our own runs of three seeds",
     .asks = "attention is ahead by 0.3 to 1 points; with --quick ahead at all",
     .rejects = {.training = "interaction=none"},
     .since = kFirst,
     .slow = true},
    {.name = "flock-argument.order",
     .origin = Origin::predicted,
     .source = "blocks and a mean readout treat tokens alike; a recurrent net does not",
     .asks = "a shuffle changes no verdict of the former and some of the latter",
     .rejects = {.training = "position=true"},
     .since = kFirst,
     .slow = true},
    {.name = "flock-argument.influence",
     .origin = Origin::regression,
     .source = "our own runs of three seeds",
     .asks = "the recurrent net's first tenth weighs less than 0.1 of its last; the flock's tenths "
             "differ by less than 0.25; a guest moves the mean by less than 0.1 of the spread",
     .rejects = {.training = "readout=cls"},
     .since = kFirst,
     .slow = true},
    {.name = "report.late-rate",
     .origin = Origin::predicted,
     .source = "2312.10794: 1 - ρ falls as e^(-2t), e^(-2e^β t)",
     .asks = "within 5 %: frames where 1 - ρ is between 1e-10 and 0.01",
     .rejects = {.method = Method::layers},
     .since = kFirst,
     .slow = true},
};

constexpr ExpectedAnswer kExpected[] = {
    {"swarm-table.published", "", Answer::disagrees, ExpectedAnswer::full,
     "24 seeds of the recipe in PyTorch reach 95.89 % at most, 8 of ours 95.51 %. The published "
     "figure is one training without a seed, and 100 epochs stood in an earlier version of its "
     "code where 1 stands now"},
    {"swarm-table.best", "5 vs 6, 10 free d=100", Answer::disagrees, ExpectedAnswer::full,
     "99.42 over three seeds, above the published 99.35 but not the 99.6 that one seed of another "
     "implementation promised; the errors are the same eleven pictures in every seed"},
    {"perceptron-clusters.growth", "d = 2, GELU", Answer::disagrees, ExpectedAnswer::full,
     "the potential of GELU units is analytic and least at points, which gather tokens; that of "
     "ReLU units can be level along an arc, on which tokens space themselves by 1/√β"},
    {"perceptron-clusters.growth", "d = 3, GELU", Answer::disagrees, ExpectedAnswer::full,
     "as on the circle: minima of an analytic potential are points, and gather tokens"},
    {"perceptron-clusters.rest", "408 best measures: without a certificate", Answer::disagrees,
     ExpectedAnswer::full,
     "405 of 408 are certified. One is not at rest; two have no gap to the tolerance but a light "
     "atom on a ridge of F, which splits"},
    {"density-modes.logarithm", "", Answer::disagrees, ExpectedAnswer::always,
     "the exponent over that decade is 0.52, between 0.50 of √β and 0.56 of √(β ln β). The theorem "
     "holds as n grows with n^c ≤ β ≤ n^(2-c), up to constants: 10,000 tokens do not show the "
     "logarithm"},
};

}  // namespace

std::span<const Rule> digit_rules() { return kRules; }

std::span<const ExpectedAnswer> expected_answers() { return kExpected; }

}  // namespace murmur
