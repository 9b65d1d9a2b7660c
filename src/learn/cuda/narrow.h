// narrow.h: forward and backward pass of a batch of narrow swarms (d = 2, 3, 4), one launch a
// batch.
#pragma once

#include <cstddef>

namespace murmur::cuda {

// A team of threads does one sample after another; two teams share a multiprocessor where the
// samples leave room for it.
inline constexpr int kTeam = 256;
inline constexpr int kPlanes = 4;  // of four numbers a token and block: x, y, o; peak and share

// All pointers are to the GPU's memory; all counts are of one batch.
struct NarrowBatch {
  // The swarm, as Architecture has it.
  int d = 3, blocks = 1, hidden = 1;
  int maps = 4;  // learned (d, d) maps a block: 4 attention, 2 uniform, 0 without messages
  bool shared = true, attraction = false, cls = false;
  float residual = 0;
  std::size_t block_size = 0, parameter_count = 0;
  const float* parameters = nullptr;
  int classes = 0;
  const double* targets = nullptr;  // (classes, d)

  // What is learned, as Objective has it; without backward, readouts alone.
  bool backward = true, target_loss = false;
  double smoothing = 0, share = 1;  // share: of one sample in the batch's mean
  int padded_tokens = 0;            // that the target loss is averaged over; 0: the sample's own

  // The samples: points first[b] .. first[b + 1] of (points, 2), then the CLS token.
  int samples = 0, stride = 0;  // stride: tokens of the longest, a whole number of 16
  const float* points = nullptr;
  const int* first = nullptr;
  const int* label = nullptr;
  const float* code = nullptr;  // (stride, d) added to the tokens, or null

  // Team t does samples queue[queue_first[t]] .. queue[queue_first[t + 1] - 1].
  int teams_a_block = 2, thread_blocks = 1;
  const int* queue_first = nullptr;
  const int* queue = nullptr;

  // Room for what backward needs, (teams, blocks, kPlanes, stride, 4) and (teams, parameters).
  float* history = nullptr;
  float* partial = nullptr;

  // Results: shares of the loss and verdicts (samples), the gradient (parameters).
  double* loss = nullptr;
  int* correct = nullptr;
  float* readout = nullptr;  // (samples, d)
  float* gradient = nullptr;
};

// Bytes of shared memory that a team needs for samples of `stride` tokens.
std::size_t narrow_room(int d, int hidden, int stride);
// Launches the batch; backward also adds the teams' gradients in their order. A failure is the
// last error of the CUDA runtime.
void launch_narrow(const NarrowBatch& batch);

}  // namespace murmur::cuda
