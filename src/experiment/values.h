// values.h: codecs: how the value of a parameter is read out of its word, and written as one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiment/words.h"
#include "murmur/experiment.h"

namespace murmur::codec {

// Each codec has `read`, which refuses a word that is no value, and `write`, whose word reads back
// as the same value. `check` refuses a typed value that no word could have said.

struct Real {
  static void read(const Settings& words, const std::string& key, double& to) {
    accept(words, key, number(words, key), to);
  }
  // A number that is known already; `words` are quoted where it is refused.
  static void accept(const Settings&, const std::string&, double value, double& to) { to = value; }
  static std::string write(double value) { return fmt::format("{}", value); }
};

struct Positive : Real {
  static void read(const Settings& words, const std::string& key, double& to) {
    accept(words, key, number(words, key), to);
  }
  static void accept(const Settings& words, const std::string& key, double value, double& to) {
    check(words, key, value);
    to = value;
  }
  static void check(const Settings& words, const std::string& key, double value) {
    check_positive(words, key, value);
  }
};

template <std::int64_t min, std::int64_t max>
struct Whole {
  template <class Integer>
  static void read(const Settings& words, const std::string& key, Integer& to) {
    to = static_cast<Integer>(whole(words, key, min, max));
  }
  template <class Integer>
  static void accept(const Settings& words, const std::string& key, double value, Integer& to) {
    check(words, key, value);
    to = static_cast<Integer>(value);
  }
  template <class Number>
  static void check(const Settings& words, const std::string& key, Number value) {
    check_whole(words, key, static_cast<double>(value), {min, max});
  }
  template <class Integer>
  static std::string write(Integer value) {
    return fmt::format("{}", value);
  }
};

struct Flag {
  static void read(const Settings& words, const std::string& key, bool& to) {
    to = flag(words, key);
  }
  static std::string write(bool value) { return value ? "true" : "false"; }
};

struct RunName {
  static void read(const Settings& words, const std::string&, std::string& to) {
    to = run_name(words);
  }
  static void check(const Settings& words, const std::string&, const std::string&) {
    run_name(words);
  }
  static std::string write(const std::string& value) { return value; }
};

struct Text {
  static void read(const Settings& words, const std::string& key, std::string& to) {
    to = setting(words, key).text;
  }
  static std::string write(const std::string& value) { return value; }
};

// The values of `dynamics`, in the order of Interaction.
std::span<const ParameterValue> interactions();

// The words of an enumeration, in its order.
template <class Enum>
const std::vector<std::string>& names_of();

struct Named {
  template <class Enum>
  static void read(const Settings& words, const std::string& key, Enum& to) {
    to = static_cast<Enum>(choice(words, key, names_of<Enum>()));
  }
  template <class Enum>
  static std::string write(Enum value) {
    return names_of<Enum>().at(static_cast<std::size_t>(value));
  }
};

struct MethodName {  // a row of the table of methods
  static void read(const Settings& words, const std::string&, Method& to) { to = method_of(words); }
  static std::string write(Method value) { return row_of(value).name; }
};

// A value that is left to the experiment unless somebody gave one.
template <class Codec>
struct Given {
  template <class Value>
  static void read(const Settings& words, const std::string& key, std::optional<Value>& to) {
    Value value{};
    Codec::read(words, key, value);
    to = is_given(words, key) ? std::optional(std::move(value)) : std::nullopt;
  }
  template <class Value>
  static void accept(const Settings& words, const std::string& key, double number,
                     std::optional<Value>& to) requires requires(Value value) {
    Codec::accept(words, key, number, value);
  }
  { Codec::accept(words, key, number, to.emplace()); }
  template <class Value>
  static std::string write(const std::optional<Value>& value) {
    return value ? Codec::write(*value) : std::string{};
  }
};

// `automatic` unless somebody gave a manifold.
struct GivenManifold {
  static void read(const Settings& words, const std::string& key, ManifoldChoice& to);
  static std::string write(ManifoldChoice value);
};

// A file, or the word that stands for none.
struct EqualOrFile {
  static void read(const Settings& words, const std::string& key,
                   std::optional<std::filesystem::path>& to);
  static std::string write(const std::optional<std::filesystem::path>& value);
};
struct NoneOrFile {
  static void read(const Settings& words, const std::string& key,
                   std::optional<std::filesystem::path>& to);
  static std::string write(const std::optional<std::filesystem::path>& value);
};

struct Threads {  // all is 0
  static void read(const Settings& words, const std::string& key, int& to);
  static void check(const Settings& words, const std::string& key, int value) {
    if (value != 0) check_whole(words, key, value, {1, 4096});
  }
  static std::string write(int value);
};

struct EngineName {
  static void read(const Settings& words, const std::string& key, std::string& to);
  static std::string write(const std::string& value) { return value; }
};

struct NamedMatrix {
  static void read(const Settings& words, const std::string& key, MatrixChoice& to);
  static std::string write(const MatrixChoice& value);
};

struct NamedPerceptron {
  static void read(const Settings& words, const std::string& key, PerceptronChoice& to);
  static std::string write(const PerceptronChoice& value);
};

struct Normalisation {
  static void read(const Settings& words, const std::string& key, NormalisationChoice& to);
  static std::string write(const NormalisationChoice& value);
};

struct Gains {  // g,g,... or none
  static void read(const Settings& words, const std::string& key, Vector& to);
  static std::string write(const Vector& value);
};

struct Until {  // T, or a time; NaN where the word is no number
  static void read(const Settings& words, const std::string& key, std::optional<double>& to);
  static std::string write(const std::optional<double>& value);
};

struct InitialWord {
  static void read(const Settings& words, const std::string& key, Initial& to);
  static std::string write(const Initial& value);
};

struct Save {
  static void read(const Settings& words, const std::string& key, SaveChoice& to);
  static std::string write(const SaveChoice& value);
};

}  // namespace murmur::codec
