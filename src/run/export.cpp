// export.cpp: a run's trajectory in the formats of others: npy, csv, extended XYZ.
#include <fmt/format.h>

#include <iterator>

#include "murmur/error.h"
#include "murmur/run.h"
#include "run/file.h"
#include "run/npy.h"

namespace murmur {

namespace {

// frame,t,particle,x0,x1,...
void write_csv(const RunReader& run, Replacement& out) {
  std::string text = "frame,t,particle";
  for (int k = 0; k < run.shape().d; ++k) text += fmt::format(",x{}", k);
  out.write(text + "\n");
  for (std::int64_t f = 0; f < run.frames(); ++f) {
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

// A position of three numbers (the first three coordinates, zero-padded), then all d coordinates
// again where d > 3.
void write_xyz(const RunReader& run, Replacement& out) {
  const int d = run.shape().d;
  const std::string more = d > 3 ? fmt::format(":coordinates:R:{}", d) : "";
  for (std::int64_t f = 0; f < run.frames(); ++f) {
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

// (frames, n, d) float64, whatever the run stored.
void write_array(const RunReader& run, Replacement& out) {
  const std::string axes = fmt::format("{}, {}, {}", run.frames(), run.shape().n, run.shape().d);
  out.write(npy_header_text(Element::f64, axes));
  for (std::int64_t f = 0; f < run.frames(); ++f) {
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
