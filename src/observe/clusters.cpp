// clusters.cpp: clusters of close particles, directly and by a grid of cells, what their counts
// mean, and Renyi centres.
#include "observe/clusters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/pair_kernels.h"
#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {

namespace {

// Tests whether one particle is linked to each of a tile of others.
class LinkTest {
 public:
  explicit LinkTest(Closeness closeness)
      : closeness_(closeness),
        bound_(closeness.manifold == Manifold::sphere ? 1 - closeness.tol
                                                      : -(closeness.tol * closeness.tol)) {}

  // Whether a (d) is linked to any of x_first .. x_{first + count - 1}; count <= tile.
  bool test(const double* a, const HostSwarm& x, int first, int count);
  bool linked(int c) const { return score_[c] > bound_; }  // the answer for x_{first + c}

 private:
  Closeness closeness_;
  double bound_;
  double score_[tile];  // <a, x> on the sphere, -|a - x|^2 in space
};

bool LinkTest::test(const double* a, const HostSwarm& x, int first, int count) {
  if (closeness_.manifold == Manifold::sphere) {
    inner_products(a, x, first, count, score_);
  } else {
    squared_distances(a, x, first, count, score_);
    for (int c = 0; c < count; ++c) score_[c] = -score_[c];
  }
  return max(score_, count) > bound_;
}

// Reorders `members` (particles of x, at least one) so that each component among them is
// contiguous, and returns the sizes of the components.
std::vector<int> connected_components(const HostSwarm& x, Closeness closeness,
                                      std::span<int> members) {
  const int n = static_cast<int>(members.size()), d = x.d();
  if (n == 1) return {1};
  LinkTest link_test(closeness);
  std::vector<int> rest(members.begin(), members.end());  // not yet in a component
  HostSwarm at(Shape{n, d});                              // their positions
  for (int k = 0; k < d; ++k) {
    for (int i = 0; i < n; ++i) at.axis(k)[i] = x.axis(k)[rest[i]];
  }
  int left = n;
  const auto take_out = [&](int slot) {  // moves the last one into the free slot
    const int taken = rest[slot];
    rest[slot] = rest[--left];
    for (int k = 0; k < d; ++k) at.at(slot, k) = at.at(left, k);
    return taken;
  };

  std::vector<int> sizes;
  std::vector<double> a(static_cast<std::size_t>(d));  // (d)
  int absorbed = 0, spread = 0;  // the neighbours of members[spread .. absorbed) are not yet known
  while (left > 0) {
    const int before = absorbed;
    members[absorbed++] = take_out(left - 1);
    for (; spread < absorbed && left > 0; ++spread) {
      gather(x, members[spread], a.data());
      // Backwards, so that a particle that moves into a free slot was already tested.
      for (int first = (left - 1) / tile * tile; first >= 0; first -= tile) {
        const int count = std::min(tile, left - first);
        if (!link_test.test(a.data(), at, first, count)) continue;
        for (int c = count - 1; c >= 0; --c) {
          if (link_test.linked(c)) members[absorbed++] = take_out(first + c);
        }
      }
    }
    spread = absorbed;
    sizes.push_back(absorbed - before);
  }
  return sizes;
}

// Numbers groups (0 to at most n-1, in any order, some perhaps empty) by their first members.
Clusters number_clusters(const HostSwarm& x, const std::vector<int>& group) {
  Clusters found;
  std::vector<int> label_of(group.size(), -1);  // (groups <= n)
  found.label.resize(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    int& label = label_of[group[i]];
    if (label < 0) {
      label = found.count++;
      found.size.push_back(0);
      found.mass.push_back(0);
    }
    found.label[i] = label;
    ++found.size[label];
    found.mass[label] += x.mass[i];
  }
  return found;
}

}  // namespace

Clusters clusters_directly(const HostSwarm& x, Closeness closeness) {
  std::vector<int> members(static_cast<std::size_t>(x.n()));
  std::iota(members.begin(), members.end(), 0);
  const std::vector<int> sizes =
      members.empty() ? std::vector<int>{} : connected_components(x, closeness, members);
  std::vector<int> group(members.size());  // (n)
  std::size_t m = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    for (int left = sizes[g]; left > 0; --left) group[members[m++]] = static_cast<int>(g);
  }
  return number_clusters(x, group);
}

Clusters clusters(const HostSwarm& x, Manifold manifold, double tol) {
  if (!(tol > 0)) {
    throw Error(Fault::input, "clusters need a tolerance above 0",
                "cluster_tol = " + std::to_string(tol),
                "give a small positive number, such as cluster_tol=1e-3");
  }
  if (const auto lost = first_unmeasurable(x)) {
    throw Error(Fault::input, "a coordinate is not a finite number, or too large to square",
                "particle " + std::to_string(*lost),
                "look for clusters in an earlier frame, or mend the data");
  }
  constexpr int few = 1024;  // below this, sorting into cells costs more than it saves
  const Closeness closeness{manifold, tol};
  return x.n() <= few ? clusters_directly(x, closeness) : clusters_by_cells(x, closeness);
}

