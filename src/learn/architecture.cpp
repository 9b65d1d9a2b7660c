// architecture.cpp: the trained swarm's architecture: checks, layout of parameters, initial values,
// inputs and scores, and the trained swarm as a Dynamics.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "core/elementary.h"
#include "learn/block_tensors.h"
#include "murmur/error.h"
#include "murmur/learn.h"
#include "murmur/random.h"

namespace murmur {

namespace {

constexpr double kTargetDistance = 10;  // of the targets from the origin, and the unit of scores
constexpr int kMostClasses = 10;
constexpr int kMostWide = 4096, kMostBlocks = 256, kMostHidden = 65536, kMostHeads = 255;
constexpr int kMostWords = 65536, kMostPlaces = 65536;

void require(bool good, const std::string& what, const std::string& remedy) {
  if (!good) throw Error(Fault::input, what, "in the architecture", remedy);
}

void require_between(const char* name, int value, int min, int most) {
  require(min <= value && value <= most, fmt::format("{}={} cannot be built", name, value),
          fmt::format("use {} from {} to {}", name, min, most));
}

double length_of_row(const Matrix& m, int row) {
  double square = 0;
  for (int k = 0; k < m.cols; ++k) square += m(row, k) * m(row, k);
  return std::sqrt(square);
}

void check_targets(const Matrix& targets, int d) {
  require(targets.rows >= 2 && targets.cols == d,
          fmt::format("the targets have shape ({}, {}), (classes, {}) is needed with two classes "
                      "or more",
                      targets.rows, targets.cols, d),
          "give one target of d coordinates per class");
  const double length = length_of_row(targets, 0);
  require(length > 0 && std::isfinite(length), "a target lies at the origin or is not finite",
          "give targets away from the origin");
  for (int c = 1; c < targets.rows; ++c) {
    require(std::abs(length_of_row(targets, c) - length) <= 1e-9 * length,
            fmt::format("targets 0 and {} lie at different distances from the origin", c),
            "give all targets one length: only then is the largest score the nearest target");
    for (int other = 0; other < c; ++other) {
      double apart = 0;
      for (int k = 0; k < d; ++k) apart += std::abs(targets(c, k) - targets(other, k));
      require(apart > 0, fmt::format("classes {} and {} share a target", other, c),
              "give every class a target of its own");
    }
  }
}

// A kind of tensor in a block. Its number is part of the counter of random draws.
enum Kind {
  query,
  query_bias,
  key,
  key_bias,
  value,
  value_bias,
  mix,
  mix_bias,
  in,
  in_bias,
  out,
  out_bias,
  kinds
};
constexpr const char* kKindNames[kinds] = {"query", "query_bias", "key", "key_bias",
                                           "value", "value_bias", "mix", "mix_bias",
                                           "in",    "in_bias",    "out", "out_bias"};

Kind first_kind(const Architecture& a) {
  return a.interaction == Architecture::attention ? query
         : a.interaction == Architecture::uniform ? value
                                                  : in;
}

Kind end_of_kinds(const Architecture& a) { return a.hidden > 0 ? kinds : in; }

std::vector<std::size_t> shape_of(const Architecture& a, Kind kind) {
  const auto d = static_cast<std::size_t>(a.d), h = static_cast<std::size_t>(a.hidden);
  const auto w = static_cast<std::size_t>(width_of_heads(a));
  if (kind == in) return {h, d};
  if (kind == in_bias) return {h};
  if (kind == out) return {d, h};
  if (kind == mix) return {d, w};
  if (kind == mix_bias || kind == out_bias) return {d};
  return kind % 2 == 0 ? std::vector{w, d} : std::vector{w};
}

// Half the width of the uniform distribution of a tensor's initial values; 0: they are zero.
double initial_bound(const Architecture& a, Kind kind) {
  switch (kind) {
    case query:
    case key:
    case value:
      return std::sqrt(6.0 / (a.d + 3.0 * width_of_heads(a)));
    case mix:
      return 1 / std::sqrt(static_cast<double>(width_of_heads(a)));
    case in:
    case in_bias:
      return 1 / std::sqrt(static_cast<double>(a.d));
    case out:
    case out_bias:
      return 1 / std::sqrt(static_cast<double>(a.hidden));
    default:
      return 0;
  }
}

}  // namespace

// Circle: class c at the angle pi (1 - 2 c / classes). Sphere, three classes or more:
//   z = 1 - (2c + 1) / classes,  longitude c pi (3 - sqrt 5)
Matrix spread_targets(int classes, int d) {
  require_between("classes", classes, 2, kMostClasses);
  require_between("d", d, 2, kMostWide);
  Matrix targets = zeros(classes, d);
  for (int c = 0; c < classes; ++c) {
    if (classes == 2) {
      targets(c, 0) = c == 0 ? -kTargetDistance : kTargetDistance;
    } else if (d == 2) {
      const double angle = std::numbers::pi * (1 - 2.0 * c / classes);
      targets(c, 0) = kTargetDistance * elementary::cos(angle);
      targets(c, 1) = kTargetDistance * elementary::sin(angle);
    } else {
      const double z = 1 - (2.0 * c + 1) / classes;
      const double radius = std::sqrt(1 - z * z);
      const double longitude = c * std::numbers::pi * (3 - std::sqrt(5.0));
      targets(c, 0) = kTargetDistance * radius * elementary::cos(longitude);
      targets(c, 1) = kTargetDistance * radius * elementary::sin(longitude);
      targets(c, 2) = kTargetDistance * z;
    }
  }
  return targets;
}

Matrix third_axis_targets(int d) {
  require_between("d", d, 3, kMostWide);
  Matrix targets = zeros(2, d);
  for (int c = 0; c < 2; ++c) {
    targets(c, 0) = -kTargetDistance;  // its column: left
    targets(c, 1) = kTargetDistance;   // its row, counted downwards: up
    targets(c, 2) = c == 0 ? -kTargetDistance : kTargetDistance;
  }
  return targets;
}

void check(const Architecture& a) {
  require_between("d", a.d, 2, kMostWide);
  require_between("blocks", a.blocks, 1, kMostBlocks);
  require_between("hidden", a.hidden, 0, kMostHidden);
  require_between("vocabulary", a.vocabulary, 0, kMostWords);
  require_between("places", a.places, 0, kMostPlaces);
  require_between("heads", a.heads, 1, kMostHeads);
  if (a.head_width != 0) require_between("head_width", a.head_width, 1, kMostWide);
  require(width_of_heads(a) <= kMostHidden,
          fmt::format("{} heads of width {} cannot be built", a.heads, width_of_head(a)),
          fmt::format("use heads and head_width with a product of at most {}", kMostHidden));
  require(parameter_count(a) > 0, "the architecture has no parameters to learn",
          "use hidden=1 or more, or an interaction with messages");
  require(std::isfinite(a.residual) && a.residual > 0,
          fmt::format("residual={} is not a positive number", a.residual),
          "use residual > 0, for example 0.1");
  check_targets(a.targets, a.d);
}

int width_of_head(const Architecture& a) {
  if (a.head_width > 0) return a.head_width;
  return a.heads > 0 && a.d % a.heads == 0 ? a.d / a.heads : a.d;
}

std::size_t TensorPlace::size() const {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

std::vector<TensorPlace> layout(const Architecture& a) {
  std::vector<TensorPlace> places;
  std::size_t offset = 0;
  const auto add = [&](std::string name, std::vector<std::size_t> shape) {
    places.push_back({std::move(name), std::move(shape), offset});
    offset += places.back().size();
  };
  for (int block = 0; block < stored_blocks(a); ++block)
    for (int kind = first_kind(a); kind < end_of_kinds(a); ++kind)
      add(fmt::format("blocks.{}.{}", block, kKindNames[kind]),
          shape_of(a, static_cast<Kind>(kind)));
  const auto d = static_cast<std::size_t>(a.d);
  if (a.readout == Architecture::cls) add("cls", {d});
  if (a.vocabulary > 0) add("words", {static_cast<std::size_t>(a.vocabulary), d});
  if (a.places > 0) add("places", {static_cast<std::size_t>(a.places), d});
  assert(offset == parameter_count(a));
  return places;
}

std::size_t parameter_count(const Architecture& a) {
  const auto starts = static_cast<std::size_t>(a.vocabulary) +  // words, places and the CLS token
                      static_cast<std::size_t>(a.places) + (a.readout == Architecture::cls ? 1 : 0);
  return static_cast<std::size_t>(stored_blocks(a)) * block_size(a) +
         starts * static_cast<std::size_t>(a.d);
}

// Each hidden unit adds the same number of parameters.
int hidden_near(Architecture a, std::size_t parameters) {
  const auto count = [&](int hidden) {
    a.hidden = hidden;
    return static_cast<double>(parameter_count(a));
  };
  const double unit = count(2) - count(1);
  return std::max(
      1, static_cast<int>(std::lround(1 + (static_cast<double>(parameters) - count(1)) / unit)));
}

std::vector<float> initial_parameters(const Architecture& a, std::uint64_t seed) {
  check(a);
  std::vector<float> parameters;
  parameters.reserve(parameter_count(a));
  for (int block = 0; block < stored_blocks(a); ++block)
    for (int kind = first_kind(a); kind < end_of_kinds(a); ++kind) {
      const double bound = initial_bound(a, static_cast<Kind>(kind));
      const std::size_t size = TensorPlace{"", shape_of(a, static_cast<Kind>(kind))}.size();
      for (std::size_t e = 0; e < size; ++e) {
        const Draw draw{.seed = seed,
                        .stream = Stream::parameters,
                        .particle = static_cast<std::uint32_t>(e),
                        .step = static_cast<std::uint32_t>(block),
                        .replica = static_cast<std::uint32_t>(kind)};
        parameters.push_back(static_cast<float>(bound * (2 * draw.uniform(0) - 1)));
      }
    }
  parameters.resize(parameter_count(a));  // the CLS token starts at the origin
  const auto draw_rows = [&](float* rows, int count, std::uint32_t kind) {
    for (std::size_t e = 0; rows && e < static_cast<std::size_t>(count) * a.d; ++e) {
      const Draw draw{.seed = seed,
                      .stream = Stream::parameters,
                      .particle = static_cast<std::uint32_t>(e),
                      .replica = kind};
      rows[e] = static_cast<float>(std::sqrt(3.0) * (2 * draw.uniform(0) - 1));
    }
  };
  draw_rows(word_starts(a, parameters.data()), a.vocabulary, kinds);
  draw_rows(place_codes(a, parameters.data()), a.places, kinds + 1);
  return parameters;
}

std::vector<double> position_code(int i, int d) {
  std::vector<double> code(static_cast<std::size_t>(d));
  for (int k = 0; k < d; ++k) {
    const double sublayer = i / elementary::pow(100, static_cast<double>(k - k % 2) / d);
    code[static_cast<std::size_t>(k)] =
        k % 2 == 0 ? elementary::sin(sublayer) : elementary::cos(sublayer);
  }
  return code;
}

namespace {

[[noreturn]] void refuse_length(std::size_t tokens, int places) {
  throw Error(
      Fault::input, fmt::format("a sample has {} tokens", tokens), "in the ensemble",
      fmt::format("give at most {}: the swarm has learned codes of {} places", places, places));
}

// `tokens` tokens at the origin plus their codes, if there are any; the CLS token at its start.
Sample begin_sample(const Architecture& a, std::span<const double> parameters, std::size_t tokens) {
  assert(parameters.size() == parameter_count(a));
  if (tokens == 0)
    throw Error(Fault::input, "a sample has no tokens", "in the ensemble",
                "leave out pictures without ink, or lower the threshold");
  const auto d = static_cast<std::size_t>(a.d);
  const double* cls = cls_start(a, parameters.data());
  Sample sample{static_cast<int>(tokens) + (cls ? 1 : 0), {}};
  sample.rows.resize(static_cast<std::size_t>(sample.n) * d);
  for (std::size_t i = 0; a.position && i < tokens; ++i) {
    const std::vector<double> code = position_code(static_cast<int>(i), a.d);
    for (std::size_t k = 0; k < d; ++k) sample.rows[i * d + k] = code[k];
  }
  const double* codes = place_codes(a, parameters.data());  // (places, d)
  if (codes && tokens > static_cast<std::size_t>(a.places)) refuse_length(tokens, a.places);
  for (std::size_t e = 0; codes && e < tokens * d; ++e) sample.rows[e] += codes[e];
  for (std::size_t k = 0; cls && k < d; ++k) sample.rows[tokens * d + k] = cls[k];
  return sample;
}

}  // namespace

Sample start_sample(const Architecture& a, std::span<const double> parameters,
                    std::span<const float> x, std::span<const float> y) {
  assert(x.size() == y.size() && a.vocabulary == 0);
  Sample sample = begin_sample(a, parameters, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double* row = sample.rows.data() + i * static_cast<std::size_t>(a.d);  // (d)
    row[0] += x[i];
    row[1] += y[i];
  }
  return sample;
}

Sample start_sample(const Architecture& a, std::span<const double> parameters,
                    std::span<const int> words) {
  Sample sample = begin_sample(a, parameters, words.size());
  const auto d = static_cast<std::size_t>(a.d);
  const double* table = word_starts(a, parameters.data());  // (vocabulary, d)
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < 0 || words[i] >= a.vocabulary)
      throw Error(Fault::input, fmt::format("there is no word number {}", words[i]),
                  fmt::format("token {}", i),
                  fmt::format("the table has {} words, from 0", a.vocabulary));
    for (std::size_t k = 0; k < d; ++k) sample.rows[i * d + k] += table[words[i] * d + k];
  }
  return sample;
}

