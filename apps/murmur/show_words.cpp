// show_words.cpp: reads the words of murmur measure that are no parameters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "murmur/error.h"
#include "show.h"

namespace murmur::app {

namespace {

struct Row {
  const char* name;
  const char* initial;               // empty: depends on the run
  std::vector<std::string> used_by;  // shows
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"frame",
       "",
       {"histogram", "modes", "attention", "centres", "density-modes", "metastability", "distance",
        "next-word"}},
      {"bins", "50", {"histogram"}},
      {"modes", "1-8", {"modes", "growth"}},
      {"head", "0", {"attention", "spectrum"}},
      {"block", "last", {"attention", "spectrum"}},
      {"text", "0", {"attention"}},
      {"share", "0.5", {"attention", "clustering", "atoms", "next-word"}},
      {"rank_tol", "1e-6", {"attention"}},
      {"delta", "", {"centres", "clustering"}},
      {"axis", "0", {"density-modes"}},
      {"column", "energy_scaled", {"plateaus", "growth"}},
      {"time", "linear", {"plateaus"}},
      {"slope", "0.1", {"plateaus"}},
      {"length", "0.03", {"plateaus"}},
      {"low", "", {"growth"}},
      {"high", "", {"growth"}},
      {"rate", "1", {"metastability"}},
      {"vocabulary", "12", {"next-word"}},
      {"words", "", {"next-word"}},
      {"kappa", "16", {"next-word"}},
      {"token", "last", {"next-word"}},
      {"to", "", {"distance"}},
      {"distance", "w2", {"distance"}},
      {"slices", "256", {"distance"}},
      {"epsilon", "0.01", {"distance"}},
  };
  return rows;
}

const std::vector<std::string> shows{
    "histogram", "modes",     "attention",  "centres", "density-modes", "genealogy",
    "plateaus",  "growth",    "clustering", "atoms",   "metastability", "distance",
    "counts",    "next-word", "heads",      "layers",  "twin",          "lens",
    "patching",  "parts",     "phase",      "spectrum"};

const Row* find(const std::string& name) {
  for (const Row& row : table())
    if (name == row.name) return &row;
  return nullptr;
}

bool is_parameter(const std::string& name) {
  const auto all = parameters();
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return name == p.name; });
}

void check_show(const std::string& asked) {
  if (std::find(shows.begin(), shows.end(), asked) != shows.end()) return;
  const std::string near = did_you_mean(asked, shows);
  throw Error(Fault::input, fmt::format("measure cannot show '{}'", asked), "show=" + asked,
              near.empty() ? fmt::format("use one of {}", fmt::join(shows, ", "))
                           : fmt::format("did you mean show={}?", near));
}

// A word that is neither a parameter nor measure's, but close to one of measure's.
void check_near_miss(const std::string& name, const std::string& word) {
  std::vector<std::string> known{"show"};
  for (const Row& row : table()) known.emplace_back(row.name);
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
  return given(word) ? text_.at(word) : find(word)->initial;
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
  return fmt::format(
      "  murmur measure runs/flock-0-1 cluster_tol=1e-2\n"
      "  murmur measure hidden.npy habitat=space --json\n"
      "  murmur measure runs/flock-0-1 show=histogram bins=20 frame=0\n"
      "  murmur measure runs/circle-0-1 show=modes modes=1-8\n"
      "  murmur measure runs/circle-0-1 show=distance to=runs/circle-1-1 frame=all\n"
      "  murmur measure runs/flock-0-1 show=next-word vocabulary=words.csv kappa=16\n"
      "show is one of {}",
      fmt::join(shows, ", "));
}

}  // namespace murmur::app
