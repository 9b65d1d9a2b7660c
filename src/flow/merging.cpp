// merging.cpp: merges particles that have met, nearest pair first.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>
#include <utility>

#include "flow/flow_stepper.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

// Two rows closer than delta, found from `owner`, with the number of merges of each at that time.
struct Candidate {
  double square;
  int i, j;  // i < j
  int owner;
  int joins_i, joins_j;

  // Nearest first; of equal distances, lower rows first.
  bool operator<(const Candidate& other) const {
    if (square != other.square) return square > other.square;
    return i != other.i ? i > other.i : j > other.j;
  }
};

// The particles of a state while pairs are merged. A row keeps its number until the end, so a merge
// costs a search around one particle and not a pass over all. Every row that has a neighbour owns
// one candidate, its nearest pair. The nearest candidate is the nearest pair of the swarm, once
// candidates with a row that has moved or gone are replaced.
class Joining {
 public:
  Joining(const FlowState& state, double delta, Manifold manifold)
      : x_(state.x), delta_(delta), manifold_(manifold), left_(state.x.n()) {
    const int n = x_.n();
    joins_.assign(n, 0);
    into_.resize(n);
    for (int i = 0; i < n; ++i) into_[i] = i;
    first_member_.assign(n, std::numeric_limits<int>::max());
    for (int member = static_cast<int>(state.group.size()) - 1; member >= 0; --member)
      first_member_[state.group[member]] = member;
    for (int i = 0; i < n; ++i) index(i);
    for (int i = 0; i < n; ++i) {
      if (i % 256 == 0) stop_point();
      find_nearest(i);
    }
  }

  // Merges the nearest pair into its lower row; returns false if no pair is left.
  bool join_nearest(double t, std::vector<Merge>& merges) {
    while (!candidates_.empty()) {
      const Candidate nearest = candidates_.top();
      candidates_.pop();
      const int partner = nearest.owner == nearest.i ? nearest.j : nearest.i;
      const bool owner_is_current = current(nearest, nearest.owner);
      if (owner_is_current && current(nearest, partner)) {
        join(nearest.i, nearest.j);
        merges.push_back(
            {t, first_member_[nearest.i], first_member_[nearest.j], x_.mass[nearest.i], left_});
        first_member_[nearest.i] = std::min(first_member_[nearest.i], first_member_[nearest.j]);
        find_nearest(nearest.i);
        return true;
      }
      if (owner_is_current) find_nearest(nearest.owner);
    }
    return false;
  }

  // Moves the remaining rows up.
  void store(FlowState& state) const {
    const int n = x_.n();
    std::vector<int> row(n);
    HostSwarm left({left_, x_.d()});
    int to = 0;
    for (int i = 0; i < n; ++i) {
      if (into_[i] != i) continue;
      for (int k = 0; k < x_.d(); ++k) left.at(to, k) = x_.at(i, k);
      left.mass[to] = x_.mass[i];
      row[i] = to++;
    }
    for (int& group : state.group) {
      while (into_[group] != group) group = into_[group];
      group = row[group];
    }
    state.x = std::move(left);
  }

 private:
  bool current(const Candidate& pair, int row) const {
    return into_[row] == row && joins_[row] == (row == pair.i ? pair.joins_i : pair.joins_j);
  }

  void index(int i) {
    if (std::isfinite(x_.at(i, 0))) along_first_axis_.insert({x_.at(i, 0), i});
  }

  double square_distance(int i, int j) const {
    double square = 0;
    for (int k = 0; k < x_.d(); ++k) {
      const double difference = x_.at(i, k) - x_.at(j, k);
      square += difference * difference;
    }
    return square;
  }

  void find_nearest(int i) {
    const double first = x_.at(i, 0);
    if (!std::isfinite(first)) return;
    Candidate nearest{delta_ * delta_, -1, -1, i, 0, 0};
    const auto compare = [&](int j) {
      const Candidate pair{square_distance(i, j), std::min(i, j), std::max(i, j), i, 0, 0};
      if (pair.square < nearest.square || (nearest.i >= 0 && nearest < pair)) nearest = pair;
    };
    const auto here = along_first_axis_.find({first, i});
    for (auto at = std::next(here); at != along_first_axis_.end() && at->first - first < delta_;
         ++at)
      compare(at->second);
    for (auto at = here; at != along_first_axis_.begin() && first - std::prev(at)->first < delta_;
         --at)
      compare(std::prev(at)->second);
    if (nearest.i < 0) return;
    nearest.joins_i = joins_[nearest.i];
    nearest.joins_j = joins_[nearest.j];
    candidates_.push(nearest);
  }

  // Merges row j into row i.
  void join(int i, int j) {
    along_first_axis_.erase({x_.at(i, 0), i});
    along_first_axis_.erase({x_.at(j, 0), j});
    const double mass = x_.mass[i] + x_.mass[j];
    double square = 0;
    for (int k = 0; k < x_.d(); ++k) {
      x_.at(i, k) = (x_.mass[i] * x_.at(i, k) + x_.mass[j] * x_.at(j, k)) / mass;
      square += x_.at(i, k) * x_.at(i, k);
    }
    if (manifold_ == Manifold::sphere)
      for (int k = 0; k < x_.d(); ++k) x_.at(i, k) /= std::sqrt(square);
    x_.mass[i] = mass;
    into_[j] = i;
    ++joins_[i];
    --left_;
    index(i);
  }

  HostSwarm x_;
  double delta_;
  Manifold manifold_;
  int left_;
  std::vector<int> joins_;         // of each row
  std::vector<int> into_;          // the row that a row was merged into; itself if it remains
  std::vector<int> first_member_;  // of each row, the first particle of its group
  std::set<std::pair<double, int>> along_first_axis_;  // first coordinate and row
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

std::vector<Merge> merge_close(FlowState& state, double delta, Manifold manifold) {
  std::vector<Merge> merges;
  if (state.x.n() == 0) return merges;
  Joining joining(state, delta, manifold);
  while (joining.join_nearest(state.t, merges))
    if (merges.size() % 256 == 0) stop_point();
  if (!merges.empty()) joining.store(state);
  return merges;
}

}  // namespace murmur
