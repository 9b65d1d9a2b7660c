// header_json.cpp: the few forms of JSON a safetensors header is made of, read strictly.
#include "run/header_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace murmur {
namespace {

constexpr std::uint64_t window_size = 4096;
constexpr std::string_view rewrite = "download or write the file again";

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(lead[more] | point >> 6 * more);
  for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | (point >> 6 * k & 0x3F));
}

}  // namespace

HeaderJson::HeaderJson(const Source& source, std::uint64_t start, std::uint64_t end)
    : source_(source), at_(start), end_(end) {}

void HeaderJson::fail(std::string_view what, std::string_view remedy) const {
  throw source_.wrong(at_, what, remedy);
}

int HeaderJson::byte(std::size_t ahead) {
  const std::uint64_t wanted = at_ + ahead;
  if (wanted >= end_) return -1;
  if (wanted >= window_at_ + window_.size()) {
    window_at_ = at_;
    window_ = source_.text(at_, std::min<std::uint64_t>(window_size, end_ - at_));
  }
  return static_cast<unsigned char>(window_[wanted - window_at_]);
}

void HeaderJson::skip_space() {
  while (byte() == ' ' || byte() == '\t' || byte() == '\r' || byte() == '\n') ++at_;
}

bool HeaderJson::accept(char c) {
  skip_space();
  const bool found = byte() == c;
  at_ += found;
  return found;
}

void HeaderJson::expect(char c) {
  if (!accept(c)) fail(fmt::format("the safetensors header lacks a '{}' here", c), rewrite);
}

void HeaderJson::finish() {
  skip_space();
  if (at_ < end_) fail("the safetensors header goes on after its object", rewrite);
}

std::uint64_t HeaderJson::whole_number() {
  skip_space();
  const auto digit = [this] { return byte() >= '0' && byte() <= '9'; };
  if (!digit()) fail("the safetensors header lacks a whole number here", rewrite);
  if (byte() == '0' && byte(1) >= '0' && byte(1) <= '9') fail("a number begins with 0", rewrite);
  std::uint64_t value = 0;
  for (; digit(); ++at_) {
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(byte() - '0'), &value))
      fail("a number is too large for any file", rewrite);
  }
  return value;
}

std::string HeaderJson::string() {
  expect('"');
  std::string out;
  while (byte() != '"') {
    if (byte() == '\\') {
      ++at_;
      escape(out);
    } else {
      raw_character(out);
    }
  }
  ++at_;
  return out;
}

void HeaderJson::escape(std::string& out) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  if (byte() > 0 && letters.find(static_cast<char>(byte())) != std::string_view::npos) {
    out += meanings[letters.find(static_cast<char>(byte()))];
    ++at_;
    return;
  }
  if (byte() != 'u') fail("a text holds an unknown escape", rewrite);
  ++at_;
  std::uint32_t point = four_hex_digits();
  if (point >= 0xD800 && point < 0xDC00) {  // the first of a surrogate pair
    if (byte() != '\\' || byte(1) != 'u') fail("a text holds half a character", rewrite);
    at_ += 2;
    const std::uint32_t low = four_hex_digits();
    if (low < 0xDC00 || low > 0xDFFF) fail("a text holds half a character", rewrite);
    point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
  } else if (point >= 0xDC00 && point <= 0xDFFF) {
    fail("a text holds half a character", rewrite);
  }
  append_utf8(out, point);
}

std::uint32_t HeaderJson::four_hex_digits() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint32_t value = 0;
  for (int k = 0; k < 4; ++k, ++at_) {
    const int c = byte() >= 'A' && byte() <= 'F' ? byte() + ('a' - 'A') : byte();
    const std::size_t digit = c > 0 ? digits.find(static_cast<char>(c)) : std::string_view::npos;
    if (digit == std::string_view::npos) fail("a text holds an unknown escape", rewrite);
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

void HeaderJson::raw_character(std::string& out) {
  const int lead = byte();
  if (lead < 0) fail("a text of the safetensors header does not end", rewrite);
  if (lead < 0x20) fail("a text holds a control character", rewrite);
  int more = 0;  // bytes after the lead
  if (lead >= 0x80) more = lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : -1;
  if (more < 0) fail("a text is not UTF-8", rewrite);
  std::uint32_t point = static_cast<std::uint32_t>(more == 0 ? lead : lead & (0x3F >> more));
  for (int k = 1; k <= more; ++k) {
    const int next = byte(static_cast<std::size_t>(k));
    if (next < 0 || next >> 6 != 2) fail("a text is not UTF-8", rewrite);
    point = point << 6 | static_cast<std::uint32_t>(next & 0x3F);
  }
  // Overlong forms, surrogates and points beyond Unicode are not UTF-8.
  constexpr std::uint32_t min[] = {0, 0x80, 0x800, 0x10000};
  if (point < min[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
    fail("a text is not UTF-8", rewrite);
  append_utf8(out, point);
  at_ += static_cast<std::size_t>(more) + 1;
}

}  // namespace murmur
