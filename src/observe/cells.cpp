// cells.cpp: clusters of large swarms, by a grid of cells; memory is O(n d).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/pair_kernels.h"
#include "observe/clusters.h"
#include "observe/flood.h"

namespace murmur {
namespace {

using Key = std::uint64_t;  // three cell numbers of 21 bits

// Chords |x - y| that decide without the exact test: up to `inside` all pairs are linked, from
// `outside` on none is.
struct Chords {
  double inside, outside;
};

// On the sphere <x, y> = (|x|^2 + |y|^2 - |x - y|^2) / 2, and norms are 1 only up to drift and
// rounding: the smallest and largest of them bound the chords.
Chords deciding_chords(const HostSwarm& x, Closeness closeness) {
  if (closeness.manifold == Manifold::space) {
    return {closeness.tol * (1 - 1e-12), closeness.tol * (1 + 1e-12)};
  }
  double min = std::numeric_limits<double>::infinity(), max = 0;
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    min = std::min(min, square);
    max = std::max(max, square);
  }
  const double rounding = 1e-15 * (x.d() + 4) * (1 + max);
  const auto root = [](double square) { return square > 0 ? std::sqrt(square) : 0; };
  return {root(2 * (min - 1 + closeness.tol - rounding)),
          root(2 * (max - 1 + closeness.tol + rounding))};
}

struct Grid {
  int axes;                   // min(d, 3)
  std::array<double, 3> low;  // smallest coordinates
  double side;
  int reach;   // linked particles are at most this many cells apart on each axis
  bool whole;  // all in one cell are linked

  Key key(const HostSwarm& x, int i) const {
    Key packed = 0;
    for (int k = 0; k < axes; ++k) {
      const Key cell = static_cast<Key>((x.at(i, k) - low[k]) / side);
      packed = (packed << 21) | (cell + static_cast<Key>(reach));
    }
    return packed;
  }
};

// Rounding moves the boundary of a cell by less than 2^-31 of its side while there are at most 2^20
// cells on an axis; sides are chosen with more room than that.
Grid make_grid(const HostSwarm& x, Chords chords) {
  constexpr double room = 1e-8;
  Grid grid{std::min(x.d(), 3), {}, 0, 1, x.d() <= 3 && chords.inside > 0.9 * chords.outside};
  double extent = 0;
  for (int k = 0; k < grid.axes; ++k) {
    const auto [low, high] = std::minmax_element(x.axis(k), x.axis(k) + x.n());
    grid.low[k] = *low;
    extent = std::max(extent, *high - *low);
  }
  grid.side =
      grid.whole ? chords.inside / std::sqrt(grid.axes) * (1 - room) : chords.outside * (1 + room);
  if (extent > grid.side * 0x1p20) {
    grid.side = std::max(extent * 0x1p-20, chords.outside * (1 + room));
    grid.whole = false;
  }
  grid.reach = static_cast<int>(chords.outside / grid.side) + 1;
  return grid;
}

// Half of the neighbourhood of a cell, nearest first, as differences of keys.
std::vector<Key> neighbours(const Grid& grid) {
  struct Offset {
    int square;
    std::int64_t key;
  };
  std::vector<Offset> offsets{{0, 0}};
  for (int k = 0; k < grid.axes; ++k) {
    std::vector<Offset> longer;
    for (const Offset& o : offsets) {
      for (int step = -grid.reach; step <= grid.reach; ++step) {
        longer.push_back({o.square + step * step, o.key * (1 << 21) + step});
      }
    }
    offsets = std::move(longer);
  }
  std::stable_sort(offsets.begin(), offsets.end(),
                   [](const Offset& a, const Offset& b) { return a.square < b.square; });
  std::vector<Key> half;
  for (const Offset& o : offsets) {
    if (o.key > 0) half.push_back(static_cast<Key>(o.key));
  }
  return half;
}

// Disjoint sets of clumps.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(int a, int b) { parent_[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

 private:
  std::vector<int> parent_;
};

// Particles sorted by cell, and within a cell by clump: a set linked inside that cell already.
struct Clumps {
  std::vector<int> order;  // (n) particle at each sorted place
  std::vector<Key> key;    // (cells) ascending
  std::vector<int> cell;   // (cells + 1) first clump of each cell
  std::vector<int> clump;  // (clumps + 1) first sorted place of each clump
};

