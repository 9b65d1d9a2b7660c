// kernels.cu: kernels with one thread per entry or one warp per row; without atomics, so that the
// same GPU gives the same bits every time.
#include "learn/cuda/kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kLanes = 32;     // threads of a warp
constexpr int kThreads = 256;  // of a block
constexpr int kSlice = 128;    // rows per thread in a sum

template <class Work>
__global__ void each_entry(std::size_t entries, Work work) {
  const std::size_t entry = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (entry < entries) work(entry);
}

// Calls work(entry) for every entry.
template <class Work>
void for_entries(std::size_t entries, Work work) {
  const auto blocks = static_cast<unsigned>((entries + kThreads - 1) / kThreads);
  if (entries > 0) each_entry<<<blocks, kThreads>>>(entries, work);
}

template <class Work>
__global__ void each_row(int rows, Work work) {
  const int row = static_cast<int>(blockIdx.x) * (kThreads / kLanes) + threadIdx.x / kLanes;
  if (row < rows) work(row, static_cast<int>(threadIdx.x) % kLanes);
}

// Calls work(row, lane) for every row and each lane of its warp.
template <class Work>
void for_rows(int rows, Work work) {
  constexpr int at_once = kThreads / kLanes;
  if (rows > 0) each_row<<<(rows + at_once - 1) / at_once, kThreads>>>(rows, work);
}

// The sum or the largest over the lanes of a warp, in every lane.
__device__ float sum_of_lanes(float value) {
  for (int gap = kLanes / 2; gap > 0; gap /= 2) value += __shfl_xor_sync(~0u, value, gap);
  return value;
}
__device__ float max_of_lanes(float value) {
  for (int gap = kLanes / 2; gap > 0; gap /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0u, value, gap));
  return value;
}

// The sample, head and token of a row of the padded weights or maps.
struct PaddedRow {
  int sample, head, token, tokens;
};
__device__ PaddedRow padded_row(const SampleTable& t, int row) {
  const int matrix = row / t.longest, sample = matrix / t.heads;
  return {sample, matrix % t.heads, row % t.longest, t.first[sample + 1] - t.first[sample]};
}
int padded_rows(const SampleTable& t) { return t.samples * t.heads * t.longest; }

std::size_t entries_of(const Rows& x) { return static_cast<std::size_t>(x.rows) * x.cols; }

int slices_of(int rows) { return (rows + kSlice - 1) / kSlice; }

}  // namespace

void add_bias(const Rows& x, const float* bias, float scale) {
  for_rows(x.rows, [=] __device__(int row, int lane) {
    float* at = x.at + static_cast<std::size_t>(row) * x.cols;
    for (int k = lane; k < x.cols; k += kLanes) at[k] += scale * bias[k];
  });
}

void add_bias_relu(const Rows& x, const float* bias) {
  for_rows(x.rows, [=] __device__(int row, int lane) {
    float* at = x.at + static_cast<std::size_t>(row) * x.cols;
    for (int k = lane; k < x.cols; k += kLanes) {
      const float sum = at[k] + bias[k];
      at[k] = sum > 0 ? sum : 0;
    }
  });
}

void relu_backward(const Rows& h, float* dh) {
  for_entries(entries_of(h), [=] __device__(std::size_t e) {
    if (!(h.at[e] > 0)) dh[e] = 0;
  });
}

void pad(const SampleTable& t, const float* x, float* padded) {
  const int k = t.k, wide = t.heads * t.k;
  for_rows(padded_rows(t), [=] __device__(int row, int lane) {
    const PaddedRow at = padded_row(t, row);
    float* to = padded + static_cast<std::size_t>(row) * k;
    const bool there = at.token < at.tokens;
    const std::size_t token = there ? t.first[at.sample] + at.token : 0;
    const float* from = x + token * wide + at.head * k;
    for (int c = lane; c < k; c += kLanes) to[c] = there ? from[c] : 0;
  });
}

void unpad(const SampleTable& t, const float* padded, float* x) {
  const int k = t.k, wide = t.heads * t.k;
  for_rows(t.tokens, [=] __device__(int row, int lane) {
    const int sample = t.sample[row], token = row - t.first[sample];
    for (int c = lane; c < wide; c += kLanes) {
      const std::size_t matrix = static_cast<std::size_t>(sample) * t.heads + c / k;
      x[static_cast<std::size_t>(row) * wide + c] =
          padded[(matrix * t.longest + token) * k + c % k];
    }
  });
}

