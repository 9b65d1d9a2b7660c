// axes.h: the directions along which swarms spread most.
#pragma once

#include <span>
#include <vector>

#include "murmur/swarm.h"

namespace murmur {

// (d, d): sum of x x^T over the particles of several swarms of one d, about the origin or, when
// centred, about the mean of them all.
std::vector<double> second_moment(std::span<const HostSwarm> swarms, bool centred);

// Leading directions of a symmetric positive (d, d) matrix: `count` rows of length d, orthonormal,
// each with its largest entry positive; by orthogonal iteration.
std::vector<double> leading_axes(const std::vector<double>& matrix, int d, int count);

}  // namespace murmur
