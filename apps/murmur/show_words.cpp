// show_words.cpp: reads the words of murmur measure that are no parameters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "murmur/error.h"
#include "report/next_word.h"
#include "show.h"

namespace murmur::app {

namespace {

using P = Parameter;

struct Row {
  Parameter parameter;               // without a default: it depends on the run
  std::vector<std::string> used_by;  // shows
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {{P::word, "frame", "last", "last, all, or a number, negative from the end",
        "frame of the run that is shown"},
       {"histogram", "modes", "attention", "centres", "density-modes", "metastability", "distance",
        "next-word"}},
      {{P::whole, "bins", "50", "1 or more", "number of equal bins over [-1, 1]"}, {"histogram"}},
      {{P::word, "modes", "1-8", "K, or FIRST-LAST", "which modes are shown"}, {"modes", "growth"}},
      {{P::whole, "head", "0", "0 or more", "which attention head is shown"},
       {"attention", "spectrum"}},
      {{P::word, "block", "last", "last, or 0 or more",
        "which block of a traced transformer is shown"},
       {"attention", "spectrum"}},
      {{P::whole, "text", "0", "0 or more", "which text of a traced transformer is shown"},
       {"attention"}},
      {{P::number, "share", "0.5", "0 to 1; atoms 0.99, next-word 0.05 unless given",
        "attention: a leader has more than this share of all attention; clustering, atoms: the "
        "share of pairs or of mass that counts; next-word: the least probability of a possible "
        "word"},
       {"attention", "clustering", "atoms", "next-word"}},
      {{P::number, "rank_tol", "1e-6", "above 0",
        "singular values above this share of the largest one count in the rank"},
       {"attention"}},
      {{P::number, "delta", "", "above 0",
        "centres: how far apart they are, 4 / sqrt(beta) unless given; clustering: pairs with a "
        "cosine above 1 - delta have met, 1e-3 unless given"},
       {"centres", "clustering"}},
      {{P::whole, "axis", "0", "0 or more",
        "in R^d the coordinate along which density modes are counted"},
       {"density-modes"}},
      {{P::word, "column", "energy_scaled", "an observable",
        "which column of the observables is read"},
       {"plateaus", "growth"}},
      {{P::word, "time", "linear", "linear, log", "whether flatness is measured in t or in ln t"},
       {"plateaus"}},
      {{P::number, "slope", "0.1", "above 0",
        "greatest slope of a plateau; a straight line from first to last frame has slope 1"},
       {"plateaus"}},
      {{P::number, "length", "0.03", "0 to 1", "shortest plateau, as a share of the whole run"},
       {"plateaus"}},
      {{P::number, "low", "", "a number", "smallest amplitude of the fit"}, {"growth"}},
      {{P::number, "high", "", "a number", "largest amplitude of the fit"}, {"growth"}},
      {{P::number, "rate", "1", "above 0",
        "how fast the promised distance within a cluster falls with beta"},
       {"metastability"}},
      {{P::word, "vocabulary", "12", "a number of words, FILE.npy, FILE.csv",
        "words as unit points: drawn by the seed, or from a file"},
       {"next-word"}},
      {{P::word, "words", "", "FILE", "texts of the words of a .npy file, one in each line"},
       {"next-word"}},
      {{P::number, "kappa", "16", "a number", "scale of the cosines in the softmax over words"},
       {"next-word"}},
      {{P::word, "token", "last", "last, or 0 or more", "which token speaks"}, {"next-word"}},
      {{P::word, "to", "", "RUN, FILE.npy, first, uniform", "what the distance is measured to"},
       {"distance"}},
      {{P::word, "distance", "w2", "w1, w2, entropic, sliced",
        "which transport distance is measured"},
       {"distance"}},
      {{P::whole, "slices", "256", "1 or more", "number of directions of the sliced distance"},
       {"distance"}},
      {{P::number, "epsilon", "0.01", "above 0", "regularisation of the entropic distance"},
       {"distance"}},
  };
  return rows;
}

constexpr ParameterValue kShows[] = {
    {"histogram", "counts of the cosines of all pairs, in bins"},
    {"modes", "amplitudes of the waves of the density, by degree"},
    {"attention", "the attention matrix of one head, its rank and its leaders"},
    {"centres",
     "particles that are first in their neighbourhood: Rényi centres of causal attention"},
    {"density-modes", "local maxima of the kernel density of the particles"},
    {"genealogy", "which clusters merged, split or exchanged particles, and when"},
    {"plateaus", "intervals in which an observable is nearly constant"},
    {"growth", "the rate of exponential growth of a mode or of an observable"},
    {"clustering", "the times at which a share of the pairs, and all of them, have met"},
    {"atoms", "how many clusters hold a share of the mass, frame by frame"},
    {"metastability",
     "how long the theorem on metastability keeps the clusters of a frame together"},
    {"distance", "the transport distance of each frame to another run, file or law"},
    {"counts", "numbers of clusters at three tolerances, frame by frame"},
    {"next-word", "which word of a vocabulary a token, and the mean, say next"},
    {"heads", "entropy, sinks and signs of every head of a traced transformer",
     "murmur measure runs/trace-0-1 show=heads"},
    {"layers", "how far each layer of a traced transformer moves its tokens, and where",
     "murmur measure runs/trace-0-1 show=layers"},
    {"twin", "a traced transformer next to the ideal flow from the same points",
     "murmur measure runs/trace-0-1 show=twin"},
    {"lens", "the words that each layer of a traced transformer would say next",
     "murmur measure runs/trace-0-1 show=lens"},
    {"patching", "how far the answer follows when states of another text are put in",
     "murmur measure runs/trace-0-1 show=patching"},
    {"parts", "what changes when one part of a traced transformer is left out",
     "murmur measure runs/trace-0-1 show=parts"},
    {"phase", "places of a traced transformer's layers on the phase diagram",
     "murmur measure runs/trace-0-1 show=phase"},
    {"spectrum", "eigenvalues of O V of one head of a traced transformer",
     "murmur measure runs/trace-0-1 show=spectrum"},
};

std::vector<std::string> shows() {
  std::vector<std::string> names;
  for (const ParameterValue& show : kShows) names.emplace_back(show.name);
  return names;
}

const Row* find(const std::string& name) {
  for (const Row& row : table())
    if (name == row.parameter.name) return &row;
  return nullptr;
}

bool is_parameter(const std::string& name) {
  const auto all = parameters();
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return name == p.name; });
}

