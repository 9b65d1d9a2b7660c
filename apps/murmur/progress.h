// progress.h: the progress line of long work, on stderr.
#pragma once

#include <string>

#include "command.h"
#include "murmur/sweep.h"
#include "murmur/training.h"

namespace murmur::app {

struct CountProgress {
  int done = 0, of = 0;
  const char* what = "";  // is counted: starts, betas
};

// auto: one rewritten line on a terminal, nothing elsewhere; plain: a line every few seconds;
// json: an object a line; none: silence.
class ProgressLine {
 public:
  explicit ProgressLine(const Flags& flags);
  ~ProgressLine();
  void show(const Progress& progress);
  void show(const TrainingProgress& progress);
  void show(const SweepProgress& progress);
  void show(const CountProgress& progress);

 private:
  bool due();                         // whether to say something now
  void put(const std::string& line);  // as this kind says it

  enum Kind { silent, rewritten, plain, json } kind_;
  double last_shown_ = -1e9;
  double began_, first_t_ = -1;  // when this process began, and the time it began from
  bool dirty_ = false;           // the terminal's line holds text
};

std::string duration_text(double seconds);  // 3.2 s, 4 min 10 s, 2 h 5 min

}  // namespace murmur::app
