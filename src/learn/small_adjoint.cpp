// small_adjoint.cpp: forward and backward pass of samples in two, three or four dimensions by fused
// kernels.
#include <algorithm>
#include <cassert>

#include "learn/grouped_adjoint.h"
#include "learn/sample_kernels.h"

namespace murmur {

namespace {

using simd::kPadding;

std::size_t padded(std::size_t count) { return (count + kPadding - 1) / kPadding * kPadding; }

// A block's feed-forward tensors in the two orders that the kernels read.
struct PackedPerceptron {
  simd::Buffer<float> rows{}, lanes{};
  float *row = nullptr, *lane = nullptr;
};

// One sample in a pass: the positions before each half of each block, and the values that backward
// needs.
struct Forward {
  int n = 0;
  std::size_t stride = 0;
  float* places = nullptr;  // (2 blocks + 1, d, stride)
  float* o = nullptr;       // (blocks, heads k, stride)
  float* peak = nullptr;    // (blocks, heads, stride)
  float* share = nullptr;   // (blocks, heads, stride)
  float* mask = nullptr;    // (blocks, heads, n, stride); null: no dropout
  float* dx = nullptr;      // (d, stride)
  float* scratch = nullptr;
};

struct Workspace {
  simd::Buffer<float> places{}, kept{}, masks{}, square{}, dx{}, scratch{}, lanes{};
};

class SmallAdjoint final : public GroupedAdjoint {
 public:
  SmallAdjoint(const Architecture& architecture, int threads)
      : GroupedAdjoint(architecture, threads),
        d_(static_cast<std::size_t>(architecture.d)),
        heads_(static_cast<std::size_t>(architecture.heads)),
        wide_(static_cast<std::size_t>(width_of_heads(architecture))),
        units_(padded(static_cast<std::size_t>(architecture.hidden))),
        packed_(static_cast<std::size_t>(stored_blocks(architecture))) {}

 private:
  void prepare(std::span<const float> parameters) override;
  BatchResult learn_group(const Group& group, float* gradient) override;
  void forward_group(const Group& group, float* readout) override;

  Forward begin_forward(const Group& group, std::size_t at, Workspace& w) const;
  void draw_masks(const Group& group, std::size_t at, Workspace& w, Forward& f) const;
  void forward_blocks(const Forward& f) const;
  double backward_blocks(const Forward& f, const Objective& objective, const LossInput& input,
                         float* gradient, float* lanes) const;
  void forward_mean_interaction(const Forward& f, int block) const;
  void backward_mean_interaction(const Forward& f, int block, float* gradient) const;
  void unpack(const float* lanes, float* gradient) const;

  simd::AttentionPass attention_pass(const Forward& f, int block) const;
  simd::PerceptronPass perceptron_pass(const Forward& f, int block) const;
  float* place(const Forward& f, int half) const {
    return f.places + static_cast<std::size_t>(half) * d_ * f.stride;
  }
  Tokens tokens(const Forward& f, float* at) const {
    return {at, f.n, architecture_.d, 1, f.stride};
  }
  std::size_t stored(int block) const {
    return architecture_.shared ? 0 : static_cast<std::size_t>(block);
  }
  std::size_t lanes_size() const { return (2 * d_ + 1) * units_; }

