// circle.h: Fourier coefficients of measures on the circle.
#pragma once

#include <complex>
#include <vector>

#include "murmur/meanfield.h"

namespace murmur::meanfield {

// m_k = int e^{i k theta} dmu, k = 0 .. modes
std::vector<std::complex<double>> circle_coefficients(const Measure& measure, int modes);

// (cells / 2 + 1) the same of a density on a grid, as far as its cells resolve them.
std::vector<std::complex<double>> grid_waves(const Measure& measure);

}  // namespace murmur::meanfield
