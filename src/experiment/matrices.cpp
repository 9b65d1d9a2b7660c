// matrices.cpp: the named laws of random matrices, and matrices typed or from files.
#include "experiment/matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention.h"
#include "experiment/words.h"
#include "murmur/error.h"
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

// Symmetric, every entry of variance 1/d, the diagonal too.
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

// Nothing where the matrix is not drawn at random.
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
  const std::size_t axis = layered ? 1 : 0;  // of heads
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
  const bool each = axes == layer + 3;  // one matrix a head
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

}  // namespace murmur
