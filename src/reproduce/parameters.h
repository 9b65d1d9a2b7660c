// parameters.h: the parameters of each reproduction, and their values for one call.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

struct Rule;

// One parameter of a figure. This description is the only one: it parses key=value, and help,
// completion and docs/reproduce.md are written from it.
struct FigureParameter {
  enum Kind {
    number,
    whole,
    numbers,     // separated by commas, or FROM:TO:POINTS
    wholes,      // the same
    experiment,  // a parameter of the preset, read as `murmur simulate` reads it
  };
  std::string name{};
  Kind kind = number;
  std::string initial{};  // the default, as text
  std::string quick{};    // the default of --quick; empty: the same
  std::string meaning{};
  // The rules of the figure that do not depend on this parameter, without the name of the figure
  // and separated by spaces; "*": all of them.
  std::string keeps{};
  double low = -std::numeric_limits<double>::infinity();  // of the number, or of each in the list
  double high = std::numeric_limits<double>::infinity();
  std::string preset{};  // of the kind `experiment`: the preset that has the parameter
};

struct FigureDescription {
  std::string figure{};
  std::vector<FigureParameter> parameters{};
  std::string none{};  // why a figure has no parameter; else empty
};

// In the order of the table of reproductions. Figures that train have no row: they take the
// parameters of `murmur train`.
const std::vector<FigureDescription>& figure_descriptions();
// Empty for a figure that trains.
const std::vector<FigureParameter>& parameters_of(std::string_view figure);

std::string default_of(const FigureParameter& parameter, bool is_quick);
std::string takes(const FigureParameter& parameter);  // "1 or more", for help
// The parameters of its figure on which the rule depends.
std::vector<std::string> depends_on(const Rule& rule);

// The values of all parameters of one figure for one call.
class FigureValues {
 public:
  FigureValues() = default;
  // Error(input) for an assignment that the figure does not take, with the nearest name.
  FigureValues(const std::string& figure, bool is_quick,
               const std::vector<std::string>& assignments);

  double number(std::string_view name) const;
  int whole(std::string_view name) const;
  const std::vector<double>& numbers(std::string_view name) const;
  std::vector<int> wholes(std::string_view name) const;
  bool is_changed(std::string_view name) const;
  bool any_changed() const { return !changed_.empty(); }
  // The experiment of a preset, with the values of this call.
  ExperimentSpec spec(const std::string& preset) const;

 private:
  void set_value(const FigureParameter& parameter, const std::string& text,
                 const std::string& where);
  void require_ranges() const;

  std::map<std::string, std::vector<double>, std::less<>> values_{};
  std::vector<std::string> preset_assignments_{};  // key=value
  std::vector<std::string> changed_{};             // names
};

// "changed: beta=5 instead of 4": the label of a changed result; empty for an unchanged one.
std::string label_of_changes(const std::string& figure, bool is_quick,
                             const std::vector<std::string>& assignments);
// Names of the assignments on which the rule depends: "beta, n". Empty: it still applies.
std::string changes_against(const Rule& rule, const std::vector<std::string>& assignments);

}  // namespace murmur
