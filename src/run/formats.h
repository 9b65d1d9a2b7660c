// formats.h: reads and writes npy, safetensors and tables of observables.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/matrix.h"

namespace murmur {

// npy versions 1-3, little endian, C or Fortran order, types f4 f8 i4 i8 u1 (b1 as u1); anything
// else is Error(input). Never allocates more than the file's own size.
Array read_npy(const std::filesystem::path& path);
Array parse_npy(std::span<const std::byte> bytes, const std::string& where);
void write_npy(const std::filesystem::path& path,
               const Array& array);  // temporary file, sync, rename

// safetensors: F64 F32 F16 BF16 I64 I32 U8; half-precision values are returned as float. The text
// of "__metadata__" is separate.
struct Safetensors {
  Record tensors{};
  std::map<std::string, std::string> metadata{};
};
Safetensors read_safetensors(const std::filesystem::path& path);
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& where);
void write_safetensors(const std::filesystem::path& path, const Safetensors& content);

// observables.csv: the names after t, and the rows up to the first incomplete one. An empty cell is
// NaN.
struct ObservableRows {
  std::vector<std::string> columns{};
  std::vector<std::vector<double>> rows{};  // each with one value per column
};
ObservableRows parse_observables(const std::string& text, std::size_t max_rows);

// Replaces a file completely or not at all: writes a temporary file next to it, syncs, renames, and
// syncs the directory.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

std::string sha256_of_file(const std::filesystem::path& path);  // lower-case hex

}  // namespace murmur
