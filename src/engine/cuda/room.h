// room.h: how much of a GPU's memory a swarm and the sums over its pairs take; known without a GPU.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/cuda/cuda.h"
#include "engine/cuda/tiles.h"
#include "murmur/engine.h"

namespace murmur::cuda {

// For how many particles each exponential is used twice.
inline constexpr int kFewestMutual = 4096, kMostMutual = 1 << 20;

// Sums of stretches of sources that are kept before they are added up.
inline constexpr std::size_t kStretchBytes = std::size_t{2} << 30;

// Rows of scores in many dimensions that are kept at once, each of `pitch` numbers.
int strip_rows(int n, std::size_t pitch);
// Sources whose weighted sums one product of halves makes: tensor cores round down.
inline constexpr int kSourcesAtOnce = 256;

std::size_t swarm_bytes(Shape shape);
// Of the sums over the pairs of so many particles, at most.
std::size_t pair_bytes(Shape shape, Precision precision);
// Of moments by transforms: angles, order and tiles.
std::size_t transform_bytes(int n);

// Nothing where `available` bytes hold all that a flow of such a swarm needs; else what to say.
std::optional<Unknown> too_large(Shape shape, Precision precision, GpuSums sums,
                                 std::size_t available);

}  // namespace murmur::cuda
