// npy.h: the header of an npy file, and npy files that grow by whole rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/file.h"
#include "run/source.h"

namespace murmur {

struct NpyHeader {
  Element element = Element::f64;
  bool fortran_order = false;
  std::vector<std::size_t> shape{};
  std::uint64_t data_offset = 0;
};

// Reads only the header; the caller checks whether the data is complete.
NpyHeader read_npy_header(const Source& source);

// Returns the whole header; `axes` is the text inside the tuple of the shape. Data begins at a
// multiple of 64.
std::string npy_header_text(Element element, std::string_view axes);

// While it exists, read_npy reads the array from memory by `path`, which names no file. Programs
// that embed the commands pass arrays to them in this way.
class ArrayInMemory {
 public:
  ArrayInMemory(const std::string& name, Array array);
  ~ArrayInMemory();
  ArrayInMemory(const ArrayInMemory&) = delete;
  ArrayInMemory& operator=(const ArrayInMemory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// An npy file of shape (rows, ...) whose header counts only complete rows. At any instant, also
// after a crash, a reader finds a file that numpy opens.
class GrowingNpy {
 public:
  // `row` is the shape of one row. The new file has no rows.
  static GrowingNpy create(const std::filesystem::path& path, Element element,
                           const std::vector<std::size_t>& row);
  static GrowingNpy open(const std::filesystem::path& path);  // Error(input) unless made by create

  static constexpr std::size_t kHeaderSize = 128;  // independent of the count, which has 20 columns

  GrowingNpy() = default;
  Element element() const { return element_; }
  const std::vector<std::size_t>& row() const { return row_; }

  void put(std::int64_t index,
           std::span<const std::byte> bytes);  // the header does not count it yet
  // Writes a part of a row, from `at` bytes after its start.
  void put_part(std::int64_t index, std::uint64_t at, std::span<const std::byte> bytes);
  void count(std::int64_t rows);  // writes the count into the header
  void cut(std::int64_t rows);    // cuts the file to so many rows; Error(input) if it holds fewer
  void check_length(std::int64_t rows) const;  // Error(input) if the file holds fewer
  void sync() { file_.sync(); }
  const File& file() const { return file_; }
  std::uint64_t end_of(std::int64_t rows) const {
    return place(rows);
  }  // byte offset after these rows

 private:
  GrowingNpy(File file, Element element, const std::vector<std::size_t>& row);
  std::string header(std::int64_t rows) const;
  std::uint64_t place(std::int64_t index) const;  // byte offset of a row

  File file_{};
  Element element_ = Element::f64;
  std::vector<std::size_t> row_{};
  std::uint64_t row_bytes_ = 0;
};

}  // namespace murmur
