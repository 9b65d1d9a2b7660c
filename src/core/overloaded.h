// overloaded.h: one function object of several, for std::visit without a fallback.
#pragma once

namespace murmur {

// A case that is missing for one of a variant's types is an error of the compiler.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace murmur
