// cuda_adjoint.cpp: forward and backward pass of whole batches on an NVIDIA GPU, by matrix
// products.
#include <algorithm>
#include <cmath>

#include "device/device.h"
#include "learn/cuda/kernels.h"
#include "learn/sample_kernels.h"
#include "learn/wide_adjoint.h"
#include "murmur/error.h"

namespace murmur {

namespace {

using cuda::Matrices;
using cuda::Rows;
using cuda::Turn;

constexpr std::size_t kSamples = 256;  // on the GPU at once

// Padded maps of a block lie as (samples, heads, longest, k), weights as (samples, heads, longest,
// longest). Queries, keys, values and weights of all blocks are kept for backward.
struct DeviceArrays : WideArrays {
  cuda::SampleTable table{};
  std::size_t sample_size = 0, unit_size = 0;  // tokens d, tokens hidden
  std::size_t map_size = 0, weight_size = 0;   // padded, of one block
  float *query = nullptr, *key = nullptr, *value = nullptr, *p = nullptr;  // (blocks, padded)
  float *wide = nullptr, *dwide = nullptr;                                 // padded maps
  float *dp = nullptr, *columns = nullptr;
};

class CudaAdjoint final : public WideAdjoint<DeviceArrays> {
 public:
  explicit CudaAdjoint(const Architecture& architecture)
      : WideAdjoint(architecture, 1, kSamples, true) {}

 private:
  void prepare(std::span<const float> parameters) override { parameters_room_.upload(parameters); }
  BatchResult learn_group(const Group& group, float* gradient) override;
  void forward_group(const Group& group, float* readout) override;

  void product(const View& a, const View& b, Transposed turn, const View& c, float scale,
               float keep) override {
    products_.multiply(matrix(a), matrix(b),
                       turn == Transposed::left    ? Turn::left
                       : turn == Transposed::right ? Turn::right
                                                   : Turn::none,
                       c.at, {scale, keep});
  }
  void add_bias(const View& x, const float* bias, float scale) override {
    cuda::add_bias(rows(x), bias, scale);
  }
  void add_bias_relu(const View& x, const float* bias) override {
    cuda::add_bias_relu(rows(x), bias);
  }
  void relu_backward(const View& h, float* dh) override { cuda::relu_backward(rows(h), dh); }
  void add_columns(const DeviceArrays& f, const View& x, float scale, float* sums) override {
    cuda::add_columns(rows(x), scale, f.columns, sums);
  }
  void take_means(const DeviceArrays& f, const float* from, float* to, int cols) override {
    cuda::take_means(f.table, from, to, cols);
  }
  void add_gap(const View& y, const float* mean, const float* x, float step) override {
    cuda::add_gap(rows(y), mean, x, step);
  }
  void copy(const float* from, std::size_t size, float* to) override {
    cuda::inspect(cudaMemcpyAsync(to, from, size * sizeof(float), cudaMemcpyDeviceToDevice));
  }
  const float* parameters() override { return parameters_room_.need(0); }
  void attend(const Group& group, const DeviceArrays& f, int block) override;
  void attend_backward(const Group& group, const DeviceArrays& f, int block,
                       float* gradient) override;

  DeviceArrays begin_forward(const Group& group);
  cuda::SampleTable pack_batch(const Group& group);
  BatchResult compute_loss(const Group& group, const DeviceArrays& f);
  cuda::Distances distances(const Group& group, const DeviceArrays& f);

  static Matrices matrix(const View& x) { return {x.at, x.rows, x.cols}; }
  static Rows rows(const View& x) { return {x.at, x.rows, x.cols}; }
  Matrices padded(const DeviceArrays& f, const float* at) const {
    return {at, f.table.longest, k_, f.table.samples * f.table.heads};
  }
  Matrices weights(const DeviceArrays& f, const float* at) const {
    return {at, f.table.longest, f.table.longest, f.table.samples * f.table.heads};
  }
  float score_scale() const { return 1 / std::sqrt(static_cast<float>(k_)); }
  bool last_decides() const { return architecture_.readout == Architecture::cls; }

