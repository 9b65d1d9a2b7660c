// forces.cpp: attention heads and perceptrons out of settings: identity, random, or from a file.
#include "experiment/forces.h"

#include <fmt/format.h>

#include <cmath>

#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/formats.h"
#include "murmur/random.h"

namespace murmur {

namespace {

// Independent normal entries of the given deviation.
Matrix gaussian(Shape shape, double deviation, Draw who) {
  Matrix m = zeros(shape.n, shape.d);
  for (std::size_t e = 0; e < m.data.size(); ++e) {
    who.particle = static_cast<std::uint32_t>(e);
    m.data[e] = deviation * who.normal(0);
  }
  return m;
}

// Symmetric: off-diagonal variance 1/d, diagonal 2/d; spectrum on [-2, 2] for large d.
Matrix goe(int d, Draw who) {
  const Matrix g = gaussian({d, d}, 1, who);
  Matrix m = zeros(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) m(i, j) = (g(i, j) + g(j, i)) / std::sqrt(2.0 * d);
  return m;
}

void check_finite(const Settings& settings, const std::string& key, const Array& array) {
  for (const double value : array.doubles())
    if (!std::isfinite(value))
      refuse(settings, key, "holds a number that is not finite", "remove NaN and infinities");
}

// One matrix a head; empty stands for the identity.
struct Heads {
  const Settings& settings;
  int d, heads;
  std::uint64_t seed;
  Record& inputs;

  std::vector<Matrix> matrices(const std::string& key, Stream stream) const {
    const std::string& text = setting(settings, key).text;
    if (ends_with(text, ".npy")) return from_file(key);
    const int kind = choice(settings, key, {"identity", "minus-identity", "gaussian", "goe"});
    std::vector<Matrix> all(heads);
    for (int h = 0; h < heads; ++h) {
      const Draw who{seed, stream, 0, static_cast<std::uint32_t>(h), 0};
      if (kind == 1) all[h] = scaled_identity(d, -1);
      if (kind == 2) all[h] = gaussian({d, d}, 1 / std::sqrt(static_cast<double>(d)), who);
      if (kind == 3) all[h] = goe(d, who);
    }
    return all;
  }

