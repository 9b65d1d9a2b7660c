// rule_tables.h: the parts of the table of rules, a file each.
#pragma once

#include "reproduce/rules.h"

namespace murmur {

std::span<const Rule> digit_rules();      // of what trains, and of reports
std::span<const Rule> attention_rules();  // of swarms under attention alone
std::span<const Rule> limit_rules();      // of perceptrons, noise and infinitely many tokens
std::span<const Rule> weight_rules();     // of other value matrices than I and -I
std::span<const Rule> model_rules();      // of trained transformers

}  // namespace murmur
