// rows.h: one row a parameter: what help says of it, and how it is read into and written from a
// spec.
#pragma once

#include <span>
#include <string>
#include <type_traits>

#include "experiment/values.h"
#include "murmur/experiment.h"

namespace murmur {

template <class Spec>
struct Row {
  Parameter parameter;
  bool of_dynamics;  // whether it says something of DynamicsSpec
  void (*read)(const Settings& words, const std::string& key, Spec& to);
  // Takes a number that is known already; none for parameters that are no number.
  void (*accept)(const Settings& words, const std::string& key, double value, Spec& to);
  std::string (*write)(const Spec& from);
  bool (*same)(const Spec& a, const Spec& b);
};

// The field at the end of a path of members: &Spec::dynamics, &DynamicsSpec::beta.
template <auto... path>
constexpr auto& field_of(auto& spec) {
  return (spec.*....*path);
}

template <class Codec, class Spec, auto... path>
constexpr auto acceptor() -> decltype(Row<Spec>::accept) {
  if constexpr (requires(const Settings& words, const std::string& key, Spec& to) {
                  Codec::accept(words, key, 0.0, field_of<path...>(to));
                })
    return [](const Settings& words, const std::string& key, double value, Spec& to) {
      Codec::accept(words, key, value, field_of<path...>(to));
    };
  return nullptr;
}

// A row by its codec (values.h) and the path to its field.
template <class Spec, class Codec, auto... path>
constexpr Row<Spec> row(const Parameter& parameter) {
  return {.parameter = parameter,
          .of_dynamics = (std::is_same_v<decltype(path), DynamicsSpec Spec::*> || ...),
          .read = [](const Settings& words, const std::string& key,
                     Spec& to) { Codec::read(words, key, field_of<path...>(to)); },
          .accept = acceptor<Codec, Spec, path...>(),
          .write = [](const Spec& from) { return Codec::write(field_of<path...>(from)); },
          .same = [](const Spec& a,
                     const Spec& b) { return field_of<path...>(a) == field_of<path...>(b); }};
}

std::span<const Row<ExperimentSpec>> experiment_rows();
const Row<ExperimentSpec>& experiment_row(const std::string& name);  // of a known parameter

// The forces among the words of any command; parameters that it does not have keep their defaults.
DynamicsSpec dynamics_spec_of(const Settings& words);

}  // namespace murmur
