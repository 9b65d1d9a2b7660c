// products.cpp: loads OpenBLAS at the first use and calls it on one thread per product.
#include "learn/products.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "murmur/error.h"

namespace murmur {

namespace {

// The C interface of BLAS: order, which factors are transposed, m, n, k, alpha, a, its pitch, b,
// its pitch, beta, c, its pitch.
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);
constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

// A linked OpenBLAS would start one thread per core, each with buffers of megabytes, before `main`,
// and wait for ever if memory is short. Loaded here, it reads OPENBLAS_NUM_THREADS=1 first: samples
// share the cores, and each product runs on one thread.
Sgemm load() {
  constexpr const char* kLibrary = "libopenblas.so.0";
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const sgemm = library == nullptr ? nullptr : dlsym(library, "cblas_sgemm");
  if (sgemm == nullptr)
    throw Error(Fault::tool, "the library OpenBLAS, which multiplies matrices, cannot be loaded",
                kLibrary, "install it with: apt-get install libopenblas0-pthread");
  return reinterpret_cast<Sgemm>(sgemm);
}

Sgemm sgemm() {
  static const Sgemm found = load();
  return found;
}

}  // namespace

void require_products() { sgemm(); }

void multiply(const View& a, const View& b, Transposed turn, const View& c, float scale,
              float keep) {
  const bool left = turn == Transposed::left;
  sgemm()(kRowMajor, left ? kTransposed : kPlain, turn == Transposed::right ? kTransposed : kPlain,
          c.rows, c.cols, left ? a.rows : a.cols, scale, a.at, a.pitch, b.at, b.pitch, keep, c.at,
          c.pitch);
}

}  // namespace murmur
