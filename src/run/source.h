// source.h: the input of a parser: a file or memory, of which only the requested bytes are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/error.h"
#include "murmur/matrix.h"
#include "run/file.h"

namespace murmur {

struct Source {
  std::string where{};  // its name in errors
  std::uint64_t size = 0;
  std::function<void(std::uint64_t at, std::span<std::byte> to)> read{};  // within size

  std::string text(std::uint64_t at, std::size_t length) const;
  Error wrong(std::uint64_t at, std::string_view what, std::string_view remedy) const;
};

Source source_of(std::span<const std::byte> bytes, const std::string& where);
Source source_of(const File& file);  // the file must outlive the source

// Types of values in files; half precision becomes float in memory.
enum class Element { f64, f32, f16, bf16, i64, i32, u8 };
std::size_t bytes_of(Element element);
Element element_of(const Array& array);

// Returns the number of bytes of an array of this shape, or nothing if it overflows.
std::optional<std::uint64_t> bytes_of(Element element, const std::vector<std::size_t>& shape);

using Values = decltype(Array::values);
// Requires that the source holds them: check its size first.
Values read_values(const Source& source, std::uint64_t at, Element element, std::size_t count);
std::span<const std::byte> bytes_of(const Array& array);

}  // namespace murmur