std::vector<double> scores(const Architecture& a, std::span<const double> readout) {
  assert(readout.size() == static_cast<std::size_t>(a.d));
  std::vector<double> score(static_cast<std::size_t>(a.targets.rows));
  for (int c = 0; c < a.targets.rows; ++c)
    for (int k = 0; k < a.d; ++k)
      score[static_cast<std::size_t>(c)] +=
          readout[static_cast<std::size_t>(k)] * a.targets(c, k) / kTargetDistance;
  return score;
}

namespace {

using Block = BlockTensors<const double>;

Matrix matrix_of(const double* from, int rows, int cols) {
  Matrix m = zeros(rows, cols);
  std::copy_n(from, m.data.size(), m.data.begin());
  return m;
}

Vector vector_of(const double* from, int size) { return {from, from + size}; }

// The rows of value of some heads, and the same columns of mix (d, all):
//   value = M_h V_h (d, d),  value_bias = M_h b_h + b_M wide / all
struct Share {
  int first, wide, all;
};
void fold_mix(const Block& block, int d, Share share, Attention& head) {
  head.value = zeros(d, d);
  head.value_bias.assign(d, 0.0);
  for (int r = 0; r < d; ++r) {
    const double* mix = block.mix + static_cast<std::ptrdiff_t>(r) * share.all;  // (all)
    head.value_bias[r] = block.mix_bias[r] * share.wide / share.all;
    for (int k = share.first; k < share.first + share.wide; ++k) {
      head.value_bias[r] += mix[k] * block.value_bias[k];
      for (int c = 0; c < d; ++c) head.value(r, c) += mix[k] * block.value[k * d + c];
    }
  }
}

std::vector<Force> messages(const Architecture& a, const Block& block) {
  const int wide = width_of_head(a), all_wide = width_of_heads(a);
  if (a.interaction == Architecture::attraction) return {Attention{.beta = 0, .relative = true}};
  if (a.interaction == Architecture::uniform) {
    Attention all{.beta = 0};
    fold_mix(block, a.d, {0, all_wide, all_wide}, all);
    return {all};
  }
  std::vector<Force> heads;
  for (int first = 0; first < all_wide; first += wide) {
    Attention head{.beta = 1 / std::sqrt(static_cast<double>(wide))};
    head.query = matrix_of(block.query + first * a.d, wide, a.d);
    head.key = matrix_of(block.key + first * a.d, wide, a.d);
    head.query_bias = vector_of(block.query_bias + first, wide);
    head.key_bias = vector_of(block.key_bias + first, wide);
    fold_mix(block, a.d, {first, wide, all_wide}, head);
    heads.push_back(std::move(head));
  }
  return heads;
}

Perceptron feed_forward(const Architecture& a, const Block& block) {
  return {.in = matrix_of(block.in, a.hidden, a.d),
          .in_bias = vector_of(block.in_bias, a.hidden),
          .out = matrix_of(block.out, a.d, a.hidden),
          .out_bias = vector_of(block.out_bias, a.d),
          .activation = Perceptron::relu};
}

}  // namespace

