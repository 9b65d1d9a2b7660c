// rnn.h: a recurrent network on one sample, in double, and what it shares with rnn_adjoint.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/elementary.h"
#include "learn/recurrent.h"
#include "murmur/error.h"

namespace murmur {

constexpr double kRnnUnit = 10;  // coordinates of points are divided by it

template <class T>
struct RnnTensors {
  T* in;        // (hidden, width)
  T* memory;    // (hidden, hidden)
  T* bias;      // (hidden)
  T* out;       // (classes, hidden)
  T* out_bias;  // (classes)
  T* words;     // (vocabulary, width)
};

template <class T>
RnnTensors<T> rnn_tensors(const Rnn& m, T* at) {
  const auto h = static_cast<std::size_t>(m.hidden);
  T* memory = at + static_cast<std::size_t>(m.width) * h;
  T* bias = memory + h * h;
  T* out = bias + h;
  T* out_bias = out + static_cast<std::size_t>(m.classes) * h;
  return {at, memory, bias, out, out_bias, out_bias + m.classes};
}

void check(const Rnn& m);                          // Error(input): it cannot be built
void check_messenger(const Objective& objective);  // Error(input): it cannot be learned so

// The words of a sample, the one that is asked about once more at the end.
std::vector<int> words_of(const Rnn& m, const Batch& batch, std::size_t place);

// (n, 2) the places of a sample's tokens.
template <class T>
std::vector<T> points_of(const Batch& batch, std::size_t place) {
  const std::size_t from = batch.first[batch.chosen[place]];
  const std::size_t to = batch.first[batch.chosen[place] + 1];
  const T right = batch.shift.empty() ? T{} : static_cast<T>(batch.shift[2 * place]);
  const T up = batch.shift.empty() ? T{} : static_cast<T>(batch.shift[2 * place + 1]);
  std::vector<T> points;  // (n, 2)
  points.reserve(2 * (to - from));
  for (std::size_t i = from; i < to; ++i) {
    points.push_back((batch.x[i] + right) / static_cast<T>(kRnnUnit));
    points.push_back((batch.y[i] + up) / static_cast<T>(kRnnUnit));
  }
  return points;
}

// (n, width) what is read of a sample, token by token.
template <class T>
std::vector<T> inputs_of(const Rnn& m, std::span<const T> parameters, const Batch& batch,
                         std::size_t place) {
  if (m.vocabulary == 0) return points_of<T>(batch, place);
  const T* table = rnn_tensors(m, parameters.data()).words;
  std::vector<T> rows;
  for (const int word : words_of(m, batch, place))
    rows.insert(rows.end(), table + static_cast<std::ptrdiff_t>(word) * m.width,
                table + static_cast<std::ptrdiff_t>(word + 1) * m.width);
  return rows;
}

template <class T>
struct Verdict {
  double loss = 0;
  bool right = false;
  std::vector<T> push{};  // (classes) d loss / d logit = p - y
};

//   p = softmax(logits),  loss = -sum_c y_c ln p_c,  y as in the swarm's cross-entropy
template <class T>
Verdict<T> judge(std::span<const T> logits, int label, double smoothing) {
  const int classes = static_cast<int>(logits.size());
  if (label < 0 || label >= classes)
    throw Error(Fault::input, "a flock to learn from has no label of a known class",
                fmt::format("label {}", label), "give every flock its class");
  const auto largest = std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const T logit : logits) sum += elementary::exp(static_cast<double>(logit - *largest));
  Verdict<T> verdict{0, largest - logits.begin() == label, std::vector<T>(logits.size())};
  for (int c = 0; c < classes; ++c) {
    const double wanted = (c == label ? 1 - smoothing : 0) + smoothing / classes;
    const auto below = static_cast<double>(logits[c] - *largest);
    verdict.loss -= wanted * (below - elementary::log(sum));
    verdict.push[c] = static_cast<T>(elementary::exp(below) / sum - wanted);
  }
  return verdict;
}

