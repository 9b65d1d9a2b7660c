// observables.cpp: the observables of a run against time as a figure, one panel a name.
#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/figure.h"
#include "picture/labels.h"
#include "picture/picture.h"
#include "picture/track.h"

namespace murmur {

using namespace picture;

namespace {

FigureAxis time_axis(const RunReader& run, const TimeAxis& asked) {
  const std::vector<double>& t = run.times();
  const auto positive = std::find_if(t.begin(), t.end(), [](double time) { return time > 0; });
  FigureAxis axis{.label = asked.label, .name = "t", .log = asked.log && positive != t.end()};
  axis.from = axis.log ? *positive : t.front();
  axis.to = t.back();
  if (axis.from < axis.to) return axis;
  const double room = axis.from != 0 ? std::abs(axis.from) / 2 : 1;  // a single frame
  axis.to = axis.from + room;
  axis.from -= room;
  return axis;
}

}  // namespace

void plot_observables(const RunReader& run, const std::vector<std::string>& names,
                      const TimeAxis& axis, const std::filesystem::path& path) {
  if (run.frames() == 0)
    throw Error(Fault::input, "the run holds no whole frame yet", run.directory().string(),
                "wait for the first frame, or resume the run");
  if (names.empty())
    throw Error(Fault::input, "no observable was named", run.directory().string(),
                "name at least one column of observables.csv");
  Figure figure{.layout = Figure::stack};
  for (const std::string& name : names) {
    Series series = read_series(run, name);
    Panel panel{.title = label_of(name).markup, .x = time_axis(run, axis)};
    panel.y = {.name = name, .from = series.low, .to = series.high};
    panel.curves = {{.x = std::move(series.t),
                     .y = std::move(series.value),
                     .mark = series.whole ? Curve::steps : Curve::line}};
    figure.panels.push_back(std::move(panel));
  }
  draw(figure, path);
}

}  // namespace murmur
