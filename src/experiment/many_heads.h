// many_heads.h: the limit of many heads that a spec describes.
#pragma once

#include "experiment/forces.h"

namespace murmur {

// Of head_scale=limit. Error(input) where the mean over the laws of query, key and value is not
// known in closed form, or moves nothing.
ManyHeads many_heads(const DynamicsRequest& request);

}  // namespace murmur
