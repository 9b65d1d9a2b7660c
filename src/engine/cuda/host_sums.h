// host_sums.h: swarms in host memory whose forces a GPU sums: what ranks share.
#pragma once

#include <memory>

#include "engine/cuda/cuda.h"

namespace murmur::cuda {

// Every rank sends all particles to its GPU, and has the forces on its own summed there. Particles
// move, and observables are summed, on the host.
std::unique_ptr<Engine> make_host_engine(std::unique_ptr<Engine> device, Precision precision,
                                         GpuSums sums);

}  // namespace murmur::cuda
