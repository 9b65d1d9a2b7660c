// matrices.cpp: the named laws of random matrices, and matrices typed or from files.
#include "experiment/matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention.h"
#include "experiment/words.h"
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
  for (const auto& [name, matrix] : all) {
    if (matrix->kind != MatrixChoice::from_file) continue;
    const auto known = inputs.find(name);
    const Array array = known != inputs.end() ? known->second : read_npy(matrix->file);
    if (array.shape.size() == 3 && array.shape[0] >= 1 && array.shape[0] <= 65'536)
      return static_cast<int>(array.shape[0]);
  }
  return 1;
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
    const auto step = redraw * static_cast<std::uint32_t>(heads) + static_cast<std::uint32_t>(h);
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
    inputs[name] =
        matrix.kind == MatrixChoice::given ? array_of_rows(matrix.entries) : read_npy(matrix.file);
  const Array& array = inputs[name];
  const std::size_t axes = array.shape.size();
  const bool fits = (axes == 2 || (axes == 3 && array.shape[0] == std::size_t(heads))) &&
                    array.shape[axes - 1] == std::size_t(d) && array.shape[axes - 2] >= 1 &&
                    array.shape[axes - 2] <= 65'536;
  if (!fits)
    refuse(request.words, name,
           fmt::format("has shape ({}), which fits neither (k, {}) nor ({}, k, {})",
                       fmt::join(array.shape, ", "), d, heads, d),
           "check d and heads, or the axes of the array");
  if (!known) check_finite(request.words, name, array);
  const std::vector<double> values = array.doubles();
  const int rows = static_cast<int>(array.shape[axes - 2]);
  const std::size_t size = static_cast<std::size_t>(rows) * d;
  std::vector<Matrix> all(heads);
  for (int h = 0; h < heads; ++h) {
    const std::size_t start = axes == 3 ? h * size : 0;
    all[h] = {rows, d, {values.begin() + start, values.begin() + start + size}};
  }
  return all;
}

}  // namespace murmur
