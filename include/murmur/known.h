// known.h: proved and derived statements about experiments, each with its hypotheses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

// What a statement says about one experiment.
struct Conclusion {
  std::string_view form{};            // one of KnownStatement::forms
  std::vector<std::string> values{};  // numbers and formulas, one for each {} of its text
};

// One way to say a statement: which of its cases, and a sentence without full stop.
struct StatementForm {
  const char* name = nullptr;  // empty: the usual case; null: there is no such form
  const char* text = nullptr;
};

struct KnownStatement {
  const char* name;
  const char* about;                   // the hypotheses as text
  const char* source;                  // paper or "derived", with the section
  bool (*applies)(const Experiment&);  // the hypotheses
  Conclusion (*conclude)(const Experiment&);
  StatementForm forms[2];
  // Whether steps of fixed length may violate the conclusion, which holds for the exact flow.
  bool of_flow = true;
};
std::span<const KnownStatement> known_statements();

// Returns the name of a statement in one of its forms.
std::string form_name(const KnownStatement& statement, std::string_view form);

// A statement that applies to an experiment. The page writes it in other languages from its name
// and values.
struct KnownResult {
  std::string name{};      // form_name
  std::string source{};    // empty for `exact-flow`, the note on steps of fixed length
  std::string sentence{};  // in English, with the source in brackets
  std::vector<std::string> values{};
};
std::vector<KnownResult> find_known_results(const Experiment& experiment);

}  // namespace murmur
