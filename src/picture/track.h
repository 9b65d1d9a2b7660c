// track.h: interpolates the particles and observables of a run smoothly between its stored frames.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "murmur/run.h"
#include "picture/names.h"
#include "picture/projection.h"

namespace murmur::picture {

// The film's clock: progress 0 to 1 over the times of a run, in t or in log t.
class Timeline {
 public:
  Timeline(const std::vector<double>& times, bool log_time);
  double time(double progress) const;
  double progress(double t) const;
  std::vector<int> decades() const;     // powers of ten within a clock in log t; else none
  std::string readout(double t) const;  // "t = 3.2", as wide at every moment as the clock allows

 private:
  double first_, last_;
  double start_ = 0;  // where log t begins: the first positive stored time
  double lead_ = 0;   // share of the film that runs from first_ to start_, linearly
  bool log_ = false;
};

// Positions at one instant of a trajectory.
struct Snapshot {
  double t = 0;
  double progress = 0;
  std::vector<Point> points{};      // (n)
  std::vector<Point> grid{};        // of a flow map, only at the last instant
  std::vector<PlacedName> names{};  // only at the last instant
};
using Past = std::vector<std::shared_ptr<const Snapshot>>;  // oldest first; the last one is now

// Cubic Hermite between stored frames, with slopes limited so that nothing overshoots, then back
// onto the sphere. Reads frames on demand and keeps only the neighbours.
class Track {
 public:
  using Source = std::function<std::vector<Point>(std::int64_t index)>;  // (n) of a frame

  Track(const RunReader& run, const Projection& projection);
  Track(std::vector<double> times, Source source, bool on_sphere);
  std::vector<Point> at(double t);

 private:
  const std::vector<Point>& stored(std::int64_t index);

  std::vector<double> times_;
  Source source_;
  bool on_sphere_;
  std::map<std::int64_t, std::vector<Point>> kept_{};
};

// The same of the grid that a map carries.
struct Stage;
Track track_of_grid(const RunReader& run, const Stage& stage);

// Numbers against time: a column read between frames; whole numbers hold until the next frame.
struct Series {
  std::vector<double> t{}, value{};  // (frames); value may be NaN
  bool whole = false;                // every finite value is a whole number
  double low = 0, high = 1;          // range worth showing, low < high

  double at(double time) const;
};
Series read_series(const RunReader& run, const std::string& name);  // Error(input): no such column

}  // namespace murmur::picture
