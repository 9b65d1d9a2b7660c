// replica_kernel.cu: simulates one swarm per warp, with its particles in registers and shared
// memory, and without communication between warps.
#include "engine/cuda/device_math.cuh"
#include "ensemble/cuda/replica_kernel.h"

namespace murmur::cuda {

namespace {

constexpr int kWarps = 4;  // swarms of a block

// The particles lane, lane + 32, ... of a swarm.
template <int d, int own>
struct Part {
  double at[own][d];
};

template <int d, int own>
struct Swarm {
  double (*shared)[d];  // (n, d)
  int n;
  const ReplicaForces& forces;
  const Powers& powers;

  __device__ static int lane() { return threadIdx.x % kLanes; }

  __device__ void show(const Part<d, own>& x) const {
    __syncwarp();
#pragma unroll
    for (int q = 0; q < own; ++q)
      if (lane() + q * kLanes < n)
#pragma unroll
        for (int k = 0; k < d; ++k) shared[lane() + q * kLanes][k] = x.at[q][k];
    __syncwarp();
  }

  // A_i at x, which all lanes have written to shared memory.
  __device__ void drift(const Part<d, own>& x, Part<d, own>& a) const {
    double z[own], sum[own][d], look[own][d];
#pragma unroll
    for (int q = 0; q < own; ++q) {
      z[q] = 0;
#pragma unroll
      for (int k = 0; k < d; ++k) sum[q][k] = 0, look[q][k] = forces.slope * x.at[q][k];
    }
    constexpr int kChains = 8 / own;  // exponentials computed at once, per particle
#pragma unroll kChains
    for (int j = 0; j < n; ++j) {
      double other[d];
#pragma unroll
      for (int k = 0; k < d; ++k) other[k] = shared[j][k];
#pragma unroll
      for (int q = 0; q < own; ++q) {
        double score = -forces.offset;
#pragma unroll
        for (int k = 0; k < d; ++k) score = fma(look[q][k], other[k], score);
        const double w = exp2_double(score, powers);
        z[q] += w;
#pragma unroll
        for (int k = 0; k < d; ++k) sum[q][k] = fma(w, other[k], sum[q][k]);
      }
    }
#pragma unroll
    for (int q = 0; q < own; ++q) {
      const double scale = forces.softmax ? 1 / z[q] : forces.factor;
#pragma unroll
      for (int k = 0; k < d; ++k) a.at[q][k] = scale * sum[q][k];
    }
  }
};

template <int d, int own>
__device__ void project(const Part<d, own>& x, Part<d, own>& a) {
#pragma unroll
  for (int q = 0; q < own; ++q) {
    double along = 0;
#pragma unroll
    for (int k = 0; k < d; ++k) along = fma(x.at[q][k], a.at[q][k], along);
#pragma unroll
    for (int k = 0; k < d; ++k) a.at[q][k] = fma(-along, x.at[q][k], a.at[q][k]);
  }
}

template <int d, int own>
__device__ void normalise(Part<d, own>& x) {
#pragma unroll
  for (int q = 0; q < own; ++q) {
    double square = 0;
#pragma unroll
    for (int k = 0; k < d; ++k) square = fma(x.at[q][k], x.at[q][k], square);
    const double length = sqrt(square);
#pragma unroll
    for (int k = 0; k < d; ++k) x.at[q][k] /= length;
  }
}

template <int d, int own>
__device__ void add(double scale, const Part<d, own>& along, Part<d, own>& x) {
#pragma unroll
  for (int q = 0; q < own; ++q)
#pragma unroll
    for (int k = 0; k < d; ++k) x.at[q][k] = fma(scale, along.at[q][k], x.at[q][k]);
}

template <int d, int own, int stages>
__device__ void step(const Swarm<d, own>& swarm, const ReplicaSteps& s, Part<d, own>& x) {
  if constexpr (stages == 0) {
    Part<d, own> a;
    swarm.show(x);
    swarm.drift(x, a);
    add(s.dt, a, x);
    normalise(x);
  } else {
    Part<d, own> k[stages];
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) {
      Part<d, own> y = x;
#pragma unroll
      for (int before = 0; before < stage; ++before)
        if (s.a[stage][before] != 0) add(s.dt * s.a[stage][before], k[before], y);
      if (stage > 0) normalise(y);
      swarm.show(y);
      swarm.drift(y, k[stage]);
      project(y, k[stage]);
    }
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) add(s.dt * s.b[stage], k[stage], x);
    normalise(x);
  }
}

__device__ double sum_of_lanes(double value) {
  for (int gap = kLanes / 2; gap > 0; gap /= 2) value += __shfl_xor_sync(~0u, value, gap);
  return value;
}

