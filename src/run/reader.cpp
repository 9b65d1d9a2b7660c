// reader.cpp: reads a run back, and exports its trajectory as npy, csv or extended XYZ.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "murmur/error.h"
#include "murmur/run.h"
#include "murmur/stop.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/kept_json.h"
#include "run/manifest.h"
#include "run/npy.h"
#include "run/text.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

// Returns the number of rows that the header counts and the file holds.
std::uint64_t whole_rows(const NpyHeader& header, std::uint64_t file_size) {
  const std::vector<std::size_t> row(header.shape.begin() + 1, header.shape.end());
  const std::uint64_t bytes = bytes_of(header.element, row).value_or(file_size + 1);
  const std::uint64_t counted = header.shape.front();
  return bytes == 0 ? counted : std::min(counted, (file_size - header.data_offset) / bytes);
}

NpyHeader header_of(const File& file, std::size_t axes) {
  const Source source = source_of(file);
  NpyHeader header = read_npy_header(source);
  const bool real = header.element == Element::f32 || header.element == Element::f64;
  const bool small = std::all_of(header.shape.begin(), header.shape.end(), [](std::size_t extent) {
    return extent <= std::numeric_limits<int>::max();
  });
  constexpr const char* kRemedy = "restore the file, or make the run again";
  if (header.shape.size() != axes || header.fortran_order || !real || !small)
    throw source.wrong(0, fmt::format("the array is not of {} axes of real numbers", axes),
                       kRemedy);
  // After a crash the file may hold fewer rows than the header counts. A row too large for any
  // machine was never written.
  if (!bytes_of(header.element, {header.shape.begin() + 1, header.shape.end()}))
    throw source.wrong(0, "the array claims more numbers than any file holds", kRemedy);
  return header;
}

// Returns the complete lines of a text; text after the last newline is still being written.
std::vector<std::string> whole_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0, end; (end = text.find('\n', start)) != std::string::npos;
       start = end + 1)
    lines.push_back(text.substr(start, end - start));
  return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

// Returns the numbers after t; empty if the line is not a row of `columns` numbers.
std::vector<double> row_of(const std::string& line, std::size_t columns) {
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() != columns + 1) return {};
  std::vector<double> row;
  for (std::size_t k = 1; k < cells.size(); ++k) {
    const std::string& cell = cells[k];
    double value = std::numeric_limits<double>::quiet_NaN();
    const char* end = cell.data() + cell.size();
    if (!cell.empty() && std::from_chars(cell.data(), end, value).ptr != end) return {};
    row.push_back(value);
  }
  return row;
}

}  // namespace

ObservableRows parse_observables(const std::string& text, std::size_t max_rows) {
  ObservableRows read;
  const auto lines = whole_lines(text);
  if (lines.empty()) return read;
  read.columns = cells_of(lines.front());
  read.columns.erase(read.columns.begin());
  for (std::size_t k = 1; k < lines.size() && read.rows.size() < max_rows; ++k) {
    std::vector<double> row = row_of(lines[k], read.columns.size());
    if (row.size() != read.columns.size())
      break;  // incomplete after a crash: this row and the rest are left out
    read.rows.push_back(std::move(row));
  }
  return read;
}

RunReader::RunReader(const fs::path& directory) : directory_(directory) {
  read_manifest(directory);
  const File trajectory = File::reading(directory / "trajectory.npy");
  const NpyHeader header = header_of(trajectory, 3);
  shape_ = {static_cast<int>(header.shape[1]), static_cast<int>(header.shape[2])};
  data_offset_ = static_cast<std::int64_t>(header.data_offset);
  stored_ = header.element == Element::f32 ? Precision::f32 : Precision::f64;

  const File times = File::reading(directory / "times.npy");
  const NpyHeader times_header = header_of(times, 1);
  const std::uint64_t frames =
      std::min(whole_rows(header, trajectory.size()), whole_rows(times_header, times.size()));
  const Array read{
      {frames},
      read_values(source_of(times), times_header.data_offset, times_header.element, frames)};
  times_ = read.doubles();

  if (std::error_code ignored; fs::exists(directory / "inputs/masses.npy", ignored))
    mass_ = read_npy(directory / "inputs/masses.npy").doubles();

  auto observables = parse_observables(read_text(directory / "observables.csv"), frames);
  columns_ = std::move(observables.columns);
  rows_ = std::move(observables.rows);
}

