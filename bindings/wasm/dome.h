// dome.h: the move of one boid of a flight in parts, as the page draws it.
#pragma once

#include "murmur/recording.h"
#include "reply.h"

namespace murmur::facade {

// Arrays: weights (heads, n); keys (heads, n, 3) and queries (heads, 3) on the unit sphere; arrows
// (heads + 4, 3) along three axes: the message of each head, then messages, feed-forward,
// correction and move, lengths of which in R^d are in the text; lengths of the keys (heads, n);
// values (heads, n, 3) on the unit sphere; then keys and values that overlap, (groups, 5) each:
// place, weight and count, as many a head as the text says. With text: heads, and of each k, share,
// attended, beta, the mean length of its keys, concentration and half angle of its field of vision;
// layers, the share of the arrows, what the correction is.
void add_dome(const Recording& trajectory, std::int64_t frame, int token, Reply& reply);

}  // namespace murmur::facade