// Block b acts at t = b residual. Its interval extends half a residual to either side, so that
// rounding of t does not matter; the interval of the last block has no end.
Dynamics dynamics_of(const Architecture& a, std::span<const double> parameters) {
  check(a);
  if (a.rotary && a.interaction == Architecture::attention)
    throw Error(Fault::input, "with rotary positions each token has its own query map",
                "in the architecture",
                "simulate a swarm with positions=none, learned or sinusoidal; classify accepts all "
                "of them");
  assert(parameters.size() == parameter_count(a));
  Dynamics dynamics{.manifold = Manifold::space};
  const int stored = stored_blocks(a);
  for (int b = 0; b < stored; ++b) {
    const Block block = block_tensors(a, parameters.data(), b);
    Sublayer window;
    if (b > 0) window.from = (b - 0.5) * a.residual;
    if (b + 1 < stored) window.until = (b + 0.5) * a.residual;
    if (a.interaction != Architecture::none) {
      dynamics.sublayers.push_back(window);
      dynamics.sublayers.back().forces = messages(a, block);
    }
    if (a.hidden == 0) continue;
    dynamics.sublayers.push_back(window);
    dynamics.sublayers.back().forces = {feed_forward(a, block)};
  }
  return dynamics;
}

}  // namespace murmur
