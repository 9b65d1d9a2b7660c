// matrix_exponential.h: e^{tM} of a small square matrix, with the same bits on every compiler.
#pragma once

#include "murmur/matrix.h"

namespace murmur {

// A B, (k, d) times (d, d).
Matrix product(const Matrix& a, const Matrix& b);

// e^{tM}, M (d, d). Entries that overflow are infinite or NaN.
Matrix matrix_exponential(const Matrix& m, double t);

}  // namespace murmur
