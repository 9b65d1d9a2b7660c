// narrow.h: forward and backward pass of a batch of narrow swarms (d = 2, 3, 4) in one launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace murmur::cuda {

// A team of threads computes one sample after another. Two teams share a multiprocessor if there is
// enough shared memory.
inline constexpr int kTeam = 256;
// Planes of four numbers per token and block: x, y, o; peak and share.
inline constexpr int kPlanes = 4;

// All pointers are to the memory of the GPU; all counts are of one batch.
struct NarrowBatch {
  // The swarm, as in Architecture.
  int d = 3, blocks = 1, hidden = 1;
  int maps = 4;  // learned (d, d) maps per block: 4 attention, 2 uniform, 0 without messages
  bool shared = true, attraction = false, cls = false;
  float residual = 0;
  std::size_t block_size = 0, parameter_count = 0;
  const float* parameters = nullptr;
  int classes = 0;
  const double* targets = nullptr;  // (classes, d)

  // The objective, as in Objective; without backward only readouts are computed.
  bool backward = true, target_loss = false;
  double smoothing = 0, share = 1;  // share: of one sample in the batch's mean
  int padded_tokens = 0;            // tokens in the mean of the target loss; 0: those of the sample
  double settle = 0;  // weight of a squared distance behind a block, in a sample of one token
  int settled = 0;    // the number of blocks at the end that count

  // The samples: points first[b] .. first[b + 1] of (points, 2), then the CLS token.
  int samples = 0, stride = 0;  // stride: tokens of the longest, a whole number of 16
  const float* points = nullptr;
  const int* first = nullptr;
  const int* label = nullptr;
  const float* code = nullptr;  // (stride, d) added to the tokens, or null

  // Thread block t computes the samples of queue 3 t with all its teams together; then each of its
  // teams computes one of the next two queues. Queue q is queue[queue_first[q]] ..
  // queue[queue_first[q + 1] - 1] (device_training.h).
  int teams_per_block = 2, thread_blocks = 1;
  bool together = true;  // the gradients of a thread block's teams stay in registers until the end
  const int* queue_first = nullptr;
  const int* queue = nullptr;

  // Memory for backward: (teams, blocks, kPlanes, stride, 4) and (teams, parameters).
  float* history = nullptr;
  float* partial = nullptr;

  // Results: parts of the loss and correctness (samples), the gradient (parameters).
  double* loss = nullptr;
  int* correct = nullptr;
  float* readout = nullptr;  // (samples, d)
  float* gradient = nullptr;
  double* squares = nullptr;  // (square_count(parameters)) sums of the gradient's squares
};
std::size_t square_count(std::size_t parameters);

// AdamW as in Optimiser::update, after clip(gradient, most).
struct NarrowUpdate {
  std::size_t parameter_count = 0;
  float *parameters = nullptr, *momentum = nullptr, *square = nullptr;
  const float* gradient = nullptr;
  const double* squares = nullptr;
  double most = 0, rate = 0, beta1 = 0, beta2 = 0, epsilon = 0, decay = 0;
  double step = 0, grow = 0;  // rate / (1 - beta1^u), 1 / (1 - beta2^u)
  double* length = nullptr;   // of the gradient before clipping
};

// Bytes of shared memory that a team needs for samples of `stride` tokens.
std::size_t narrow_room(int d, int hidden, int stride);
// Launches the batch; backward also adds the gradients of the teams in their order. A failure is
// reported by cudaGetLastError.
void launch_narrow(const NarrowBatch& batch, cudaStream_t stream);
void launch_update(const NarrowUpdate& update, cudaStream_t stream);

}  // namespace murmur::cuda
