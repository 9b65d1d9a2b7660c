// block.cpp: copies swarms into lanes, and reads numbers from them.
#include "ensemble/block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "murmur/error.h"

namespace murmur::ensemble {

namespace {

bool reduces(Shape s) { return std::max(s.n, 2) < s.d; }

Shape stored_shape(Shape s) { return {s.n, stored_dimension(reduces(s) ? s.n : s.d)}; }

}  // namespace

void check_start(const HostSwarm& x, Shape wanted, std::int64_t replica) {
  const auto refuse = [&](const char* what, const char* remedy) {
    throw Error(Fault::input, what, "start of replica " + std::to_string(replica), remedy);
  };
  if (x.shape() != wanted) refuse("a swarm has another shape than the ensemble", "give (n, d)");
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    if (!(std::fabs(square - 1) < 1e-9))
      refuse("a particle does not start on the sphere", "divide it by its length");
    if (!(std::fabs(x.mass[i] * x.n() - 1) < 1e-9))
      refuse("an ensemble has equal masses", "simulate swarms with other masses one by one");
  }
}

AlignedArray zeros(std::size_t count) {
  AlignedArray array = simd::allocate<double>(count);
  std::fill_n(array.get(), count, 0.0);
  return array;
}

Block::Block(const ReplicasSetting& setting, const ReplicasWork& work, std::int64_t first)
    : setting_(setting),
      work_(work),
      first_(first),
      reduced_(reduces(setting.shape)),
      shape_(stored_shape(setting.shape)) {
  const auto [n, d] = setting.shape;
  x = zeros(block_size(shape_));
  if (reduced_) basis_.resize(static_cast<std::size_t>(kSwarms) * n * d);
  const int words = link_words(n);
  link_ = simd::allocate<std::uint64_t>(static_cast<std::size_t>(n) * words * kSwarms);
  left_.resize(words);
  spread_.reserve(n);
  for (int swarm = 0; swarm < kSwarms; ++swarm) place(swarm);
}

void Block::place(int swarm) {
  const auto [n, d] = setting_.shape;
  const HostSwarm start = work_.start(replica(swarm));
  check_start(start, setting_.shape, replica(swarm));
  std::vector<double> rows = to_rows(start);  // (n, axes)
  if (reduced_) {
    std::vector<double> coordinates(static_cast<std::size_t>(n) * n);
    project_to_span({setting_.shape, rows.data(), &basis_[static_cast<std::size_t>(swarm) * n * d],
                     coordinates.data()});
    rows = std::move(coordinates);
  }
  const int axes = reduced_ ? n : d;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < axes; ++k)
      x[(static_cast<std::size_t>(i) * shape_.d + k) * kSwarms + swarm] =
          rows[static_cast<std::size_t>(i) * axes + k];
}

HostSwarm Block::fetch(int swarm) const {
  const auto [n, d] = setting_.shape;
  const int axes = reduced_ ? n : d;
  std::vector<double> rows(static_cast<std::size_t>(n) * axes);  // (n, axes)
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < axes; ++k)
      rows[static_cast<std::size_t>(i) * axes + k] =
          x[(static_cast<std::size_t>(i) * shape_.d + k) * kSwarms + swarm];
  if (!reduced_) return from_rows(setting_.shape, rows.data());
  std::vector<double> all(static_cast<std::size_t>(n) * d);  // (n, d)
  std::vector<double> basis(basis_.begin() + static_cast<std::ptrdiff_t>(swarm) * n * d,
                            basis_.begin() + static_cast<std::ptrdiff_t>(swarm + 1) * n * d);
  expand_from_span({setting_.shape, all.data(), basis.data(), rows.data()});
  return from_rows(setting_.shape, all.data());
}

void Block::read(std::size_t time, ReplicasResult& result) {
  alignas(64) Lanes cosines, closes, mean;
  constexpr double kEvery = -2;  // below every cosine
  summarise_pairs({.shape = shape_,
                   .x = x.get(),
                   .close = std::max(setting_.pair_threshold, kEvery),
                   .linked = std::max(1 - setting_.cluster_tol, kEvery),
                   .cosines = cosines.data(),
                   .closes = closes.data(),
                   .mean = mean.data(),
                   .link = link_.get()});
  const double pairs = 0.5 * shape_.n * (shape_.n - 1.0);
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (int swarm = 0; swarm < kSwarms; ++swarm) {
    if (!asked(swarm)) continue;
    const auto row = static_cast<std::size_t>(replica(swarm) - work_.first);
    result.readings[row * work_.times.size() + time] = {
        .close_pairs = pairs > 0 ? closes[swarm] / pairs : none,
        .mean_cos = pairs > 0 ? cosines[swarm] / pairs : none,
        .order = mean[swarm],
        .clusters = count_clusters(swarm)};
  }
}

int Block::count_clusters(int swarm) {
  const int n = shape_.n, words = link_words(n);
  int left = n, count = 0;
  const auto take = [&](int word, std::uint64_t bits) {
    left_[word] &= ~bits;
    for (; bits != 0; bits &= bits - 1, --left)
      spread_.push_back(word * 64 + std::countr_zero(bits));
  };
  std::fill(left_.begin(), left_.end(), ~std::uint64_t{0});
  if (n % 64 != 0) left_.back() = (std::uint64_t{1} << (n % 64)) - 1;
  for (int seed = 0; seed < words; ++seed)
    while (left_[seed] != 0) {
      ++count;
      spread_.clear();
      take(seed, left_[seed] & -left_[seed]);
      while (!spread_.empty() && left > 0) {
        const auto row = static_cast<std::size_t>(spread_.back()) * words;
        spread_.pop_back();
        for (int w = 0; w < words; ++w) take(w, link_[(row + w) * kSwarms + swarm] & left_[w]);
      }
    }
  return count;
}

}  // namespace murmur::ensemble
