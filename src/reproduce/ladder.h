// ladder.h: readers of one task that can do more and more, at several depths.
#pragma once

#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

// A kind of reader. `will`: its blocks have a feed-forward.
struct ReaderKind {
  const char* name;
  const char* key;  // of its run directories and columns
  Architecture::Interaction interaction;
  bool will = true;
  bool rnn = false;
};
enum KindIndex : std::size_t {
  isolated,
  messenger,
  attraction,
  uniform,
  selected,
  uniform_bare,
  selected_bare,
  kKindCount
};
const ReaderKind& kind_of(KindIndex kind);

struct Rung {
  KindIndex kind;
  int depth;
  std::vector<double> accuracy{};  // (seeds) in percent
  std::size_t parameters = 0;
  double mean() const { return spread_of(accuracy).mean; }
};

// A task, and the sizes of its readers: all have as many parameters as `blocks` free blocks of
// selected messages with `hidden` units, by the width of their feed-forward.
struct Ladder {
  Task task;
  const char* stem;  // of run directories
  const char* title;
  int d;
  std::vector<int> depths{};
  int blocks, hidden;
  int epochs = 0;          // 0: as the recipe has it
  bool messenger = false;  // whether there is one; it stands at `blocks`
  std::vector<Rung> rungs{};

  const Rung& at(KindIndex kind, int depth) const;
  double highest(KindIndex kind) const;  // of any depth and seed
};

// Trains every rung with every seed; false when stopped by a signal.
bool climb(const ReproductionControl& control, TrainingCache& cache, Ladder& ladder);

// The rungs one by one, and a row a depth; `suffix` of their names tells tasks apart.
void add_tables(const Ladder& ladder, const std::string& suffix, Reproduction& result);
ReproducedFigure figure_of(const Ladder& ladder, const std::string& suffix,
                           std::vector<ReproducedGuide> guides);

// How far one rung is ahead of another; agreement where that is above `points`.
struct Lead {
  const char* rule;
  const Rung &ahead, &behind;
  double points;
};
Check check_lead(const Lead& lead);

// What is asked of the readers of sentences.
Ladder sense_ladder(bool quick);
void check_senses(const Ladder& ladder, const ReproductionControl& control, Reproduction& result);

}  // namespace murmur
