// products.h: products of single-precision matrices by OpenBLAS, which is loaded at the first use.
#pragma once

namespace murmur {

// A row-major matrix inside a larger one: rows lie `pitch` apart.
struct View {
  float* at = nullptr;
  int rows = 0, cols = 0;
  int pitch = 0;
};

enum class Transposed { none, left, right };  // which factor is transposed

//   c <- scale op(a) op(b) + keep c, on the calling thread
void multiply(const View& a, const View& b, Transposed turn, const View& c, float scale = 1,
              float keep = 0);

// Loads the library, so that a missing one is reported before any work. Error(tool) if it is
// missing. Requires that no other thread reads the environment.
void require_products();

}  // namespace murmur
