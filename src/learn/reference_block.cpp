// reference_block.cpp: each formula of a block in plain loops, and below it its adjoint.
#include <algorithm>
#include <cmath>

#include "core/affine_map.h"
#include "core/elementary.h"
#include "learn/reference.h"
#include "learn/rotary.h"

namespace murmur {

namespace {

struct Heads {  // of n tokens: so many heads of k coordinates each
  int n, k, count;
  double beta() const { return 1 / std::sqrt(static_cast<double>(k)); }
  std::size_t pair(int h, int i, int j) const {
    return (static_cast<std::size_t>(h) * n + i) * n + j;
  }
  std::size_t own(int h, int i) const { return (static_cast<std::size_t>(i) * count + h) * k; }
};

Heads heads_of(const Architecture& a, const std::vector<double>& x) {
  return {static_cast<int>(x.size()) / a.d, width_of_head(a), a.heads};
}

double dot(const double* a, const double* b, int size) {
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

//   a_ij = e^{s_ij} / sum_k e^{s_ik},  s_ij = <q_i, k_j> / sqrt(k)      for each head
std::vector<double> softmax_weights(const Heads& at, const BlockTape& tape) {
  std::vector<double> weights(at.pair(at.count, 0, 0));
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i) {
      double* row = &weights[at.pair(h, i, 0)];  // (n)
      double largest = -HUGE_VAL, sum = 0;
      for (int j = 0; j < at.n; ++j) {
        row[j] = at.beta() * dot(&tape.query[at.own(h, i)], &tape.key[at.own(h, j)], at.k);
        largest = std::max(largest, row[j]);
      }
      for (int j = 0; j < at.n; ++j) sum += row[j] = elementary::exp(row[j] - largest);
      for (int j = 0; j < at.n; ++j) row[j] /= sum;
    }
  return weights;
}

//   ds_ij = a_ij (da_ij - sum_k a_ik da_ik);  dq_i += ds_ij k_j,  dk_j += ds_ij q_i, both times
//   beta
// `pushes` (heads, n, n) is da.
struct Gazes {
  std::vector<double> d_query{}, d_key{};  // (n, heads k)
};
Gazes gaze_adjoint(const Heads& at, const BlockTape& tape, const std::vector<double>& pushes) {
  Gazes gazes{std::vector<double>(tape.query.size()), std::vector<double>(tape.key.size())};
  std::vector<double> ds(at.n);
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i) {
      const std::size_t row = at.pair(h, i, 0);
      softmax_adjoint(at.n, at.beta(), &tape.weights[row], &pushes[row], ds.data());
      for (int j = 0; j < at.n; ++j)
        for (int k = 0; k < at.k; ++k) {
          gazes.d_query[at.own(h, i) + k] += ds[j] * tape.key[at.own(h, j) + k];
          gazes.d_key[at.own(h, j) + k] += ds[j] * tape.query[at.own(h, i) + k];
        }
    }
  return gazes;
}

double kept(const BlockTape& tape, std::size_t pair) {
  return tape.mask.empty() ? 1.0 : static_cast<double>(tape.mask[pair]);
}

//   o_i = sum_j a_ij mask_ij v_j                                  head by head
std::vector<double> heard(const Heads& at, const BlockTape& tape) {
  std::vector<double> o(tape.value.size());
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i)
      for (int j = 0; j < at.n; ++j) {
        const double weight = tape.weights[at.pair(h, i, j)] * kept(tape, at.pair(h, i, j));
        for (int k = 0; k < at.k; ++k) o[at.own(h, i) + k] += weight * tape.value[at.own(h, j) + k];
      }
  return o;
}

//   da_ij = mask_ij <do_i, v_j>,  dv_j += a_ij mask_ij do_i;      returns da (heads, n, n)
std::vector<double> heard_adjoint(const Heads& at, const BlockTape& tape,
                                  const std::vector<double>& d_heard,
                                  std::vector<double>& d_value) {
  std::vector<double> da(tape.weights.size());
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i)
      for (int j = 0; j < at.n; ++j) {
        const std::size_t pair = at.pair(h, i, j);
        const double mask = kept(tape, pair);
        da[pair] = mask * dot(&d_heard[at.own(h, i)], &tape.value[at.own(h, j)], at.k);
        for (int k = 0; k < at.k; ++k)
          d_value[at.own(h, j) + k] += tape.weights[pair] * mask * d_heard[at.own(h, i) + k];
      }
  return da;
}

//   m = mean_j x_j,  x_i <- x_i + r (m - x_i). The map is linear and symmetric: its own adjoint.
void draw_together(const Architecture& a, std::vector<double>& x) {
  const std::size_t n = x.size() / a.d;
  for (int k = 0; k < a.d; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += x[i * a.d + k];
    mean /= static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) x[i * a.d + k] += a.residual * (mean - x[i * a.d + k]);
  }
}

// Every row of n tokens turned by its number, or back.
void turn_all(const Heads& at, std::initializer_list<std::vector<double>*> rows, bool back) {
  const Turns<double> turns(at.n, at.k);
  for (std::vector<double>* row : rows) turns.turn(row->data(), at.n, at.count, back);
}

