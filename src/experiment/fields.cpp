// fields.cpp: what the four maps of a trained block make of a place.
#include <algorithm>
#include <cassert>

#include "learn/block_tensors.h"
#include "murmur/training.h"

namespace murmur {

namespace {

// W x + b, (rows)
Vector affine(const float* w, const float* b, int rows, std::span<const double> x) {
  Vector y(b, b + rows);
  for (int r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < x.size(); ++k)
      y[r] += static_cast<double>(w[static_cast<std::size_t>(r) * x.size() + k]) * x[k];
  return y;
}

}  // namespace

BlockFields fields_at(const TrainedSwarm& swarm, int block, std::span<const double> x) {
  const Architecture& a = swarm.architecture;
  assert(x.size() == static_cast<std::size_t>(a.d) && block >= 0 && block < a.blocks);
  const auto t = block_tensors(a, swarm.parameters.data(), block);
  const int wide = width_of_heads(a);
  BlockFields fields;
  if (t.query != nullptr) fields.query = affine(t.query, t.query_bias, wide, x);
  if (t.key != nullptr) fields.key = affine(t.key, t.key_bias, wide, x);
  if (t.value != nullptr) fields.value = affine(t.value, t.value_bias, wide, x);
  if (t.in == nullptr) return fields;
  Vector hidden = affine(t.in, t.in_bias, a.hidden, x);
  for (double& unit : hidden) unit = std::max(unit, 0.0);
  fields.feed_forward = affine(t.out, t.out_bias, a.d, hidden);
  return fields;
}

}  // namespace murmur
