// perceptrons.cpp: feed-forward parameters: random, in gradient form, or from files.
#include "experiment/perceptrons.h"

#include <fmt/format.h>

#include <cmath>

#include "experiment/matrices.h"
#include "experiment/words.h"
#include "murmur/formats.h"
#include "murmur/random.h"

namespace murmur {

namespace {

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// The whole number after the colon of gaussian:H or gradient:M.
int units(const Settings& settings) {
  const std::string& text = setting(settings, "perceptron").text;
  double h = 0;
  if (!parse_number(text.substr(text.find(':') + 1), h) || h < 1 || h > 1e6 || h != std::floor(h))
    refuse(settings, "perceptron", "has no whole number of hidden units",
           "write gaussian:512 or gradient:512 for 512 units");
  return static_cast<int>(h);
}

//   gaussian:H   entries of W_in of variance 1/d, of W_out of variance 1/h
//   gradient:M   rows a_m of W_in uniform on the unit sphere, W_out = W_in^T diag(omega) with
//                independent standard normal omega_m
void set_random(const Settings& settings, int d, std::uint32_t redraw, Perceptron& p) {
  const int h = units(settings);
  const auto seed = seed_of(settings);
  const auto replica = replica_of(settings);
  const Draw first{seed, Stream::perceptron, 0, 2 * redraw, replica};
  const Draw second{seed, Stream::perceptron, 0, 2 * redraw + 1, replica};
  p.in = gaussian({h, d}, 1 / std::sqrt(static_cast<double>(d)), first);
  if (begins(setting(settings, "perceptron").text, "gaussian:")) {
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

Matrix matrix_of(const Settings& settings, const Record& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  if (found == arrays.end())
    refuse(settings, "perceptron", fmt::format("has no array named {}", name),
           "store in (h, d), out (d, h) and, if wanted, in_bias (h), out_bias (d)");
  const Array& array = found->second;
  if (array.shape.size() != 2 || array.shape[0] > 1'000'000 || array.shape[1] > 1'000'000)
    refuse(settings, "perceptron", fmt::format("{} is not a matrix", name),
           "store in (h, d) and out (d, h)");
  return {static_cast<int>(array.shape[0]), static_cast<int>(array.shape[1]), array.doubles()};
}

constexpr const char* kNames[] = {"in", "in_bias", "out", "out_bias"};

// FILE.safetensors with in, out, in_bias, out_bias; or NAME_*.npy, the star standing for each.
// What an earlier draw has read stands in `inputs`.
Record perceptron_arrays(const Settings& settings, const Record& inputs) {
  const Setting& s = setting(settings, "perceptron");
  Record arrays;
  for (const char* name : kNames)
    if (const auto known = inputs.find(std::string("perceptron_") + name); known != inputs.end())
      arrays[name] = known->second;
  if (!arrays.empty()) return arrays;
  if (ends_with(s.text, ".safetensors")) return read_safetensors(s.folder / s.text).tensors;
  const std::size_t star = s.text.find('*');
  for (const char* name : kNames) {
    const std::string file = s.text.substr(0, star) + name + s.text.substr(star + 1);
    if (std::filesystem::exists(s.folder / file)) arrays[name] = read_npy(s.folder / file);
  }
  return arrays;
}

}  // namespace

bool is_random_perceptron(const Settings& settings) {
  const std::string& text = setting(settings, "perceptron").text;
  return begins(text, "gaussian:") || begins(text, "gradient:");
}

double perceptron_numbers(const Settings& settings, int d) {
  return is_random_perceptron(settings) ? 2.0 * d * units(settings) : 0;
}

Perceptron perceptron_of(const Settings& settings, int d, std::uint32_t redraw, Record& inputs) {
  const std::string& text = setting(settings, "perceptron").text;
  Perceptron p;
  p.activation =
      static_cast<Perceptron::Activation>(choice(settings, "activation", {"relu", "gelu", "tanh"}));
  if (is_random_perceptron(settings)) {
    set_random(settings, d, redraw, p);
    return p;
  }
  if (!ends_with(text, ".safetensors") && text.find('*') == std::string::npos)
    refuse(settings, "perceptron", "is neither none, gaussian:H, gradient:M nor a file",
           "give a .safetensors file, or npy files as NAME_*.npy");
  const Record arrays = perceptron_arrays(settings, inputs);
  p.in = matrix_of(settings, arrays, "in");
  p.out = matrix_of(settings, arrays, "out");
  if (arrays.count("in_bias") != 0) p.in_bias = arrays.at("in_bias").doubles();
  if (arrays.count("out_bias") != 0) p.out_bias = arrays.at("out_bias").doubles();
  for (const char* name : kNames)
    if (const auto found = arrays.find(name); found != arrays.end()) {
      check_finite(settings, "perceptron", found->second);
      inputs[std::string("perceptron_") + name] = found->second;
    }
  return p;
}

}  // namespace murmur
