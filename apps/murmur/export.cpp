// export.cpp: murmur export: a run's trajectory as npy, csv or extended XYZ.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "command.h"
#include "murmur/error.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

std::string format_option;

// A file written beside its place and renamed into it when it is whole.
class Beside {
 public:
  explicit Beside(const fs::path& path)
      : path_(path), part_(path.string() + ".part"), file_(std::fopen(part_.c_str(), "wb")) {
    if (file_ == nullptr) fail();
  }
  ~Beside() {
    if (file_ != nullptr) std::fclose(file_);
    std::error_code ignored;
    if (!done_) fs::remove(part_, ignored);
  }
  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void finish() {
    const bool whole = std::fclose(file_) == 0;
    file_ = nullptr;
    std::error_code failed;
    if (whole) fs::rename(part_, path_, failed);
    if (!whole || failed) fail();
    done_ = true;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(Fault::runtime, "the output could not be written", path_.string(),
                "check the folder, its permissions and the free space");
  }
  fs::path path_, part_;
  std::FILE* file_;
  bool done_ = false;
};

// frame,t,particle,x0,x1,...
void write_csv(const RunReader& run, Beside& out) {
  std::string header = "frame,t,particle";
  for (int k = 0; k < run.shape().d; ++k) header += fmt::format(",x{}", k);
  out.write(header + "\n");
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    const HostSwarm x = run.frame(f);
    for (int i = 0; i < x.n(); ++i) {
      std::string line = fmt::format("{},{},{}", f, run.times()[f], i);
      for (int k = 0; k < x.d(); ++k) line += fmt::format(",{}", x.at(i, k));
      out.write(line + "\n");
    }
  }
}

// Extended XYZ: a position of three numbers (the first three coordinates, zero-padded), then all
// d coordinates again where d > 3.
void write_xyz(const RunReader& run, Beside& out) {
  const int d = run.shape().d;
  const std::string more = d > 3 ? fmt::format(":coordinates:R:{}", d) : "";
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    const HostSwarm x = run.frame(f);
    out.write(
        fmt::format("{}\nProperties=species:S:1:pos:R:3{} Time={}\n", x.n(), more, run.times()[f]));
    for (int i = 0; i < x.n(); ++i) {
      std::string line = "X";
      for (int k = 0; k < 3; ++k) line += fmt::format(" {}", k < d ? x.at(i, k) : 0.0);
      for (int k = 0; d > 3 && k < d; ++k) line += fmt::format(" {}", x.at(i, k));
      out.write(line + "\n");
    }
  }
}

// (frames, n, d) float64, whatever the run stored.
void write_trajectory(const RunReader& run, Beside& out) {
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}, {}), }}",
                  run.frames(), run.shape().n, run.shape().d);
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  const std::size_t length = header.size();
  out.write(std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 0xff) +
            static_cast<char>(length >> 8) + header);
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    const std::vector<double> rows = to_rows(run.frame(f));
    out.write({reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(double)});
  }
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (sorted.plain.size() != 1 || !sorted.assignments.empty())
    usage("export takes one run", "murmur export RUN -o FILE.xyz");
  if (flags.out.empty()) usage("there is no output file", "add -o FILE.npy, .csv or .xyz");
  const RunReader reader(find_run(flags, sorted.plain[0]));
  const fs::path path = output_file(flags);
  std::string format = format_option;
  if (format.empty() && path.extension().string().size() > 1)
    format = path.extension().string().substr(1);
  if (format != "npy" && format != "csv" && format != "xyz")
    usage(fmt::format("there is no export format '{}'", format), "use npy, csv or xyz");
  Beside out(path);
  if (format == "npy") write_trajectory(reader, out);
  if (format == "csv") write_csv(reader, out);
  if (format == "xyz") write_xyz(reader, out);
  out.finish();
  if (flags.json)
    report({{"out", path.string()}, {"frames", reader.frames()}, {"n", reader.shape().n}});
  say(flags, fmt::format("{} frames of {} particles -> {}", reader.frames(), reader.shape().n,
                         path.string()));
  return 0;
}

}  // namespace

Command export_command() {
  return {"export", "Write a run's trajectory as npy, csv or extended XYZ.",
          "  murmur export runs/flock-0-1 -o flight.xyz\n"
          "  murmur export runs/flock-0-1 --format csv -o flight.csv",
          [](CLI::App& sub, Flags&) {
            sub.add_option("--format", format_option, "npy, csv or xyz; else by the file's ending");
          },
          run};
}

}  // namespace murmur::app