Clumps make_clumps(const HostSwarm& x, Closeness closeness, const Grid& grid) {
  std::vector<std::pair<Key, int>> sorted(static_cast<std::size_t>(x.n()));
  for (int i = 0; i < x.n(); ++i) sorted[i] = {grid.key(x, i), i};
  std::sort(sorted.begin(), sorted.end());

  Clumps c;
  for (const auto& [key, i] : sorted) c.order.push_back(i);
  int end = 0;
  for (int begin = 0; begin < x.n(); begin = end) {
    while (end < x.n() && sorted[end].first == sorted[begin].first) ++end;
    c.key.push_back(sorted[begin].first);
    c.cell.push_back(static_cast<int>(c.clump.size()));
    const std::span<int> members(&c.order[begin], static_cast<std::size_t>(end - begin));
    int place = begin;
    for (const int size :
         grid.whole ? std::vector<int>{end - begin} : flood(x, closeness, members)) {
      c.clump.push_back(place);
      place += size;
    }
  }
  c.cell.push_back(static_cast<int>(c.clump.size()));
  c.clump.push_back(x.n());
  return c;
}

// Joins clumps of neighbouring cells until nothing more is linked.
class Joiner {
 public:
  Joiner(const HostSwarm& x, const Clumps& clumps, Closeness closeness, double outside)
      : clumps_(clumps),
        at_(Shape{x.n(), x.d()}),
        low_(Shape{static_cast<int>(clumps.clump.size()) - 1, x.d()}),
        high_(low_),
        sets_(clumps.clump.size() - 1),
        linker_(closeness),
        far_(outside * outside),
        a_(static_cast<std::size_t>(x.d())) {
    for (int k = 0; k < x.d(); ++k) {
      double* axis = at_.axis(k);
      for (int p = 0; p < x.n(); ++p) axis[p] = x.axis(k)[clumps.order[p]];
      for (int c = 0; c < low_.n(); ++c) {
        const auto [low, high] =
            std::minmax_element(axis + clumps.clump[c], axis + clumps.clump[c + 1]);
        low_.at(c, k) = *low;
        high_.at(c, k) = *high;
      }
    }
  }

  void join_cells(int first, int second) {
    for (int a = clumps_.cell[first]; a < clumps_.cell[first + 1]; ++a) {
      for (int b = clumps_.cell[second]; b < clumps_.cell[second + 1]; ++b) {
        if (sets_.find(a) != sets_.find(b) && touch(a, b)) sets_.join(a, b);
      }
    }
  }

  int set_of(int clump) { return sets_.find(clump); }

 private:
  // Whether clump b's box is too far from the box low_row .. high_row for any link.
  bool apart(const HostSwarm& low, const HostSwarm& high, int row, int b) const {
    double square = 0;
    for (int k = 0; k < at_.d() && square < far_; ++k) {
      const double gap = std::max(low_.at(b, k) - high.at(row, k), low.at(row, k) - high_.at(b, k));
      if (gap > 0) square += gap * gap;
    }
    return square >= far_;
  }

  bool touch(int a, int b) {
    if (apart(low_, high_, a, b)) return false;
    for (int p = clumps_.clump[a]; p < clumps_.clump[a + 1]; ++p) {
      if (apart(at_, at_, p, b)) continue;
      gather(at_, p, a_.data());
      const int end = clumps_.clump[b + 1];
      for (int q = clumps_.clump[b]; q < end; q += tile) {
        if (linker_.ask(a_.data(), at_, q, std::min(tile, end - q))) return true;
      }
    }
    return false;
  }

  const Clumps& clumps_;
  HostSwarm at_;          // (n, d) sorted positions
  HostSwarm low_, high_;  // (clumps, d) boxes
  Sets sets_;
  Linker linker_;
  double far_;             // square of the chord from which on none is linked
  std::vector<double> a_;  // (d)
};

}  // namespace

Clusters clusters_by_cells(const HostSwarm& x, Closeness closeness) {
  const Chords chords = deciding_chords(x, closeness);
  std::vector<int> group(static_cast<std::size_t>(x.n()));  // (n)
  std::iota(group.begin(), group.end(), 0);
  if (x.n() == 0 || chords.outside == 0) return number_clusters(x, group);

  const Grid grid = make_grid(x, chords);
  const Clumps clumps = make_clumps(x, closeness, grid);
  Joiner joiner(x, clumps, closeness, chords.outside);
  const int cells = static_cast<int>(clumps.key.size());
  for (const Key offset : neighbours(grid)) {
    int second = 0;
    for (int first = 0; first < cells; ++first) {
      const Key wanted = clumps.key[first] + offset;
      while (second < cells && clumps.key[second] < wanted) ++second;
      if (second == cells) break;
      if (clumps.key[second] == wanted) joiner.join_cells(first, second);
    }
  }
  for (std::size_t c = 0; c + 1 < clumps.clump.size(); ++c) {
    for (int p = clumps.clump[c]; p < clumps.clump[c + 1]; ++p) {
      group[clumps.order[p]] = joiner.set_of(static_cast<int>(c));
    }
  }
  return number_clusters(x, group);
}

}  // namespace murmur
