// wide_adjoint.cpp: forward and backward pass on the processor in any dimension with any heads, by
// matrix products.
#include "learn/wide_adjoint.h"

#include <algorithm>
#include <cmath>

#include "learn/sample_kernels.h"

namespace murmur {

namespace {

struct Workspace {
  simd::Buffer<float> places{}, maps{}, units{}, weights{}, mask{};
};

struct HostArrays : WideArrays {
  std::vector<int> first{};           // (samples + 1) first row of each sample
  std::vector<std::size_t> number{};  // (samples) in the batch
  int longest = 0;                    // tokens of the longest sample
  float *q = nullptr, *k = nullptr, *dq = nullptr, *dk = nullptr;  // (tokens, heads k) each
  float *p = nullptr, *dp = nullptr;  // (longest, pitch): weights of one sample and head
  float* mask = nullptr;              // (longest, longest)
};

int tokens_in(const HostArrays& f, int sample) { return f.first[sample + 1] - f.first[sample]; }

class HostWideAdjoint final : public WideAdjoint<HostArrays> {
 public:
  HostWideAdjoint(const Architecture& architecture, int threads)
      : WideAdjoint(architecture, threads, kSamplesPerGroup, false) {
    require_products();
  }

 private:
  void prepare(std::span<const float>) override {}
  BatchResult learn_group(const Group& group, float* gradient) override;
  void forward_group(const Group& group, float* readout) override;

  void product(const View& a, const View& b, Transposed turn, const View& c, float scale,
               float keep) override {
    multiply(a, b, turn, c, scale, keep);
  }
  void add_bias(const View& x, const float* bias, float scale) override;
  void add_bias_relu(const View& x, const float* bias) override;
  void relu_backward(const View& h, float* dh) override;
  void add_columns(const HostArrays&, const View& x, float scale, float* sums) override;
  void take_means(const HostArrays& f, const float* from, float* to, int cols) override;
  void add_gap(const View& y, const float* mean, const float* x, float step) override;
  void copy(const float* from, std::size_t size, float* to) override {
    std::copy_n(from, size, to);
  }
  const float* parameters() override { return parameters_.data(); }
  void attend(const Group& group, const HostArrays& f, int block) override;
  void attend_backward(const Group& group, const HostArrays& f, int block,
                       float* gradient) override;

  HostArrays begin_forward(const Group& group, Workspace& w) const;
  void project(const HostArrays& f, int block);
  void rotate(const HostArrays& f, float* queries, float* keys, bool back) const;
  void compute_weights(const Group& group, const HostArrays& f, int block, int sample, int head,
                       const View& weights) const;
  View head_rows(const HostArrays& f, float* at, int sample, int head) const {
    return {at + static_cast<std::size_t>(f.first[sample]) * wide_ + head * k_,
            tokens_in(f, sample), k_, wide_};
  }
  Tokens tokens(const HostArrays& f, float* at, int sample) const {
    return {at + static_cast<std::size_t>(f.first[sample]) * d_, tokens_in(f, sample), d_,
            static_cast<std::size_t>(d_), 1};
  }
  static int samples(const HostArrays& f) { return static_cast<int>(f.number.size()); }

