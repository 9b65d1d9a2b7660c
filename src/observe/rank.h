// rank.h: the effective rank of a swarm's positions.
#pragma once

#include "murmur/matrix.h"

namespace murmur {

// exp of the entropy of p_k = sigma_k / sum_l sigma_l, with sigma the singular values of the (n, d)
// matrix of positions (Roy and Vetterli 2007), of whose smaller Gram matrix `gram` holds the lower
// triangle. Masses do not enter. NaN for a swarm at the origin.
double effective_rank(const Matrix& gram);

}  // namespace murmur
