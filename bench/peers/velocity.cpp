// velocity.cpp: computes a velocity each time a line arrives, and answers with its seconds.
//
// usage: bench_velocity FILE N D BETA f32|f64    FILE holds (N, D) doubles; the last velocity is
// written over it at the end of input.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "core/timed.h"
#include "murmur/engine.h"
#include "processor_time.h"

int main(int argc, char** argv) {
  using namespace murmur;
  if (argc != 6) return 2;
  const Shape shape{std::atoi(argv[2]), std::atoi(argv[3])};
  std::vector<double> rows(static_cast<std::size_t>(shape.n) * shape.d);  // (n, d)
  const auto bytes = static_cast<std::streamsize>(rows.size() * sizeof(double));
  std::ifstream(argv[1], std::ios::binary).read(reinterpret_cast<char*>(rows.data()), bytes);

  const auto precision = std::string(argv[5]) == "f32" ? Precision::f32 : Precision::f64;
  const auto engine = make_simd_engine(precision, 1);
  Dynamics dynamics;
  dynamics.sublayers = {{{Attention{.beta = std::atof(argv[4])}}}};
  const auto field = engine->prepare(dynamics, shape);
  const HostSwarm x = from_rows(shape, rows.data());
  HostSwarm v = x;
  std::cout << engine->name() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << timed_seconds(*field, processor_seconds, [&] { field->velocity(0, x, v); })
              << std::endl;
  }
  rows = to_rows(v);
  std::ofstream(argv[1], std::ios::binary).write(reinterpret_cast<const char*>(rows.data()), bytes);
}
