// clusters.cpp: components of the graph of close pairs, by breadth-first search.
#include "observe/clusters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/pair_kernels.h"
#include "core/sums.h"
#include "murmur/error.h"
#include "observe/flood.h"

namespace murmur {

bool Linker::ask(const double* a, const HostSwarm& x, int first, int count) {
  if (closeness_.manifold == Manifold::sphere) {
    inner_products(a, x, first, count, score_);
  } else {
    squared_distances(a, x, first, count, score_);
    for (int c = 0; c < count; ++c) score_[c] = -score_[c];
  }
  return max(score_, count) > bound_;
}

std::vector<int> flood(const HostSwarm& x, Closeness closeness, std::span<int> members) {
  const int n = static_cast<int>(members.size()), d = x.d();
  if (n == 1) return {1};
  Linker linker(closeness);
  std::vector<int> rest(members.begin(), members.end());  // not yet absorbed
  HostSwarm at(Shape{n, d});                              // their positions
  for (int k = 0; k < d; ++k) {
    for (int i = 0; i < n; ++i) at.axis(k)[i] = x.axis(k)[rest[i]];
  }
  int left = n;
  const auto take_out = [&](int slot) {  // the last one moves into the free slot
    const int taken = rest[slot];
    rest[slot] = rest[--left];
    for (int k = 0; k < d; ++k) at.at(slot, k) = at.at(left, k);
    return taken;
  };

  std::vector<int> sizes;
  std::vector<double> a(static_cast<std::size_t>(d));  // (d)
  int absorbed = 0, spread = 0;  // members[spread .. absorbed) have yet to absorb others
  while (left > 0) {
    const int before = absorbed;
    members[absorbed++] = take_out(left - 1);
    for (; spread < absorbed && left > 0; ++spread) {
      gather(x, members[spread], a.data());
      // From the back, so that the particle moved into a free slot has been tested already.
      for (int first = (left - 1) / tile * tile; first >= 0; first -= tile) {
        const int count = std::min(tile, left - first);
        if (!linker.ask(a.data(), at, first, count)) continue;
        for (int c = count - 1; c >= 0; --c) {
          if (linker.linked(c)) members[absorbed++] = take_out(first + c);
        }
      }
    }
    spread = absorbed;
    sizes.push_back(absorbed - before);
  }
  return sizes;
}

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

Clusters clusters_directly(const HostSwarm& x, Closeness closeness) {
  std::vector<int> members(static_cast<std::size_t>(x.n()));
  std::iota(members.begin(), members.end(), 0);
  const std::vector<int> sizes =
      members.empty() ? std::vector<int>{} : flood(x, closeness, members);
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

}  // namespace murmur
