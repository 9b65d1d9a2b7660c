// overloaded.h: combines several function objects into one, for std::visit without a fallback.
#pragma once

namespace murmur {

// The compiler reports a missing case for one of a variant's types.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace murmur