void softmax(const SampleTable& t, float scale, float* s) {
  for_rows(padded_rows(t), [=] __device__(int row, int lane) {
    const PaddedRow at = padded_row(t, row);
    float* p = s + static_cast<std::size_t>(row) * t.longest;
    const int n = at.token < at.tokens ? at.tokens : 0;
    float peak = -INFINITY, sum = 0;
    for (int j = lane; j < n; j += kLanes) peak = fmaxf(peak, p[j]);
    peak = max_of_lanes(peak);
    for (int j = lane; j < n; j += kLanes) sum += p[j] = expf(scale * (p[j] - peak));
    const float share = 1 / sum_of_lanes(sum);
    for (int j = lane; j < t.longest; j += kLanes) p[j] = j < n ? p[j] * share : 0;
  });
}

void softmax_backward(const SampleTable& t, const float* p, float* dp) {
  for_rows(padded_rows(t), [=] __device__(int row, int lane) {
    const std::size_t begin = static_cast<std::size_t>(row) * t.longest;
    float level = 0;
    for (int j = lane; j < t.longest; j += kLanes) level += p[begin + j] * dp[begin + j];
    level = sum_of_lanes(level);
    for (int j = lane; j < t.longest; j += kLanes)
      dp[begin + j] = p[begin + j] * (dp[begin + j] - level);
  });
}

void take_means(const SampleTable& t, const float* from, float* to, int cols) {
  for_entries(static_cast<std::size_t>(t.samples) * cols, [=] __device__(std::size_t e) {
    const int sample = static_cast<int>(e / cols), k = static_cast<int>(e % cols);
    const std::size_t begin = t.first[sample], end = t.first[sample + 1];
    float sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += from[i * cols + k];
    for (std::size_t i = begin; i < end; ++i) to[i * cols + k] = sum / (end - begin);
  });
}

void add_gap(const Rows& y, const float* mean, const float* x, float step) {
  for_entries(entries_of(y), [=] __device__(std::size_t e) { y.at[e] += step * (mean[e] - x[e]); });
}

void read_out(const SampleTable& t, bool last, const float* x, float* readout) {
  for_entries(static_cast<std::size_t>(t.samples) * t.d, [=] __device__(std::size_t e) {
    const int sample = static_cast<int>(e / t.d), k = static_cast<int>(e % t.d);
    const std::size_t end = t.first[sample + 1], begin = last ? end - 1 : t.first[sample];
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += x[i * t.d + k];
    readout[e] = static_cast<float>(sum / static_cast<double>(end - begin));
  });
}

void read_out_backward(const SampleTable& t, bool last, const float* dreadout, float* dx) {
  for_rows(t.tokens, [=] __device__(int row, int lane) {
    const int sample = t.sample[row], begin = t.first[sample], end = t.first[sample + 1];
    const float share = !last ? 1.0f / (end - begin) : row == end - 1 ? 1.0f : 0.0f;
    for (int k = lane; k < t.d; k += kLanes)
      dx[static_cast<std::size_t>(row) * t.d + k] =
          share * dreadout[static_cast<std::size_t>(sample) * t.d + k];
  });
}

void add_distances(const SampleTable& t, const Distances& to, const float* x, float* dx) {
  for_entries(t.tokens, [=] __device__(std::size_t row) {
    const int sample = t.sample[row];
    const double weight = to.weight / (t.first[sample + 1] - t.first[sample]);
    const double* target = to.targets + static_cast<std::size_t>(to.label[sample]) * t.d;
    double square = 0;
    for (int k = 0; k < t.d; ++k) {
      const double gap = x[row * t.d + k] - target[k];
      square += gap * gap;
      dx[row * t.d + k] += static_cast<float>(2 * weight * gap);
    }
    to.loss[row] += weight * square;
  });
}

std::size_t column_scratch(int rows, int cols) {
  return static_cast<std::size_t>(slices_of(rows)) * cols;
}

void add_columns(const Rows& x, float scale, float* scratch, float* sums) {
  const int slices = slices_of(x.rows);
  for_entries(column_scratch(x.rows, x.cols), [=] __device__(std::size_t e) {
    const int slice = static_cast<int>(e / x.cols), k = static_cast<int>(e % x.cols);
    const int end = min((slice + 1) * kSlice, x.rows);
    float sum = 0;
    for (int i = slice * kSlice; i < end; ++i)
      sum += x.at[static_cast<std::size_t>(i) * x.cols + k];
    scratch[e] = sum;
  });
  for_entries(x.cols, [=] __device__(std::size_t k) {
    float sum = 0;
    for (int slice = 0; slice < slices; ++slice)
      sum += scratch[static_cast<std::size_t>(slice) * x.cols + k];
    sums[k] += scale * sum;
  });
}

void add_last_tokens(const SampleTable& t, const float* x, float* sums) {
  for_entries(t.d, [=] __device__(std::size_t k) {
    float sum = 0;
    for (int sample = 0; sample < t.samples; ++sample)
      sum += x[static_cast<std::size_t>(t.first[sample + 1] - 1) * t.d + k];
    sums[k] += sum;
  });
}

}  // namespace murmur::cuda