  cuda::Products products_{};
  cuda::Room<float> parameters_room_{}, gradient_room_{}, places_{}, tokens_{}, maps_{}, weights_{},
      units_{}, columns_{}, readout_{};
  cuda::Room<int> first_{}, sample_{}, label_{};
  cuda::Room<double> targets_{}, apart_{};  // of the distances behind blocks
};

cuda::SampleTable CudaAdjoint::pack_batch(const Group& group) {
  std::vector<int> first{0}, sample;
  int longest = 0;
  for (std::size_t at = group.begin; at < group.end; ++at) {
    const int n = tokens_of(*group.batch, at);
    longest = std::max(longest, n);
    sample.insert(sample.end(), n, static_cast<int>(first.size()) - 1);
    first.push_back(first.back() + n);
  }
  std::vector<float> start(static_cast<std::size_t>(first.back()) * d_);
  for (std::size_t b = 0; b + 1 < first.size(); ++b)
    write_start(architecture_, parameters_, *group.batch, group.begin + b,
                {start.data() + static_cast<std::size_t>(first[b]) * d_, first[b + 1] - first[b],
                 d_, static_cast<std::size_t>(d_), 1});
  places_.need((2 * static_cast<std::size_t>(architecture_.blocks) + 1) * start.size());
  places_.upload(start);
  constexpr int aligned = 8;  // rows of whole 32 bytes are faster
  return {.samples = static_cast<int>(first.size()) - 1,
          .tokens = first.back(),
          .d = d_,
          .heads = architecture_.heads,
          .k = k_,
          .longest = (longest + aligned - 1) / aligned * aligned,
          .first = first_.upload(first),
          .sample = sample_.upload(sample)};
}

DeviceArrays CudaAdjoint::begin_forward(const Group& group) {
  DeviceArrays f;
  f.table = pack_batch(group);
  const auto& t = f.table;
  f.tokens = t.tokens;
  const auto blocks = static_cast<std::size_t>(architecture_.blocks);
  const std::size_t matrices = static_cast<std::size_t>(t.samples) * t.heads;
  const std::size_t wide_size = static_cast<std::size_t>(t.tokens) * wide_;
  f.sample_size = static_cast<std::size_t>(t.tokens) * d_;
  f.unit_size = static_cast<std::size_t>(t.tokens) * architecture_.hidden;
  f.map_size = attends() ? matrices * t.longest * k_ : 0;
  f.weight_size = attends() ? matrices * t.longest * t.longest : 0;
  f.places = places_.need(0);
  f.v = f.dout = tokens_.need((2 + blocks) * wide_size + 2 * f.sample_size);
  f.dv = f.v + wide_size;
  f.o = f.dv + wide_size;
  f.dx = f.o + blocks * wide_size;
  f.mean = f.dx + f.sample_size;
  f.wide = maps_.need((2 + 3 * blocks) * f.map_size);
  f.dwide = f.wide + f.map_size;
  f.query = f.dwide + f.map_size;
  f.key = f.query + blocks * f.map_size;
  f.value = f.key + blocks * f.map_size;
  f.dp = weights_.need((1 + blocks) * f.weight_size);
  f.p = f.dp + f.weight_size;
  f.dh = units_.need((1 + blocks) * f.unit_size);
  f.h = f.dh + f.unit_size;
  f.columns =
      columns_.need(cuda::column_scratch(t.tokens, std::max({d_, wide_, architecture_.hidden})));
  return f;
}

void CudaAdjoint::attend(const Group&, const DeviceArrays& f, int b) {
  const auto t = tensors(b);
  float* const query = f.query + b * f.map_size;
  float* const key = f.key + b * f.map_size;
  float* const value = f.value + b * f.map_size;
  float* const p = f.p + b * f.weight_size;
  const auto map_padded = [&](const float* w, const float* bias, float* to) {
    map(f, b, w, bias, f.v);
    cuda::pad(f.table, f.v, to);
  };
  map_padded(t.query, t.query_bias, query);
  map_padded(t.key, t.key_bias, key);
  map_padded(t.value, t.value_bias, value);
  products_.multiply(padded(f, query), padded(f, key), Turn::right, p);
  cuda::softmax(f.table, score_scale(), p);
  products_.multiply(weights(f, p), padded(f, value), Turn::none, f.wide);
  cuda::unpad(f.table, f.wide, output(f, b));
}

//   dp = do v^T,  dv = p^T do,  ds = p (dp - sum_j p dp),  dq = ds k / sqrt(k),  dk = ds^T q /
//   sqrt(k)
void CudaAdjoint::attend_backward(const Group&, const DeviceArrays& f, int b, float* gradient) {
  const auto t = tensors(b);
  const auto g = block_tensors(architecture_, gradient, b);
  const Matrices q = padded(f, f.query + b * f.map_size), k = padded(f, f.key + b * f.map_size);
  const Matrices v = padded(f, f.value + b * f.map_size), p = weights(f, f.p + b * f.weight_size);
  const Matrices dout = padded(f, f.wide), ds = weights(f, f.dp);
  const auto add_gradient = [&](const float* w, float* dw, float* dbias) {
    cuda::unpad(f.table, f.dwide, f.dv);
    map_backward(f, b, w, f.dv, dw, dbias);
  };
  cuda::pad(f.table, f.dout, f.wide);
  products_.multiply(dout, v, Turn::right, f.dp);
  cuda::softmax_backward(f.table, p.at, f.dp);
  products_.multiply(ds, k, Turn::none, f.dwide, {.scale = score_scale()});
  add_gradient(t.query, g.query, g.query_bias);
  products_.multiply(ds, q, Turn::left, f.dwide, {.scale = score_scale()});
  add_gradient(t.key, g.key, g.key_bias);
  products_.multiply(p, dout, Turn::left, f.dwide);
  add_gradient(t.value, g.value, g.value_bias);
}

// The loss on the host, in double. The cross-entropy needs only the readout of a sample, one token.
BatchResult CudaAdjoint::compute_loss(const Group& group, const DeviceArrays& f) {
  const bool whole = group.objective->loss == Objective::target;
  const float* places = place(f, 2 * architecture_.blocks);
  const std::size_t readouts = static_cast<std::size_t>(f.table.samples) * d_;
  float* readout = readout_.need(readouts);
  if (!whole) cuda::read_out(f.table, last_decides(), places, readout);
  std::vector<float> x = cuda::fetch(whole ? places : readout, whole ? f.sample_size : readouts);
  std::vector<float> dx(x.size());
  BatchResult result;
  std::size_t at = 0;
  for (std::size_t sample = group.begin; sample < group.end; ++sample) {
    const int n = whole ? tokens_of(*group.batch, sample) : 1;
    const auto d = static_cast<std::size_t>(d_);
    const SampleLoss loss =
        sample_loss(architecture_, *group.objective,
                    {group.batch->label[group.batch->chosen[sample]], group.batch->chosen.size(),
                     group.longest, whole && last_decides() ? n - 1 : -1},
                    {x.data() + at, n, d_, d, 1}, {dx.data() + at, n, d_, d, 1});
    result.loss += loss.loss;
    result.correct += loss.correct ? 1 : 0;
    at += n * d;
  }
  cuda::inspect(cudaMemcpy(whole ? f.dx : readout, dx.data(), dx.size() * sizeof(float),
                           cudaMemcpyHostToDevice));
  if (!whole) cuda::read_out_backward(f.table, last_decides(), readout, f.dx);
  return result;
}

// The inputs of add_distances for `settle`; the losses start at 0.
cuda::Distances CudaAdjoint::distances(const Group& group, const DeviceArrays& f) {
  if (group.objective->settle == 0) return {};
  std::vector<int> label;
  for (std::size_t at = group.begin; at < group.end; ++at)
    label.push_back(group.batch->label[group.batch->chosen[at]]);
  const std::vector<double> none(static_cast<std::size_t>(f.table.tokens));
  return {label_.upload(label), targets_.upload(architecture_.targets.data),
          settle_weight(architecture_, *group.objective, group.batch->chosen.size(), 1),
          apart_.upload(none)};
}

BatchResult CudaAdjoint::learn_group(const Group& group, float* gradient) {
  refuse_dropout(*group.objective);
  const std::size_t size = parameters_.size();
  const DeviceArrays f = begin_forward(group);
  forward_blocks(group, f);
  BatchResult result = compute_loss(group, f);
  const cuda::Distances to_targets = distances(group, f);
  cuda::inspect(cudaMemset(gradient_room_.need(size), 0, size * sizeof(float)));
  for (int b = architecture_.blocks - 1; b >= 0; --b) {
    if (settles(architecture_, *group.objective, b))
      cuda::add_distances(f.table, to_targets, place(f, 2 * b + 2), f.dx);
    backward_block(group, f, b, gradient_room_.need(0));
  }
  if (to_targets.loss != nullptr)
    for (const double part : cuda::fetch(to_targets.loss, f.table.tokens)) result.loss += part;
  if (float* cls = cls_start(architecture_, gradient_room_.need(0)))
    cuda::add_last_tokens(f.table, f.dx, cls);
  cuda::inspect(cudaGetLastError());
  cuda::inspect(
      cudaMemcpy(gradient, gradient_room_.need(0), size * sizeof(float), cudaMemcpyDeviceToHost));
  return result;
}

void CudaAdjoint::forward_group(const Group& group, float* readout) {
  const DeviceArrays f = begin_forward(group);
  forward_blocks(group, f);
  const std::size_t size = static_cast<std::size_t>(f.table.samples) * d_;
  cuda::read_out(f.table, last_decides(), place(f, 2 * architecture_.blocks), readout_.need(size));
  cuda::inspect(cudaGetLastError());
  cuda::inspect(cudaMemcpy(readout + group.begin * static_cast<std::size_t>(d_), readout_.need(0),
                           size * sizeof(float), cudaMemcpyDeviceToHost));
}

}  // namespace

void refuse_dropout(const Objective& objective) {
  if (objective.dropout > 0)
    throw Error(Fault::input, "the GPU leaves out no attention weights", "dropout",
                "use dropout=0, or device=cpu");
}

std::unique_ptr<Adjoint> make_wide_cuda_adjoint(const Architecture& architecture) {
  return std::make_unique<CudaAdjoint>(architecture);
}

std::unique_ptr<Adjoint> make_cuda_adjoint(const Architecture& architecture) {
  if (architecture.hidden == 0 || architecture.vocabulary > 0 || architecture.places > 0 ||
      architecture.rotary || architecture.readout == Architecture::asked)
    throw Error(Fault::input,
                "the GPU supports only blocks with a feed-forward and tokens of the plane",
                "in the architecture", "use device=cpu");
  const bool plain = architecture.heads == 1 && width_of_head(architecture) == architecture.d;
  if (architecture.d <= simd::kMostSmall && plain) return make_narrow_cuda_adjoint(architecture);
  return make_wide_cuda_adjoint(architecture);
}

}  // namespace murmur