// Pairs i < j, the mean particle, and components of the graph of linked pairs: every particle takes
// the least label among those it is linked to, until no label changes.
template <int d, int own>
__device__ ReplicaNumbers read(const Swarm<d, own>& swarm, const ReplicaLaunch& l,
                               const Part<d, own>& x, int* label) {
  swarm.show(x);
  const int lane = threadIdx.x % kLanes, n = l.n;
  double close = 0, cosines = 0, mean[d] = {};
  for (int q = 0; q < own; ++q) {
    const int i = lane + q * kLanes;
    if (i >= n) continue;
    label[i] = i;
    for (int k = 0; k < d; ++k) mean[k] += x.at[q][k];
    for (int j = i + 1; j < n; ++j) {
      double c = 0;
      for (int k = 0; k < d; ++k) c += x.at[q][k] * swarm.shared[j][k];
      cosines += c;
      close += c > l.close ? 1 : 0;
    }
  }
  bool changed = true;
  while (__any_sync(~0u, changed)) {
    changed = false;
    int next[own];
    __syncwarp();
    for (int q = 0; q < own; ++q) {
      const int i = lane + q * kLanes;
      if (i >= n) continue;
      next[q] = label[i];
      for (int j = 0; j < n; ++j) {
        double c = 0;
        for (int k = 0; k < d; ++k) c += x.at[q][k] * swarm.shared[j][k];
        if (j != i && c > l.linked) next[q] = min(next[q], label[j]);
      }
      changed = changed || next[q] != label[i];
    }
    __syncwarp();
    for (int q = 0; q < own; ++q)
      if (lane + q * kLanes < n) label[lane + q * kLanes] = next[q];
    __syncwarp();
  }
  double clusters = 0, square = 0;
  for (int q = 0; q < own; ++q) {
    const int i = lane + q * kLanes;
    if (i < n && label[i] == i) clusters += 1;
  }
  for (int k = 0; k < d; ++k) {
    const double whole = sum_of_lanes(mean[k]) / n;
    square += whole * whole;
  }
  const double pairs = 0.5 * n * (n - 1);
  return {sum_of_lanes(close) / pairs, sum_of_lanes(cosines) / pairs, sqrt(square),
          static_cast<std::int64_t>(sum_of_lanes(clusters))};
}

template <int d, int own, int stages>
__global__ void __launch_bounds__(kWarps* kLanes) replica_kernel(const ReplicaLaunch l) {
  __shared__ double places[kWarps][own * kLanes][d];
  __shared__ int labels[kWarps][own * kLanes];
  __shared__ Powers powers;
  powers.fill();
  __syncthreads();
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  if (number >= l.swarms) return;
  const Swarm<d, own> swarm{places[warp], l.n, l.forces, powers};
  double* at = l.x + number * l.n * d;
  Part<d, own> x;
#pragma unroll
  for (int q = 0; q < own; ++q)
#pragma unroll
    for (int k = 0; k < d; ++k) {
      const int i = lane + q * kLanes;
      x.at[q][k] = i < l.n ? at[i * d + k] : k == 0 ? 1 : 0;
    }
  int done = 0;
  for (int reading = 0; reading <= l.readings; ++reading) {
    const int end = reading < l.readings ? l.until[reading] : l.count;
    for (; done < end; ++done) step<d, own, stages>(swarm, l.steps, x);
    if (reading < l.readings) {
      const ReplicaNumbers found = read<d, own>(swarm, l, x, labels[warp]);
      if (lane == 0) l.numbers[number * l.pitch + reading] = found;
    }
  }
  bool lost = false;
#pragma unroll
  for (int q = 0; q < own; ++q)
#pragma unroll
    for (int k = 0; k < d; ++k)
      if (const int i = lane + q * kLanes; i < l.n) {
        at[i * d + k] = x.at[q][k];
        lost = lost || !isfinite(x.at[q][k]);
      }
  lost = __any_sync(~0u, lost);
  if (lane == 0) l.lost[number] = lost ? 1 : 0;
}

template <int d, int own>
void launch(const ReplicaLaunch& l) {
  const auto blocks = static_cast<unsigned>((l.swarms + kWarps - 1) / kWarps);
  if (l.steps.stages == 0) replica_kernel<d, own, 0><<<blocks, kWarps * kLanes>>>(l);
  if (l.steps.stages == 1) replica_kernel<d, own, 1><<<blocks, kWarps * kLanes>>>(l);
  if (l.steps.stages == 4) replica_kernel<d, own, 4><<<blocks, kWarps * kLanes>>>(l);
}

template <int d>
void launch(const ReplicaLaunch& l) {
  if (l.n <= 32)
    launch<d, 1>(l);
  else if (l.n <= 64)
    launch<d, 2>(l);
  else
    launch<d, 4>(l);
}

}  // namespace

void launch_replicas(const ReplicaLaunch& l) {
  if (l.d == 2) launch<2>(l);
  if (l.d == 3) launch<3>(l);
  if (l.d == 4) launch<4>(l);
}

}  // namespace murmur::cuda
