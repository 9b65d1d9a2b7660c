// cuda_adjoint.cpp: forward and backward pass of whole batches on an NVIDIA GPU, by matrix
// products.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "device/device.h"
#include "learn/block_tensors.h"
#include "learn/cuda/adjoints.h"
#include "learn/cuda/kernels.h"
#include "learn/grouped_adjoint.h"
#include "learn/sample_kernels.h"
#include "murmur/error.h"

namespace murmur {

namespace {

using cuda::Matrices;
using cuda::Products;
using cuda::Rows;
using cuda::Turn;

constexpr std::size_t kSamples = 256;  // on the GPU at once

// What the forward pass stores for backward, and the work space of backward. Maps of a block that
// are padded lie as (samples, heads, longest, k), weights as (samples, heads, longest,
// longest).
struct Forward {
  cuda::SampleTable table{};
  std::size_t sample_size = 0, unit_size = 0;  // tokens d, tokens hidden
  std::size_t wide_size = 0;                   // tokens heads k
  std::size_t map_size = 0, weight_size = 0;   // padded
  float* places = nullptr;                     // (2 blocks + 1, tokens, d)
  float* o = nullptr;                          // (blocks, tokens, heads k): what each gathered
  float* h = nullptr;                          // (blocks, tokens, hidden)
  float *q = nullptr, *k = nullptr, *v = nullptr, *p = nullptr;  // (blocks, padded)
  float *near = nullptr, *dnear = nullptr;                       // (tokens, heads k) each
  float *dx = nullptr, *mean = nullptr;                          // (tokens, d)
  float *wide = nullptr, *dwide = nullptr;                       // padded maps
  float *dp = nullptr, *dh = nullptr, *columns = nullptr;
};

class CudaAdjoint final : public GroupedAdjoint {
 public:
  explicit CudaAdjoint(const Architecture& architecture)
      : GroupedAdjoint(architecture, 1, kSamples),
        d_(architecture.d),
        k_(width_of_head(architecture)),
        wide_(width_of_heads(architecture)) {}

 private:
  void prepare(std::span<const float> parameters) override { parameters_room_.upload(parameters); }
  BatchResult learn_group(const Group& group, float* gradient) override;
  void forward_group(const Group& group, float* readout) override;

  Forward take_off(const Group& group);
  cuda::SampleTable seat(const Group& group);
  void forward_blocks(const Forward& f);
  BatchResult lose(const Group& group, const Forward& f);
  cuda::Distances distances(const Group& group, const Forward& f);
  void interact(const Forward& f, int block, float* y);
  void interact_back(const Forward& f, int block);
  void gather(const Forward& f, int block);
  void gather_back(const Forward& f, int block);
  void feed_forward(const Forward& f, int block, float* z);
  void perceptron_backward_(const Forward& f, int block);
  void map(const Forward& f, const float* x, const float* w, const float* bias);
  void map_back(const Forward& f, const float* x, const float* w, float* dw);

  Matrices tokens(const Forward& f, const float* at) const { return {at, f.table.tokens, d_}; }
  Matrices units(const Forward& f, const float* at) const {
    return {at, f.table.tokens, architecture_.hidden};
  }
  Matrices maps(const Forward& f, const float* at) const { return {at, f.table.tokens, wide_}; }
  Matrices padded(const Forward& f, const float* at) const {
    return {at, f.table.longest, k_, f.table.samples * f.table.heads};
  }
  Matrices weights(const Forward& f, const float* at) const {
    return {at, f.table.longest, f.table.longest, f.table.samples * f.table.heads};
  }
  Rows rows(const Forward& f, float* at) const { return {at, f.table.tokens, d_}; }
  Rows map_rows(const Forward& f, float* at) const { return {at, f.table.tokens, wide_}; }
  float* place(const Forward& f, int half) const { return f.places + half * f.sample_size; }
  float residual() const { return static_cast<float>(architecture_.residual); }
  float sharpness() const { return 1 / std::sqrt(static_cast<float>(k_)); }
  bool attends() const { return architecture_.interaction == Architecture::attention; }
  bool last_decides() const { return architecture_.readout == Architecture::cls; }
  BlockTensors<const float> tensors(int block) {
    return block_tensors<const float>(architecture_, parameters_room_.need(0), block);
  }
  BlockTensors<float> gradients(int block) {
    return block_tensors(architecture_, gradient_room_.need(0), block);
  }

