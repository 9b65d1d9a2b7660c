// dome.cpp: shows the query and keys of a head on the unit sphere in R^3: which keys have weight,
// which overlap, and axes for arrows in R^d.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/axes.h"
#include "murmur/token_move.h"

namespace murmur {

namespace {

double dot(const double* a, const double* b, int k) {
  double sum = 0;
  for (int c = 0; c < k; ++c) sum += a[c] * b[c];
  return sum;
}

// v / |v|; 0 stays 0.
Vector unit(const double* v, int k) {
  const double length = std::sqrt(dot(v, v, k));
  Vector u(v, v + k);
  for (double& c : u) c = length > 0 ? c / length : 0;
  return u;
}

const double* row(const Matrix& m, int j) {
  return m.data.data() + static_cast<std::size_t>(j) * m.cols;
}

// (count, k): the part of each unit key orthogonal to the query, made a unit vector; 0 where a key
// points along the query.
Matrix orthogonal_parts(const Vector& query, const Matrix& keys) {
  constexpr double kAlong = 1e-12;  // shorter than this there is no direction around the query
  Matrix out = zeros(keys.rows, keys.cols);
  const int k = keys.cols;
  for (int j = 0; j < keys.rows; ++j) {
    Vector rest = unit(row(keys, j), k);
    const double along = dot(rest.data(), query.data(), k);
    for (int c = 0; c < k; ++c) rest[c] -= along * query[c];
    if (dot(rest.data(), rest.data(), k) < kAlong * kAlong) continue;
    rest = unit(rest.data(), k);
    std::copy(rest.begin(), rest.end(), out.data.begin() + static_cast<std::ptrdiff_t>(j) * k);
  }
  return out;
}

// For (count, k) vectors: the second moment, its leading axes, and the share of the trace in them.
std::vector<double> axes_of(const Matrix& vectors, int count, double& share) {
  const HostSwarm swarm = from_rows({vectors.rows, vectors.cols}, vectors.data.data());
  const int k = vectors.cols;
  const std::vector<double> moment = second_moment({&swarm, 1}, false);
  std::vector<double> axes = leading_axes(moment, k, count);
  double shown = 0, all = 0;
  for (int c = 0; c < k; ++c) all += moment[static_cast<std::size_t>(c) * k + c];
  for (int j = 0; j < vectors.rows; ++j)
    for (int a = 0; a < count; ++a) {
      const double along = dot(row(vectors, j), axes.data() + static_cast<std::size_t>(a) * k, k);
      shown += along * along;
    }
  share = all > 0 ? std::min(1.0, shown / all) : 1;
  return axes;
}

// Lengths of the keys, and numbers derived from them.
void add_lengths(const HeadPart& head, Dome& dome) {
  const int k = head.keys.cols, n = head.keys.rows;
  double sum = 0;
  int seen = 0;
  for (int j = 0; j < n; ++j) {
    dome.lengths.push_back(std::sqrt(dot(row(head.keys, j), row(head.keys, j), k)));
    const bool hidden = j < static_cast<int>(head.scores.size()) && std::isinf(head.scores[j]);
    if (!hidden) sum += dome.lengths.back(), ++seen;
  }
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double length : dome.lengths)
    least = std::min(least, length), most = std::max(most, length);
  dome.same_lengths = most <= least * (1 + 5e-7);
  dome.mean_length = seen > 0 ? sum / seen : 0;
  const double query = std::sqrt(dot(head.query.data(), head.query.data(), k));
  dome.concentration = head.beta * query * dome.mean_length;
}

Dome high_dome(const HeadPart& head) {
  const int k = head.keys.cols, n = head.keys.rows;
  Dome dome{.k = k, .query = {0, 0, 1}, .keys = zeros(n, 3)};
  const Vector query = unit(head.query.data(), k);
  const Matrix rest = orthogonal_parts(query, head.keys);
  const std::vector<double> axes = axes_of(rest, 2, dome.share);
  if (dot(query.data(), query.data(), k) == 0) dome.query = {0, 0, 0};
  for (int j = 0; j < n; ++j) {
    const Vector key = unit(row(head.keys, j), k);
    if (dot(key.data(), key.data(), k) == 0) continue;
    const double up = std::clamp(dot(key.data(), query.data(), k), -1.0, 1.0);
    const double x = dot(row(rest, j), axes.data(), k), y = dot(row(rest, j), axes.data() + k, k);
    const double radius = std::hypot(x, y), out = std::sqrt(1 - up * up);
    dome.keys(j, 0) = radius > 0 ? out * x / radius : out;
    dome.keys(j, 1) = radius > 0 ? out * y / radius : 0;
    dome.keys(j, 2) = up;
  }
  return dome;
}

Dome low_dome(const HeadPart& head) {
  const int k = head.keys.cols;
  Dome dome{.k = k, .query = unit(head.query.data(), k), .keys = zeros(head.keys.rows, 3)};
  dome.query.resize(3, 0.0);
  for (int j = 0; j < head.keys.rows; ++j) {
    const Vector key = unit(row(head.keys, j), k);
    for (int c = 0; c < k; ++c) dome.keys(j, c) = key[c];
  }
  return dome;
}

// Groups keys that overlap: in the order of weight, each key joins a group that it overlaps or
// starts one; then overlapping groups are merged, the lighter one into the heavier.
class Grouping {
 public:
  Grouping(const Matrix& keys, std::span<const double> weights, const KeyDiscs& discs)
      : keys_(keys), weights_(weights), discs_(discs), of_(keys.rows, -1) {
    std::vector<int> order(keys.rows);
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](int a, int b) {
      return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
    };
    std::make_heap(order.begin(), order.end(), before);  // needs less code in the page than a sort
    std::sort_heap(order.begin(), order.end(), before);
    for (const int j : order)
      if (dot(row(keys, j), row(keys, j), 3) > 0) place(j);
    while (join()) continue;
  }

