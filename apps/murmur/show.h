// show.h: the readings that murmur measure show=NAME prints instead of a row of observables.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/observe.h"

namespace murmur::app {

// The arguments of measure itself, such as show=histogram bins=20, which are no parameters of a
// run.
class ShowArguments {
 public:
  // Removes its arguments from `assignments`. Error(input) for an unknown show, for an argument
  // that this show does not use, and for a misspelt one.
  static ShowArguments take(std::vector<std::string>& assignments);

  const std::string& show() const { return show_; }  // empty: the row of observables
  bool given(const std::string& key) const { return text_.count(key) > 0; }
  std::string text(const std::string& key) const;  // as given, or the default
  double number(const std::string& key) const;
  int whole(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& reason,
                           const std::string& remedy) const;

 private:
  std::string show_;
  std::map<std::string, std::string> text_;
};

// The frames that are measured.
struct Subject {
  History history{};
  const Experiment& experiment;
  double beta = 0;      // the parameter
  std::string name;     // run, file or preset, for messages
  bool is_run = false;  // `name` is a run, not a file of points or the start of an experiment
};

// Rows of cells under named columns, written as CSV or as a JSON list of objects.
struct Sheet {
  std::vector<std::string> columns{};
  std::vector<std::vector<nlohmann::json>> rows{};  // null: an empty cell
};
void write(const Flags& flags, const Sheet& sheet);
// An attention matrix, as CSV or in a JSON object with `facts`, its rank and its leaders.
void write_attention(const Flags& flags, const Matrix& weights, const ShowArguments& arguments,
                     nlohmann::json facts);

// The frame of frame=last, frame=K or, counted from the end, frame=-K; and whether it is frame=all.
std::int64_t frame_of(const Subject& subject, const ShowArguments& arguments);
bool all_frames(const ShowArguments& arguments);

// The frames of a run, with its masses, or those of a .npy file, of equal masses.
History frames_of(const Flags& flags, const std::string& what);

// Whether it is a run of murmur trace or murmur import.
bool is_traced(const Flags& flags, const Subject& subject);
// Heads, their attention and spectra, layers and their places on the phase diagram, the comparison
// with the ideal flow, the logit lens, patching and removed parts of a traced transformer.
void show_trace(const Flags& flags, const Subject& subject, const ShowArguments& arguments);

// Writes what show=NAME asks for, as CSV or JSON.
void show(const Flags& flags, const Subject& subject, const ShowArguments& arguments);

std::vector<Parameter> show_parameters();
std::vector<Parameter> next_word_parameters();  // those that render and report take too

}  // namespace murmur::app