namespace {

using Key = std::uint64_t;  // three cell numbers of 21 bits

// Chords |x - y| that decide without the exact test: pairs up to `inside` are linked, pairs from
// `outside` on are not.
struct Chords {
  double inside, outside;
};

// On the sphere <x, y> = (|x|^2 + |y|^2 - |x - y|^2) / 2, and norms are 1 only up to drift and
// rounding: the smallest and the largest norm bound the chords.
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
// cells on an axis; sides have a margin larger than that.
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

// Particles sorted by cell, and within a cell by clump: a set of particles linked inside that cell.
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
         grid.whole ? std::vector<int>{end - begin} : connected_components(x, closeness, members)) {
      c.clump.push_back(place);
      place += size;
    }
  }
  c.cell.push_back(static_cast<int>(c.clump.size()));
  c.clump.push_back(x.n());
  return c;
}

// Merges linked clumps of neighbouring cells.
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
        if (linker_.test(a_.data(), at_, q, std::min(tile, end - q))) return true;
      }
    }
    return false;
  }

  const Clumps& clumps_;
  HostSwarm at_;          // (n, d) sorted positions
  HostSwarm low_, high_;  // (clumps, d) boxes
  Sets sets_;
  LinkTest linker_;
  double far_;             // square of the chord from which on no pair is linked
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

namespace {

// Returns the largest distance of a particle from the mean of its cluster: 1 - cos of directions,
// or the distance in R^d.
double widest(const HostSwarm& x, const Clusters& found, bool directions) {
  const auto d = static_cast<std::size_t>(x.d());
  std::vector<double> mean(found.count * d);  // (count, d)
  for (int i = 0; i < x.n(); ++i)
    for (std::size_t k = 0; k < d; ++k)
      mean[found.label[i] * d + k] += x.at(i, static_cast<int>(k)) / found.size[found.label[i]];
  double most = 0;
  for (int i = 0; i < x.n(); ++i) {
    const double* centre = mean.data() + found.label[i] * d;
    double dot = 0, apart = 0, length = 0, norm = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const double here = x.at(i, static_cast<int>(k));
      dot += here * centre[k];
      apart += (here - centre[k]) * (here - centre[k]);
      length += centre[k] * centre[k];
      norm += here * here;
    }
    most = std::max(most, directions ? 1 - dot / std::sqrt(length * norm) : std::sqrt(apart));
  }
  return most;
}

}  // namespace

ClusterCounts count_clusters(const HostSwarm& x, const Dynamics& dynamics, double tol) {
  constexpr double kMostWidths = 10;
  const bool directions = moves_norms(dynamics) || dynamics.manifold == Manifold::sphere;
  const Clusters found = clusters(x, dynamics, tol);
  ClusterCounts counts{.count = found.count, .width = widest(x, found, directions)};
  counts.chained = !(counts.width <= kMostWidths * tol);
  counts.finer = clusters(x, dynamics, tol / 10).count;
  counts.coarser = clusters(x, dynamics, 10 * tol).count;
  return counts;
}

int atoms_holding(const Clusters& clusters, double share) {
  if (!(share > 0 && share <= 1))
    throw Error(Fault::input, "atoms hold a fraction of the mass",
                "share = " + std::to_string(share), "give a share above 0, up to 1");
  constexpr double kRounding = 1e-12;  // of sums of masses
  std::vector<double> mass = clusters.mass;
  std::sort(mass.begin(), mass.end(), std::greater<>());
  double held = 0;
  for (std::size_t k = 0; k < mass.size(); ++k) {
    held += mass[k];
    if (held >= share - kRounding) return static_cast<int>(k) + 1;
  }
  return static_cast<int>(mass.size());
}

Series atoms_over_time(const History& history, const Dynamics& dynamics, const AtomRule& rule) {
  Series series;
  for (std::int64_t frame = 0; frame < history.count; ++frame) {
    series.t.push_back(history.time(frame));
    series.value.push_back(
        atoms_holding(clusters(history.frame(frame), dynamics, rule.tol), rule.share));
  }
  return series;
}

namespace {

// Squared distance beyond which two tokens are farther than delta. On the sphere the angle phi has
// chord 2 sin(phi / 2), which resolves small angles better than the cosine does.
double far_square(Manifold manifold, double delta) {
  if (manifold == Manifold::space) return delta * delta;
  const double chord = 2 * std::sin(std::min(delta, std::numbers::pi) / 2);
  return chord * chord;
}

}  // namespace

std::vector<int> renyi_centres(const HostSwarm& x, Manifold manifold, double delta, Centres kind) {
  if (!(delta > 0))
    throw Error(Fault::input, "centres need a distance above 0", "delta = " + std::to_string(delta),
                "give one, such as delta=0.5, or 4 / sqrt(beta)");
  require_measurable(x);
  const double bound = far_square(manifold, delta);
  std::vector<int> centres;
  HostSwarm earlier(x.shape());                            // centres so far, or all tokens so far
  std::vector<double> a(static_cast<std::size_t>(x.d()));  // (d)
  double square[tile];
  int count = 0;
  for (int i = 0; i < x.n(); ++i) {
    gather(x, i, a.data());
    bool apart = true;
    for (int j = 0; j < count && apart; j += tile) {
      const int width = std::min(tile, count - j);
      squared_distances(a.data(), earlier, j, width, square);
      apart = std::all_of(square, square + width, [&](double s) { return s > bound; });
    }
    if (apart) centres.push_back(i);
    if (!apart && kind == Centres::ordinary) continue;
    for (int k = 0; k < x.d(); ++k) earlier.at(count, k) = a[k];
    ++count;
  }
  return centres;
}

}  // namespace murmur
