// entries.h: every name that murmur explain answers, collected from where it is declared.
#pragma once

#include <string>
#include <vector>

namespace murmur::app {

// One meaning of a name. A text that does not apply is empty.
struct Entry {
  std::string name{}, kind{};  // beta, parameter; USA, value of dynamics; energy, observable
  std::string meaning{};
  std::string equation{};
  std::string type{}, unit{}, takes{}, initial{};  // of what it takes; `initial` is the default
  std::vector<std::string> values{};               // of a parameter: NAME: what it means
  std::vector<std::string> commands{};             // that take it
  std::string example{};                           // a command line
  std::string page{};                              // of docs/, without .md
};

// Parameters and their values, observables, presets, figures of reproduce, commands and flags, in
// this order.
std::vector<Entry> all_entries();

// The meanings of a name; where no name is written so, those of the name in other capitals.
std::vector<Entry> entries_of(const std::vector<Entry>& all, const std::string& name);

}  // namespace murmur::app
