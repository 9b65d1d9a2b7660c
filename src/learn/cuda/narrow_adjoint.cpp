// narrow_adjoint.cpp: forward and backward pass of narrow swarms on an NVIDIA GPU: one copy there,
// one launch, one copy back a batch.
#include <algorithm>
#include <cstring>
#include <limits>

#include "device/device.h"
#include "learn/block_tensors.h"
#include "learn/cuda/adjoints.h"
#include "learn/cuda/narrow.h"
#include "learn/grouped_adjoint.h"
#include "learn/queues.h"
#include "murmur/error.h"

namespace murmur {

namespace {

constexpr int kRow = 16;  // tokens that samples are padded to

// Places of arrays in one stretch of memory.
class Packing {
 public:
  template <class T>
  std::size_t add(std::size_t count) {
    constexpr std::size_t aligned = 16;
    const std::size_t at = (bytes_ + aligned - 1) / aligned * aligned;
    bytes_ = at + count * sizeof(T);
    return at;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

template <class T>
T* at(std::byte* memory, std::size_t place) {
  return reinterpret_cast<T*>(memory + place);
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  cuda::inspect(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

class NarrowCudaAdjoint final : public GroupedAdjoint {
 public:
  explicit NarrowCudaAdjoint(const Architecture& architecture)
      : GroupedAdjoint(architecture, 1, std::numeric_limits<int>::max()) {
    cuda::need_gpu();
    processors_ = attribute(cudaDevAttrMultiProcessorCount);
    room_ = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  }

 private:
  void prepare(std::span<const float>) override {}
  BatchResult learn_group(const Group& group, float* gradient) override;
  void forward_group(const Group& group, float* readout) override;

  // What goes to the GPU; places in `there_`.
  struct Question {
    std::size_t targets, parameters, points, first, label, queue_first, queue, code, bytes;
  };
  // What comes back; places in `back_`.
  struct Answer {
    std::size_t loss, gradient, correct, readout, bytes;
  };

  // How the batch lies on the GPU; false where its samples are too long for the kernels.
  bool seat(const Group& group, bool backward, cuda::NarrowBatch& b);
  std::vector<double> costs(const Group& group) const;
  void pack(const Group& group, cuda::NarrowBatch& b);
  void pack_points(const Group& group, float* points, int* first) const;
  Answer launch(cuda::NarrowBatch& b);
  const std::vector<float>& codes(int tokens);
  Adjoint& wide();

  int processors_ = 0;
  std::size_t room_ = 0;  // bytes of shared memory that a thread block can have
  cuda::Room<std::byte> there_{}, back_{};
  cuda::HostRoom sent_{}, received_{};
  cuda::Room<float> history_{}, partial_{};
  std::vector<float> codes_{};       // (tokens, d)
  std::unique_ptr<Adjoint> wide_{};  // of samples too long
};

Adjoint& NarrowCudaAdjoint::wide() {
  if (!wide_) wide_ = make_wide_cuda_adjoint(architecture_);
  return *wide_;
}

// The position codes of at least so many tokens; none where the swarm has none.
const std::vector<float>& NarrowCudaAdjoint::codes(int tokens) {
  if (!architecture_.position) return codes_;
  for (int i = static_cast<int>(codes_.size()) / architecture_.d; i < tokens; ++i)
    for (const double code : position_code(i, architecture_.d))
      codes_.push_back(static_cast<float>(code));
  return codes_;
}

bool NarrowCudaAdjoint::seat(const Group& group, bool backward, cuda::NarrowBatch& b) {
  const Architecture& a = architecture_;
  int longest = 1;
  for (std::size_t sample = group.begin; sample < group.end; ++sample)
    longest = std::max(longest, tokens_of(*group.batch, sample));
  b.d = a.d, b.blocks = a.blocks, b.hidden = a.hidden;
  b.maps = a.interaction == Architecture::attention ? 4
           : a.interaction == Architecture::uniform ? 2
                                                    : 0;
  b.shared = a.shared, b.cls = a.readout == Architecture::cls;
  b.attraction = a.interaction == Architecture::attraction;
  b.residual = static_cast<float>(a.residual);
  b.block_size = block_size(a), b.parameter_count = parameters_.size();
  b.classes = a.targets.rows;
  b.backward = backward;
  b.samples = static_cast<int>(group.end - group.begin);
  b.stride = (longest + kRow - 1) / kRow * kRow;
  const std::size_t team = cuda::narrow_room(a.d, a.hidden, b.stride);
  b.teams_a_block = 2 * team <= room_ ? 2 : 1;
  b.thread_blocks = std::min(processors_, b.samples);
  return team <= room_;
}

// In proportion to the time that a sample takes: feed-forward and attention.
std::vector<double> NarrowCudaAdjoint::costs(const Group& group) const {
  const bool attends = architecture_.interaction == Architecture::attention;
  const double units = 0.7 * architecture_.hidden;
  std::vector<double> cost;
  for (std::size_t sample = group.begin; sample < group.end; ++sample) {
    const double n = tokens_of(*group.batch, sample);
    cost.push_back(attends ? n * (units + n) : n);
  }
  return cost;
}

void NarrowCudaAdjoint::pack_points(const Group& group, float* points, int* first) const {
  const Batch& batch = *group.batch;
  int count = 0;
  first[0] = 0;
  for (std::size_t k = group.begin; k < group.end; ++k) {
    const std::size_t sample = batch.chosen[k];
    const float dx = batch.shift.empty() ? 0.0f : batch.shift[2 * k];
    const float dy = batch.shift.empty() ? 0.0f : batch.shift[2 * k + 1];
    for (std::size_t i = batch.first[sample]; i < batch.first[sample + 1]; ++i, ++count) {
      points[2 * count] = batch.x[i] + dx;
      points[2 * count + 1] = batch.y[i] + dy;
    }
    first[k - group.begin + 1] = count;
  }
}

void NarrowCudaAdjoint::pack(const Group& group, cuda::NarrowBatch& b) {
  const auto samples = static_cast<std::size_t>(b.samples);
  const Matrix& targets = architecture_.targets;
  const Queues queues = share_out(costs(group), b.thread_blocks, b.teams_a_block);
  const std::vector<float>& code = codes(b.stride);
  std::size_t points = 0;
  for (std::size_t k = group.begin; k < group.end; ++k)
    points += static_cast<std::size_t>(tokens_of(*group.batch, k));
  Packing packing;
  Question q{};
  q.targets = packing.add<double>(targets.data.size());
  q.parameters = packing.add<float>(parameters_.size());
  q.points = packing.add<float>(2 * points);
  q.first = packing.add<int>(samples + 1);
  q.label = packing.add<int>(samples);
  q.queue_first = packing.add<int>(queues.first.size());
  q.queue = packing.add<int>(samples);
  q.code = packing.add<float>(code.size());
  q.bytes = packing.bytes();
  std::byte* sent = sent_.need(q.bytes);
  std::copy(targets.data.begin(), targets.data.end(), at<double>(sent, q.targets));
  std::copy(parameters_.begin(), parameters_.end(), at<float>(sent, q.parameters));
  pack_points(group, at<float>(sent, q.points), at<int>(sent, q.first));
  for (std::size_t k = 0; b.backward && k < samples; ++k)
    at<int>(sent, q.label)[k] = group.batch->label[group.batch->chosen[group.begin + k]];
  std::copy(queues.first.begin(), queues.first.end(), at<int>(sent, q.queue_first));
  std::copy(queues.queue.begin(), queues.queue.end(), at<int>(sent, q.queue));
  std::copy(code.begin(), code.end(), at<float>(sent, q.code));
  std::byte* there = there_.need(q.bytes);
  cuda::inspect(cudaMemcpyAsync(there, sent, q.bytes, cudaMemcpyHostToDevice));
  b.targets = at<double>(there, q.targets);
  b.parameters = at<float>(there, q.parameters);
  b.points = at<float>(there, q.points);
  b.first = at<int>(there, q.first);
  b.label = at<int>(there, q.label);
  b.queue_first = at<int>(there, q.queue_first);
  b.queue = at<int>(there, q.queue);
  b.code = code.empty() ? nullptr : at<float>(there, q.code);
}

// Waits until the answer has come to `received_`.
NarrowCudaAdjoint::Answer NarrowCudaAdjoint::launch(cuda::NarrowBatch& b) {
  const auto samples = static_cast<std::size_t>(b.samples);
  Packing packing;
  Answer answer{};
  answer.loss = packing.add<double>(samples);
  answer.gradient = packing.add<float>(b.backward ? b.parameter_count : 0);
  answer.correct = packing.add<int>(samples);
  answer.readout = packing.add<float>(samples * static_cast<std::size_t>(b.d));
  answer.bytes = packing.bytes();
  std::byte* back = back_.need(answer.bytes);
  b.loss = at<double>(back, answer.loss);
  b.gradient = at<float>(back, answer.gradient);
  b.correct = at<int>(back, answer.correct);
  b.readout = at<float>(back, answer.readout);
  if (b.backward) {
    const auto teams = static_cast<std::size_t>(b.thread_blocks) * b.teams_a_block;
    b.history = history_.need(teams * b.blocks * cuda::kPlanes * b.stride * 4);
    b.partial = partial_.need(teams * b.parameter_count);
  }
  cuda::launch_narrow(b);
  cuda::inspect(cudaGetLastError());
  std::byte* received = received_.need(answer.bytes);
  cuda::inspect(cudaMemcpyAsync(received, back, answer.bytes, cudaMemcpyDeviceToHost));
  cuda::inspect(cudaStreamSynchronize(nullptr));
  return answer;
}

BatchResult NarrowCudaAdjoint::learn_group(const Group& group, float* gradient) {
  refuse_dropout(*group.objective);
  cuda::NarrowBatch b;
  if (!seat(group, true, b))
    return wide().backward(parameters_, *group.batch, *group.objective,
                           {gradient, parameters_.size()});
  b.target_loss = group.objective->loss == Objective::target;
  b.smoothing = group.objective->smoothing;
  b.share = 1 / static_cast<double>(group.batch->chosen.size());
  b.padded_tokens = group.objective->padded ? static_cast<int>(group.longest) : 0;
  pack(group, b);
  const Answer answer = launch(b);
  std::byte* received = received_.need(0);
  std::memcpy(gradient, at<float>(received, answer.gradient), parameters_.size() * sizeof(float));
  BatchResult result;
  for (int k = 0; k < b.samples; ++k) {
    result.loss += at<double>(received, answer.loss)[k];
    result.correct += static_cast<std::size_t>(at<int>(received, answer.correct)[k]);
  }
  return result;
}

void NarrowCudaAdjoint::forward_group(const Group& group, float* readout) {
  cuda::NarrowBatch b;
  const std::size_t size = (group.end - group.begin) * static_cast<std::size_t>(architecture_.d);
  if (!seat(group, false, b)) return wide().forward(parameters_, *group.batch, {readout, size});
  pack(group, b);
  const Answer answer = launch(b);
  std::memcpy(readout, at<float>(received_.need(0), answer.readout), size * sizeof(float));
}

}  // namespace

std::unique_ptr<Adjoint> make_narrow_cuda_adjoint(const Architecture& architecture) {
  return std::make_unique<NarrowCudaAdjoint>(architecture);
}

}  // namespace murmur
