// narrow_update.cu: gradients of all teams added up in fixed order, and the optimiser's update.
#include "learn/cuda/narrow_team.cuh"

namespace murmur::cuda {

namespace {

// gradient <- the sum over the rows of partial gradients, eight fixed ranges of them first.
constexpr int kRanges = 8;
__host__ __device__ std::size_t square_blocks(std::size_t parameters) {
  return (parameters + kLanes - 1) / kLanes;
}
__global__ void add_partials(const NarrowBatch b) {
  __shared__ float sums[kRanges][kLanes];
  const std::size_t e = static_cast<std::size_t>(blockIdx.x) * kLanes + threadIdx.x;
  const int rows = partial_rows(b), range = (rows + kRanges - 1) / kRanges;
  const int begin = threadIdx.y * range, end = min(begin + range, rows);
  float sum = 0;
#pragma unroll 4
  for (int t = begin; t < end; ++t)
    if (e < b.parameter_count) sum += b.partial[t * b.parameter_count + e];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int r = 1; r < kRanges; ++r) sum += sums[r][threadIdx.x];
  if (e < b.parameter_count) b.gradient[e] = sum;
  const double square = sum_of_lanes(static_cast<double>(sum) * sum);
  if (threadIdx.x == 0) b.squares[blockIdx.x] = square;
}

// Every product and sum rounded by itself, as on the processor.
__global__ void update_parameters(const NarrowUpdate w) {
  constexpr int warps = kTeam / kLanes;
  __shared__ double sums[warps];
  double total = 0;
  const int count = static_cast<int>(square_blocks(w.parameter_count));
  for (int k = threadIdx.x; k < count; k += kTeam) total += w.squares[k];
  total = sum_of_lanes(total);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = total;
  __syncthreads();
  total = 0;
  for (int k = 0; k < warps; ++k) total += sums[k];
  const double length = sqrt(total);
  const std::size_t e = static_cast<std::size_t>(blockIdx.x) * kTeam + threadIdx.x;
  if (e == 0) *w.length = length;
  if (e >= w.parameter_count) return;
  float gradient = w.gradient[e];
  if (w.most > 0 && length > w.most)
    gradient = static_cast<float>(__dmul_rn(gradient, w.most / length));
  const double g = gradient;
  const double m = __dadd_rn(__dmul_rn(w.beta1, w.momentum[e]), __dmul_rn(1 - w.beta1, g));
  const double s =
      __dadd_rn(__dmul_rn(w.beta2, w.square[e]), __dmul_rn(__dmul_rn(1 - w.beta2, g), g));
  const double pace = __dadd_rn(sqrt(__dmul_rn(s, w.grow)), w.epsilon);
  const double kept = __dmul_rn(__dsub_rn(1, __dmul_rn(w.rate, w.decay)), w.parameters[e]);
  w.momentum[e] = static_cast<float>(m);
  w.square[e] = static_cast<float>(s);
  w.parameters[e] = static_cast<float>(__dsub_rn(kept, __dmul_rn(w.step, m) / pace));
}

}  // namespace

std::size_t square_count(std::size_t parameters) { return square_blocks(parameters); }

void launch_partials(const NarrowBatch& b, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(square_blocks(b.parameter_count));
  add_partials<<<blocks, dim3(kLanes, kRanges), 0, stream>>>(b);
}

void launch_update(const NarrowUpdate& w, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((w.parameter_count + kTeam - 1) / kTeam);
  update_parameters<<<blocks, kTeam, 0, stream>>>(w);
}

}  // namespace murmur::cuda