  std::vector<int> groups() const {
    std::vector<int> number(middles_.size(), -1), out(of_);
    int next = 0;
    for (std::size_t g = 0; g < middles_.size(); ++g)
      if (into_[g] == static_cast<int>(g)) number[g] = next++;
    for (int& g : out)
      if (g >= 0) g = number[root(g)];
    return out;
  }

 private:
  struct Middle {
    double sum[3];  // mean of the keys by weight; the first key if none has weight
    double weight, radius;
  };

  double radius(double weight) const {
    return std::max(discs_.least, discs_.ball * std::sqrt(weight));
  }
  int root(int g) const {
    while (into_[g] != g) g = into_[g];
    return g;
  }
  static bool overlap(const Middle& a, const Middle& b) {
    const double far = std::max(a.radius, b.radius);
    const double aa = dot(a.sum, a.sum, 3), bb = dot(b.sum, b.sum, 3);
    if (aa == 0 || bb == 0) return false;
    // The chord between two directions: |a - b|^2 = 2 - 2 cos.
    return 2 - 2 * dot(a.sum, b.sum, 3) / std::sqrt(aa * bb) < far * far;
  }
  void merge_into(Middle& a, const Middle& b) const {
    if (b.weight > 0)
      for (int c = 0; c < 3; ++c) a.sum[c] += b.sum[c];
    a.weight += b.weight;
    a.radius = radius(a.weight);
  }
  void place(int j) {
    const double share = weights_[j] > 0 ? weights_[j] : 1;
    Middle own{{}, weights_[j], radius(weights_[j])};
    for (int c = 0; c < 3; ++c) own.sum[c] = share * keys_(j, c);
    for (std::size_t g = 0; g < middles_.size(); ++g)
      if (overlap(middles_[g], own)) {
        merge_into(middles_[g], own);
        of_[j] = static_cast<int>(g);
        return;
      }
    of_[j] = static_cast<int>(middles_.size());
    into_.push_back(of_[j]);
    middles_.push_back(own);
  }
  bool join() {
    bool joined = false;
    for (std::size_t a = 0; a < middles_.size(); ++a) {
      if (into_[a] != static_cast<int>(a)) continue;
      // Keys that are points find their groups at once
      if (middles_[a].radius <= discs_.least) continue;
      for (std::size_t b = a + 1; b < middles_.size(); ++b) {
        if (into_[b] != static_cast<int>(b) || !overlap(middles_[a], middles_[b])) continue;
        merge_into(middles_[a], middles_[b]);
        into_[b] = static_cast<int>(a);
        joined = true;
      }
    }
    return joined;
  }

