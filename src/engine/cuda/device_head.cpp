// device_head.cpp: folds heads as the simd engine does, and puts their matrices on the GPU.
#include "engine/cuda/device_head.h"

#include <span>

#include "core/overloaded.h"
#include "engine/simd/head.h"

namespace murmur::cuda {

namespace {

constexpr double kLog2e = 1.44269504088896340736;

std::shared_ptr<Room<double>> uploaded(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  auto room = std::make_shared<Room<double>>();
  room->upload(std::span<const double>(values));
  return room;
}

DeviceMap mapped(const Matrix& m, const Vector& bias, double scale = 1) {
  std::vector<double> turned(m.data.size());  // (cols, rows)
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.cols; ++c)
      turned[static_cast<std::size_t>(c) * m.rows + r] = scale * m(r, c);
  Vector scaled = bias;
  for (double& b : scaled) b *= scale;
  return {m.rows, m.cols, uploaded(turned), uploaded(scaled)};
}

// A panel is (cols, pitch) with zeros behind its rows.
DeviceMap mapped(const simd::Affine& f) {
  const simd::PanelMatrix& m = f.matrix;
  std::vector<double> turned(static_cast<std::size_t>(m.rows) * m.cols);
  for (int c = 0; c < m.cols; ++c)
    for (int r = 0; r < m.rows; ++r)
      turned[static_cast<std::size_t>(c) * m.rows + r] = m.data[c * m.pitch + r];
  return {m.rows, m.cols, uploaded(turned), uploaded(f.bias)};
}

DeviceHead folded(const Attention& a, Clock clock, int d) {
  const bool narrow = simd::is_narrow(a, d);
  Attention plain = a;
  if (narrow) plain.query = plain.key = {}, plain.query_bias = plain.key_bias = {};
  const simd::Head head = simd::fold(plain, clock, d);
  DeviceHead to{.softmax = head.softmax,
                .relative = head.relative,
                .seen = {head.past, head.self},
                .isotropic = head.isotropic && !narrow,
                .gaze_scale = head.gaze_scale,
                .k = narrow ? a.query.rows : d,
                .tilt = uploaded(head.tilt),
                .level = head.level,
                .rate = head.rate,
                .value_scale = head.value_scale,
                .value_bias = uploaded(head.value_bias)};
  if (narrow) {
    to.gaze = mapped(a.query, a.query_bias, a.beta * kLog2e);
    to.keys = mapped(a.key, a.key_bias);
  } else if (!head.isotropic) {
    to.gaze = mapped(head.gaze);
  }
  if (!head.value_is_scale) to.value = mapped(head.value);
  return to;
}

int number_of(Perceptron::Activation activation) {
  switch (activation) {
    case Perceptron::relu:
      return 0;
    case Perceptron::gelu:
      return 1;
    case Perceptron::tanh:
      return 2;
  }
  return 0;
}

}  // namespace

Map DeviceMap::map() const {
  return {rows, cols, matrix ? matrix->need(0) : nullptr, bias ? bias->need(0) : nullptr};
}

DeviceForces ready(const std::vector<Force>& forces, Clock clock, int d) {
  DeviceForces all;
  std::vector<Attention> heads;
  for (const Force& force : forces)
    std::visit(
        Overloaded{[&](const Attention& head) { heads.push_back(head); },
                   [&](const Perceptron& p) {
                     all.layers.push_back({mapped(p.in, p.in_bias), mapped(p.out, p.out_bias),
                                           number_of(p.activation)});
                   },
                   [](const ManyHeads&) {}},  // `knows` refuses it
        force);
  for (const Attention& head : simd::merged(heads, d)) all.heads.push_back(folded(head, clock, d));
  return all;
}

}  // namespace murmur::cuda
