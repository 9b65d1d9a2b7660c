// header_json.h: walks JSON text in one pass, building nothing: memory is the caller's choice.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "run/source.h"

namespace murmur {

// A cursor over the header of a safetensors file. The caller says what must come next, so depth is
// bounded by the caller's own; anything else is Error(input) with the byte of the file.
class HeaderJson {
 public:
  HeaderJson(const Source& source, std::uint64_t start, std::uint64_t end);

  // Calls value(key) with the cursor before each value; the callee must take it.
  template <std::invocable<std::string> Value>
  void object(Value&& value) {
    expect('{');
    if (accept('}')) return;
    do {
      std::string key = string();
      expect(':');
      value(std::move(key));
    } while (accept(','));
    expect('}');
  }

  // Calls value() with the cursor before each value; the callee must take it.
  template <std::invocable Value>
  void array(Value&& value) {
    expect('[');
    if (accept(']')) return;
    do value();
    while (accept(','));
    expect(']');
  }

  std::string string();          // valid UTF-8, escapes resolved
  std::uint64_t whole_number();  // no sign, fraction, exponent or leading zero
  void finish();                 // only white space may follow

  [[noreturn]] void fail(std::string_view what, std::string_view remedy) const;

 private:
  int byte(std::size_t ahead = 0);  // at the cursor or a little further; -1 behind the end
  bool accept(char c);
  void expect(char c);
  void skip_space();
  void escape(std::string& out);  // after the backslash
  std::uint32_t four_hex_digits();
  void raw_character(std::string& out);  // one UTF-8 sequence

  const Source& source_;
  std::uint64_t at_, end_;
  std::uint64_t window_at_ = 0;  // where in the file the window lies
  std::string window_{};
};

}  // namespace murmur
