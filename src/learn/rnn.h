// rnn.h: a recurrent network on one sample, forward and through time backward, float or double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/elementary.h"
#include "learn/recurrent.h"

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

// Input and output of the backward pass.
template <class T>
struct WayBack {
  const std::vector<T>& push;          // (classes) d loss / d logit
  RnnTensors<T> gradient;              // added to
  std::vector<T>* d_points = nullptr;  // (n, width) added to, where wanted
};

// A recurrent network with its parameters; loops run along rows of h numbers, so that they
// vectorise.
template <class T>
class Journey {
 public:
  Journey(const Rnn& rnn, std::span<const T> parameters)
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
  std::vector<T> out(const std::vector<T>& points, std::vector<T>& states) const {
    const std::size_t n = points.size() / width_;
    states.assign((n + 1) * h_, T{});
    for (std::size_t i = 0; i < n; ++i) {
      const T* past = states.data() + i * h_;
      T* z = states.data() + (i + 1) * h_;
      for (std::size_t r = 0; r < h_; ++r) {
        z[r] = at_.bias[r];
        for (std::size_t k = 0; k < width_; ++k)
          z[r] += at_.in[width_ * r + k] * points[width_ * i + k];
      }
      for (std::size_t c = 0; c < h_; ++c)
        for (std::size_t r = 0; r < h_; ++r) z[r] += memory_t_[c * h_ + r] * past[c];
      for (std::size_t r = 0; r < h_; ++r)
        z[r] = static_cast<T>(elementary::tanh(static_cast<double>(z[r])));
    }
    std::vector<T> logits(at_.out_bias, at_.out_bias + classes_);
    for (int c = 0; c < classes_; ++c)
      for (std::size_t r = 0; r < h_; ++r) logits[c] += at_.out[c * h_ + r] * states[n * h_ + r];
    return logits;
  }

  //   dz = dh (1 - h^2),  dW_x += dz p^T,  dW_h += dz h_past^T,  db += dz,  dh_past = W_h^T dz
  void back(const std::vector<T>& points, const std::vector<T>& states,
            const WayBack<T>& way) const {
    const RnnTensors<T>& gradient = way.gradient;
    const std::vector<T>& push = way.push;
    const std::size_t n = points.size() / width_;
    std::vector<T> dh(h_), dz(h_);
    for (int c = 0; c < classes_; ++c) {
      gradient.out_bias[c] += push[c];
      for (std::size_t r = 0; r < h_; ++r) {
        gradient.out[c * h_ + r] += push[c] * states[n * h_ + r];
        dh[r] += push[c] * at_.out[c * h_ + r];
      }
    }
    for (std::size_t i = n; i-- > 0;) {
      const T* past = states.data() + i * h_;
      const T* now = past + h_;
      for (std::size_t r = 0; r < h_; ++r) dz[r] = dh[r] * (1 - now[r] * now[r]);
      std::fill(dh.begin(), dh.end(), T{});
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
  const RnnTensors<const T> at_;
  std::vector<T> memory_t_;  // (hidden, hidden), the transpose
};

}  // namespace murmur
