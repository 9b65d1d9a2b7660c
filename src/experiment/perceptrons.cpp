// perceptrons.cpp: feed-forward parameters: random, in gradient form, or from files.
#include "experiment/perceptrons.h"

#include <fmt/format.h>

#include <cmath>

#include "experiment/matrices.h"
#include "experiment/words.h"
#include "murmur/random.h"
#include "run/formats.h"

namespace murmur {

namespace {

//   gaussian:H   entries of W_in of variance 1/d, of W_out of variance 1/h
//   gradient:M   rows a_m of W_in uniform on the unit sphere, W_out = W_in^T diag(omega) with
//                independent standard normal omega_m
void set_random(const DynamicsRequest& request, int d, std::uint32_t redraw, Perceptron& p) {
  const int h = request.spec.perceptron.units;
  const auto [seed, replica] = request.random;
  const Draw first{seed, Stream::perceptron, 0, 2 * redraw, replica};
  const Draw second{seed, Stream::perceptron, 0, 2 * redraw + 1, replica};
  p.in = gaussian({h, d}, 1 / std::sqrt(static_cast<double>(d)), first);
  if (request.spec.perceptron.kind == PerceptronChoice::gaussian) {
    p.out = gaussian({d, h}, 1 / std::sqrt(static_cast<double>(h)), second);
    return;
  }
  const Matrix omega = gaussian({h, 1}, 1, second);
  p.out = zeros(d, h);
  for (int m = 0; m < h; ++m) {
    double square = 0;
    for (int k = 0; k < d; ++k) square += p.in(m, k) * p.in(m, k);
    for (int k = 0; k < d; ++k) {
      p.in(m, k) /= std::sqrt(square);
      p.out(k, m) = omega(m, 0) * p.in(m, k);
    }
  }
}

Matrix matrix_of(const Settings& words, const Record& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  if (found == arrays.end())
    refuse(words, "perceptron", fmt::format("has no array named {}", name),
           "store in (h, d), out (d, h) and, if wanted, in_bias (h), out_bias (d)");
  const Array& array = found->second;
  if (array.shape.size() != 2 || array.shape[0] > 1'000'000 || array.shape[1] > 1'000'000)
    refuse(words, "perceptron", fmt::format("{} is not a matrix", name),
           "store in (h, d) and out (d, h)");
  return {static_cast<int>(array.shape[0]), static_cast<int>(array.shape[1]), array.doubles()};
}

constexpr const char* kNames[] = {"in", "in_bias", "out", "out_bias"};

// FILE.safetensors with in, out, in_bias, out_bias; or NAME_*.npy, the star standing for each.
// What an earlier draw has read stands in `inputs`.
Record perceptron_arrays(const PerceptronChoice& perceptron, const Record& inputs) {
  const auto& [kind, units, folder, text] = perceptron;
  Record arrays;
  for (const char* name : kNames)
    if (const auto known = inputs.find(std::string("perceptron_") + name); known != inputs.end())
      arrays[name] = known->second;
  if (!arrays.empty()) return arrays;
  if (ends_with(text, ".safetensors")) return read_safetensors(folder / text).tensors;
  const std::size_t star = text.find('*');
  for (const char* name : kNames) {
    const std::string file = text.substr(0, star) + name + text.substr(star + 1);
    std::error_code unknown;  // then reading tells why
    if (std::filesystem::exists(folder / file, unknown) || unknown)
      arrays[name] = read_npy(folder / file);
  }
  return arrays;
}

}  // namespace

bool is_random(const PerceptronChoice& perceptron) {
  return perceptron.kind == PerceptronChoice::gaussian ||
         perceptron.kind == PerceptronChoice::gradient;
}

double numbers_of(const PerceptronChoice& perceptron, int d) {
  return is_random(perceptron) ? 2.0 * d * perceptron.units : 0;
}

Perceptron perceptron_of(const DynamicsRequest& request, int d, std::uint32_t redraw,
                         Record& inputs) {
  Perceptron p;
  p.activation = request.spec.activation;
  if (is_random(request.spec.perceptron)) {
    set_random(request, d, redraw, p);
    if (request.spec.redraw == 0) {
      inputs["drawn_perceptron_in"] = stacked({p.in});
      inputs["drawn_perceptron_out"] = stacked({p.out});
    }
    return p;
  }
  const Record arrays = perceptron_arrays(request.spec.perceptron, inputs);
  p.in = matrix_of(request.words, arrays, "in");
  p.out = matrix_of(request.words, arrays, "out");
  if (arrays.count("in_bias") != 0) p.in_bias = arrays.at("in_bias").doubles();
  if (arrays.count("out_bias") != 0) p.out_bias = arrays.at("out_bias").doubles();
  for (const char* name : kNames)
    if (const auto found = arrays.find(name); found != arrays.end()) {
      check_finite(request.words, "perceptron", found->second);
      inputs[std::string("perceptron_") + name] = found->second;
    }
  return p;
}

}  // namespace murmur
