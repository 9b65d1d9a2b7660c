// main.cpp: a program outside the tree: simulates 32 orthonormal tokens and prints their mean
// cosine.
#include <murmur/engine.h>
#include <murmur/flow.h>
#include <murmur/observe.h>

#include <cmath>
#include <cstdio>

int main() {
  const int n = 32;
  murmur::Dynamics dynamics;
  dynamics.sublayers = {{.forces = {murmur::Attention{.beta = 4}}}};
  murmur::HostSwarm x(murmur::Shape{n, n});
  for (int i = 0; i < n; ++i) x.at(i, i) = 1;

  const auto engine = murmur::make_reference_engine();
  const auto field = engine->prepare(dynamics, x.shape());
  murmur::FlowState state = murmur::start(x);
  const murmur::Flow flow{*engine, *field, {.tolerance = {1e-12, 1e-13}}};
  murmur::HostSwarm last;  // the frame at t = 3; the state itself may stop short of it
  const murmur::FlowWatch watch{.frame = [&](double, const murmur::HostSwarm& x) { last = x; }};
  if (!murmur::advance(flow, {.T = 3}, state, watch).ok()) return 1;

  const auto row = murmur::observe(last, dynamics, {});
  const double cosine = row[murmur::observable_column(dynamics, "mean_cos")];
  std::printf("mean cosine at t = 3: %.9f, closed form: 0.332986702\n", cosine);
  return std::abs(cosine - 0.332986702) < 1e-8 ? 0 : 1;
}
