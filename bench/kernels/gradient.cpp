// gradient.cpp: what a gradient costs beside the flow that it goes through, turn by turn.
//
// usage: bench_gradient [TURNS]     prints a table; the best of all turns counts.

#include "murmur/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/timed.h"
#include "kernels/drawn.h"
#include "peers/processor_time.h"

namespace {

using namespace murmur;
using bench::drawn;
using bench::on_sphere;

struct Row {
  std::string engine{};
  Shape shape{};
  Method method{};
  int states = 512;  // that the way back may hold
  double flow = 1e300, gradient = 1e300;
  std::int64_t steps = 0;
};

Dynamics dynamics_of(int d) {
  Attention head{.beta = 2};
  const double size = 1 / std::sqrt(d);
  head.query = drawn(d, d, 1, size), head.key = drawn(d, d, 2, size);
  head.value = drawn(d, d, 3, size);
  return {.sublayers = {{{head}}}};
}

void measure(Row& row, int turns) {
  const auto engine =
      row.engine == "reference" ? make_reference_engine() : make_simd_engine(Precision::f64, 1);
  const HostSwarm x = on_sphere(row.shape, 7);
  const auto field = engine->prepare(dynamics_of(row.shape.d), x.shape());
  const Flow flow{*engine, *field, {.method = row.method, .dt = 0.05, .tolerance = {1e-6, 1e-8}}};
  const Schedule schedule{.T = 1};
  for (int turn = 0; turn <= turns; ++turn) {
    const double flown = timed_seconds(*field, processor_seconds, [&] {
      FlowState state = murmur::start(x);
      advance(flow, schedule, state, {});
    });
    const double both = timed_seconds(*field, processor_seconds, [&] {
      const RecordedFlow recorded(flow, schedule, x, {.states = row.states});
      gradient(recorded, [](std::span<const HostSwarm> frames, std::span<HostSwarm> cotangents) {
        for (int i = 0; i < frames[0].n(); ++i) cotangents[0].at(i, 0) = 1;
        return 0.0;
      });
      row.steps = recorded.steps();
    });
    if (turn == 0) continue;
    row.flow = std::min(row.flow, flown);
    row.gradient = std::min(row.gradient, both);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 5;
  std::vector<Row> rows;
  for (const Method method : {Method::layers, Method::rk4, Method::dopri5}) {
    rows.push_back({"reference", {100, 3}, method});
    rows.push_back({"simd", {1000, 3}, method});
    rows.push_back({"simd", {1000, 64}, method});
  }
  rows.push_back({"simd", {1000, 3}, Method::rk4, 4});
  fmt::print(
      "| engine | n | d | method | steps | states kept | flow, ms | gradient, ms | ratio |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (Row& row : rows) {
    measure(row, turns);
    fmt::print("| {} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} |\n", row.engine,
               row.shape.n, row.shape.d, row_of(row.method).name, row.steps, row.states,
               1e3 * row.flow, 1e3 * row.gradient, row.gradient / row.flow);
  }
}