std::string RunReader::manifest() const {
  const fs::path path = directory_ / "manifest.json";
  std::string text = read_text(path, kLongestManifest);
  require_bounded_json(text, path.string());
  return text;
}

std::string RunReader::config() const { return read_text(directory_ / "config.toml"); }

std::string RunReader::status() const { return read_manifest(directory_).status; }
std::string RunReader::command() const { return read_manifest(directory_).command; }

HostSwarm RunReader::frame(std::int64_t index) const {
  if (index < 0 || index >= frames())
    throw Error(Fault::input, fmt::format("there is no frame {}", index), directory_.string(),
                fmt::format("choose one of the {} frames, counted from 0", frames()));
  const File file = File::reading(directory_ / "trajectory.npy");
  const Element element = stored_ == Precision::f32 ? Element::f32 : Element::f64;
  const std::size_t count = static_cast<std::size_t>(shape_.n) * shape_.d;
  const std::uint64_t at =
      data_offset_ + static_cast<std::uint64_t>(index) * count * bytes_of(element);
  const Array rows{{count}, read_values(source_of(file), at, element, count)};
  HostSwarm swarm = from_rows(shape_, rows.doubles().data());
  if (mass_.size() == static_cast<std::size_t>(shape_.n)) swarm.mass = mass_;
  return swarm;
}

std::vector<double> RunReader::column(const std::string& name) const {
  if (name == "t") return times_;
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end())
    throw Error(Fault::input, fmt::format("the run has no observable '{}'", name),
                (directory_ / "observables.csv").string(),
                fmt::format("choose one of t, {}", joined(columns_, ", ")));
  const std::size_t k = static_cast<std::size_t>(found - columns_.begin());
  std::vector<double> values(times_.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows_.size(); ++i) values[i] = rows_[i][k];
  return values;
}

std::vector<std::string> RunReader::events() const {
  return whole_lines(read_text(directory_ / "events.jsonl"));
}

// --- Export.

namespace {

// frame,t,particle,x0,x1,...
void write_csv(const RunReader& run, Replacement& out) {
  std::string text = "frame,t,particle";
  for (int k = 0; k < run.shape().d; ++k) text += fmt::format(",x{}", k);
  out.write(text + "\n");
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    stop_point();
    const HostSwarm x = run.frame(f);
    text.clear();
    for (int i = 0; i < x.n(); ++i) {
      fmt::format_to(std::back_inserter(text), "{},{},{}", f, run.times()[f], i);
      for (int k = 0; k < x.d(); ++k) fmt::format_to(std::back_inserter(text), ",{}", x.at(i, k));
      text += '\n';
    }
    out.write(text);
  }
}

// Writes three coordinates of each position (zero-padded), then all d coordinates if d > 3.
void write_xyz(const RunReader& run, Replacement& out) {
  const int d = run.shape().d;
  const std::string more = d > 3 ? fmt::format(":coordinates:R:{}", d) : "";
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    stop_point();
    const HostSwarm x = run.frame(f);
    std::string text =
        fmt::format("{}\nProperties=species:S:1:pos:R:3{} Time={}\n", x.n(), more, run.times()[f]);
    for (int i = 0; i < x.n(); ++i) {
      text += 'X';
      for (int k = 0; k < 3; ++k)
        fmt::format_to(std::back_inserter(text), " {}", k < d ? x.at(i, k) : 0.0);
      for (int k = 0; d > 3 && k < d; ++k)
        fmt::format_to(std::back_inserter(text), " {}", x.at(i, k));
      text += '\n';
    }
    out.write(text);
  }
}

// Writes (frames, n, d) float64, also for runs stored in single precision.
void write_array(const RunReader& run, Replacement& out) {
  const std::string axes = fmt::format("{}, {}, {}", run.frames(), run.shape().n, run.shape().d);
  out.write(npy_header_text(Element::f64, axes));
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    stop_point();
    const std::vector<double> rows = to_rows(run.frame(f));
    out.write(std::as_bytes(std::span(rows)));
  }
}

}  // namespace

void export_trajectory(const RunReader& run, const std::string& format,
                       const std::filesystem::path& path) {
  if (format != "npy" && format != "csv" && format != "xyz")
    throw Error(Fault::usage, fmt::format("there is no export format '{}'", format), path.string(),
                "use npy, csv or xyz, or of a trace words");
  Replacement out(path);
  if (format == "npy") write_array(run, out);
  if (format == "csv") write_csv(run, out);
  if (format == "xyz") write_xyz(run, out);
  out.commit();
}

}  // namespace murmur
