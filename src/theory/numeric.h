// numeric.h: quadrature, roots and one small integrator for the reductions of this folder.
#pragma once

#include <array>
#include <functional>
#include <string>

namespace murmur::theory {

using Function = std::function<double(double)>;

// int_a^b f by adaptive Gauss-Kronrod (7, 15), relative error about 1e-14 for smooth f of one sign.
double quadrature(const Function& f, double a, double b);

// Returns where f changes sign between low and high, by bisection down to neighbouring numbers.
double root(const Function& f, double low, double high);

using State = std::array<double, 2>;
using Slope = std::function<State(double, const State&)>;

// Returns y(to) of y' = slope(t, y) from y at time `from`, by Dormand-Prince 5(4) with local errors
// below 1e-14.
State carry(const Slope& slope, State y, double from, double to);

// Throws Error(input, what, where, remedy) unless `good`.
void demand(bool good, const char* what, const char* where, const char* remedy);

}  // namespace murmur::theory
