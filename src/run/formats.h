// formats.h: reads and writes the file formats of others: npy, safetensors.
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
void write_npy(const std::filesystem::path& path, const Array& array);  // beside, sync, rename

// safetensors: F64 F32 F16 BF16 I64 I32 U8; halves come back as float. Text of "__metadata__"
// apart.
struct Safetensors {
  Record tensors{};
  std::map<std::string, std::string> metadata{};
};
Safetensors read_safetensors(const std::filesystem::path& path);
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& where);
void write_safetensors(const std::filesystem::path& path, const Safetensors& content);

// observables.csv: the names after t, and their rows up to the first that is torn; a cell that is
// empty is NaN.
struct ObservableRows {
  std::vector<std::string> columns{};
  std::vector<std::vector<double>> rows{};  // each as long as columns
};
ObservableRows parse_observables(const std::string& text, std::size_t max_rows);

// Replaces a file whole or not at all: written beside, synced, renamed, directory synced.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

std::string sha256_of_file(const std::filesystem::path& path);  // lower-case hex

}  // namespace murmur
