// doctor.cpp: murmur doctor: finds the hardware and the tools that this machine has.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "command.h"
#include "engine/cuda/cuda.h"
#include "flow/stiff.h"
#include "generated/version.h"
#include "learn/products.h"
#include "murmur/error.h"
#include "ranks.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// The first folder of PATH that holds an executable of this name.
std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0)
      return (fs::path(folder) / name).string();
  return "";
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

// "found" if OpenBLAS can be loaded, else nothing.
std::string blas() try {
  require_products();
  return "found";
} catch (const Error&) {
  return "";
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (!words.empty())
    throw_usage_error(fmt::format("doctor takes no {}", words[0]), "see murmur doctor --help");
  struct Row {
    std::string name, found, remedy;
  };
  const std::string engine = make_simd_engine(Precision::f64, 1)->name();
  const bool writable = access(".", W_OK) == 0;
  const std::vector<Row> rows = {
      {"version", fmt::format("{} ({})", MURMUR_VERSION, MURMUR_COMMIT), ""},
      {"processor", processor(), ""},
      {"cores", fmt::format("{}", std::thread::hardware_concurrency()), ""},
      {"engine", engine, ""},
      {"GPU", gpu_name(),
       built_with_cuda()
           ? "engine=cuda and device=cuda need an NVIDIA GPU and its driver"
           : "engine=cuda and device=cuda need an NVIDIA GPU and cmake --preset cuda"},
      {"ffmpeg", on_path("ffmpeg"), "films need it: apt-get install ffmpeg"},
      {"gnuplot", on_path("gnuplot"), "plots need it: apt-get install gnuplot-nox"},
      {"SUNDIALS", has_stiff() ? "built in" : "",
       "method=bdf needs it: apt-get install libsundials-dev, and build again"},
      {"OpenBLAS", blas(),
       "training in many dimensions needs it: apt-get install libopenblas0-pthread"},
      {"MPI", mpi_library(),
       "ranks need it: apt-get install libopenmpi-dev openmpi-bin, and build again"},
      {"Slurm", on_path("sbatch"), "murmur submit needs it, on a machine of the cluster"},
      {"this folder", writable ? "writable" : "",
       "runs are written to ./runs: use another folder, or -o"},
  };
  nlohmann::json report;
  for (const Row& row : rows) {
    report[row.name] = row.found.empty() ? nlohmann::json(nullptr) : nlohmann::json(row.found);
    if (!flags.json)
      print_text(fmt::format("{:<12} {}\n", row.name,
                             row.found.empty() ? "missing; " + row.remedy : row.found));
  }
  if (flags.json) print_json(report);
  return 0;
}

}  // namespace

Command doctor_command() {
  return {"doctor",
          "Check what this machine has and what is missing.",
          "  murmur doctor\n  murmur doctor --json",
          nullptr,
          run,
          true};
}

}  // namespace murmur::app
