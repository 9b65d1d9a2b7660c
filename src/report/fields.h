// fields.h: the vector fields of a block of a trained swarm, ready to be drawn.
#pragma once

#include <optional>

#include "murmur/training.h"
#include "picture/fields.h"

namespace murmur {

struct FieldRequest {
  int block = 0;
  std::optional<int> head{};       // else the only one, or a row for each
  std::vector<double> heights{0};  // third coordinate of the planes, a row each
  bool space = false;              // [-10, 10]^3 instead of planes
};

// Query, key, value and feed-forward over [-10, 10]^2 at a height, or over [-10, 10]^3: of the
// first two or three coordinates, the others at 0. Of several heads a row each of query, key and
// value, unless one is named. Error(input) where there is no such block, head or space.
FieldSheet fields_of(const TrainedSwarm& swarm, const FieldRequest& request);

}  // namespace murmur