// Input and output of the backward pass.
struct WayBack {
  const std::vector<double>& push;          // (classes) d loss / d logit
  RnnTensors<double> gradient;              // added to
  std::vector<double>* d_points = nullptr;  // (n, width) added to, where wanted
};

// A recurrent network with its parameters; loops run along rows of h numbers.
class Journey {
 public:
  Journey(const Rnn& rnn, std::span<const double> parameters)
      : classes_(rnn.classes),
        h_(rnn.hidden),
        width_(rnn.width),
        at_(rnn_tensors(rnn, parameters.data())),
        memory_t_(h_ * h_) {
    for (std::size_t r = 0; r < h_; ++r)
      for (std::size_t c = 0; c < h_; ++c) memory_t_[c * h_ + r] = at_.memory[r * h_ + c];
  }

  // Forward pass over (n, width) tokens; stores the states (n + 1, hidden), the first of them zero,
  // and returns the logits (classes).
  std::vector<double> out(const std::vector<double>& points, std::vector<double>& states) const {
    const std::size_t n = points.size() / width_;
    states.assign((n + 1) * h_, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double* past = states.data() + i * h_;
      double* z = states.data() + (i + 1) * h_;
      for (std::size_t r = 0; r < h_; ++r) {
        z[r] = at_.bias[r];
        for (std::size_t k = 0; k < width_; ++k)
          z[r] += at_.in[width_ * r + k] * points[width_ * i + k];
      }
      for (std::size_t c = 0; c < h_; ++c)
        for (std::size_t r = 0; r < h_; ++r) z[r] += memory_t_[c * h_ + r] * past[c];
      for (std::size_t r = 0; r < h_; ++r) z[r] = elementary::tanh(z[r]);
    }
    std::vector<double> logits(at_.out_bias, at_.out_bias + classes_);
    for (int c = 0; c < classes_; ++c)
      for (std::size_t r = 0; r < h_; ++r) logits[c] += at_.out[c * h_ + r] * states[n * h_ + r];
    return logits;
  }

  //   dz = dh (1 - h^2),  dW_x += dz p^double,  dW_h += dz h_past^double,  db += dz,  dh_past =
  //   W_h^double dz
  void back(const std::vector<double>& points, const std::vector<double>& states,
            const WayBack& way) const {
    const RnnTensors<double>& gradient = way.gradient;
    const std::vector<double>& push = way.push;
    const std::size_t n = points.size() / width_;
    std::vector<double> dh(h_), dz(h_);
    for (int c = 0; c < classes_; ++c) {
      gradient.out_bias[c] += push[c];
      for (std::size_t r = 0; r < h_; ++r) {
        gradient.out[c * h_ + r] += push[c] * states[n * h_ + r];
        dh[r] += push[c] * at_.out[c * h_ + r];
      }
    }
    for (std::size_t i = n; i-- > 0;) {
      const double* past = states.data() + i * h_;
      const double* now = past + h_;
      for (std::size_t r = 0; r < h_; ++r) dz[r] = dh[r] * (1 - now[r] * now[r]);
      std::fill(dh.begin(), dh.end(), 0.0);
      for (std::size_t r = 0; r < h_; ++r) {
        gradient.bias[r] += dz[r];
        for (std::size_t k = 0; k < width_; ++k) {
          gradient.in[width_ * r + k] += dz[r] * points[width_ * i + k];
          if (way.d_points) (*way.d_points)[width_ * i + k] += dz[r] * at_.in[width_ * r + k];
        }
        for (std::size_t c = 0; c < h_; ++c) {
          gradient.memory[r * h_ + c] += dz[r] * past[c];
          dh[c] += dz[r] * at_.memory[r * h_ + c];
        }
      }
    }
  }

 private:
  const int classes_;
  const std::size_t h_, width_;
  const RnnTensors<const double> at_;
  std::vector<double> memory_t_;  // (hidden, hidden), the transpose
};

}  // namespace murmur