  std::vector<Matrix> from_file(const std::string& key) const {
    const Setting& s = setting(settings, key);
    const Array array = read_npy(s.folder / s.text);
    const std::size_t axes = array.shape.size();
    const bool fits = (axes == 2 || (axes == 3 && array.shape[0] == std::size_t(heads))) &&
                      array.shape[axes - 1] == std::size_t(d) && array.shape[axes - 2] >= 1 &&
                      array.shape[axes - 2] <= 65'536;
    if (!fits)
      refuse(settings, key,
             fmt::format("has shape ({}), which fits neither (k, {}) nor ({}, k, {})",
                         fmt::join(array.shape, ", "), d, heads, d),
             "check d and heads, or the axes of the array");
    check_finite(settings, key, array);
    inputs[key] = array;
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
};

// heads as given, or as the first three-dimensional matrix file has it.
int number_of_heads(const Settings& settings) {
  if (!is_given(settings, "heads"))
    for (const char* key : {"query", "key", "value"}) {
      const Setting& s = setting(settings, key);
      if (!ends_with(s.text, ".npy")) continue;
      const Array array = read_npy(s.folder / s.text);
      if (array.shape.size() == 3 && array.shape[0] >= 1 && array.shape[0] <= 65'536)
        return static_cast<int>(array.shape[0]);
    }
  return static_cast<int>(whole(settings, "heads", 1, 65'536));
}

std::vector<Force> attention_heads(const Settings& settings, int d, Record& inputs) {
  const int heads = number_of_heads(settings);
  const auto seed = seed_of(settings);
  const Heads all{settings, d, heads, seed, inputs};
  const int kind = choice(settings, "dynamics", {"SA", "USA", "causal", "none"});
  const bool past = choice(settings, "reach", {"all", "past"}) == 1 || kind == 2;
  const std::vector<Matrix> query = all.matrices("query", Stream::query);
  const std::vector<Matrix> key = all.matrices("key", Stream::key);
  const std::vector<Matrix> value = all.matrices("value", Stream::value);
  std::vector<Force> forces;
  for (int h = 0; h < heads; ++h)
    forces.push_back(Attention{.beta = number(settings, "beta"),
                               .query = query[h],
                               .key = key[h],
                               .value = value[h],
                               .self = flag(settings, "self"),
                               .reach = past ? Attention::past : Attention::all,
                               .scale = kind == 1 ? Attention::plain : Attention::softmax});
  return forces;
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

// FILE.safetensors with in, out, in_bias, out_bias; or NAME_*.npy, the star standing for each.
Record perceptron_arrays(const Settings& settings) {
  const Setting& s = setting(settings, "perceptron");
  if (ends_with(s.text, ".safetensors")) return read_safetensors(s.folder / s.text).tensors;
  Record arrays;
  const std::size_t star = s.text.find('*');
  for (const char* name : {"in", "in_bias", "out", "out_bias"}) {
    const std::string file = s.text.substr(0, star) + name + s.text.substr(star + 1);
    if (std::filesystem::exists(s.folder / file)) arrays[name] = read_npy(s.folder / file);
  }
  return arrays;
}

Perceptron perceptron_of(const Settings& settings, int d, Record& inputs) {
  const std::string& text = setting(settings, "perceptron").text;
  Perceptron p;
  p.activation =
      static_cast<Perceptron::Activation>(choice(settings, "activation", {"relu", "gelu", "tanh"}));
  if (text.rfind("gaussian:", 0) == 0) {
    double h = 0;
    if (!parse_number(text.substr(9), h) || h < 1 || h > 1e6 || h != std::floor(h))
      refuse(settings, "perceptron", "has no whole number of hidden units",
             "write gaussian:512 for 512 units");
    const int hidden = static_cast<int>(h);
    const auto seed = seed_of(settings);
    p.in = gaussian({hidden, d}, 1 / std::sqrt(static_cast<double>(d)),
                    {seed, Stream::perceptron, 0, 0, 0});
    p.out = gaussian({d, hidden}, 1 / std::sqrt(h), {seed, Stream::perceptron, 0, 1, 0});
    return p;
  }
  if (!ends_with(text, ".safetensors") && text.find('*') == std::string::npos)
    refuse(settings, "perceptron", "is neither none, gaussian:H nor a file",
           "give a .safetensors file, or npy files as NAME_*.npy");
  const Record arrays = perceptron_arrays(settings);
  p.in = matrix_of(settings, arrays, "in");
  p.out = matrix_of(settings, arrays, "out");
  if (arrays.count("in_bias") != 0) p.in_bias = arrays.at("in_bias").doubles();
  if (arrays.count("out_bias") != 0) p.out_bias = arrays.at("out_bias").doubles();
  for (const char* name : {"in", "in_bias", "out", "out_bias"})
    if (const auto found = arrays.find(name); found != arrays.end()) {
      check_finite(settings, "perceptron", found->second);
      inputs[std::string("perceptron_") + name] = found->second;
    }
  return p;
}

}  // namespace

Dynamics dynamics_of(const Settings& settings, int d, Record& inputs) {
  Dynamics dynamics;
  dynamics.habitat = static_cast<Habitat>(choice(settings, "habitat", {"sphere", "space"}));
  dynamics.clock = static_cast<Clock>(choice(settings, "clock", {"U1", "U2", "U3", "U4"}));
  const bool attends = setting(settings, "dynamics").text != "none";
  const bool wills = setting(settings, "perceptron").text != "none";
  if (attends) dynamics.phases.push_back({attention_heads(settings, d, inputs)});
  if (wills) dynamics.phases.push_back({{perceptron_of(settings, d, inputs)}});
  if (!attends && !wills)
    refuse(settings, "dynamics", "leaves no force at all", "give a perceptron, or dynamics=SA");
  check(dynamics, d);
  return dynamics;
}

}  // namespace murmur