  const Matrix& keys_;
  std::span<const double> weights_;
  KeyDiscs discs_;
  std::vector<int> of_, into_;
  std::vector<Middle> middles_;
};

}  // namespace

Dome dome_of(const HeadPart& head) {
  Dome dome = head.keys.cols > 3 ? high_dome(head) : low_dome(head);
  add_lengths(head, dome);
  return dome;
}

double attention_angle(double concentration, double factor) {
  const double fall = -std::log(factor), c = std::fabs(concentration);
  return fall < 2 * c ? std::acos(1 - fall / c) : std::numbers::pi;
}

std::vector<int> group_keys(const Matrix& keys, std::span<const double> weights,
                            const KeyDiscs& discs) {
  return Grouping(keys, weights, discs).groups();
}

std::vector<KeyGroup> summarise_groups(const Matrix& keys, std::span<const double> weights,
                                       std::span<const int> group) {
  const int count = group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1;
  std::vector<KeyGroup> all(count, {.place = Vector(3)});
  Matrix plain = zeros(count, 3);
  for (int j = 0; j < keys.rows; ++j) {
    if (group[j] < 0) continue;
    KeyGroup& g = all[group[j]];
    g.weight += weights[j];
    ++g.count;
    for (int c = 0; c < 3; ++c) {
      g.place[c] += weights[j] * keys(j, c);
      plain(group[j], c) += keys(j, c);
    }
  }
  for (int g = 0; g < count; ++g) {
    // Keys without weight count equally, as do keys whose mean has no direction.
    const double size = std::sqrt(dot(all[g].place.data(), all[g].place.data(), 3));
    all[g].place =
        unit(size > 1e-9 * all[g].weight && size > 0 ? all[g].place.data() : row(plain, g), 3);
  }
  return all;
}

Vector parts_of_message(const HeadPart& head) {
  Vector parts(head.weights.size());
  double sum = 0;
  for (int j = 0; j < head.values.rows; ++j) {
    const double* value = row(head.values, j);
    parts[j] = head.weights[j] * std::sqrt(dot(value, value, head.values.cols));
    sum += parts[j];
  }
  for (double& part : parts) part = sum > 0 ? part / sum : 0;
  return parts;
}

Matrix directions_along(const Matrix& axes, const Matrix& vectors) {
  Matrix out = zeros(vectors.rows, 3);
  for (int j = 0; j < vectors.rows; ++j) {
    double seen[3];
    for (int a = 0; a < 3; ++a) seen[a] = dot(row(axes, a), row(vectors, j), vectors.cols);
    const Vector direction = unit(seen, 3);
    for (int a = 0; a < 3; ++a) out(j, a) = direction[a];
  }
  return out;
}

ArrowAxes arrow_axes(std::span<const Vector> vectors, int d) {
  ArrowAxes found{zeros(3, d), 1};
  for (int a = 0; a < std::min(3, d); ++a) found.axes(a, a) = 1;
  if (d <= 3 || vectors.empty()) return found;
  Matrix units = zeros(static_cast<int>(vectors.size()), d);
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    const Vector u = unit(vectors[v].data(), d);
    std::copy(u.begin(), u.end(), units.data.begin() + static_cast<std::ptrdiff_t>(v) * d);
  }
  found.axes.data = axes_of(units, 3, found.share);
  return found;
}

}  // namespace murmur
