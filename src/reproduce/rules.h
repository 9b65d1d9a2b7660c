// rules.h: what each verdict asks, where its numbers come from, and the wrong model it rejects.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "murmur/experiment.h"

namespace murmur {

// Where a number comes from that ours is held against. Only the first two count in a verdict.
enum class Origin {
  published,   // it stands in a paper or in its companion code
  predicted,   // a theorem or a formula says it
  regression,  // an earlier run of ours, or of another program, gave it
  check,       // two computations of ours, or a statement that holds by design: a check of the
               // program, which says nothing about a paper
};
std::string_view name_of(Origin origin);

enum class Answer {
  agrees,
  disagrees,
  open,          // it could not be computed
  inapplicable,  // its rule does not apply: a parameter on which it depends was changed
};
std::string_view name_of(Answer answer);

// A model that knows nothing of attention. A rule that agrees with one of them asks for nothing.
enum class NullModel {
  none,
  still,     // the velocity is 0
  random,    // the attention matrix is a random row-stochastic one, whatever the tokens are
  constant,  // every answer is the same
};
std::string_view name_of(NullModel null);
std::span<const NullModel> null_models();  // all but `none`

// A model that is wrong on purpose: a reproduction that computes with it must stop agreeing. It
// changes what ours is computed with, never what ours is held against. As it stands: nothing.
struct WrongModel {
  double beta = 1;                         // a factor of the inverse temperature
  double time = 1;                         // a factor of the final time: another clock
  int tokens = 0;                          // more tokens than are said
  std::optional<Method> method{};          // of the flow, with steps of 0.1
  bool single = false;                     // pair sums in float32
  bool reversed = false;                   // V = -I for V = I, descent for ascent
  bool unbiased = false;                   // no ALiBi
  bool plain_scores = false;               // Q = K = I
  bool frozen = false;                     // random weights are drawn once, without `redraw`
  bool late = false;                       // a layer has the weights of the end of its step
  std::optional<Interaction> attention{};  // another weighting
  std::optional<MatrixChoice::Kind> value{};
  std::optional<LayerNorm> normalisation{};
  std::optional<Perceptron::Activation> activation{};
  bool backwards = false;     // layers of a transformer are read from the last to the first
  bool untrained = false;     // trained weights are drawn anew
  bool whole_blocks = false;  // the feed-forward is never left out
  bool exchanged = false;     // readers in each other's place, as recurrent net and swarm
  NullModel null = NullModel::none;
  const char* training = "";  // a key=value of `murmur train`, laid over every training

  bool is_wrong() const;
  void spoil(ExperimentSpec& spec) const;
  std::string words() const;  // "β × 1.1"; empty: nothing is wrong
};

struct Rule {
  const char* name;  // reproduction, dot, what is asked
  Origin origin;
  const char* source;        // paper, theorem, figure or code; the formula; or whose run
  const char* asks;          // with where its tolerance comes from
  WrongModel rejects;        // run by the tests
  const char* since;         // the day on which the rule was written
  const char* changed = "";  // what was changed after a look at data
  bool slow = false;         // its control needs more than --quick computes
};
std::span<const Rule> rules();  // of all reproductions, in their order
// Throws std::logic_error: a check without a rule is a mistake of the program.
const Rule& rule_of(std::string_view name);
bool counts(const Rule& rule);  // in the verdict of a reproduction

// What a rule answers to a null model.
enum class NullOutcome {
  rejects,
  agrees,
  inapplicable,  // the rule does not ask about what the model replaces
  not_run,       // nobody has computed it
};
std::string_view name_of(NullOutcome outcome);

struct NullAnswer {  // one that is no rejection
  const char* rule;  // its whole name, or that of its reproduction for all of them
  NullModel null;
  NullOutcome outcome;
  const char* explanation;
};
std::span<const NullAnswer> null_answers();
// Nothing where the rule rejects the model.
const NullAnswer* null_answer(const Rule& rule, NullModel null);
std::string markdown_of_null_models();  // a row per rule, a column per null model

// Answers that are known not to be agreement, and why.
struct ExpectedAnswer {
  enum Size { always, quick, full };  // of the reproduction
  const char* rule;
  const char* what;  // how the check begins; empty: every check of the rule
  Answer answer;
  Size size;
  const char* explanation;
};
std::span<const ExpectedAnswer> expected_answers();
// Nothing where agreement is expected.
const ExpectedAnswer* expected_of(std::string_view rule, std::string_view what, bool is_quick);

std::string markdown_of_rules();  // a row a rule

}  // namespace murmur
