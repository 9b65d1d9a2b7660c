// wide_adjoint.cpp: forward and backward pass in any dimension with any heads, by matrix products.
#include <algorithm>
#include <cmath>

#include "learn/dropout.h"
#include "learn/grouped_adjoint.h"
#include "learn/products.h"
#include "learn/rotary.h"
#include "learn/sample_kernels.h"

namespace murmur {

namespace {

View whole(float* at, int rows, int cols) { return {at, rows, cols, cols}; }
View whole(const float* at, int rows, int cols) {
  return {const_cast<float*>(at), rows, cols, cols};  // products only read their factors
}

void add_bias(const View& x, const float* bias, float scale) {
  for (int i = 0; i < x.rows; ++i) {
    float* row = x.at + static_cast<std::size_t>(i) * x.pitch;
    for (int k = 0; k < x.cols; ++k) row[k] += scale * bias[k];
  }
}

void add_columns(const View& x, float scale, float* sums) {
  for (int i = 0; i < x.rows; ++i) {
    const float* row = x.at + static_cast<std::size_t>(i) * x.pitch;
    for (int k = 0; k < x.cols; ++k) sums[k] += scale * row[k];
  }
}

struct Workspace {
  simd::Buffer<float> places{}, maps{}, units{}, weights{}, mask{};
};

// All samples of a group one below the other, so that every product is over all their tokens.
struct Forward {
  std::vector<int> first{};           // (samples + 1) rows
  std::vector<std::size_t> number{};  // (samples) in the batch
  int tokens = 0;
  float* o = nullptr;                              // (blocks, tokens, heads k): what they gather
  float* places = nullptr;                         // (2 blocks + 1, tokens, d)
  float *q = nullptr, *k = nullptr, *v = nullptr;  // (tokens, heads k) each
  float *dq = nullptr, *dk = nullptr, *dv = nullptr, *dout = nullptr;  // likewise
  float *dx = nullptr, *mean = nullptr;                                // (tokens, d)
  float *h = nullptr, *dh = nullptr;                                   // (tokens, hidden)
  float *p = nullptr, *dp = nullptr;  // (longest, pitch): weights of one sample and head
  float* mask = nullptr;              // (longest, longest)
};

class WideAdjoint final : public GroupedAdjoint {
 public:
  WideAdjoint(const Architecture& architecture, int threads)
      : GroupedAdjoint(architecture, threads),
        d_(architecture.d),
        k_(width_of_head(architecture)),
        wide_(width_of_heads(architecture)) {
    require_products();
  }

 private:
  void prepare(std::span<const float>) override {}
  BatchResult learn_group(const Group& group, float* gradient) override;
  void forward_group(const Group& group, float* readout) override;

  Forward take_off(const Group& group, Workspace& w) const;
  void forward_blocks(const Group& group, const Forward& f) const;
  void interact(const Group& group, const Forward& f, int block, float* y) const;
  void interact_back(const Group& group, const Forward& f, int block, float* gradient) const;
  void project(const Forward& f, int block) const;
  void turn(const Forward& f, float* queries, float* keys, bool back) const;
  void gather(const Group& group, const Forward& f, int block) const;
  void gather_back(const Group& group, const Forward& f, int block) const;
  void weigh(const Group& group, const Forward& f, int block, const View (&qkw)[3], int sample,
             int head) const;
  void feed_forward(const Forward& f, int block) const;
  void perceptron_backward_(const Forward& f, int block, float* gradient) const;
  void means(const Forward& f, const float* from, float* to, int cols) const;

  View rows(const Forward& f, float* at) const { return whole(at, f.tokens, d_); }
  View maps(const Forward& f, float* at) const { return whole(at, f.tokens, wide_); }
  View part(const Forward& f, float* at, int sample, int head) const {
    return {at + static_cast<std::size_t>(f.first[sample]) * wide_ + head * k_,
            f.first[sample + 1] - f.first[sample], k_, wide_};
  }
  float* gathered(const Forward& f, int block) const {
    return f.o + static_cast<std::size_t>(block) * f.tokens * wide_;
  }
  float* place(const Forward& f, int half) const {
    return f.places + static_cast<std::size_t>(half) * f.tokens * d_;
  }
  Tokens tokens(const Forward& f, float* at, int sample) const {
    return {at + static_cast<std::size_t>(f.first[sample]) * d_,
            f.first[sample + 1] - f.first[sample], d_, static_cast<std::size_t>(d_), 1};
  }
  float residual() const { return static_cast<float>(architecture_.residual); }
  BlockTensors<const float> tensors(int block) const {
    return block_tensors(architecture_, parameters_.data(), block);
  }
  bool attends() const { return architecture_.interaction == Architecture::attention; }
  static int samples(const Forward& f) { return static_cast<int>(f.number.size()); }

