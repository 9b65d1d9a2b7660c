// source.cpp: bytes of a file or of memory turned into values, little endian as on the machine.
#include "run/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "core/checked.h"

namespace murmur {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read without swapping bytes");

// Copies, since the library of the wasm compiler lacks std::bit_cast.
float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// IEEE binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 1023u;
  if (exponent == 0) {
    const float tiny = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -tiny : tiny;
  }
  const std::uint32_t widened = exponent == 31 ? 255u : exponent + 112u;
  return float_of(sign | widened << 23 | fraction << 13);
}

// bfloat16: the upper half of a float.
float from_brain_half(std::uint16_t half) {
  return float_of(static_cast<std::uint32_t>(half) << 16);
}

template <class T>
std::vector<T> read_plain(const Source& source, std::uint64_t at, std::size_t count) {
  std::vector<T> values(count);
  source.read(at, std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<float> read_halves(const Source& source, std::uint64_t at, std::size_t count,
                               float (*widen)(std::uint16_t)) {
  std::vector<float> values(count);
  std::array<std::uint16_t, 4096> part;
  for (std::size_t done = 0; done < count;) {
    const std::size_t taken = std::min(part.size(), count - done);
    source.read(at + 2 * done, std::as_writable_bytes(std::span(part.data(), taken)));
    std::transform(part.begin(), part.begin() + taken, values.begin() + done, widen);
    done += taken;
  }
  return values;
}

}  // namespace

std::string Source::text(std::uint64_t at, std::size_t length) const {
  std::string bytes(length, '\0');
  read(at, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

Error Source::wrong(std::uint64_t at, std::string_view what, std::string_view remedy) const {
  return Error(Fault::input, std::string(what), fmt::format("{}: byte {}", where, at),
               std::string(remedy));
}

Source source_of(std::span<const std::byte> bytes, const std::string& where) {
  return {where, bytes.size(), [bytes](std::uint64_t at, std::span<std::byte> to) {
            assert(at <= bytes.size() && to.size() <= bytes.size() - at);
            if (!to.empty()) std::memcpy(to.data(), bytes.data() + at, to.size());
          }};
}

Source source_of(const File& file) {
  return {file.path().string(), file.size(),
          [&file](std::uint64_t at, std::span<std::byte> to) { file.read_at(at, to); }};
}

std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::f64:
    case Element::i64:
      return 8;
    case Element::f32:
    case Element::i32:
      return 4;
    case Element::f16:
    case Element::bf16:
      return 2;
    case Element::u8:
      return 1;
  }
  return 0;
}

Element element_of(const Array& array) {
  constexpr std::array elements{Element::f64, Element::f32, Element::i64, Element::i32,
                                Element::u8};
  static_assert(elements.size() == std::variant_size_v<Values>);
  return elements[array.values.index()];
}

std::optional<std::uint64_t> bytes_of(Element element, const std::vector<std::size_t>& shape) {
  const std::optional<std::uint64_t> count = product_of(shape);
  return count ? product_of({*count, bytes_of(element)}) : std::nullopt;
}

Values read_values(const Source& source, std::uint64_t at, Element element, std::size_t count) {
  switch (element) {
    case Element::f64:
      return read_plain<double>(source, at, count);
    case Element::f32:
      return read_plain<float>(source, at, count);
    case Element::i64:
      return read_plain<std::int64_t>(source, at, count);
    case Element::i32:
      return read_plain<std::int32_t>(source, at, count);
    case Element::u8:
      return read_plain<std::uint8_t>(source, at, count);
    case Element::f16:
      return read_halves(source, at, count, from_half);
    case Element::bf16:
      return read_halves(source, at, count, from_brain_half);
  }
  return {};
}

std::span<const std::byte> bytes_of(const Array& array) {
  return std::visit([](const auto& v) { return std::as_bytes(std::span(v)); }, array.values);
}

}  // namespace murmur
