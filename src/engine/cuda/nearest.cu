// nearest.cu: the nearest two particles, by a sweep along the first axis after sorting.
#include <cub/device/device_radix_sort.cuh>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/sums_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 128;

// What the sort wants beside keys and rows.
std::size_t sort_bytes(int n) {
  std::size_t bytes = 0;
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, static_cast<const double*>(nullptr),
                                  static_cast<double*>(nullptr), static_cast<const int*>(nullptr),
                                  static_cast<int*>(nullptr), n);
  return bytes;
}

std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

__global__ void number(int n, int* row) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) row[i] = i;
}

// The nearer; ties go to the lower rows.
struct Nearer {
  __device__ NearPair operator()(const NearPair& a, const NearPair& b) const {
    if (b.i < 0) return a;
    if (a.i < 0) return b;
    if (a.square != b.square) return a.square < b.square ? a : b;
    if (a.i != b.i) return a.i < b.i ? a : b;
    return a.j <= b.j ? a : b;
  }
};

__global__ void sweep(ConstPlaces x, double delta, const double* first, const int* row,
                      NearPair* to) {
  __shared__ NearPair scratch[kThreads];
  const int a = blockIdx.x * kThreads + threadIdx.x;
  NearPair best{delta * delta, -1, -1};
  const Nearer nearer;
  for (int b = a + 1; b < x.n && a < x.n && first[b] - first[a] < delta; ++b) {
    const int i = min(row[a], row[b]), j = max(row[a], row[b]);
    double square = 0;
    for (int k = 0; k < x.d; ++k) {
      const double apart = x.at[k * x.stride + i] - x.at[k * x.stride + j];
      square += apart * apart;
    }
    if (square < delta * delta) best = nearer(best, NearPair{square, i, j});
  }
  best = over_block<kThreads>(best, scratch, nearer);
  if (threadIdx.x == 0) to[blockIdx.x] = best;
}

}  // namespace

std::size_t nearest_bytes(int n) {
  return rounded(sort_bytes(n)) + rounded(n * sizeof(double)) + 2 * rounded(n * sizeof(int));
}

int nearest_parts(int n) { return (n + kThreads - 1) / kThreads; }

void nearest(const ConstPlaces& x, double delta, void* room, NearPair* to) {
  char* at = static_cast<char*>(room);
  std::size_t bytes = sort_bytes(x.n);
  void* scratch = at;
  at += rounded(bytes);
  auto* first = reinterpret_cast<double*>(at);
  at += rounded(x.n * sizeof(double));
  auto* rows = reinterpret_cast<int*>(at);
  at += rounded(x.n * sizeof(int));
  auto* row = reinterpret_cast<int*>(at);
  const auto blocks = static_cast<unsigned>(nearest_parts(x.n));
  number<<<blocks, kThreads>>>(x.n, rows);
  cub::DeviceRadixSort::SortPairs(scratch, bytes, x.at, first, rows, row, x.n);
  sweep<<<blocks, kThreads>>>(x, delta, first, row, to);
}

}  // namespace murmur::cuda
