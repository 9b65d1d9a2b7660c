// products.cpp: loads OpenBLAS at the first use and calls it on one thread per product.
#include "learn/products.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

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

// The first product of a thread makes OpenBLAS ask for a buffer of up to 128 MB, again and again
// until it gets one. Error(runtime) if the system would refuse it.
void require_buffer() {
  thread_local bool has_buffer = false;
  if (has_buffer) return;
  constexpr std::size_t kBuffer = std::size_t{160} << 20;
  void* const room = mmap(nullptr, kBuffer, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw Error(Fault::runtime, "there is too little memory for products of matrices", "OpenBLAS",
                "allow 160 MB more for each thread, or use fewer threads");
  munmap(room, kBuffer);
  has_buffer = true;
}

}  // namespace

void require_products() { sgemm(); }

void multiply(const View& a, const View& b, Transposed turn, const View& c, float scale,
              float keep) {
  require_buffer();
  const bool left = turn == Transposed::left;
  sgemm()(kRowMajor, left ? kTransposed : kPlain, turn == Transposed::right ? kTransposed : kPlain,
          c.rows, c.cols, left ? a.rows : a.cols, scale, a.at, a.pitch, b.at, b.pitch, keep, c.at,
          c.pitch);
}

}  // namespace murmur
