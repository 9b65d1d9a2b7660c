// matrices.cpp: the named laws of random matrices, and matrices typed or from files.
#include "experiment/matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention.h"
#include "experiment/words.h"
#include "murmur/formats.h"

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

struct RandomMatrix {
  const char* name;
  Matrix (*draw)(int d, const Draw& who);
};
constexpr RandomMatrix kRandom[] = {
    {"gaussian", plain_gaussian}, {"goe", goe}, {"wigner", wigner}, {"psd", psd}};

bool is_typed(const Setting& s) { return s.text.rfind("matrix:", 0) == 0; }

}  // namespace

Matrix gaussian(Shape shape, double deviation, Draw who) {
  Matrix m = zeros(shape.n, shape.d);
  for (std::size_t e = 0; e < m.data.size(); ++e) {
    who.particle = static_cast<std::uint32_t>(e);
    m.data[e] = deviation * who.normal(0);
  }
  return m;
}

void check_finite(const Settings& settings, const std::string& key, const Array& array) {
  for (const double value : array.doubles())
    if (!std::isfinite(value))
      refuse(settings, key, "holds a number that is not finite", "remove NaN and infinities");
}

bool is_random_matrix(const Settings& settings, const std::string& key) {
  const std::string& text = setting(settings, key).text;
  return std::any_of(std::begin(kRandom), std::end(kRandom),
                     [&](const RandomMatrix& law) { return text == law.name; });
}

int number_of_heads(const Settings& settings, const Record& inputs) {
  if (!is_given(settings, "heads"))
    for (const char* key : {"query", "key", "value"}) {
      const Setting& s = setting(settings, key);
      if (!ends_with(s.text, ".npy")) continue;
      const auto known = inputs.find(key);
      const Array array = known != inputs.end() ? known->second : read_npy(s.folder / s.text);
      if (array.shape.size() == 3 && array.shape[0] >= 1 && array.shape[0] <= 65'536)
        return static_cast<int>(array.shape[0]);
    }
  return static_cast<int>(whole(settings, "heads", 1, 65'536));
}

std::vector<Matrix> HeadMatrices::named(const std::string& key, Stream stream) const {
  const Setting& s = setting(settings, key);
  if (is_typed(s) || ends_with(s.text, ".npy")) return given(key);
  std::vector<std::string> names{"identity", "minus-identity"};
  for (const RandomMatrix& law : kRandom) names.emplace_back(law.name);
  if (key == "value") names.insert(names.end(), {"query-key", "minus-query-key"});
  const auto kind = static_cast<std::size_t>(choice(settings, key, names));
  std::vector<Matrix> all(heads);
  for (int h = 0; h < heads; ++h) {
    const auto step = redraw * static_cast<std::uint32_t>(heads) + static_cast<std::uint32_t>(h);
    const Draw who{seed_of(settings), stream, 0, step, replica_of(settings)};
    if (kind == 1) all[h] = scaled_identity(d, -1);
    if (kind >= 2) all[h] = kRandom[kind - 2].draw(d, who);
  }
  return all;
}

std::vector<Matrix> HeadMatrices::values(const std::vector<Matrix>& query,
                                         const std::vector<Matrix>& key) const {
  const std::string& text = setting(settings, "value").text;
  const bool minus = text == "minus-query-key";
  if (text != "query-key" && !minus) return named("value", Stream::value);
  std::vector<Matrix> all(heads);
  for (int h = 0; h < heads; ++h) {
    all[h] = score_matrix(query[h], key[h]);
    if (minus && all[h].empty()) all[h] = scaled_identity(d, 1);
    for (double& entry : all[h].data) entry = minus ? -entry : entry;
  }
  return all;
}

std::vector<Matrix> HeadMatrices::given(const std::string& key) const {
  const Setting& s = setting(settings, key);
  const bool known = inputs.count(key) != 0;
  if (!known) inputs[key] = is_typed(s) ? typed_rows(settings, key) : read_npy(s.folder / s.text);
  const Array& array = inputs[key];
  const std::size_t axes = array.shape.size();
  const bool fits = (axes == 2 || (axes == 3 && array.shape[0] == std::size_t(heads))) &&
                    array.shape[axes - 1] == std::size_t(d) && array.shape[axes - 2] >= 1 &&
                    array.shape[axes - 2] <= 65'536;
  if (!fits)
    refuse(settings, key,
           fmt::format("has shape ({}), which fits neither (k, {}) nor ({}, k, {})",
                       fmt::join(array.shape, ", "), d, heads, d),
           "check d and heads, or the axes of the array");
  if (!known) check_finite(settings, key, array);
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
