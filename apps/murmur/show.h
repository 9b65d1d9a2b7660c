// show.h: what murmur measure shows beyond a row of numbers a frame, and the words that ask for it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "murmur/observe.h"

namespace murmur::app {

// The words of measure itself, such as show=histogram bins=20: they are no parameters.
class ShowWords {
 public:
  // Takes its words out of `assignments` and leaves the parameters. Error(input) for a show that
  // does not exist, for a word that this show does not use, and for a near miss of either.
  static ShowWords take(std::vector<std::string>& assignments);

  const std::string& show() const { return show_; }  // empty: the row of observables
  bool given(const std::string& word) const { return text_.count(word) > 0; }
  std::string text(const std::string& word) const;  // as given, or the default
  double number(const std::string& word) const;
  int whole(const std::string& word) const;
  [[noreturn]] void refuse(const std::string& word, const std::string& reason,
                           const std::string& remedy) const;

 private:
  std::string show_;
  std::map<std::string, std::string> text_;
};

struct Subject {
  History history{};
  const Experiment& experiment;
  double beta = 0;      // as the parameter says
  std::string name;     // run, file or preset, for messages
  bool is_run = false;  // `name` is a run, and no file of points or start of an experiment
};

// Rows of cells under named columns, written as CSV or as a JSON list of objects.
struct Sheet {
  std::vector<std::string> columns{};
  std::vector<std::vector<nlohmann::json>> rows{};  // null: an empty cell
};
void write(const Flags& flags, const Sheet& sheet);

// frame=last, frame=K or, counted from the end, frame=-K; and whether it is frame=all.
std::int64_t frame_of(const Subject& subject, const ShowWords& words);
bool all_frames(const ShowWords& words);

// The frames of a run, with its masses, or those of a .npy file, of equal masses.
History frames_of(const Flags& flags, const std::string& what);

// How far the frames are from those of another run or file, from the first one, or from the
// uniform law.
void show_distance(const Flags& flags, const Subject& subject, const ShowWords& words);

// When the theorem on metastability holds the clusters of a frame together, and whether it did.
void show_metastability(const Flags& flags, const Subject& subject, const ShowWords& words);

// Which word of a vocabulary one token, and the mean, say next, and how many are possible.
void show_next_word(const Flags& flags, const Subject& subject, const ShowWords& words);

// Whether it is a run of murmur trace or murmur import.
bool is_traced(const Flags& flags, const Subject& subject);
// Heads, their attention and spectra, layers and their place on the phase diagram, the ideal flow
// beside them, the logit lens, patching and left-out parts of a traced transformer.
void show_trace(const Flags& flags, const Subject& subject, const ShowWords& words);

// Writes what words.show() names, as CSV or JSON.
void show(const Flags& flags, const Subject& subject, const ShowWords& words);

std::string show_examples();
std::vector<Parameter> show_parameters();
std::vector<Parameter> next_word_parameters();  // those that render and report take too

}  // namespace murmur::app