  int d_, k_, wide_;  // k: coordinates a head; wide: heads k
  Pool<Workspace> pool_{};
};

Forward WideAdjoint::take_off(const Group& group, Workspace& w) const {
  Forward f;
  f.first = {0};
  int longest = 0;
  for (std::size_t at = group.begin; at < group.end; ++at) {
    const int n = tokens_of(*group.batch, at);
    longest = std::max(longest, n);
    f.first.push_back(f.first.back() + n);
    f.number.push_back(at);
  }
  f.tokens = f.first.back();
  const std::size_t sample = static_cast<std::size_t>(f.tokens) * d_;
  const std::size_t hidden = static_cast<std::size_t>(f.tokens) * architecture_.hidden;
  const std::size_t pitch = (longest + simd::kPadding - 1) / simd::kPadding * simd::kPadding;
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
  f.p = w.weights.need(2 * longest * pitch);
  f.dp = f.p + longest * pitch;
  f.mask = w.mask.need(static_cast<std::size_t>(longest) * longest);
  for (int b = 0; b < samples(f); ++b)
    place_sample(architecture_, parameters_, *group.batch, f.number[b], tokens(f, f.places, b));
  return f;
}

// Every token's row becomes the mean of its sample's rows.
void WideAdjoint::means(const Forward& f, const float* from, float* to, int cols) const {
  for (int b = 0; b < samples(f); ++b) {
    const int n = f.first[b + 1] - f.first[b];
    const float* x = from + static_cast<std::size_t>(f.first[b]) * cols;
    float* y = to + static_cast<std::size_t>(f.first[b]) * cols;
    std::vector<float> mean(cols);
    add_columns(whole(x, n, cols), 1 / static_cast<float>(n), mean.data());
    for (int i = 0; i < n; ++i)
      std::copy_n(mean.data(), cols, y + static_cast<std::size_t>(i) * cols);
  }
}

// Rows of queries and keys, or of their gradients, turned by the tokens' numbers in their samples.
void WideAdjoint::turn(const Forward& f, float* queries, float* keys, bool back) const {
  int longest = 0;
  for (int b = 0; b < samples(f); ++b) longest = std::max(longest, f.first[b + 1] - f.first[b]);
  const Turns<float> turns(longest, k_);
  for (float* rows : {queries, keys})
    for (int b = 0; b < samples(f); ++b)
      turns.turn(rows + static_cast<std::size_t>(f.first[b]) * wide_, f.first[b + 1] - f.first[b],
                 architecture_.heads, back);
}

// q, k and v of all tokens; uniform attention has only v.
void WideAdjoint::project(const Forward& f, int b) const {
  const auto t = tensors(b);
  const View x = rows(f, place(f, 2 * b));
  const auto map = [&](const float* w, const float* bias, float* to) {
    multiply(x, whole(w, wide_, d_), Transposed::right, maps(f, to));
    add_bias(maps(f, to), bias, 1);
  };
  if (attends()) {
    map(t.query, t.query_bias, f.q);
    map(t.key, t.key_bias, f.k);
    if (architecture_.rotary) turn(f, f.q, f.k, false);
  }
  map(t.value, t.value_bias, f.v);
}

// p <- softmax of q k^T / sqrt(k), times the dropout mask; the mask itself stays in f.mask.
void WideAdjoint::weigh(const Group& group, const Forward& f, int block, const View (&qkw)[3],
                        int sample, int head) const {
  const auto& [q, k, w] = qkw;
  multiply(q, k, Transposed::right, w);
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
void mask_out(const View& w, const float* mask) {
  for (int i = 0; i < w.rows; ++i)
    for (int j = 0; j < w.cols; ++j)
      w.at[static_cast<std::size_t>(i) * w.pitch + j] *=
          mask[static_cast<std::size_t>(i) * w.cols + j];
}

// o: the output of attention of each token, head by head.
void WideAdjoint::gather(const Group& group, const Forward& f, int block) const {
  float* o = gathered(f, block);
  if (!attends()) return means(f, f.v, o, wide_);
  for (int b = 0; b < samples(f); ++b)
    for (int head = 0; head < architecture_.heads; ++head) {
      const View w = weights_of(f.p, f.first[b + 1] - f.first[b]);
      weigh(group, f, block, {part(f, f.q, b, head), part(f, f.k, b, head), w}, b, head);
      if (group.objective->dropout > 0) mask_out(w, f.mask);
      multiply(w, part(f, f.v, b, head), Transposed::none, part(f, o, b, head));
    }
}

//   dp = do v^T (masked),  dv = (masked p)^T do,  ds = p (dp - sum_j p dp)
//   dq = ds k / sqrt(k),   dk = ds^T q / sqrt(k)
void WideAdjoint::gather_back(const Group& group, const Forward& f, int block) const {
  if (!attends()) return means(f, f.dout, f.dv, wide_);
  const float scale = 1 / std::sqrt(static_cast<float>(k_));
  const bool drops = group.objective->dropout > 0;
  for (int b = 0; b < samples(f); ++b)
    for (int head = 0; head < architecture_.heads; ++head) {
      const int n = f.first[b + 1] - f.first[b];
      const View p = weights_of(f.p, n), dp = weights_of(f.dp, n);
      const View q = part(f, f.q, b, head), k = part(f, f.k, b, head);
      const View dout = part(f, f.dout, b, head);
      weigh(group, f, block, {q, k, p}, b, head);
      multiply(dout, part(f, f.v, b, head), Transposed::right, dp);
      if (drops) {
        mask_out(dp, f.mask);  // now the gradient at the unmasked weights
        mask_out(p, f.mask);
      }
      multiply(p, dout, Transposed::left, part(f, f.dv, b, head));
      if (drops) weigh(group, f, block, {q, k, p}, b, head);
      simd::softmax_rows_back({n, n, static_cast<std::size_t>(p.pitch), 1, p.at}, dp.at);
      multiply(dp, k, Transposed::none, part(f, f.dq, b, head), scale);
      multiply(dp, q, Transposed::left, part(f, f.dk, b, head), scale);
    }
}

//   y = x + residual (M o + b_M), or x + residual (mean - x), or x
void WideAdjoint::interact(const Group& group, const Forward& f, int b, float* y) const {
  const float* x = place(f, 2 * b);
  const std::size_t size = static_cast<std::size_t>(f.tokens) * d_;
  std::copy_n(x, size, y);
  if (architecture_.interaction == Architecture::none) return;
  if (architecture_.interaction == Architecture::attraction) {
    means(f, x, f.mean, d_);
    for (std::size_t i = 0; i < size; ++i) y[i] += residual() * (f.mean[i] - x[i]);
    return;
  }
  project(f, b);
  gather(group, f, b);
  multiply(maps(f, gathered(f, b)), whole(tensors(b).mix, d_, wide_), Transposed::right, rows(f, y),
           residual(), 1);
  add_bias(rows(f, y), tensors(b).mix_bias, residual());
}

void WideAdjoint::interact_back(const Group& group, const Forward& f, int b,
                                float* gradient) const {
  const std::size_t size = static_cast<std::size_t>(f.tokens) * d_;
  if (architecture_.interaction == Architecture::none) return;
  if (architecture_.interaction == Architecture::attraction) {
    means(f, f.dx, f.mean, d_);
    for (std::size_t i = 0; i < size; ++i) f.dx[i] += residual() * (f.mean[i] - f.dx[i]);
    return;
  }
  const auto t = tensors(b);
  const auto g = block_tensors(architecture_, gradient, b);
  project(f, b);
  const View dx = rows(f, f.dx), x = rows(f, place(f, 2 * b));
  multiply(dx, maps(f, gathered(f, b)), Transposed::left, whole(g.mix, d_, wide_), residual(), 1);
  add_columns(dx, residual(), g.mix_bias);
  multiply(dx, whole(t.mix, d_, wide_), Transposed::none, maps(f, f.dout), residual());
  gather_back(group, f, b);
  const auto map_back = [&](const float* w, float* dy, float* dw, float* dbias) {
    multiply(maps(f, dy), x, Transposed::left, whole(dw, wide_, d_), 1, 1);
    add_columns(maps(f, dy), 1, dbias);
    multiply(maps(f, dy), whole(w, wide_, d_), Transposed::none, dx, 1, 1);
  };
  if (attends()) {
    if (architecture_.rotary) turn(f, f.dq, f.dk, true);
    map_back(t.query, f.dq, g.query, g.query_bias);
    map_back(t.key, f.dk, g.key, g.key_bias);
  }
  map_back(t.value, f.dv, g.value, g.value_bias);
}

// h = relu(W_in y + b_in) of all tokens.
void WideAdjoint::feed_forward(const Forward& f, int b) const {
  const auto t = tensors(b);
  const View h = whole(f.h, f.tokens, architecture_.hidden);
  multiply(rows(f, place(f, 2 * b + 1)), whole(t.in, architecture_.hidden, d_), Transposed::right,
           h);
  add_bias(h, t.in_bias, 1);
  const std::size_t size = static_cast<std::size_t>(f.tokens) * architecture_.hidden;
  for (std::size_t i = 0; i < size; ++i) f.h[i] = f.h[i] > 0 ? f.h[i] : 0;
}

void WideAdjoint::perceptron_backward_(const Forward& f, int b, float* gradient) const {
  const int hidden = architecture_.hidden;
  const auto t = tensors(b);
  const auto g = block_tensors(architecture_, gradient, b);
  feed_forward(f, b);
  const View h = whole(f.h, f.tokens, hidden), dh = whole(f.dh, f.tokens, hidden);
  const View dx = rows(f, f.dx);
  multiply(dx, h, Transposed::left, whole(g.out, d_, hidden), residual(), 1);
  add_columns(dx, residual(), g.out_bias);
  multiply(dx, whole(t.out, d_, hidden), Transposed::none, dh, residual());
  const std::size_t size = static_cast<std::size_t>(f.tokens) * hidden;
  for (std::size_t i = 0; i < size; ++i) f.dh[i] = f.h[i] > 0 ? f.dh[i] : 0;
  multiply(dh, rows(f, place(f, 2 * b + 1)), Transposed::left, whole(g.in, hidden, d_), 1, 1);
  add_columns(dh, 1, g.in_bias);
  multiply(dh, whole(t.in, hidden, d_), Transposed::none, dx, 1, 1);
}

void WideAdjoint::forward_blocks(const Group& group, const Forward& f) const {
  const int hidden = architecture_.hidden;
  for (int b = 0; b < architecture_.blocks; ++b) {
    float *y = place(f, 2 * b + 1), *z = place(f, 2 * b + 2);
    interact(group, f, b, y);
    std::copy_n(y, static_cast<std::size_t>(f.tokens) * d_, z);
    if (hidden == 0) continue;
    feed_forward(f, b);
    multiply(whole(f.h, f.tokens, hidden), whole(tensors(b).out, d_, hidden), Transposed::right,
             rows(f, z), residual(), 1);
    add_bias(rows(f, z), tensors(b).out_bias, residual());
  }
}

BatchResult WideAdjoint::learn_group(const Group& group, float* gradient) {
  const auto loan = pool_.borrow();
  const Forward f = take_off(group, *loan.workspace);
  forward_blocks(group, f);
  BatchResult result;
  std::vector<LossQuestion> questions;
  for (int b = 0; b < samples(f); ++b) {
    questions.push_back({group.batch->label[group.batch->chosen[f.number[b]]],
                         group.batch->chosen.size(), group.longest,
                         token_read(architecture_, *group.batch, f.number[b])});
    const SampleLoss loss =
        sample_loss(architecture_, *group.objective, questions.back(),
                    tokens(f, place(f, 2 * architecture_.blocks), b), tokens(f, f.dx, b));
    result.loss += loss.loss;
    result.correct += loss.correct ? 1 : 0;
  }
  for (int b = architecture_.blocks - 1; b >= 0; --b) {
    for (int s = 0; settles(architecture_, *group.objective, b) && s < samples(f); ++s)
      result.loss += settle_loss(architecture_, *group.objective, questions[s],
                                 tokens(f, place(f, 2 * b + 2), s), tokens(f, f.dx, s));
    if (architecture_.hidden > 0) perceptron_backward_(f, b, gradient);
    interact_back(group, f, b, gradient);
  }
  for (int b = 0; b < samples(f); ++b)
    add_starts_gradient(architecture_, *group.batch, f.number[b], tokens(f, f.dx, b), gradient);
  return result;
}

void WideAdjoint::forward_group(const Group& group, float* readout) {
  const auto loan = pool_.borrow();
  const Forward f = take_off(group, *loan.workspace);
  forward_blocks(group, f);
  for (int b = 0; b < samples(f); ++b)
    read_out(architecture_, tokens(f, place(f, 2 * architecture_.blocks), b),
             token_read(architecture_, *group.batch, f.number[b]),
             readout + f.number[b] * static_cast<std::size_t>(d_));
}

}  // namespace

std::unique_ptr<Adjoint> make_wide_adjoint(const Architecture& architecture, int threads) {
  return std::make_unique<WideAdjoint>(architecture, threads);
}

}  // namespace murmur
