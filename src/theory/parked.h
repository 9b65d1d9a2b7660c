// parked.h: the expected number of Renyi centres of finitely many tokens; defined in centres.cpp.
#pragma once

namespace murmur::theory {

// The mean over the first n tokens on the circle, from the law of intervals in random sequential
// adsorption (Gonzalez, Hemmer, Hoye, Chem. Phys. 3, 1974) at tau = n delta / 2 pi,
//   F = (2 pi / delta) int_0^tau e^{-2 g(u)} du,   g(u) = int_0^u (1 - e^{-v})/v dv,
// for a Poisson number of tokens, and F - (n/2) d^2 F / dn^2 for n tokens.
double parked_centres(double delta, int n);

}  // namespace murmur::theory
