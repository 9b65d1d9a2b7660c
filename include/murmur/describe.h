// describe.h: the form in which a struct lists its fields once, for files, tables and help.
#pragma once

#include <limits>
#include <string_view>

namespace murmur {

// The number that null in JSON and an empty cell in CSV stand for.
enum class Null { refused, nan, infinity, zero };

// How a text, or a number that may be missing, is written as the value of a parameter.
enum class Form {
  by_type,
  run_name,  // a text that can be part of the name of a directory
  engine,    // the name of an engine
  pictures,  // the name of a set of pictures, or a folder
  time,      // a number that is checked with the other times
};

// What is known about a field of a described struct besides its type, key and meaning.
struct FieldRules {
  static constexpr double kMost = std::numeric_limits<double>::max();

  // Of parameters of commands.
  std::string_view values = "";    // the values as text; empty: as type and range say
  std::string_view initial = "";   // the default as text; empty: the value in a new struct
  std::string_view equation = "";  // the formula that the parameter belongs to
  std::string_view unit = "";
  // Numbers outside this range are refused, and `least` too if `above`. For a parameter with names
  // `greatest` is the last one that it takes.
  double least = -kMost;
  bool above = false;
  double greatest = kMost;
  std::string_view empty = "";  // the value of a parameter whose field is empty
  std::string_view zero = "";   // the value of a parameter whose field is 0
  Form form = Form::by_type;
  // Of fields in files.
  Null null = Null::refused;
  bool optional = false;  // files of earlier versions may lack the field

  constexpr bool has_least() const { return least > -kMost; }
  constexpr bool has_greatest() const { return greatest < kMost; }
};

// One field of a described struct.
struct FieldInfo : FieldRules {
  std::string_view key = "";      // in JSON, TOML and key=value; the column in CSV
  std::string_view meaning = "";  // one line
};

// A struct S is described by one function next to it,
//   template <class Visitor> void describe(Visitor& v, FieldsOf<S>)
// which calls, field by field,
//   v(&S::member, key, meaning, {...})             a value; a function S& -> member& serves as well
//   v(&S::part, &Part::member, key, meaning)       a value within a struct
//   v.choice(&S::member, last, key, meaning)       an enumeration from 0 to `last` with name_of
//   v.part(&S::member)                             a described struct, whose keys join those of S
//   v.list(&S::member, key, meaning)               a vector of described structs; absent when empty
//   v.derived(function, key, meaning)              computed from S: written, never read
//   v.computed(get, set, key, meaning)             a value that S stores in another form
// each with rules at the end where there are some. A value is a number, a flag, a text, a described
// struct, or a vector, map, pair or optional of these. An empty optional is null, and absent if the
// field is `optional`.
template <class S>
struct FieldsOf {};

// The calls above, for a visitor with the functions on_value, on_choice, on_derived, on_computed
// and on_list that take a FieldInfo.
template <class Visitor>
class FieldVisitor {
 public:
  template <class Field>
  void operator()(const Field& field, const char* key, const char* meaning,
                  const FieldRules& rules = {}) {
    self().on_value(field, {rules, key, meaning});
  }
  template <class S, class Part, class Field>
  void operator()(Part S::*part, Field Part::*field, const char* key, const char* meaning,
                  const FieldRules& rules = {}) {
    self().on_value([=](auto& s) -> auto& { return s.*part.*field; }, {rules, key, meaning});
  }
  template <class Field, class Enum>
  void choice(const Field& field, Enum last, const char* key, const char* meaning,
              const FieldRules& rules = {}) {
    self().on_choice(field, last, {rules, key, meaning});
  }
  template <class Function>
  void derived(const Function& function, const char* key, const char* meaning,
               const FieldRules& rules = {}) {
    self().on_derived(function, {rules, key, meaning});
  }
  template <class Get, class Set>
  void computed(const Get& get, const Set& set, const char* key, const char* meaning,
                const FieldRules& rules = {}) {
    self().on_computed(get, set, {rules, key, meaning});
  }
  template <class Field>
  void list(const Field& field, const char* key, const char* meaning,
            const FieldRules& rules = {}) {
    self().on_list(field, {rules, key, meaning});
  }

 private:
  Visitor& self() { return static_cast<Visitor&>(*this); }
};

}  // namespace murmur
