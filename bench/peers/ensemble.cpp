// ensemble.cpp: carries an ensemble some layers further each time a line arrives, and answers with
// its seconds.
//
// usage: bench_ensemble FILE COUNT N D BETA DT STEPS    FILE holds (COUNT, N, D) doubles; where
// they are after STEPS layers is written over it at the end of input.
#include "ensemble/ensemble.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "processor_time.h"

int main(int argc, char** argv) {
  using namespace murmur;
  if (argc != 8) return 2;
  const int count = std::atoi(argv[2]);
  ReplicasSetting setting;
  setting.shape = {std::atoi(argv[3]), std::atoi(argv[4])};
  setting.beta = std::atof(argv[5]);
  setting.dt = std::atof(argv[6]);
  const std::size_t size = static_cast<std::size_t>(setting.shape.n) * setting.shape.d;
  std::vector<double> rows(count * size);  // (count, n, d)
  const auto bytes = static_cast<std::streamsize>(rows.size() * sizeof(double));
  std::ifstream(argv[1], std::ios::binary).read(reinterpret_cast<char*>(rows.data()), bytes);

  ReplicasWork work;
  work.count = count;
  work.times = {std::atoi(argv[7]) * setting.dt};
  work.threads = 1;
  work.start = [&](std::int64_t replica) {
    return from_rows(setting.shape, &rows[static_cast<std::size_t>(replica) % count * size]);
  };
  ReplicasResult result;
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const double start = processor_seconds();
    result = advance_replicas(setting, work);
    std::cout << processor_seconds() - start << std::endl;
  }
  std::ofstream file(argv[1], std::ios::binary);
  for (const HostSwarm& last : result.last) {
    const std::vector<double> at = to_rows(last);
    file.write(reinterpret_cast<const char*>(at.data()),
               static_cast<std::streamsize>(size * sizeof(double)));
  }
}