//   x_i += r (M o_i + b_M)
void forward_messages(const Architecture& a, const BlockTensors<const double>& block,
                      BlockTape& tape, std::vector<double>& x) {
  const Heads at = heads_of(a, x);
  const int wide = width_of_heads(a);
  if (a.interaction == Architecture::attention) {
    tape.query = applied({block.query, block.query_bias, wide, a.d}, x);
    tape.key = applied({block.key, block.key_bias, wide, a.d}, x);
    if (a.rotary) turn_all(at, {&tape.query, &tape.key}, false);
    tape.weights = softmax_weights(at, tape);
  } else {
    tape.weights.assign(at.pair(at.count, 0, 0), 1.0 / at.n);
  }
  tape.value = applied({block.value, block.value_bias, wide, a.d}, x);
  tape.heard = heard(at, tape);
  const std::vector<double> mixed = applied({block.mix, block.mix_bias, a.d, wide}, tape.heard);
  for (std::size_t e = 0; e < x.size(); ++e) x[e] += a.residual * mixed[e];
}

void backward_through_messages(const Architecture& a, const BlockTensors<const double>& block,
                               const BlockTape& tape, const Backward& backward) {
  const Heads at = heads_of(a, tape.start);
  const int wide = width_of_heads(a);
  const BlockTensors<double>& gradient = backward.gradient;
  std::vector<double> d_mixed(backward.cotangent);
  for (double& push : d_mixed) push *= a.residual;
  std::vector<double> d_heard(tape.heard.size()), d_value(tape.heard.size());
  add_adjoint({block.mix, block.mix_bias, a.d, wide}, {gradient.mix, gradient.mix_bias}, tape.heard,
              {d_mixed, d_heard});
  const std::vector<double> pushes = heard_adjoint(at, tape, d_heard, d_value);
  add_adjoint({block.value, block.value_bias, wide, a.d}, {gradient.value, gradient.value_bias},
              tape.start, {d_value, backward.cotangent});
  if (a.interaction != Architecture::attention) return;
  Gazes gazes = gaze_adjoint(at, tape, pushes);
  if (a.rotary) turn_all(at, {&gazes.d_query, &gazes.d_key}, true);
  add_adjoint({block.query, block.query_bias, wide, a.d}, {gradient.query, gradient.query_bias},
              tape.start, {gazes.d_query, backward.cotangent});
  add_adjoint({block.key, block.key_bias, wide, a.d}, {gradient.key, gradient.key_bias}, tape.start,
              {gazes.d_key, backward.cotangent});
}

std::vector<double> rectified(const std::vector<double>& z) {
  std::vector<double> u(z.size());
  for (std::size_t e = 0; e < z.size(); ++e) u[e] = std::max(z[e], 0.0);
  return u;
}

//   x_i += r (W_out relu(W_in x_i + b_in) + b_out)
void forward_alone(const Architecture& a, const BlockTensors<const double>& block, BlockTape& tape,
                   std::vector<double>& x) {
  tape.inner = applied({block.in, block.in_bias, a.hidden, a.d}, x);
  const std::vector<double> feed_forward =
      applied({block.out, block.out_bias, a.d, a.hidden}, rectified(tape.inner));
  for (std::size_t e = 0; e < x.size(); ++e) x[e] += a.residual * feed_forward[e];
}

//   relu'(z) = 1 for z > 0, else 0
void backward_alone(const Architecture& a, const BlockTensors<const double>& block,
                    const BlockTape& tape, const Backward& backward) {
  const BlockTensors<double>& gradient = backward.gradient;
  std::vector<double> d_perceptron(backward.cotangent), d_inner(tape.inner.size());
  for (double& push : d_perceptron) push *= a.residual;
  add_adjoint({block.out, block.out_bias, a.d, a.hidden}, {gradient.out, gradient.out_bias},
              rectified(tape.inner), {d_perceptron, d_inner});
  for (std::size_t e = 0; e < d_inner.size(); ++e)
    if (!(tape.inner[e] > 0)) d_inner[e] = 0;
  add_adjoint({block.in, block.in_bias, a.hidden, a.d}, {gradient.in, gradient.in_bias},
              tape.middle, {d_inner, backward.cotangent});
}

}  // namespace

void forward_block(const Architecture& a, const BlockTensors<const double>& block, BlockTape& tape,
                   std::vector<double>& x) {
  tape.start = x;
  if (a.interaction == Architecture::attraction) draw_together(a, x);
  if (a.interaction >= Architecture::uniform) forward_messages(a, block, tape, x);
  tape.middle = x;
  if (a.hidden > 0) forward_alone(a, block, tape, x);
}

void backward_pass(const Architecture& a, const BlockTensors<const double>& block,
                   const BlockTape& tape, const Backward& backward) {
  if (a.hidden > 0) backward_alone(a, block, tape, backward);
  if (a.interaction == Architecture::attraction) draw_together(a, backward.cotangent);
  if (a.interaction >= Architecture::uniform) backward_through_messages(a, block, tape, backward);
}

}  // namespace murmur
