// narrow_adjoint.cpp: forward and backward pass of narrow swarms on an NVIDIA GPU, one launch per
// batch, and their training with parameters and optimiser on the GPU.
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "core/elementary.h"
#include "device/device.h"
#include "learn/block_tensors.h"
#include "learn/cuda/narrow.h"
#include "learn/device_training.h"
#include "learn/grouped_adjoint.h"
#include "murmur/error.h"

namespace murmur {

namespace {

constexpr int kRow = 16;  // tokens that samples are padded to

// Offsets of arrays in one block of memory.
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

// A batch in the memory of the GPU.
struct Packed {
  cuda::NarrowBatch b{};
  Batch of{};          // the spans that it was packed from
  bool ready = false;  // and they are the next batch
  bool fits = false;   // its samples are short enough for the kernels
  cuda::HostRoom sent{};
  cuda::Room<std::byte> there{};
};

// Batches with the same spans and the same update are the same.
bool same(const Batch& a, const Batch& b) {
  return a.chosen.data() == b.chosen.data() && a.chosen.size() == b.chosen.size() &&
         a.shift.data() == b.shift.data() && a.x.data() == b.x.data() && a.seed == b.seed &&
         a.update == b.update;
}

class NarrowCudaAdjoint final : public GroupedAdjoint, public DeviceTraining {
 public:
  explicit NarrowCudaAdjoint(const Architecture& architecture)
      : GroupedAdjoint(architecture, 1, std::numeric_limits<int>::max()) {
    cuda::need_gpu();
    processors_ = attribute(cudaDevAttrMultiProcessorCount);
    room_ = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    run_ = std::make_unique<cuda::Stream>();
    copy_ = std::make_unique<cuda::Stream>();
  }

  void put(std::span<const float> parameters, const Optimiser& optimiser) override;
  void get(std::span<float> parameters, Optimiser& optimiser) override;
  Update update(const Batch& batch, const Objective& objective, double clip, Optimiser& optimiser,
                const std::function<const Batch*()>& next) override;

 private:
  void prepare(std::span<const float>) override {}
  BatchResult learn_group(const Group& group, float* gradient) override;
  void forward_group(const Group& group, float* readout) override;

  // Offsets of the results in `back_` and `received_`.
  struct Results {
    std::size_t loss, length, gradient, correct, readout, bytes;
  };

  void describe(const Group& group, bool backward, Packed& to) const;
  void pack(const Group& group, bool backward, Packed& to);
  void pack_points(const Batch& batch, float* points, int* first) const;
  std::vector<double> costs(const Batch& batch) const;
  Results launch(cuda::NarrowBatch& b);
  void fetch(const Results& results, std::size_t end);
  const float* send(std::span<const float> values, float* to);
  BatchResult result_of(const Results& results, int samples);
  const std::vector<float>& codes(int tokens);
  void update_parameters(const Results& results, double clip, Optimiser& optimiser);
  Update update_on_host(const Batch& batch, const Objective& objective, double clip,
                        Optimiser& optimiser);
  Adjoint& wide_adjoint();