  Pool<Workspace> pool_{};
};

void HostWideAdjoint::add_bias(const View& x, const float* bias, float scale) {
  for (int i = 0; i < x.rows; ++i) {
    float* row = x.at + static_cast<std::size_t>(i) * x.pitch;
    for (int k = 0; k < x.cols; ++k) row[k] += scale * bias[k];
  }
}

void HostWideAdjoint::add_bias_relu(const View& x, const float* bias) {
  add_bias(x, bias, 1);
  const std::size_t size = static_cast<std::size_t>(x.rows) * x.cols;
  for (std::size_t e = 0; e < size; ++e) x.at[e] = x.at[e] > 0 ? x.at[e] : 0;
}

void HostWideAdjoint::relu_backward(const View& h, float* dh) {
  const std::size_t size = static_cast<std::size_t>(h.rows) * h.cols;
  for (std::size_t e = 0; e < size; ++e) dh[e] = h.at[e] > 0 ? dh[e] : 0;
}

void HostWideAdjoint::add_columns(const HostArrays&, const View& x, float scale, float* sums) {
  for (int i = 0; i < x.rows; ++i) {
    const float* row = x.at + static_cast<std::size_t>(i) * x.pitch;
    for (int k = 0; k < x.cols; ++k) sums[k] += scale * row[k];
  }
}

void HostWideAdjoint::take_means(const HostArrays& f, const float* from, float* to, int cols) {
  for (int b = 0; b < samples(f); ++b) {
    const int n = tokens_in(f, b);
    const float* x = from + static_cast<std::size_t>(f.first[b]) * cols;
    float* y = to + static_cast<std::size_t>(f.first[b]) * cols;
    std::vector<float> mean(cols);
    add_columns(f, whole(x, n, cols), 1 / static_cast<float>(n), mean.data());
    for (int i = 0; i < n; ++i)
      std::copy_n(mean.data(), cols, y + static_cast<std::size_t>(i) * cols);
  }
}

void HostWideAdjoint::add_gap(const View& y, const float* mean, const float* x, float step) {
  const std::size_t size = static_cast<std::size_t>(y.rows) * y.cols;
  for (std::size_t e = 0; e < size; ++e) y.at[e] += step * (mean[e] - x[e]);
}

HostArrays HostWideAdjoint::begin_forward(const Group& group, Workspace& w) const {
  HostArrays f;
  f.first = {0};
  for (std::size_t at = group.begin; at < group.end; ++at) {
    const int n = tokens_of(*group.batch, at);
    f.longest = std::max(f.longest, n);
    f.first.push_back(f.first.back() + n);
    f.number.push_back(at);
  }
  f.tokens = f.first.back();
  const std::size_t sample = static_cast<std::size_t>(f.tokens) * d_;
  const std::size_t hidden = static_cast<std::size_t>(f.tokens) * architecture_.hidden;
  const std::size_t pitch = (f.longest + simd::kPadding - 1) / simd::kPadding * simd::kPadding;
  f.places = w.places.need((2 * static_cast<std::size_t>(architecture_.blocks) + 1) * sample);
  const std::size_t map = static_cast<std::size_t>(f.tokens) * wide_;
  float* at = w.maps.need((7 + static_cast<std::size_t>(architecture_.blocks)) * map + 2 * sample);
  for (float** to : {&f.dx, &f.mean}) {
    *to = at;
    at += sample;
  }
  for (float** to : {&f.q, &f.k, &f.v, &f.dq, &f.dk, &f.dv, &f.dout}) {
    *to = at;
    at += map;
  }
  f.o = at;
  f.h = w.units.need(2 * hidden);
  f.dh = f.h + hidden;
  f.p = w.weights.need(2 * f.longest * pitch);
  f.dp = f.p + f.longest * pitch;
  f.mask = w.mask.need(static_cast<std::size_t>(f.longest) * f.longest);
  for (int b = 0; b < samples(f); ++b)
    write_start(architecture_, parameters_, *group.batch, f.number[b], tokens(f, f.places, b));
  return f;
}

// Rotates rows of queries and keys, or of their gradients, by the numbers of the tokens in their
// samples.
void HostWideAdjoint::rotate(const HostArrays& f, float* queries, float* keys, bool back) const {
  const Rotation<float> rotation(f.longest, k_);
  for (float* rows : {queries, keys})
    for (int b = 0; b < samples(f); ++b)
      rotation.apply(rows + static_cast<std::size_t>(f.first[b]) * wide_, tokens_in(f, b),
                     architecture_.heads, back);
}

// q, k and v of all tokens.
void HostWideAdjoint::project(const HostArrays& f, int b) {
  const auto t = tensors(b);
  map(f, b, t.query, t.query_bias, f.q);
  map(f, b, t.key, t.key_bias, f.k);
  if (architecture_.rotary) rotate(f, f.q, f.k, false);
  map(f, b, t.value, t.value_bias, f.v);
}

// weights <- softmax of q k^T / sqrt(k); f.mask <- the dropout mask, if there is dropout.
void HostWideAdjoint::compute_weights(const Group& group, const HostArrays& f, int block,
                                      int sample, int head, const View& w) const {
  multiply(head_rows(f, f.q, sample, head), head_rows(f, f.k, sample, head), Transposed::right, w);
  simd::softmax_rows({w.rows, w.cols, static_cast<std::size_t>(w.pitch),
                      1 / std::sqrt(static_cast<float>(k_)), w.at});
  if (group.objective->dropout == 0) return;
  dropout_mask({group.batch->seed, group.batch->update,
                static_cast<std::uint32_t>(f.number[sample]), block, head},
               w.rows, group.objective->dropout, f.mask);
}

View weights_of(float* at, int n) {
  return {at, n, n, (n + simd::kPadding - 1) / simd::kPadding * simd::kPadding};
}

// w <- w times the mask, entry by entry.
void apply_mask(const View& w, const float* mask) {
  for (int i = 0; i < w.rows; ++i)
    for (int j = 0; j < w.cols; ++j)
      w.at[static_cast<std::size_t>(i) * w.pitch + j] *=
          mask[static_cast<std::size_t>(i) * w.cols + j];
}

void HostWideAdjoint::attend(const Group& group, const HostArrays& f, int block) {
  project(f, block);
  for (int b = 0; b < samples(f); ++b)
    for (int head = 0; head < architecture_.heads; ++head) {
      const View w = weights_of(f.p, tokens_in(f, b));
      compute_weights(group, f, block, b, head, w);
      if (group.objective->dropout > 0) apply_mask(w, f.mask);
      multiply(w, head_rows(f, f.v, b, head), Transposed::none,
               head_rows(f, output(f, block), b, head));
    }
}

//   dp = do v^T (masked),  dv = (masked p)^T do,  ds = p (dp - sum_j p dp)
//   dq = ds k / sqrt(k),   dk = ds^T q / sqrt(k)
void HostWideAdjoint::attend_backward(const Group& group, const HostArrays& f, int block,
                                      float* gradient) {
  project(f, block);
  const float scale = 1 / std::sqrt(static_cast<float>(k_));
  const bool drops = group.objective->dropout > 0;
  for (int b = 0; b < samples(f); ++b)
    for (int head = 0; head < architecture_.heads; ++head) {
      const int n = tokens_in(f, b);
      const View p = weights_of(f.p, n), dp = weights_of(f.dp, n);
      const View q = head_rows(f, f.q, b, head), k = head_rows(f, f.k, b, head);
      const View dout = head_rows(f, f.dout, b, head);
      compute_weights(group, f, block, b, head, p);
      multiply(dout, head_rows(f, f.v, b, head), Transposed::right, dp);
      if (drops) {
        apply_mask(dp, f.mask);  // now the gradient at the unmasked weights
        apply_mask(p, f.mask);
      }
      multiply(p, dout, Transposed::left, head_rows(f, f.dv, b, head));
      if (drops) compute_weights(group, f, block, b, head, p);
      simd::softmax_rows_back({n, n, static_cast<std::size_t>(p.pitch), 1, p.at}, dp.at);
      multiply(dp, k, Transposed::none, head_rows(f, f.dq, b, head), scale);
      multiply(dp, q, Transposed::left, head_rows(f, f.dk, b, head), scale);
    }
  if (architecture_.rotary) rotate(f, f.dq, f.dk, true);
  const auto t = tensors(block);
  const auto g = block_tensors(architecture_, gradient, block);
  map_backward(f, block, t.query, f.dq, g.query, g.query_bias);
  map_backward(f, block, t.key, f.dk, g.key, g.key_bias);
  map_backward(f, block, t.value, f.dv, g.value, g.value_bias);
}

BatchResult HostWideAdjoint::learn_group(const Group& group, float* gradient) {
  const auto loan = pool_.borrow();
  const HostArrays f = begin_forward(group, *loan.workspace);
  forward_blocks(group, f);
  BatchResult result;
  std::vector<LossInput> inputs;
  for (int b = 0; b < samples(f); ++b) {
    inputs.push_back({group.batch->label[group.batch->chosen[f.number[b]]],
                      group.batch->chosen.size(), group.longest,
                      readout_token(architecture_, *group.batch, f.number[b])});
    const SampleLoss loss =
        sample_loss(architecture_, *group.objective, inputs.back(),
                    tokens(f, place(f, 2 * architecture_.blocks), b), tokens(f, f.dx, b));
    result.loss += loss.loss;
    result.correct += loss.correct ? 1 : 0;
  }
  for (int b = architecture_.blocks - 1; b >= 0; --b) {
    for (int s = 0; settles(architecture_, *group.objective, b) && s < samples(f); ++s)
      result.loss += settle_loss(architecture_, *group.objective, inputs[s],
                                 tokens(f, place(f, 2 * b + 2), s), tokens(f, f.dx, s));
    backward_block(group, f, b, gradient);
  }
  for (int b = 0; b < samples(f); ++b)
    add_starts_gradient(architecture_, *group.batch, f.number[b], tokens(f, f.dx, b), gradient);
  return result;
}

void HostWideAdjoint::forward_group(const Group& group, float* readout) {
  const auto loan = pool_.borrow();
  const HostArrays f = begin_forward(group, *loan.workspace);
  forward_blocks(group, f);
  for (int b = 0; b < samples(f); ++b)
    read_out(architecture_, tokens(f, place(f, 2 * architecture_.blocks), b),
             readout_token(architecture_, *group.batch, f.number[b]),
             readout + f.number[b] * static_cast<std::size_t>(d_));
}

}  // namespace

std::unique_ptr<Adjoint> make_wide_adjoint(const Architecture& architecture, int threads) {
  return std::make_unique<HostWideAdjoint>(architecture, threads);
}

}  // namespace murmur
