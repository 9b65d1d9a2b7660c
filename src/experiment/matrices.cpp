// matrices.cpp: makes matrices and perceptrons out of settings: identity, random, typed, or from a
// file.
#include "experiment/matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/forces.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/random.h"
#include "run/formats.h"

namespace murmur {

namespace {

// Symmetric: off-diagonal variance 1/d, diagonal 2/d; spectrum on [-2, 2] for large d.
Matrix goe(int d, const Draw& who) {
  const Matrix g = gaussian({d, d}, 1, who);
  Matrix m = zeros(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) m(i, j) = (g(i, j) + g(j, i)) / std::sqrt(2.0 * d);
  return m;
}

// Symmetric, every entry of variance 1/d, also the diagonal.
Matrix wigner(int d, const Draw& who) {
  Matrix m = gaussian({d, d}, 1 / std::sqrt(static_cast<double>(d)), who);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < i; ++j) m(i, j) = m(j, i);
  return m;
}

// G G^T / d with independent standard normal G: positive, spectrum on [0, 4] for large d.
Matrix psd(int d, const Draw& who) {
  const Matrix g = gaussian({d, d}, 1, who);
  Matrix m = zeros(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < d; ++k) sum += g(i, k) * g(j, k);
      m(i, j) = m(j, i) = sum / d;
    }
  return m;
}

Matrix plain_gaussian(int d, const Draw& who) {
  return gaussian({d, d}, 1 / std::sqrt(static_cast<double>(d)), who);
}

using Drawn = Matrix (*)(int d, const Draw& who);

// Returns nothing if the matrix is not random.
Drawn law_of(const MatrixChoice& matrix) {
  switch (matrix.kind) {
    case MatrixChoice::gaussian:
      return plain_gaussian;
    case MatrixChoice::goe:
      return goe;
    case MatrixChoice::wigner:
      return wigner;
    case MatrixChoice::psd:
      return psd;
    case MatrixChoice::identity:
    case MatrixChoice::minus_identity:
    case MatrixChoice::query_key:
    case MatrixChoice::minus_query_key:
    case MatrixChoice::given:
    case MatrixChoice::from_file:
      return nullptr;
  }
  return nullptr;
}

Array array_of_rows(const Matrix& m) {
  Array array = array_of(m.data);
  array.shape = {static_cast<std::size_t>(m.rows), static_cast<std::size_t>(m.cols)};
  return array;
}

}  // namespace

Matrix gaussian(Shape shape, double deviation, Draw who) {
  Matrix m = zeros(shape.n, shape.d);
  for (std::size_t e = 0; e < m.data.size(); ++e) {
    who.particle = static_cast<std::uint32_t>(e);
    m.data[e] = deviation * who.normal(0);
  }
  return m;
}

void check_finite(const Settings& words, const std::string& key, const Array& array) {
  for (const double value : array.doubles())
    if (!std::isfinite(value))
      refuse(words, key, "holds a number that is not finite", "remove NaN and infinities");
}

Array stacked(const std::vector<Matrix>& all) {
  std::vector<double> entries;
  for (const Matrix& m : all) entries.insert(entries.end(), m.data.begin(), m.data.end());
  Array array = array_of(std::move(entries));
  const Matrix& m = all.front();
  array.shape = {all.size(), static_cast<std::size_t>(m.rows), static_cast<std::size_t>(m.cols)};
  if (all.size() == 1) array.shape.erase(array.shape.begin());
  return array;
}

bool is_random(const MatrixChoice& matrix) { return law_of(matrix) != nullptr; }

