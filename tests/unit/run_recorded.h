// run_recorded.h: a small made-up trajectory that any test can write, interrupt and finish.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "murmur/run.h"
#include "run/file.h"

namespace murmur::test {

using RunWriter = Run;  // inside a test, Run is a member of the fixture

// Frame k of a flight of `frames` frames is a function of k alone, as a resumed flight requires.
struct Flow {
  Shape shape{3, 2};
  Precision stored = Precision::f64;
  std::int64_t frames = 12;
  std::int64_t checkpoint_every = 4;

  RunContents contents() const {
    RunContents contents;
    contents.config = "n = 3\nd = 2\n";
    contents.inputs["points"] = {{3, 2}, std::vector<double>(6, 0.5)};
    contents.columns = {"energy", "clusters"};
    contents.shape = shape;
    contents.stored = stored;
    contents.command = "simulate";
    contents.argv = {"murmur", "simulate"};
    contents.engine = "reference";
    contents.seed = 7;
    return contents;
  }

  double time(std::int64_t k) const { return 0.1 * static_cast<double>(k); }

  HostSwarm frame(std::int64_t k) const {
    HostSwarm x(shape);
    for (int i = 0; i < shape.n; ++i)
      for (int j = 0; j < shape.d; ++j) x.at(i, j) = std::sqrt(static_cast<double>(7 * k + i) + j);
    return x;
  }

  std::vector<double> row(std::int64_t k) const {
    const double absent = std::numeric_limits<double>::quiet_NaN();
    return {k % 5 == 3 ? absent : 1.0 / static_cast<double>(k + 3), static_cast<double>(k * k)};
  }

  void append(Run& run, std::int64_t k) const {
    run.append(time(k), frame(k), row(k));
    if (k % 3 == 0) run.event("{\"event\":\"merge\",\"frame\":" + std::to_string(k) + "}");
  }

  void checkpoint(Run& run, std::int64_t next) const { run.checkpoint({{"next", array_of(next)}}); }

  // From wherever the run's last checkpoint is, to the end.
  void finish(Run& run) const {
    std::int64_t k = 0;
    if (run.last_checkpoint())
      k = std::get<std::vector<std::int64_t>>(run.last_checkpoint()->at("next").values).front();
    while (k < frames) {
      append(run, k++);
      if (k % checkpoint_every == 0) checkpoint(run, k);
    }
    run.close("done", {{"steps", 12.0}}, "Flew.");
  }
};

// What a resumed run promises to have in common with one never interrupted.
inline std::map<std::string, std::string> promised_bytes(const std::filesystem::path& directory) {
  std::map<std::string, std::string> bytes;
  for (const char* name : {"trajectory.npy", "times.npy", "observables.csv", "events.jsonl"})
    bytes[name] = read_text(directory / name);
  return bytes;
}

}  // namespace murmur::test
