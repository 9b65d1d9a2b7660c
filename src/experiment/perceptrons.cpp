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

constexpr std::pair<const char*, std::size_t> kArrays[] = {
    {"in", 2}, {"in_bias", 1}, {"out", 2}, {"out_bias", 1}};  // and how many axes one layer has

std::string kept(const std::string& name) { return "perceptron_" + name; }

// FILE.safetensors with in, out, in_bias, out_bias; or NAME_*.npy, the star standing for each.
Record read_arrays(const PerceptronChoice& perceptron) {
  const auto& [kind, units, folder, text] = perceptron;
  if (ends_with(text, ".safetensors")) return read_safetensors(folder / text).tensors;
  Record arrays;
  const std::size_t star = text.find('*');
  for (const auto& [name, axes] : kArrays) {
    const std::string file = text.substr(0, star) + name + text.substr(star + 1);
    std::error_code unknown;  // then reading tells why
    if (std::filesystem::exists(folder / file, unknown) || unknown)
      arrays[name] = read_npy(folder / file);
  }
  return arrays;
}

// Reads the arrays into `inputs`, once.
void gather_arrays(const DynamicsRequest& request, Record& inputs) {
  for (const auto& [name, axes] : kArrays)
    if (inputs.count(kept(name)) != 0) return;
  Record arrays = read_arrays(request.spec.perceptron);
  for (const auto& [name, axes] : kArrays)
    if (const auto found = arrays.find(name); found != arrays.end()) {
      check_finite(request.words, "perceptron", found->second);
      inputs[kept(name)] = std::move(found->second);
    }
}

// Whether `array`, which has so many axes in one layer, has one of layers in front.
bool has_layers(const DynamicsRequest& request, const Array& array, std::size_t axes) {
  return request.spec.weights_in_time != WeightsInTime::constant && array.shape.size() == axes + 1;
}

constexpr std::size_t kMostUnits = 1'000'000;

Matrix matrix_of(const DynamicsRequest& request, const Record& inputs, const std::string& name,
                 std::size_t layer) {
  const auto found = inputs.find(kept(name));
  if (found == inputs.end())
    refuse(request.words, "perceptron", fmt::format("has no array named {}", name),
           "store in (h, d), out (d, h) and, if wanted, in_bias (h), out_bias (d)");
  const std::vector<std::size_t>& shape = found->second.shape;
  const std::size_t lead = has_layers(request, found->second, 2) ? 1 : 0;
  if (shape.size() != lead + 2 || shape[lead] > kMostUnits || shape[lead + 1] > kMostUnits)
    refuse(request.words, "perceptron", fmt::format("{} is not a matrix", name),
           shape.size() == 3 ? "use weights_in_time=piecewise or linear for an axis of layers"
                             : "store in (h, d) and out (d, h)");
  return part_of(found->second, lead * layer * shape[lead] * shape[lead + 1],
                 {static_cast<int>(shape[lead]), static_cast<int>(shape[lead + 1])});
}

// (h) or (d); empty where there is none.
Vector bias_of(const DynamicsRequest& request, const Record& inputs, const std::string& name,
               std::size_t layer) {
  const auto found = inputs.find(kept(name));
  if (found == inputs.end()) return {};
  const Array& array = found->second;
  if (!has_layers(request, array, 1)) return array.doubles();
  if (array.shape[1] > kMostUnits)
    refuse(request.words, "perceptron", fmt::format("{} is not a bias", name),
           "store (layers, h) or (layers, d)");
  return part_of(array, layer * array.shape[1], {1, static_cast<int>(array.shape[1])}).data;
}

}  // namespace

bool is_random(const PerceptronChoice& perceptron) {
  return perceptron.kind == PerceptronChoice::gaussian ||
         perceptron.kind == PerceptronChoice::gradient;
}

double numbers_of(const PerceptronChoice& perceptron, int d) {
  return is_random(perceptron) ? 2.0 * d * perceptron.units : 0;
}

std::vector<std::size_t> layers_in_perceptron(const DynamicsRequest& request, Record& inputs) {
  std::vector<std::size_t> counts;
  if (request.spec.perceptron.kind != PerceptronChoice::from_file) return counts;
  gather_arrays(request, inputs);
  for (const auto& [name, axes] : kArrays)
    if (const auto found = inputs.find(kept(name));
        found != inputs.end() && has_layers(request, found->second, axes))
      counts.push_back(found->second.shape[0]);
  return counts;
}

Perceptron perceptron_of(const DynamicsRequest& request, int d, const Turn& turn, Record& inputs) {
  Perceptron p;
  p.activation = request.spec.activation;
  if (is_random(request.spec.perceptron)) {
    set_random(request, d, turn.redraw, p);
    if (request.spec.redraw == 0) {
      inputs["drawn_perceptron_in"] = stacked({p.in});
      inputs["drawn_perceptron_out"] = stacked({p.out});
    }
    return p;
  }
  gather_arrays(request, inputs);
  p.in = matrix_of(request, inputs, "in", turn.layer);
  p.out = matrix_of(request, inputs, "out", turn.layer);
  p.in_bias = bias_of(request, inputs, "in_bias", turn.layer);
  p.out_bias = bias_of(request, inputs, "out_bias", turn.layer);
  return p;
}

}  // namespace murmur
