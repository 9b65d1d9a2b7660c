// growing_npy.cpp: npy files that grow by whole rows: rows first, then the header that counts them.
#include <fmt/format.h>

#include <cassert>

#include "run/npy.h"
#include "run/text.h"

namespace murmur {

GrowingNpy::GrowingNpy(File file, Element element, const std::vector<std::size_t>& row)
    : file_(std::move(file)), element_(element), row_(row) {
  const auto bytes = bytes_of(element, row);
  if (!bytes || (element != Element::f32 && element != Element::f64) ||
      header(0).size() != kHeaderSize)
    throw Error(Fault::input, "this is not an array that a run can grow", file_.path().string(),
                "restore the file, or make the run again from its config.toml");
  row_bytes_ = *bytes;
}

GrowingNpy GrowingNpy::create(const std::filesystem::path& path, Element element,
                              const std::vector<std::size_t>& row) {
  GrowingNpy npy(File::creating(path), element, row);
  npy.count(0);
  return npy;
}

GrowingNpy GrowingNpy::open(const std::filesystem::path& path) {
  File file = File::writing(path);
  const Source source = source_of(file);
  const NpyHeader header = read_npy_header(source);
  if (header.data_offset != kHeaderSize || header.fortran_order || header.shape.empty())
    throw source.wrong(0, "this npy file was not written by a run",
                       "restore the file, or make the run again from its config.toml");
  return GrowingNpy(std::move(file), header.element,
                    {header.shape.begin() + 1, header.shape.end()});
}

std::string GrowingNpy::header(std::int64_t rows) const {
  return npy_header_text(
      element_, fmt::format("{:20},{}{}", rows, row_.empty() ? "" : " ", joined(row_, ", ")));
}

std::uint64_t GrowingNpy::place(std::int64_t index) const {
  return kHeaderSize + static_cast<std::uint64_t>(index) * row_bytes_;
}

void GrowingNpy::put(std::int64_t index, std::span<const std::byte> bytes) {
  assert(bytes.size() == row_bytes_);
  file_.write_at(place(index), bytes);
}

void GrowingNpy::put_part(std::int64_t index, std::uint64_t at, std::span<const std::byte> bytes) {
  assert(at + bytes.size() <= row_bytes_);
  file_.write_at(place(index) + at, bytes);
}

void GrowingNpy::count(std::int64_t rows) { file_.write_at(0, header(rows)); }

void GrowingNpy::check_length(std::int64_t rows) const {
  const std::uint64_t held = file_.size() - kHeaderSize;
  if (rows < 0 || (row_bytes_ > 0 && static_cast<std::uint64_t>(rows) > held / row_bytes_))
    throw Error(
        Fault::input,
        fmt::format("the file holds {} bytes of data, fewer than the last checkpoint says", held),
        file_.path().string(), "delete checkpoint.safetensors beside it to start again from t = 0");
}

void GrowingNpy::cut(std::int64_t rows) {
  check_length(rows);
  count(rows);
  file_.truncate(place(rows));
}

}  // namespace murmur