  int processors_ = 0;
  std::size_t room_ = 0;  // bytes of shared memory that a thread block can have
  std::unique_ptr<cuda::Stream> run_{}, copy_{};  // copies to the GPU run during a launch
  Packed packed_[2]{};
  int now_ = 0;  // of the two
  cuda::Room<std::byte> back_{};
  cuda::HostRoom received_{};
  cuda::Room<float> history_{}, partial_{}, given_{};
  cuda::Room<double> squares_{};
  cuda::Room<float> trained_{};              // (3, parameters): parameters, momentum, square
  std::size_t trained_count_ = 0;            // parameters
  std::vector<float> codes_{};               // (tokens, d)
  std::unique_ptr<Adjoint> wide_adjoint_{};  // of samples too long
};

Adjoint& NarrowCudaAdjoint::wide_adjoint() {
  if (!wide_adjoint_) wide_adjoint_ = make_wide_cuda_adjoint(architecture_);
  return *wide_adjoint_;
}

// The position codes of at least `tokens` tokens; empty if the swarm has none.
const std::vector<float>& NarrowCudaAdjoint::codes(int tokens) {
  if (!architecture_.position) return codes_;
  for (int i = static_cast<int>(codes_.size()) / architecture_.d; i < tokens; ++i)
    for (const double code : position_code(i, architecture_.d))
      codes_.push_back(static_cast<float>(code));
  return codes_;
}

void NarrowCudaAdjoint::describe(const Group& group, bool backward, Packed& to) const {
  const Architecture& a = architecture_;
  const Objective& objective = *group.objective;
  const auto samples = static_cast<int>(group.batch->chosen.size());
  cuda::NarrowBatch& b = to.b;
  b = {};
  b.d = a.d, b.blocks = a.blocks, b.hidden = a.hidden;
  b.maps = a.interaction == Architecture::attention ? 4
           : a.interaction == Architecture::uniform ? 2
                                                    : 0;
  b.shared = a.shared, b.cls = a.readout == Architecture::cls;
  b.attraction = a.interaction == Architecture::attraction;
  b.residual = static_cast<float>(a.residual);
  b.block_size = block_size(a), b.parameter_count = parameter_count(a);
  b.classes = a.targets.rows;
  b.backward = backward;
  b.target_loss = objective.loss == Objective::target;
  b.smoothing = objective.smoothing;
  b.share = 1 / static_cast<double>(samples);
  b.padded_tokens = objective.padded ? static_cast<int>(group.longest) : 0;
  b.settled = objective.settle > 0 ? settled_blocks(a.blocks, objective.settle_from) : 0;
  b.settle = settle_weight(a, objective, group.batch->chosen.size(), 1);
  b.samples = samples;
  b.stride = (static_cast<int>(group.longest) + kRow - 1) / kRow * kRow;
  const std::size_t team = cuda::narrow_room(a.d, a.hidden, b.stride);
  b.teams_per_block = 2 * team <= room_ ? 2 : 1;
  b.thread_blocks = std::min(processors_, samples);
  to.fits = team <= room_;
}

// Proportional to the time of each sample: feed-forward and attention.
std::vector<double> NarrowCudaAdjoint::costs(const Batch& batch) const {
  const bool attends = architecture_.interaction == Architecture::attention;
  const double units = 0.7 * architecture_.hidden;
  std::vector<double> cost(batch.chosen.size());
  for (std::size_t k = 0; k < cost.size(); ++k) {
    const double n = tokens_of(batch, k);
    cost[k] = attends ? n * (units + n) : n;
  }
  return cost;
}

void NarrowCudaAdjoint::pack_points(const Batch& batch, float* points, int* first) const {
  int count = 0;
  first[0] = 0;
  for (std::size_t k = 0; k < batch.chosen.size(); ++k) {
    const std::size_t sample = batch.chosen[k];
    const float dx = batch.shift.empty() ? 0.0f : batch.shift[2 * k];
    const float dy = batch.shift.empty() ? 0.0f : batch.shift[2 * k + 1];
    for (std::size_t i = batch.first[sample]; i < batch.first[sample + 1]; ++i, ++count) {
      points[2 * count] = batch.x[i] + dx;
      points[2 * count + 1] = batch.y[i] + dy;
    }
    first[k + 1] = count;
  }
}

// Packs a whole batch and sends it to the GPU.
void NarrowCudaAdjoint::pack(const Group& group, bool backward, Packed& to) {
  const Batch& batch = *group.batch;
  const Matrix& targets = architecture_.targets;
  describe(group, backward, to);
  if (!to.fits) return;
  cuda::NarrowBatch& b = to.b;
  const auto samples = static_cast<std::size_t>(b.samples);
  const Queues queues = distribute_samples(costs(batch), b.thread_blocks, b.teams_per_block);
  const std::vector<float>& code = codes(b.stride);
  std::size_t points = 0;
  for (std::size_t k = 0; k < samples; ++k) points += static_cast<std::size_t>(tokens_of(batch, k));
  Packing packing;
  const std::size_t target = packing.add<double>(targets.data.size());
  const std::size_t point = packing.add<float>(2 * points);
  const std::size_t first = packing.add<int>(samples + 1);
  const std::size_t label = packing.add<int>(samples);
  const std::size_t queue_first = packing.add<int>(queues.first.size());
  const std::size_t queue = packing.add<int>(samples);
  const std::size_t codes_at = packing.add<float>(code.size());
  std::byte* sent = to.sent.need(packing.bytes());
  std::copy(targets.data.begin(), targets.data.end(), at<double>(sent, target));
  pack_points(batch, at<float>(sent, point), at<int>(sent, first));
  for (std::size_t k = 0; backward && k < samples; ++k)
    at<int>(sent, label)[k] = batch.label[batch.chosen[k]];
  std::copy(queues.first.begin(), queues.first.end(), at<int>(sent, queue_first));
  std::copy(queues.queue.begin(), queues.queue.end(), at<int>(sent, queue));
  std::copy(code.begin(), code.end(), at<float>(sent, codes_at));
  std::byte* there = to.there.need(packing.bytes());
  cuda::inspect(cudaMemcpyAsync(there, sent, packing.bytes(), cudaMemcpyHostToDevice, *copy_));
  b.targets = at<double>(there, target);
  b.points = at<float>(there, point);
  b.first = at<int>(there, first);
  b.label = at<int>(there, label);
  b.queue_first = at<int>(there, queue_first);
  b.queue = at<int>(there, queue);
  b.code = code.empty() ? nullptr : at<float>(there, codes_at);
}

// Launches a packed batch after its copy has ended.
NarrowCudaAdjoint::Results NarrowCudaAdjoint::launch(cuda::NarrowBatch& b) {
  copy_->wait();
  const auto samples = static_cast<std::size_t>(b.samples);
  Packing packing;
  Results results{};
  results.loss = packing.add<double>(samples);
  results.length = packing.add<double>(1);
  results.correct = packing.add<int>(samples);
  results.readout = packing.add<float>(samples * static_cast<std::size_t>(b.d));
  results.gradient = packing.add<float>(b.backward ? b.parameter_count : 0);
  results.bytes = packing.bytes();
  std::byte* back = back_.need(results.bytes);
  b.loss = at<double>(back, results.loss);
  b.gradient = at<float>(back, results.gradient);
  b.correct = at<int>(back, results.correct);
  b.readout = at<float>(back, results.readout);
  if (b.backward) {
    const auto teams = static_cast<std::size_t>(b.thread_blocks) * b.teams_per_block;
    b.history = history_.need(teams * b.blocks * cuda::kPlanes * b.stride * 4);
    b.partial = partial_.need(teams * b.parameter_count);
    b.squares = squares_.need(cuda::square_count(b.parameter_count));
  }
  cuda::launch_narrow(b, *run_);
  cuda::inspect(cudaGetLastError());
  return results;
}

// Copies to the GPU; the copy has ended when the next batch is launched.
const float* NarrowCudaAdjoint::send(std::span<const float> values, float* to) {
  cuda::inspect(
      cudaMemcpyAsync(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, *copy_));
  return to;
}

// Starts the copy of the first `end` bytes of the results.
void NarrowCudaAdjoint::fetch(const Results& results, std::size_t end) {
  cuda::inspect(cudaMemcpyAsync(received_.need(results.bytes), back_.need(0), end,
                                cudaMemcpyDeviceToHost, *run_));
}

BatchResult NarrowCudaAdjoint::result_of(const Results& results, int samples) {
  std::byte* received = received_.need(0);
  BatchResult result;
  for (int k = 0; k < samples; ++k) {
    result.loss += at<double>(received, results.loss)[k];
    result.correct += static_cast<std::size_t>(at<int>(received, results.correct)[k]);
  }
  return result;
}

BatchResult NarrowCudaAdjoint::learn_group(const Group& group, float* gradient) {
  refuse_dropout(*group.objective);
  Packed& packed = packed_[now_];
  packed.ready = false;
  pack(group, true, packed);
  if (!packed.fits)
    return wide_adjoint().backward(parameters_, *group.batch, *group.objective,
                                   {gradient, parameters_.size()});
  packed.b.parameters = send(parameters_, given_.need(parameters_.size()));
  const Results results = launch(packed.b);
  fetch(results, results.bytes);
  run_->wait();
  std::memcpy(gradient, at<float>(received_.need(0), results.gradient),
              parameters_.size() * sizeof(float));
  return result_of(results, packed.b.samples);
}

void NarrowCudaAdjoint::forward_group(const Group& group, float* readout) {
  Group whole = group;
  whole.longest = longest_of(*group.batch);
  Packed& packed = packed_[now_];
  packed.ready = false;
  pack(whole, false, packed);
  const std::size_t size = group.batch->chosen.size() * static_cast<std::size_t>(architecture_.d);
  if (!packed.fits) return wide_adjoint().forward(parameters_, *group.batch, {readout, size});
  packed.b.parameters = send(parameters_, given_.need(parameters_.size()));
  const Results results = launch(packed.b);
  fetch(results, results.bytes);
  run_->wait();
  std::memcpy(readout, at<float>(received_.need(0), results.readout), size * sizeof(float));
}

void NarrowCudaAdjoint::put(std::span<const float> parameters, const Optimiser& optimiser) {
  trained_count_ = parameters.size();
  float* to = trained_.need(3 * trained_count_);
  send(parameters, to);
  send(optimiser.momentum, to + trained_count_);
  send(optimiser.square, to + 2 * trained_count_);
}

void NarrowCudaAdjoint::get(std::span<float> parameters, Optimiser& optimiser) {
  const std::vector<float> all = cuda::fetch(trained_.need(0), 3 * trained_count_);
  const auto part = [&](int k) {
    return all.begin() + static_cast<std::ptrdiff_t>(k * trained_count_);
  };
  std::copy(part(0), part(1), parameters.begin());
  optimiser.momentum.assign(part(1), part(2));
  optimiser.square.assign(part(2), all.end());
}

void NarrowCudaAdjoint::update_parameters(const Results& results, double clip,
                                          Optimiser& optimiser) {
  const auto past = static_cast<double>(++optimiser.updates);
  float* trained = trained_.need(0);
  std::byte* back = back_.need(0);
  cuda::launch_update({.parameter_count = trained_count_,
                       .parameters = trained,
                       .momentum = trained + trained_count_,
                       .square = trained + 2 * trained_count_,
                       .gradient = at<float>(back, results.gradient),
                       .squares = squares_.need(0),
                       .most = clip,
                       .rate = optimiser.rate,
                       .beta1 = optimiser.beta1,
                       .beta2 = optimiser.beta2,
                       .epsilon = optimiser.epsilon,
                       .decay = optimiser.decay,
                       .step = optimiser.rate / (1 - elementary::pow(optimiser.beta1, past)),
                       .grow = 1 / (1 - elementary::pow(optimiser.beta2, past)),
                       .length = at<double>(back, results.length)},
                      *run_);
  cuda::inspect(cudaGetLastError());
}

// For samples too long for the kernels: the update runs on the host.
DeviceTraining::Update NarrowCudaAdjoint::update_on_host(const Batch& batch,
                                                         const Objective& objective, double clip,
                                                         Optimiser& optimiser) {
  std::vector<float> parameters(trained_count_), gradient(trained_count_);
  get(parameters, optimiser);
  Update update;
  update.result = wide_adjoint().backward(parameters, batch, objective, gradient);
  update.gradient = murmur::clip(gradient, clip);
  optimiser.update(parameters, gradient);
  put(parameters, optimiser);
  return update;
}

// Packs and copies the next batch while the GPU computes this one.
DeviceTraining::Update NarrowCudaAdjoint::update(const Batch& batch, const Objective& objective,
                                                 double clip, Optimiser& optimiser,
                                                 const std::function<const Batch*()>& next) {
  refuse_dropout(objective);
  const auto pack_whole = [&](const Batch& what, Packed& to) {
    check_samples(what, true);
    pack({&what, &objective, 0, what.chosen.size(), longest_of(what)}, true, to);
    to.of = what;
  };
  Packed &packed = packed_[now_], &other = packed_[1 - now_];
  if (!packed.ready || !same(packed.of, batch)) pack_whole(batch, packed);
  packed.ready = false;
  if (!packed.fits) return update_on_host(batch, objective, clip, optimiser);
  packed.b.parameters = trained_.need(0);
  const Results results = launch(packed.b);
  update_parameters(results, clip, optimiser);
  fetch(results, results.readout);
  if (const Batch* then = next()) {
    pack_whole(*then, other);
    other.ready = true;
    now_ = 1 - now_;
  }
  run_->wait();
  return {result_of(results, packed.b.samples), *at<double>(received_.need(0), results.length)};
}

}  // namespace

std::unique_ptr<Adjoint> make_narrow_cuda_adjoint(const Architecture& architecture) {
  return std::make_unique<NarrowCudaAdjoint>(architecture);
}

}  // namespace murmur