void check_show(const std::string& asked) {
  const std::vector<std::string> known = shows();
  if (std::find(known.begin(), known.end(), asked) != known.end()) return;
  const std::string near = did_you_mean(asked, known);
  throw Error(Fault::input, fmt::format("measure cannot show '{}'", asked), "show=" + asked,
              near.empty() ? fmt::format("use one of {}", fmt::join(known, ", "))
                           : fmt::format("did you mean show={}?", near));
}

// A word that is neither a parameter nor measure's, but close to one of measure's.
void check_near_miss(const std::string& name, const std::string& word) {
  std::vector<std::string> known{"show"};
  for (const Row& row : table()) known.emplace_back(row.parameter.name);
  for (const Parameter& p : parameters()) known.emplace_back(p.name);
  const std::string near = did_you_mean(name, known);
  if (near == "show" || find(near) != nullptr)
    throw Error(Fault::input, fmt::format("measure has no word {}", name), word,
                fmt::format("did you mean {}?", near));
}

}  // namespace

ShowWords ShowWords::take(std::vector<std::string>& assignments) {
  ShowWords words;
  std::vector<std::string> rest;
  for (const std::string& word : assignments) {
    const std::string name = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (name == "show") {
      check_show(value);
      words.show_ = value;
    } else if (find(name) != nullptr) {
      words.text_[name] = value;
    } else {
      if (!is_parameter(name)) check_near_miss(name, word);
      rest.push_back(word);
    }
  }
  for (const auto& [name, value] : words.text_) {
    const std::vector<std::string>& users = find(name)->used_by;
    if (words.show_.empty())
      throw Error(Fault::input, fmt::format("{} belongs to something measure shows", name),
                  fmt::format("{}={}", name, value), fmt::format("add show={}", users[0]));
    if (std::find(users.begin(), users.end(), words.show_) == users.end())
      throw Error(Fault::input, fmt::format("show={} does not use {}", words.show_, name),
                  fmt::format("{}={}", name, value),
                  fmt::format("leave it out, or ask for show={}", fmt::join(users, " or ")));
  }
  assignments = std::move(rest);
  return words;
}

std::string ShowWords::text(const std::string& word) const {
  return given(word) ? text_.at(word) : find(word)->parameter.initial;
}

void ShowWords::refuse(const std::string& word, const std::string& reason,
                       const std::string& remedy) const {
  throw Error(Fault::input, fmt::format("{} = {}: {}", word, text(word), reason),
              fmt::format("{}={}", word, text(word)), remedy);
}

double ShowWords::number(const std::string& word) const {
  const std::string value = text(word);
  char* end = nullptr;
  const double parsed = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !std::isfinite(parsed))
    refuse(word, "not a finite number", fmt::format("write a number, e.g. {}=0.5", word));
  return parsed;
}

int ShowWords::whole(const std::string& word) const {
  const double value = number(word);
  if (value != std::floor(value) || std::abs(value) > 1e9)
    refuse(word, "not a whole number", fmt::format("write a whole number, e.g. {}=8", word));
  return static_cast<int>(value);
}

std::string show_examples() {
  return "  murmur measure runs/flock-0-1 cluster_tol=1e-2\n"
         "  murmur measure hidden.npy habitat=space --json\n"
         "  murmur measure runs/flock-0-1 show=histogram bins=20 frame=0\n"
         "  murmur measure runs/circle-0-1 show=modes modes=1-8\n"
         "  murmur measure runs/circle-0-1 show=distance to=runs/circle-1-1 frame=all\n"
         "  murmur measure runs/flock-0-1 show=next-word vocabulary=words.csv kappa=16";
}

std::vector<Parameter> show_parameters() {
  static const std::string names = fmt::format("{}", fmt::join(shows(), ", "));
  std::vector<Parameter> all = {{P::word, "show", "none", names.c_str(),
                                 "what is computed instead of the row of observables", "", "",
                                 kShows}};
  for (const Row& row : table()) all.push_back(row.parameter);
  return all;
}

std::vector<Parameter> next_word_parameters() {
  std::vector<Parameter> all;
  for (const std::string& key : NextWordRequest::keys()) all.push_back(find(key)->parameter);
  return all;
}

}  // namespace murmur::app