  std::size_t d_, heads_, wide_, units_;  // wide: heads k
  std::vector<PackedPerceptron> packed_;
  Pool<Workspace> pool_{};
};

void SmallAdjoint::prepare(std::span<const float> parameters) {
  const auto hidden = static_cast<std::size_t>(architecture_.hidden);
  const auto pitch = static_cast<std::size_t>(simd::pitch(architecture_.d));
  for (std::size_t b = 0; b < packed_.size(); ++b) {
    const auto t = block_tensors(architecture_, parameters.data(), static_cast<int>(b));
    PackedPerceptron& p = packed_[b];
    p.row = p.rows.need(hidden * pitch);
    p.lane = p.lanes.need(lanes_size());
    std::fill_n(p.lane, lanes_size(), 0.0f);
    for (std::size_t h = 0; h < hidden; ++h) {
      float* row = p.row + h * pitch;
      for (std::size_t c = 0; c < d_; ++c) {
        row[c] = t.in[h * d_ + c];
        row[d_ + 1 + c] = t.out[c * hidden + h];
      }
      row[d_] = t.in_bias[h];
      for (std::size_t c = 0; c < 2 * d_ + 1; ++c) p.lane[c * units_ + h] = row[c];
    }
  }
}

Forward SmallAdjoint::begin_forward(const Group& group, std::size_t at, Workspace& w) const {
  const auto blocks = static_cast<std::size_t>(architecture_.blocks);
  Forward f;
  f.n = tokens_of(*group.batch, at);
  f.stride = padded(static_cast<std::size_t>(f.n));
  const std::size_t sample = d_ * f.stride;
  f.places = w.places.need((2 * blocks + 1) * sample);
  f.o = w.kept.need(blocks * (wide_ + 2 * heads_) * f.stride);
  f.peak = f.o + blocks * wide_ * f.stride;
  f.share = f.peak + blocks * heads_ * f.stride;
  f.dx = w.dx.need(sample);
  f.scratch =
      w.scratch.need(simd::scratch_size(architecture_.d, width_of_head(architecture_), f.stride));
  std::fill_n(f.places, sample, 0.0f);
  write_start(architecture_, parameters_, *group.batch, at, tokens(f, f.places));
  draw_masks(group, at, w, f);
  return f;
}

void SmallAdjoint::draw_masks(const Group& group, std::size_t at, Workspace& w, Forward& f) const {
  const double dropout = group.objective->dropout;
  if (dropout == 0 || architecture_.interaction != Architecture::attention) return;
  const auto n = static_cast<std::size_t>(f.n);
  const auto blocks = static_cast<std::size_t>(architecture_.blocks);
  f.mask = w.masks.need(blocks * heads_ * n * f.stride);
  std::fill_n(f.mask, blocks * heads_ * n * f.stride, 0.0f);
  float* square = w.square.need(n * n);
  float* mask = f.mask;
  for (int b = 0; b < architecture_.blocks; ++b)
    for (int h = 0; h < architecture_.heads; ++h, mask += n * f.stride) {
      dropout_mask({group.batch->seed, group.batch->update, static_cast<std::uint32_t>(at), b, h},
                   f.n, dropout, square);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) mask[j * f.stride + i] = square[i * n + j];
    }
}

simd::AttentionPass SmallAdjoint::attention_pass(const Forward& f, int b) const {
  const auto block = static_cast<std::size_t>(b);
  simd::AttentionPass p;
  p.d = architecture_.d;
  p.n = f.n;
  p.heads = architecture_.heads;
  p.k = width_of_head(architecture_);
  p.stride = f.stride;
  p.residual = static_cast<float>(architecture_.residual);
  p.parameters = block_tensors(architecture_, parameters_.data(), b);
  p.mask = f.mask ? f.mask + block * heads_ * static_cast<std::size_t>(f.n) * f.stride : nullptr;
  p.x = place(f, 2 * b);
  p.y = place(f, 2 * b + 1);
  p.o = f.o + block * wide_ * f.stride;
  p.peak = f.peak + block * heads_ * f.stride;
  p.share = f.share + block * heads_ * f.stride;
  p.dx = f.dx;
  p.scratch = f.scratch;
  return p;
}

simd::PerceptronPass SmallAdjoint::perceptron_pass(const Forward& f, int b) const {
  simd::PerceptronPass p;
  p.d = architecture_.d;
  p.n = f.n;
  p.hidden = architecture_.hidden;
  p.stride = f.stride;
  p.residual = static_cast<float>(architecture_.residual);
  p.rows = packed_[stored(b)].row;
  p.lanes = packed_[stored(b)].lane;
  p.units = units_;
  p.out_bias = block_tensors(architecture_, parameters_.data(), b).out_bias;
  p.x = place(f, 2 * b + 1);
  p.y = place(f, 2 * b + 2);
  p.dx = f.dx;
  p.scratch = f.scratch;
  return p;
}

// The interactions through the mean token, in plain loops.
//   uniform:    y_i = x_i + residual (M (V mean_j x_j + b_V) + b_M)
//   attraction: y_i = x_i + residual (mean_j x_j - x_i)
void SmallAdjoint::forward_mean_interaction(const Forward& f, int b) const {
  const Architecture& a = architecture_;
  const Tokens x = tokens(f, place(f, 2 * b)), y = tokens(f, place(f, 2 * b + 1));
  std::copy_n(x.at, d_ * f.stride, y.at);
  if (a.interaction == Architecture::none) return;
  const float r = static_cast<float>(a.residual);
  float mean[simd::kMostSmall] = {};
  for (int k = 0; k < a.d; ++k) {
    for (int i = 0; i < f.n; ++i) mean[k] += x(i, k);
    mean[k] /= static_cast<float>(f.n);
  }
  if (a.interaction == Architecture::attraction) {
    for (int k = 0; k < a.d; ++k)
      for (int i = 0; i < f.n; ++i) y(i, k) += r * (mean[k] - x(i, k));
    return;
  }
  const auto t = block_tensors(a, parameters_.data(), b);
  // The mean (d), then its value (heads k): a stride has room for both.
  float* o = f.o + static_cast<std::size_t>(b) * wide_ * f.stride;
  float* v = o + a.d;
  const int wide = static_cast<int>(wide_);
  std::copy_n(mean, a.d, o);
  for (int k = 0; k < wide; ++k) {
    v[k] = t.value_bias[k];
    for (int c = 0; c < a.d; ++c) v[k] += t.value[k * a.d + c] * mean[c];
  }
  for (int k = 0; k < a.d; ++k) {
    float push = t.mix_bias[k];
    for (int c = 0; c < wide; ++c) push += t.mix[k * wide + c] * v[c];
    for (int i = 0; i < f.n; ++i) y(i, k) += r * push;
  }
}

void SmallAdjoint::backward_mean_interaction(const Forward& f, int b, float* gradient) const {
  const Architecture& a = architecture_;
  if (a.interaction == Architecture::none) return;
  const float r = static_cast<float>(a.residual), n = static_cast<float>(f.n);
  const Tokens dx = tokens(f, f.dx);
  float total[simd::kMostSmall] = {};
  for (int k = 0; k < a.d; ++k)
    for (int i = 0; i < f.n; ++i) total[k] += dx(i, k);
  if (a.interaction == Architecture::attraction) {
    for (int k = 0; k < a.d; ++k)
      for (int i = 0; i < f.n; ++i) dx(i, k) += r * (total[k] / n - dx(i, k));
    return;
  }
  const auto t = block_tensors(a, parameters_.data(), b);
  const auto g = block_tensors(a, gradient, b);
  const float* mean = f.o + static_cast<std::size_t>(b) * wide_ * f.stride;
  const float* v = mean + a.d;
  float* dv = f.scratch;  // (heads k)
  const int wide = static_cast<int>(wide_);
  std::fill_n(dv, wide_, 0.0f);
  for (int k = 0; k < a.d; ++k) {
    g.mix_bias[k] += r * total[k];
    for (int c = 0; c < wide; ++c) {
      g.mix[k * wide + c] += r * total[k] * v[c];
      dv[c] += r * t.mix[k * wide + c] * total[k];
    }
  }
  for (int k = 0; k < wide; ++k) g.value_bias[k] += dv[k];
  for (int c = 0; c < a.d; ++c) {
    float dmean = 0;
    for (int k = 0; k < wide; ++k) {
      g.value[k * a.d + c] += dv[k] * mean[c];
      dmean += t.value[k * a.d + c] * dv[k];
    }
    for (int i = 0; i < f.n; ++i) dx(i, c) += dmean / n;
  }
}

void SmallAdjoint::forward_blocks(const Forward& f) const {
  for (int b = 0; b < architecture_.blocks; ++b) {
    if (architecture_.interaction == Architecture::attention)
      simd::attention_forward(attention_pass(f, b));
    else
      forward_mean_interaction(f, b);
    if (architecture_.hidden > 0)
      simd::perceptron_forward(perceptron_pass(f, b));
    else
      std::copy_n(place(f, 2 * b + 1), d_ * f.stride, place(f, 2 * b + 2));
  }
}

// lanes: (stored blocks, 2 d + 1, units), the feed-forward gradients in the order of the kernels.
// Returns the part of `settle` in the loss.
double SmallAdjoint::backward_blocks(const Forward& f, const Objective& objective,
                                     const LossInput& input, float* gradient, float* lanes) const {
  double loss = 0;
  for (int b = architecture_.blocks - 1; b >= 0; --b) {
    if (settles(architecture_, objective, b))
      loss += settle_loss(architecture_, objective, input, tokens(f, place(f, 2 * b + 2)),
                          tokens(f, f.dx));
    const BlockTensors<float> g = block_tensors(architecture_, gradient, b);
    if (architecture_.hidden > 0) {
      simd::PerceptronPass feed_forward = perceptron_pass(f, b);
      feed_forward.lanes_gradient = lanes + stored(b) * lanes_size();
      feed_forward.out_bias_gradient = g.out_bias;
      simd::perceptron_backward(feed_forward);
    }
    if (architecture_.interaction == Architecture::attention) {
      simd::AttentionPass pass = attention_pass(f, b);
      pass.gradient = g;
      simd::attention_backward(pass);
    } else {
      backward_mean_interaction(f, b, gradient);
    }
  }
  return loss;
}

void SmallAdjoint::unpack(const float* lanes, float* gradient) const {
  const auto hidden = static_cast<std::size_t>(architecture_.hidden);
  for (std::size_t b = 0; b < packed_.size(); ++b, lanes += lanes_size()) {
    const auto g = block_tensors(architecture_, gradient, static_cast<int>(b));
    for (std::size_t h = 0; h < hidden; ++h) {
      for (std::size_t c = 0; c < d_; ++c) {
        g.in[h * d_ + c] += lanes[c * units_ + h];
        g.out[c * hidden + h] += lanes[(d_ + 1 + c) * units_ + h];
      }
      g.in_bias[h] += lanes[d_ * units_ + h];
    }
  }
}

BatchResult SmallAdjoint::learn_group(const Group& group, float* gradient) {
  const auto loan = pool_.borrow();
  Workspace& w = *loan.workspace;
  float* lanes = w.lanes.need(packed_.size() * lanes_size());
  std::fill_n(lanes, packed_.size() * lanes_size(), 0.0f);
  BatchResult result;
  for (std::size_t at = group.begin; at < group.end; ++at) {
    const Forward f = begin_forward(group, at, w);
    forward_blocks(f);
    std::fill_n(f.dx, d_ * f.stride, 0.0f);
    const LossInput input{group.batch->label[group.batch->chosen[at]], group.batch->chosen.size(),
                          group.longest, readout_token(architecture_, *group.batch, at)};
    const SampleLoss loss =
        sample_loss(architecture_, *group.objective, input,
                    tokens(f, place(f, 2 * architecture_.blocks)), tokens(f, f.dx));
    result.loss += backward_blocks(f, *group.objective, input, gradient, lanes);
    add_starts_gradient(architecture_, *group.batch, at, tokens(f, f.dx), gradient);
    result.loss += loss.loss;
    result.correct += loss.correct ? 1 : 0;
  }
  unpack(lanes, gradient);
  return result;
}

void SmallAdjoint::forward_group(const Group& group, float* readout) {
  const auto loan = pool_.borrow();
  for (std::size_t at = group.begin; at < group.end; ++at) {
    const Forward f = begin_forward(group, at, *loan.workspace);
    forward_blocks(f);
    read_out(architecture_, tokens(f, place(f, 2 * architecture_.blocks)),
             readout_token(architecture_, *group.batch, at), readout + at * d_);
  }
}

}  // namespace

std::unique_ptr<Adjoint> make_small_adjoint(const Architecture& architecture, int threads) {
  return std::make_unique<SmallAdjoint>(architecture, threads);
}

}  // namespace murmur
