// describe.h: the form in which a struct lists its fields once, for files, tables and help.
#pragma once

#include <limits>
#include <string_view>

namespace murmur {

// The number that null in JSON and an empty cell in CSV stand for.
enum class Null { refused, nan, infinity, zero };

// One field of a described struct.
struct FieldInfo {
  std::string_view key;                                // in JSON objects; the column in CSV
  std::string_view meaning;                            // one line
  double least = -std::numeric_limits<double>::max();  // numbers outside this range are refused
  double greatest = std::numeric_limits<double>::max();
  Null null = Null::refused;
  bool optional = false;  // files of earlier versions may lack it
};

// A struct S is described by one function next to it,
//   template <class Visitor> void describe(Visitor& v, FieldsOf<S>)
// which calls, field by field,
//   v(&S::member, {key, meaning, ...})             a value; a function S& -> member& serves as well
//   v.choice(&S::member, last, {key, meaning})     an enumeration from 0 to `last` with name_of
//   v.part(&S::member)                             a described struct, whose keys join those of S
//   v.list(&S::member, {key, meaning})             a vector of described structs; absent when empty
//   v.derived(function, {key, meaning})            computed from S: written, never read
//   v.computed(get, set, {key, meaning})           a value that S stores in another form
// A value is a number, a flag, a text, a described struct, or a vector, map, pair or optional of
// these. An empty optional is null, and absent if the field is `optional`.
template <class S>
struct FieldsOf {};

}  // namespace murmur
