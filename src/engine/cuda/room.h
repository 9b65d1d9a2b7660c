// room.h: the GPU memory that a swarm and the sums over its pairs need; computed without a GPU.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/cuda/cuda.h"
#include "engine/cuda/tiles.h"
#include "murmur/engine.h"

namespace murmur::cuda {

// The numbers of particles for which each exponential is used twice.
inline constexpr int kFewestSymmetric = 4096, kMostSymmetric = 1 << 20;

// The memory for sums of stretches of sources before they are added up.
inline constexpr std::size_t kStretchBytes = std::size_t{2} << 30;

// Returns the rows of scores in many dimensions that are kept at once, each of `pitch` numbers.
int strip_rows(int n, std::size_t pitch);
// Sources of one product of halves, because tensor cores round down.
inline constexpr int kSourcesAtOnce = 256;

std::size_t swarm_bytes(Shape shape);
// Returns an upper bound of the memory of the sums over the pairs.
std::size_t pair_bytes(Shape shape, Precision precision);
// Returns the memory of moments by transforms: angles, order and tiles.
std::size_t transform_bytes(int n);

// Returns nothing if `available` bytes are enough for a flow of such a swarm, else the reason.
std::optional<Unsupported> too_large(Shape shape, Precision precision, GpuSums sums,
                                     std::size_t available);

}  // namespace murmur::cuda