  int d_, k_, wide_;  // k: coordinates a head; wide: heads k
  Products products_{};
  cuda::Room<float> parameters_room_{}, gradient_room_{}, places_{}, tokens_{}, maps_{}, weights_{},
      units_{}, columns_{}, readout_{};
  cuda::Room<int> first_{}, sample_{}, label_{};
  cuda::Room<double> targets_{}, apart_{};  // of the distances behind blocks
};

cuda::SampleTable CudaAdjoint::seat(const Group& group) {
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
    place_sample(architecture_, parameters_, *group.batch, group.begin + b,
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

Forward CudaAdjoint::take_off(const Group& group) {
  Forward f;
  f.table = seat(group);
  const auto& t = f.table;
  const auto blocks = static_cast<std::size_t>(architecture_.blocks);
  const std::size_t matrices = static_cast<std::size_t>(t.samples) * t.heads;
  f.sample_size = static_cast<std::size_t>(t.tokens) * d_;
  f.unit_size = static_cast<std::size_t>(t.tokens) * architecture_.hidden;
  f.map_size = attends() ? matrices * t.longest * k_ : 0;
  f.weight_size = attends() ? matrices * t.longest * t.longest : 0;
  f.places = places_.need(0);
  f.wide_size = static_cast<std::size_t>(t.tokens) * wide_;
  f.near = tokens_.need((2 + blocks) * f.wide_size + 2 * f.sample_size);
  f.dnear = f.near + f.wide_size;
  f.o = f.dnear + f.wide_size;
  f.dx = f.o + blocks * f.wide_size;
  f.mean = f.dx + f.sample_size;
  f.wide = maps_.need((2 + 3 * blocks) * f.map_size);
  f.dwide = f.wide + f.map_size;
  f.q = f.dwide + f.map_size;
  f.k = f.q + blocks * f.map_size;
  f.v = f.k + blocks * f.map_size;
  f.dp = weights_.need((1 + blocks) * f.weight_size);
  f.p = f.dp + f.weight_size;
  f.dh = units_.need((1 + blocks) * f.unit_size);
  f.h = f.dh + f.unit_size;
  f.columns =
      columns_.need(cuda::column_scratch(t.tokens, std::max({d_, wide_, architecture_.hidden})));
  return f;
}

// near = w x + bias of all tokens.
void CudaAdjoint::map(const Forward& f, const float* x, const float* w, const float* bias) {
  products_.multiply(tokens(f, x), {w, wide_, d_}, Turn::right, f.near);
  cuda::add_bias(map_rows(f, f.near), bias, 1);
}

// From dnear, the gradient at w x + bias: adds to those of w, of the bias behind it and of x.
void CudaAdjoint::map_back(const Forward& f, const float* x, const float* w, float* dw) {
  products_.multiply(maps(f, f.dnear), tokens(f, x), Turn::left, dw, {.keep = 1});
  cuda::add_columns(map_rows(f, f.dnear), 1, f.columns, dw + static_cast<std::size_t>(wide_) * d_);
  products_.multiply(maps(f, f.dnear), {w, wide_, d_}, Turn::none, f.dx, {.keep = 1});
}

// o: what each token gathers from the others, head by head. q, k, v and p are kept.
void CudaAdjoint::gather(const Forward& f, int b) {
  const auto t = tensors(b);
  const float* x = place(f, 2 * b);
  float* o = f.o + b * f.wide_size;
  if (!attends()) {
    map(f, x, t.value, t.value_bias);
    return cuda::means(f.table, f.near, o, wide_);
  }
  float *q = f.q + b * f.map_size, *k = f.k + b * f.map_size, *v = f.v + b * f.map_size;
  float* p = f.p + b * f.weight_size;
  map(f, x, t.query, t.query_bias);
  cuda::pad(f.table, f.near, q);
  map(f, x, t.key, t.key_bias);
  cuda::pad(f.table, f.near, k);
  map(f, x, t.value, t.value_bias);
  cuda::pad(f.table, f.near, v);
  products_.multiply(padded(f, q), padded(f, k), Turn::right, p);
  cuda::softmax(f.table, sharpness(), p);
  products_.multiply(weights(f, p), padded(f, v), Turn::none, f.wide);
  cuda::unpad(f.table, f.wide, o);
}

// From near, the gradient at o:
//   dp = do v^T,  dv = p^T do,  ds = p (dp - sum_j p dp),  dq = ds k / sqrt(k),  dk = ds^T q /
//   sqrt(k)
void CudaAdjoint::gather_back(const Forward& f, int b) {
  const auto t = tensors(b);
  const auto g = gradients(b);
  const float* x = place(f, 2 * b);
  if (!attends()) {
    cuda::means(f.table, f.near, f.dnear, wide_);
    return map_back(f, x, t.value, g.value);
  }
  const Matrices q = padded(f, f.q + b * f.map_size), k = padded(f, f.k + b * f.map_size);
  const Matrices v = padded(f, f.v + b * f.map_size), p = weights(f, f.p + b * f.weight_size);
  const Matrices dout = padded(f, f.wide), ds = weights(f, f.dp);
  const auto back = [&](const float* w, float* dw) {
    cuda::unpad(f.table, f.dwide, f.dnear);
    map_back(f, x, w, dw);
  };
  cuda::pad(f.table, f.near, f.wide);
  products_.multiply(dout, v, Turn::right, f.dp);
  cuda::softmax_back(f.table, p.at, f.dp);
  products_.multiply(ds, k, Turn::none, f.dwide, {.scale = sharpness()});
  back(t.query, g.query);
  products_.multiply(ds, q, Turn::left, f.dwide, {.scale = sharpness()});
  back(t.key, g.key);
  products_.multiply(p, dout, Turn::left, f.dwide);
  back(t.value, g.value);
}

//   y = x + residual (M o + b_M), or x + residual (mean - x), or x
void CudaAdjoint::interact(const Forward& f, int b, float* y) {
  const float* x = place(f, 2 * b);
  cuda::inspect(cudaMemcpyAsync(y, x, f.sample_size * sizeof(float), cudaMemcpyDeviceToDevice));
  if (architecture_.interaction == Architecture::none) return;
  if (architecture_.interaction == Architecture::attraction) {
    cuda::means(f.table, x, f.mean, d_);
    return cuda::draw_near(rows(f, y), f.mean, x, residual());
  }
  gather(f, b);
  const auto t = tensors(b);
  products_.multiply(maps(f, f.o + b * f.wide_size), {t.mix, d_, wide_}, Turn::right, y,
                     {residual(), 1});
  cuda::add_bias(rows(f, y), t.mix_bias, residual());
}

void CudaAdjoint::interact_back(const Forward& f, int b) {
  if (architecture_.interaction == Architecture::none) return;
  if (architecture_.interaction == Architecture::attraction) {
    cuda::means(f.table, f.dx, f.mean, d_);
    return cuda::draw_near(rows(f, f.dx), f.mean, f.dx, residual());
  }
  const auto t = tensors(b);
  const auto g = gradients(b);
  products_.multiply(tokens(f, f.dx), maps(f, f.o + b * f.wide_size), Turn::left, g.mix,
                     {residual(), 1});
  cuda::add_columns(rows(f, f.dx), residual(), f.columns, g.mix_bias);
  products_.multiply(tokens(f, f.dx), {t.mix, d_, wide_}, Turn::none, f.near,
                     {.scale = residual()});
  gather_back(f, b);
}

//   h = relu(W_in y + b_in),  z = y + residual (W_out h + b_out)
void CudaAdjoint::feed_forward(const Forward& f, int b, float* z) {
  const auto t = tensors(b);
  const int hidden = architecture_.hidden;
  const float* y = place(f, 2 * b + 1);
  float* h = f.h + b * f.unit_size;
  products_.multiply(tokens(f, y), {t.in, hidden, d_}, Turn::right, h);
  cuda::add_bias_relu({h, f.table.tokens, hidden}, t.in_bias);
  cuda::inspect(cudaMemcpyAsync(z, y, f.sample_size * sizeof(float), cudaMemcpyDeviceToDevice));
  products_.multiply(units(f, h), {t.out, d_, hidden}, Turn::right, z, {residual(), 1});
  cuda::add_bias(rows(f, z), t.out_bias, residual());
}

void CudaAdjoint::perceptron_backward_(const Forward& f, int b) {
  const auto t = tensors(b);
  const auto g = gradients(b);
  const int hidden = architecture_.hidden;
  const float* y = place(f, 2 * b + 1);
  const Rows h{f.h + b * f.unit_size, f.table.tokens, hidden};
  products_.multiply(tokens(f, f.dx), units(f, h.at), Turn::left, g.out, {residual(), 1});
  cuda::add_columns(rows(f, f.dx), residual(), f.columns, g.out_bias);
  products_.multiply(tokens(f, f.dx), {t.out, d_, hidden}, Turn::none, f.dh, {.scale = residual()});
  cuda::relu_back(h, f.dh);
  products_.multiply(units(f, f.dh), tokens(f, y), Turn::left, g.in, {.keep = 1});
  cuda::add_columns({f.dh, f.table.tokens, hidden}, 1, f.columns, g.in_bias);
  products_.multiply(units(f, f.dh), {t.in, hidden, d_}, Turn::none, f.dx, {.keep = 1});
}

void CudaAdjoint::forward_blocks(const Forward& f) {
  for (int b = 0; b < architecture_.blocks; ++b) {
    interact(f, b, place(f, 2 * b + 1));
    feed_forward(f, b, place(f, 2 * b + 2));
  }
}

// The loss on the host, in double. Cross-entropy sees a sample as its readout alone, one token.
BatchResult CudaAdjoint::lose(const Group& group, const Forward& f) {
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
  if (!whole) cuda::read_out_back(f.table, last_decides(), readout, f.dx);
  return result;
}

// Of `settle`; the losses begin at 0.
cuda::Distances CudaAdjoint::distances(const Group& group, const Forward& f) {
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
  const Forward f = take_off(group);
  forward_blocks(f);
  BatchResult result = lose(group, f);
  const cuda::Distances to_targets = distances(group, f);
  cuda::inspect(cudaMemset(gradient_room_.need(size), 0, size * sizeof(float)));
  for (int b = architecture_.blocks - 1; b >= 0; --b) {
    if (settles(architecture_, *group.objective, b))
      cuda::add_distances(f.table, to_targets, place(f, 2 * b + 2), f.dx);
    perceptron_backward_(f, b);
    interact_back(f, b);
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
  const Forward f = take_off(group);
  forward_blocks(f);
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
    throw Error(Fault::input, "the GPU knows blocks with a feed-forward and tokens of the plane",
                "in the architecture", "use device=cpu");
  const bool plain = architecture.heads == 1 && width_of_head(architecture) == architecture.d;
  if (architecture.d <= simd::kMostSmall && plain) return make_narrow_cuda_adjoint(architecture);
  return make_wide_cuda_adjoint(architecture);
}

}  // namespace murmur
