// cells_terms.cpp: lists the monomials of a degree once, with what the kernels ask of each.
#include "engine/moments/cells_terms.h"

#include <map>

namespace murmur::moments {

namespace {

using Index = std::vector<int>;

// All multi-indices of d coordinates with |b| <= p, the last coordinate fastest.
void list(int d, int p, Index& at, std::vector<Index>& all) {
  if (static_cast<int>(at.size()) == d) {
    all.push_back(at);
    return;
  }
  for (int k = 0; k <= p; ++k) {
    at.push_back(k);
    list(d, p - k, at, all);
    at.pop_back();
  }
}

int total(const Index& b) {
  int sum = 0;
  for (const int k : b) sum += k;
  return sum;
}

double factorial_of(int k) { return k <= 1 ? 1.0 : k * factorial_of(k - 1); }

}  // namespace

double terms_count(int d, int p) {
  double count = 1;
  for (int k = 1; k <= d; ++k) count *= static_cast<double>(p + k) / k;
  return count;
}

Terms::Terms(int d_, int p_) : d(d_), p(p_) {
  std::vector<Index> all;
  Index at;
  list(d, p, at, all);
  count = static_cast<int>(all.size());
  std::map<Index, int> place;
  for (int e = 0; e < count; ++e) place[all[e]] = e;
  for (const Index& b : all) {
    double product = 1;
    for (const int k : b) product *= factorial_of(k);
    degree.push_back(total(b));
    factorial.push_back(product);
    inverse.push_back(1 / product);
    norm.push_back(1 / (product * factorial_of(total(b))));
  }
  for (int q = 0; q < d; ++q) {
    Index one(d, 0);
    one[q] = 1;
    linear.push_back(place.at(one));
  }
  std::map<Index, int> row_of;  // of the first d - 1 coordinates
  lowers_of.push_back(0);
  for (int e = 0; e < count; ++e) {
    if (all[e].back() != 0) continue;
    Index prefix(all[e].begin(), all[e].end() - 1);
    Row row{.first = e, .length = p - total(prefix) + 1};
    const int index = static_cast<int>(rows.size());
    row_of[prefix] = index;
    for (int q = 0; q < d - 1; ++q) {
      if (prefix[q] == 0) continue;
      Index below = prefix;
      --below[q];
      row.parent = row_of.at(below);
      row.axis = q;
      lowers.push_back({index, q, row.parent, static_cast<double>(prefix[q])});
    }
    rows.push_back(row);
    lowers_of.push_back(static_cast<int>(lowers.size()));
  }
  line_of_axis.push_back(0);
  line_begin.push_back(0);
  for (int q = 0; q < d; ++q) {
    for (const Index& b : all) {
      if (b[q] != 0) continue;
      Index along = b;
      for (const int k0 = total(b); k0 + along[q] <= p; ++along[q])
        line_terms.push_back(place.at(along));
      line_begin.push_back(static_cast<int>(line_terms.size()));
    }
    line_of_axis.push_back(static_cast<int>(line_begin.size()) - 1);
  }
}

}  // namespace murmur::moments