int number_of_heads(const DynamicsSpec& spec, const Record& inputs) {
  if (spec.heads) return *spec.heads;
  const std::pair<const char*, const MatrixChoice*> all[] = {
      {"query", &spec.query}, {"key", &spec.key}, {"value", &spec.value}};
  const bool layered = spec.weights_in_time != WeightsInTime::constant;
  const std::size_t axis = layered ? 1 : 0;  // the axis of heads
  for (const auto& [name, matrix] : all) {
    if (matrix->kind != MatrixChoice::from_file) continue;
    const auto known = inputs.find(name);
    const std::vector<std::size_t> shape =
        known != inputs.end() ? known->second.shape : read_matrices(*matrix, name).shape;
    if (shape.size() == axis + 3 && shape[axis] >= 1 && shape[axis] <= 65'536)
      return static_cast<int>(shape[axis]);
  }
  return 1;
}

Array read_matrices(const MatrixChoice& matrix, const std::string& name) {
  if (matrix.file.extension() != ".safetensors") return read_npy(matrix.file);
  Record tensors = read_safetensors(matrix.file).tensors;
  const auto found = tensors.find(name);
  if (found == tensors.end())
    throw Error(Fault::input, fmt::format("the file has no array named {}", name),
                matrix.file.string(), fmt::format("store {}, or give an npy file", name));
  return std::move(found->second);
}

Matrix part_of(const Array& array, std::size_t start, Shape shape) {
  Matrix m = zeros(shape.n, shape.d);
  std::visit(
      [&](const auto& values) {
        for (std::size_t e = 0; e < m.data.size(); ++e)
          m.data[e] = static_cast<double>(values[start + e]);
      },
      array.values);
  return m;
}

std::vector<Matrix> HeadMatrices::query() const {
  return chosen(request.spec.query, "query", Stream::query);
}

std::vector<Matrix> HeadMatrices::key() const {
  return chosen(request.spec.key, "key", Stream::key);
}

std::vector<Matrix> HeadMatrices::chosen(const MatrixChoice& matrix, const std::string& name,
                                         Stream stream) const {
  if (matrix.kind == MatrixChoice::given || matrix.kind == MatrixChoice::from_file)
    return given(matrix, name);
  const Drawn law = law_of(matrix);
  std::vector<Matrix> all(heads);
  for (int h = 0; h < heads; ++h) {
    const auto step =
        turn.redraw * static_cast<std::uint32_t>(heads) + static_cast<std::uint32_t>(h);
    const Draw who{request.random.seed, stream, 0, step, request.random.replica};
    if (matrix.kind == MatrixChoice::minus_identity) all[h] = scaled_identity(d, -1);
    if (law != nullptr) all[h] = law(d, who);
  }
  if (law != nullptr && request.spec.redraw == 0) inputs["drawn_" + name] = stacked(all);
  return all;
}

std::vector<Matrix> HeadMatrices::value(const std::vector<Matrix>& query,
                                        const std::vector<Matrix>& key) const {
  const MatrixChoice& matrix = request.spec.value;
  const bool minus = matrix.kind == MatrixChoice::minus_query_key;
  if (matrix.kind != MatrixChoice::query_key && !minus)
    return chosen(matrix, "value", Stream::value);
  std::vector<Matrix> all(heads);
  for (int h = 0; h < heads; ++h) {
    all[h] = score_matrix(query[h], key[h]);
    if (minus && all[h].empty()) all[h] = scaled_identity(d, 1);
    for (double& entry : all[h].data) entry = minus ? -entry : entry;
  }
  return all;
}

std::vector<Matrix> HeadMatrices::given(const MatrixChoice& matrix, const std::string& name) const {
  const bool known = inputs.count(name) != 0;
  if (!known)
    inputs[name] = matrix.kind == MatrixChoice::given ? array_of_rows(matrix.entries)
                                                      : read_matrices(matrix, name);
  const Array& array = inputs[name];
  const bool layered = request.spec.weights_in_time != WeightsInTime::constant;
  const std::size_t axes = array.shape.size(), layer = layered && axes > 2 ? 1 : 0;
  const bool each = axes == layer + 3;  // one matrix per head
  const bool fits = (axes == layer + 2 || (each && array.shape[layer] == std::size_t(heads))) &&
                    array.shape[axes - 1] == std::size_t(d) && array.shape[axes - 2] >= 1 &&
                    array.shape[axes - 2] <= 65'536;
  if (!fits) refuse_shape(name, array);
  if (!known) check_finite(request.words, name, array);
  const int rows = static_cast<int>(array.shape[axes - 2]);
  const std::size_t size = static_cast<std::size_t>(rows) * d;
  const std::size_t start = layer * turn.layer * (each ? heads * size : size);
  std::vector<Matrix> all(heads);
  for (int h = 0; h < heads; ++h) all[h] = part_of(array, start + (each ? h * size : 0), {rows, d});
  return all;
}

void HeadMatrices::refuse_shape(const std::string& name, const Array& array) const {
  const std::string shape =
      fmt::format("has shape ({}), which fits ", fmt::join(array.shape, ", "));
  if (request.spec.weights_in_time != WeightsInTime::constant)
    refuse(
        request.words, name,
        shape + fmt::format("none of (k, {0}), (layers, k, {0}), (layers, {1}, k, {0})", d, heads),
        "check d and heads, or the axes of the array");
  refuse(request.words, name, shape + fmt::format("neither (k, {}) nor ({}, k, {})", d, heads, d),
         array.shape.size() == 4 ? "use weights_in_time=piecewise or linear for an axis of layers"
                                 : "check d and heads, or the axes of the array");
}

// --- Perceptrons.

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
    {"in", 2}, {"in_bias", 1}, {"out", 2}, {"out_bias", 1}};  // and the number of axes of one layer

std::string kept(const std::string& name) { return "perceptron_" + name; }

// FILE.safetensors with in, out, in_bias, out_bias; or NAME_*.npy, with each of these names for the
// star.
Record read_arrays(const PerceptronChoice& perceptron) {
  const auto& [kind, units, folder, text] = perceptron;
  if (ends_with(text, ".safetensors")) return read_safetensors(folder / text).tensors;
  Record arrays;
  const std::size_t star = text.find('*');
  for (const auto& [name, axes] : kArrays) {
    const std::string file = text.substr(0, star) + name + text.substr(star + 1);
    std::error_code unknown;  // then reading reports why
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

// Returns whether `array`, with `axes` axes per layer, has an axis of layers in front.
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

// (h) or (d); empty if there is none.
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
