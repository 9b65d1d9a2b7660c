// seen.h: whom a particle sees.
#pragma once

namespace murmur::cuda {

struct Seen {
  bool past = false;  // only j <= i
  bool self = true;   // also j = i
  bool all() const { return !past && self; }
};

}  // namespace murmur::cuda
